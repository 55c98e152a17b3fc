//! Animated characters in scenes of `hedgerow`: clips that move nodes, nodes that follow joints, boxes that follow
//! poses, and meshes that joints deform.
//!
//! The crate `hedgerow-anim`, re-exported as [`anim`], computes poses and skins meshes; this crate connects them to the
//! nodes of a [`Scene`](hedgerow::Scene). `hedgerow-gltf` makes its types from files.
//!
//! | subject | types |
//! |---|---|
//! | nodes that follow joints, such as a sword in a hand | [`Sockets`] |
//! | boxes around skinned meshes in any pose | [`JointBounds`] |
//! | a node for each joint: poses move nodes | [`Rig`], [`RigPlace`] |
//! | animations that play on rigs, with fades from one to another | [`AnimationPlayer`] |
//! | characters that walk, run and strike by parameters, with footsteps and root motion | [`animator::Animator`] |
//! | meshes that joints and morph targets deform, with their palettes, weights and boxes; rays and selections at them | [`Deformed`], [`DeformedMesh`], [`MorphNode`] |
//!
//! If nodes need not follow each joint, use poses and sockets: they cost less than rigs. The steps below are those of
//! such characters. An [`AnimationPlayer`] does steps 1, 2 and 4, a [`Deformed`] does steps 3, 5, 6 and 9.
//!
//! A socket applies the whole matrix of its joint, including the scale. If the joints of a file are scaled, for example
//! by 100 because it was modelled in centimetres, attached nodes need an offset with the inverse scale.
//!
//! # A frame
//!
//! A character consists of a node in the scene, a player of a clip or an animator, and a pose. Many characters share a
//! skeleton, clips, a skin and a mesh. Each frame has these steps, in this order:
//!
//! | step | call | result |
//! |---|---|---|
//! | 1. advance the time | [`Player::advance`](hedgerow_anim::Player::advance) or [`Animator::advance`](hedgerow_animator::Animator::advance) | a position in the clip; of an animator also events and root motion |
//! | 2. sample the clip | [`Player::sample`](hedgerow_anim::Player::sample), then blends; or [`Animator::sample`](hedgerow_animator::Animator::sample) | a [`Pose`](hedgerow_anim::Pose): a local transform for each joint |
//! | 3. multiply the joints | [`Pose::to_models`](hedgerow_anim::Pose::to_models), then [`ik`](hedgerow_anim::ik) | *model matrices*, by the skeleton's joint numbers: from the joint to the character |
//! | 4. set the nodes that follow joints | [`Sockets::follow`]; [`Rig::apply`] if there is a node for each joint | local transforms of nodes |
//! | 5. compute the palette | [`Skin::palette`](hedgerow_anim::skin::Skin::palette) | a [`Palette`](hedgerow_anim::skin::Palette), by the skin's joint numbers: from the mesh as modelled to the character |
//! | 6. set the bounds | [`JointBounds::follow`] | bounds of the nodes with meshes |
//! | 7. update the scene | [`Scene::update`](hedgerow::Scene::update) | world matrices and boxes |
//! | 8. cull | [`Scene::cull`](hedgerow::Scene::cull), or [`draw_list`](hedgerow::Scene::draw_list) | draws |
//! | 9. skin the visible characters | [`SkinnedMesh::skin`](hedgerow_anim::skin::SkinnedMesh::skin), or your vertex shader with the palette | vertices, in the character's space |
//! | 10. draw them | your renderer, with the matrix of the draw | |
//!
//! Steps 4 and 6 come before the update, so that one update is enough. Skinning comes after culling, so that invisible
//! characters cost nothing. Root motion moves the character's node, before step 7:
//! `scene.modify_local(node, |local| *local = RootMotion::apply(animator.root_motion(), *local))`.
//!
//! # Which matrix a skinned draw needs
//!
//! A skinned draw needs the **world matrix of the base**: the node that the model matrices are relative to. So draw the
//! mesh at the base, which is the character's node, or at a child of the base that has no transform. Then draws have
//! the right matrix, and `JointBounds::follow` sets the right box. `hedgerow-gltf` makes such a child for each skinned
//! mesh of a file; glTF ignores the transform of the mesh's own node.
//!
//! | matrix | maps from | to |
//! |---|---|---|
//! | inverse bind (of the [`Skin`](hedgerow_anim::skin::Skin)) | the mesh as modelled | the joint |
//! | model (of the pose) | the joint | the base |
//! | palette: model × inverse bind | the mesh as modelled | the base |
//! | [`Scene::world`](hedgerow::Scene::world) of the base | the base | the world |
//!
//! # Numbers of joints
//!
//! A skeleton numbers its joints from the root in depth-first order. A skin lists its joints in an order of its own,
//! and may leave joints out. Poses, model matrices, sockets and clips use the skeleton's numbers; palettes, influences
//! and [`JointBounds`] use the skin's. All functions that compute palettes take the skin, and a mesh refuses the
//! palette of a skin for which it was not built.
//!
//! ```
//! use hedgerow::glam::{Quat, Vec3};
//! use hedgerow::query::{CullView, Frustum};
//! use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, SceneConfig, Transform};
//! use hedgerow_anim::skin::{Skin, SkinOutput, SkinnedMesh};
//! use hedgerow_anim::{ClipBuilder, Player, Pose, RawClip, SkeletonBuilder, raw::Track};
//! use hedgerow_character::{JointBounds, Sockets};
//!
//! // Shared by all guards: a body and an arm one metre up, a clip that lifts the arm, two vertices.
//! let mut joints = SkeletonBuilder::new();
//! let body = joints.joint("body", None, Transform::IDENTITY);
//! joints.joint("arm", Some(body), Transform::from_xyz(0.0, 1.0, 0.0));
//! let (skeleton, _) = joints.build()?;
//! let mut salute = RawClip::new(1.0, skeleton.len())?;
//! let lifted = [0.0, 1.5].map(Quat::from_rotation_z).to_vec();
//! salute.set_rotation(1, Track::linear(vec![0.0, 1.0], lifted)?)?;
//! let (salute, _) = ClipBuilder::new().build(&salute)?;
//! let skin = Skin::at_rest(&skeleton)?;
//! let positions = [[0.0; 3], [0.5, 1.0, 0.0]];
//! let mesh = SkinnedMesh::builder(&positions).influences(1, &[0, 1], &[1.0; 2]).build(&skin)?;
//! let bounds = JointBounds::new(&skin, &positions.map(Vec3::from), &[0, 1], &[1.0; 2])?;
//!
//! // One of them, with a torch in its hand. Its node is the base, and draws the mesh itself.
//! let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
//! let place = Node::transform(Transform::from_xyz(10.0, 0.0, 0.0)).with_drawable(Drawable::new(0, Aabb::EMPTY));
//! let guard = scene.insert(scene.root(), place)?;
//! let torch = scene.insert(guard, Node::transform(Transform::IDENTITY))?;
//! let mut sockets = Sockets::new();
//! sockets.insert(&scene, torch, 0, 1, Transform::from_xyz(0.5, 0.0, 0.0))?;
//! let (mut player, mut pose) = (Player::new(&salute), Pose::rest(&skeleton));
//!
//! // Each frame, with the same lists:
//! let (mut models, mut room, mut draws) = (Vec::new(), Vec::new(), DrawList::new());
//! let mut vertices = vec![[0.0_f32; 3]; mesh.len()];
//! player.advance(1.0);
//! player.sample(&mut pose)?;
//! pose.to_models(&skeleton, &mut models)?;
//! sockets.follow(&mut scene, &models)?;
//! let palette = skin.palette(&models, &mut room)?;
//! bounds.follow(&mut scene, guard, palette, &[])?;
//! scene.update();
//! # let seen = Frustum::from_planes([hedgerow::glam::Vec4::ZERO; 6])?;
//! scene.cull(&mut [CullView::new(&seen, &mut draws)])?;
//! for (draw, world) in draws.commands().iter().zip(draws.matrices()) {
//!     mesh.skin(palette, SkinOutput::new(&mut vertices[..]))?;
//!     // Draw mesh `draw.mesh` with `vertices`, moved by `world`.
//!     # assert_eq!((draw.mesh, world.translation().x), (0, 10.0));
//! }
//! let hand = scene.world(guard).expect("it is in the scene").transform_point(Vec3::from(vertices[1]));
//! assert!(hand.distance(scene.world(torch).expect("it is in the scene").translation()) < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Many characters
//!
//! [`Skeleton::par_each_palette`](hedgerow_anim::Skeleton::par_each_palette) does steps 1 to 3 and 5 for a list of
//! characters, and lends models and palette to a closure. With the feature `rayon` it uses the pool. Distant characters
//! can be updated every second or fourth frame, by the whole time that has passed, as in the example `army`.
//! [`SkinBatch`](hedgerow_anim::skin::SkinBatch) skins the visible characters of a list.
//!
//! # The same bits everywhere
//!
//! Poses of clips and blends have the same bits on every machine. Skinned vertices, transforms that follow joints, and
//! model matrices of poses are rounded in one of two ways: one on machines with fused multiply-add (AVX2, AVX-512,
//! NEON), one on all others; see [`anim`].
//!
//! # Features
//!
//! | feature | adds | default |
//! |---|---|---|
//! | `rayon` | [`hedgerow`] and [`anim`] use the threads of the current pool, with the same results to the bit | no |
//! | `serde` | the features `serde` of [`hedgerow`] and [`anim`] | no |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod bounds;
mod deformed;
mod error;
mod local;
mod morph;
mod part;
mod play;
mod rig;
mod sockets;
mod surface;

pub use bounds::JointBounds;
pub use deformed::{Deformed, DeformedMesh};
pub use error::CharacterError;
pub use hedgerow_anim as anim;
pub use hedgerow_animator as animator;
pub use morph::{MorphChannels, MorphNode};
pub use play::AnimationPlayer;
pub use rig::{Rig, RigPlace};
pub use sockets::Sockets;

/// The pages of the crate whose examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
