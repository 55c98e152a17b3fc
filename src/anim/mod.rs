//! Characters: skeletons, their poses, and the clips that move them. Knows `math` and `simd` only; what joins characters to
//! a scene lies elsewhere.

mod blend;
mod clip;
mod crowd;
mod player;
mod pose;
mod raw;
mod root_motion;
mod skeleton;

pub use blend::{JointMask, PoseSum};
pub use clip::{Clip, ClipBuilder, ClipReport, ClipStats, JumpSpacing, Precision};
pub use crowd::{Crowd, InstanceHandle};
pub use player::{Playback, Player, StreamPlayer};
pub use pose::{Pose, UniformPose};
pub use raw::{ClipError, Interpolation, RawClip, Reduction, Track, TrackName, TrackPart, TrackValue};
pub use root_motion::{Axis, RootMotion, RootMotionOptions};
pub use skeleton::{JointMap, Skeleton, SkeletonBuilder, SkeletonError};
