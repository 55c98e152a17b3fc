//! Transforms, 3×4 matrices and boxes: thin types on [`glam`].

mod aabb;
mod mat34;
mod transform;

pub use aabb::Aabb;
pub use mat34::Mat34;
pub(crate) use mat34::{invert_wide, transform_from_wide};
pub(crate) use transform::PackedTransform;
pub use transform::Transform;
