//! A frame with characters.
//!
//! A character is a node of the scene that stands for it, a player in a clip, and a pose; its skeleton, clips, skin and
//! mesh are shared by many. What it shows goes through these, in this order, each frame:
//!
//! | step | call | what comes of it |
//! |---|---|---|
//! | 1. time passes | [`Player::advance`](crate::anim::Player::advance) | a place in the clip |
//! | 2. the clip is sampled | [`Player::sample`](crate::anim::Player::sample), then blends | a [`Pose`](crate::anim::Pose): a local transform for each joint |
//! | 3. joints are multiplied | [`Pose::to_models`](crate::anim::Pose::to_models) | *model matrices*, by the skeleton's numbers: from the joint to the character |
//! | 4. nodes follow | [`Sockets::follow`](crate::character::Sockets::follow); `Rig::apply` of `hedgerow-gltf` if an import made a node for each joint | local transforms of nodes |
//! | 5. vertices' matrices | [`Skin::palette`](crate::skin::Skin::palette) | a [`Palette`](crate::skin::Palette), by the skin's numbers: from the mesh as modelled to the character |
//! | 6. boxes follow | [`JointBounds::follow`](crate::character::JointBounds::follow) | bounds of the nodes that draw |
//! | 7. the scene is brought up to date | [`Scene::update`](crate::Scene::update) | world matrices and boxes |
//! | 8. who is seen | [`Scene::cull`](crate::Scene::cull), or [`draw_list`](crate::Scene::draw_list) | draws |
//! | 9. those are skinned | [`SkinnedMesh::skin`](crate::skin::SkinnedMesh::skin), or your vertex shader with the palette | vertices, in the character's space |
//! | 10. and drawn | yours, with the world matrix of the base | |
//!
//! Steps 4 and 6 come before the update, so that it does everything once. Skinning waits for culling: who is not seen
//! costs no vertices.
//!
//! # Which matrix a skinned draw needs
//!
//! The **world matrix of the base**: the node that the model matrices are relative to. For a character of your own it
//! is the node that stands for it. For an import it is `RigPlace::base` of `hedgerow-gltf`, the parent of
//! the rig's first joint. The transform of the node that has the mesh does not count, as glTF demands: a draw list
//! gives that node's world matrix, which is right for meshes without a skin, and for skinned ones only if the node is
//! the base itself, or stands at it without a transform of its own. `JointBounds::follow` is told the base for the same
//! reason.
//!
//! | matrix | leads from | to |
//! |---|---|---|
//! | inverse bind (of the [`Skin`](crate::skin::Skin)) | the mesh as modelled | the joint |
//! | model (of the pose) | the joint | the base |
//! | palette: model × inverse bind | the mesh as modelled | the base |
//! | [`Scene::world`](crate::Scene::world) of the base | the base | the world |
//!
//! # Numbers of joints
//!
//! A skeleton counts its joints from the root in depth-first order. A skin has an order of its own, which vertices are
//! bound by, and may leave joints out. Poses, model matrices, sockets and clips go by the skeleton; palettes,
//! influences and [`JointBounds`](crate::character::JointBounds) go by the skin. Whatever makes palettes takes the
//! skin, and a mesh refuses the palette of a skin for which it was not built.
//!
//! ```
//! # #[cfg(feature = "anim")] {
//! use hedgerow::anim::{ClipBuilder, Player, Pose, RawClip, SkeletonBuilder, raw::Track};
//! use hedgerow::character::{JointBounds, Sockets};
//! use hedgerow::glam::{Quat, Vec3};
//! use hedgerow::query::{CullView, Frustum};
//! use hedgerow::skin::{Skin, SkinOutput, SkinnedMesh};
//! use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, SceneConfig, Transform};
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
//! bounds.follow(&mut scene, guard, guard, palette)?;
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
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Many of them
//!
//! [`Skeleton::par_each_palette`](crate::anim::Skeleton::par_each_palette) does steps 1, 2, 3, 5 and, if you like, 9
//! for a list of characters that own their poses, sixteen at a time while their matrices are in the cache, and on the
//! threads of the pool with the feature `rayon`. A [`Crowd`](crate::anim::Crowd) is for instances that are only posed
//! and drawn. Who is far away may wait for a turn in every second or fourth frame, and then advance by all the time
//! that has passed: the example `army` does. [`SkinBatch`](crate::skin::SkinBatch) skins those who are seen of many.
