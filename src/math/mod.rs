//! Transforms, 3×4 matrices, boxes and what these are tested against: thin types on [`glam`].

mod aabb;
mod boxes;
mod frustum;
mod joint_lanes;
mod mat34;
mod pose_block;
mod ray;
mod transform;

pub use aabb::Aabb;
pub use boxes::Boxes;
pub(crate) use boxes::{BLOCK, BoxGroup, GROUP};
pub use frustum::Frustum;
pub(crate) use frustum::TOLERANCE;
pub(crate) use joint_lanes::{CROWD_LANES, JointLanes};
pub use mat34::Mat34;
pub(crate) use mat34::{invert_wide, transform_from_wide};
pub(crate) use pose_block::{POSE_LANES, PoseBlock};
pub use ray::{Ray, Sphere};
pub(crate) use transform::PackedTransform;
pub use transform::Transform;
