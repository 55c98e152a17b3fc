//! Skeletons, poses, clips, crowds and skinning: what moves the characters of a frame.
//!
//! ```
//! use hedgerow_anim::glam::{Quat, Vec3};
//! use hedgerow_anim::raw::Track;
//! use hedgerow_anim::{ClipBuilder, Player, Pose, RawClip, SkeletonBuilder, Transform};
//!
//! let mut joints = SkeletonBuilder::new();
//! let hip = joints.add("hip", None, Transform::from_xyz(0.0, 1.0, 0.0));
//! joints.add("knee", Some(hip), Transform::from_xyz(0.0, -0.5, 0.0));
//! let (skeleton, _) = joints.build()?;
//!
//! let mut step = RawClip::new(1.0, skeleton.len())?;             // one second, as authored
//! let bend = Quat::from_rotation_x(1.0);
//! step.set_rotation(1, Track::linear(vec![0.0, 1.0], vec![Quat::IDENTITY, bend])?)?;
//! let (step, _) = ClipBuilder::new(&skeleton).build(&step)?;     // compiled: small, and quick to play
//!
//! let mut player = Player::new(&step);
//! let mut pose = Pose::rest(&skeleton);
//! player.advance(0.5);
//! player.sample(&mut pose)?;
//! let mut models = Vec::new();
//! skeleton.to_models(&pose, &mut models)?;                       // a matrix for each joint
//! # Ok::<(), hedgerow_anim::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

pub use hedgerow_math::{Aabb, Mat34, Transform, glam};
pub use slotmap;

pub mod blend;
pub mod clip;
pub mod crowd;
mod error;
pub mod library;
pub mod player;
pub mod pose;
pub mod raw;
pub mod root_motion;
mod simd;
pub mod skeleton;
pub mod skin;
mod transform_lanes;

#[doc(inline)]
pub use {
    clip::{Clip, ClipBuilder},
    crowd::Crowd,
    error::Error,
    library::Library,
    player::Player,
    pose::Pose,
    raw::RawClip,
    skeleton::{Skeleton, SkeletonBuilder},
    skin::{Skin, SkinnedMesh},
};
