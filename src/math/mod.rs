//! Transforms, 3×4 matrices, boxes and what these are tested against: thin types on [`glam`].

mod aabb;
mod boxes;
mod frustum;
mod mat34;
mod ray;
mod transform;
mod transform_lanes;

pub use aabb::Aabb;
pub use boxes::Boxes;
pub(crate) use boxes::{BLOCK, BoxGroup, GROUP};
pub use frustum::Frustum;
pub(crate) use frustum::TOLERANCE;
pub use mat34::Mat34;
pub(crate) use mat34::{invert_wide, keeps, keeps_translation, transform_from_wide};
pub use ray::{Ray, Sphere};
pub(crate) use transform::PackedTransform;
pub use transform::Transform;
pub(crate) use transform_lanes::{CROWD_LANES, JointLanes, POSE_LANES, PoseBlock};
