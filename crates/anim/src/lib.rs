//! Skeletons, poses, clips and skinning: everything that animates the characters of a frame.
//!
//! ```
//! use hedgerow_anim::glam::{Quat, Vec3};
//! use hedgerow_anim::raw::Track;
//! use hedgerow_anim::{ClipBuilder, Player, Pose, RawClip, SkeletonBuilder, Transform};
//!
//! let mut joints = SkeletonBuilder::new();
//! let hip = joints.joint("hip", None, Transform::from_xyz(0.0, 1.0, 0.0));
//! joints.joint("knee", Some(hip), Transform::from_xyz(0.0, -0.5, 0.0));
//! let (skeleton, _) = joints.build()?;
//!
//! let mut step = RawClip::new(1.0, skeleton.len())?;             // one second, as authored
//! let bend = Quat::from_rotation_x(1.0);
//! step.set_rotation(1, Track::linear(vec![0.0, 1.0], vec![Quat::IDENTITY, bend])?)?;
//! let (step, _) = ClipBuilder::new().build(&step)?;              // compiled: small, and quick to play
//!
//! let mut player = Player::new(&step);
//! let mut pose = Pose::rest(&skeleton);
//! player.advance(0.5);
//! player.sample(&mut pose)?;
//! let mut models = Vec::new();
//! pose.to_models(&skeleton, &mut models)?;                       // a matrix for each joint
//! # Ok::<(), hedgerow_anim::Error>(())
//! ```
//!
//! # Map
//!
//! The modules, in the order in which data flows:
//!
//! | subject | types | module |
//! |---|---|---|
//! | joints in depth-first order, from a builder or from bytes | [`Skeleton`], [`SkeletonBuilder`], [`JointMap`](skeleton::JointMap) | [`skeleton`] |
//! | clips as authored: exact sampling, fewer keys | [`RawClip`], [`Track`](raw::Track), [`Reduction`](raw::Reduction) | [`raw`] |
//! | root motion, extracted from a clip | [`RootMotion`](root_motion::RootMotion) | [`root_motion`] |
//! | compiled clips: one block of bytes | [`Clip`], [`ClipBuilder`], [`Precision`](clip::Precision), [`JumpSpacing`](clip::JumpSpacing) | [`clip`] |
//! | playing clips, in any direction | [`Player`], [`Playback`](player::Playback) | [`player`] |
//! | local transforms of all joints, and their model matrices | [`Pose`] | [`pose`] |
//! | blending poses | [`PoseSum`](blend::PoseSum), [`JointMask`](blend::JointMask), [`Pose::crossfade`], [`Pose::add`] | [`blend`] |
//! | inverse kinematics: limbs, looks, chains with limits to places and poses, feet on the ground | [`TwoBone`](ik::TwoBone), [`Aim`](ik::Aim), [`Chain`](ik::Chain), [`Feet`](ik::Feet) | [`ik`] |
//! | vertices that follow joints: palettes, meshes, morph targets, batches | [`Skin`], [`Palette`](skin::Palette), [`SkinnedMesh`], [`SkinBatch`](skin::SkinBatch) | [`skin`] |
//! | many characters, from players to skinned vertices, on several threads | [`Skeleton::par_each_palette`] | [`skeleton`] |
//! | errors | [`Error`] | the root |
//!
//! A skeleton numbers its joints in depth-first order; poses, clips and model matrices use these numbers. A [`Skin`]
//! has its own joint order, which vertices and palettes use. A mesh refuses palettes of another skin.
//!
//! # Costs
//!
//! | type | memory |
//! |---|---|
//! | a pose | 40 bytes a joint, in blocks of eight joints |
//! | a matrix | 48 bytes |
//! | a player | 1.5 kB for 96 joints that all move |
//! | a compiled clip | 6 bytes a key, about 8.6 with record headers and jump frames |
//! | a skinned vertex | 12 bytes a stream, 2 bytes an influence, and 4 bytes for each influence except the last |
//!
//! | operation | time |
//! |---|---|
//! | [`Player::advance`] | O(keys passed), or O(lanes + keys to the nearest jump frame) if that is less |
//! | [`Player::seek`] | O(lanes + keys to the nearest jump frame) |
//! | [`Player::sample`], [`Pose::to_models`], blending | O(joints) |
//! | [`SkinnedMesh::skin`] | O(vertices × influences) |
//! | [`ClipBuilder::build`] | O(keys log keys) |
//!
//! A call allocates only to grow the arrays that it fills. The README has timings and commands to repeat them.
//!
//! # The same bits everywhere
//!
//! [`Clip`] playback and events, sums and differences of poses, morph targets and all byte formats give the same bits on
//! every machine; so do solvers of [`ik`] for the same matrices. Model matrices, palettes and skinned vertices have the same bits on all machines with fused multiply-add
//! (AVX2, AVX-512, NEON). Machines without fused multiply-add agree with each other, but not with those. The tests
//! `same_bits` check this on x86-64, 64-bit ARM, 32-bit x86 and WebAssembly. Samples of a [`RawClip`] and results of
//! [`ClipBuilder`] may differ between machines, because they use sines of the system's library. So build clips once and
//! ship them as bytes.
//!
//! Skeletons, clips, skins and skinned meshes as bytes can be kept for years: readers accept all versions from the first
//! release on, and writers write the newest.
//!
//! # Features
//!
//! | feature | adds | default |
//! |---|---|---|
//! | `rayon` | many characters and skinning on the threads of the current pool, with the same results to the bit | no |
//! | `serde` | [`Transform`], [`Mat34`] and [`Aabb`] in text formats; skeletons and clips have byte forms of their own | no |

#![cfg_attr(docsrs, feature(doc_cfg))]

pub use hedgerow_math::{Aabb, Mat34, Transform, glam};

pub mod blend;
pub mod clip;
mod error;
pub mod ik;
pub mod player;
pub mod pose;
pub mod raw;
pub mod root_motion;
mod sampling;
pub mod skeleton;
pub mod skin;
mod transform_lanes;

#[doc(inline)]
pub use {
    clip::{Clip, ClipBuilder},
    error::Error,
    player::Player,
    pose::Pose,
    raw::RawClip,
    skeleton::{Skeleton, SkeletonBuilder},
    skin::{Skin, SkinnedMesh},
};

/// A test of the public interface as a unit test, so that CI does not compile the library a second time.
#[cfg(all(test, hedgerow_unit_tests_only))]
#[path = "../tests/same_bits/main.rs"]
mod same_bits;
#[cfg(all(test, hedgerow_unit_tests_only))]
extern crate self as hedgerow_anim;

/// The example of the README, tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
