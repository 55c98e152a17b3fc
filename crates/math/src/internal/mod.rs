//! Code shared by the crates of this family. It is not part of the public interface, and changes without notice.

pub mod fallible;
pub mod file_header;
pub mod radix;
#[cfg(feature = "_sharing")]
pub mod sharing;
pub mod sines;

pub use crate::boxes::kernels as boxes;
pub use crate::boxes::{BLOCK, BoxGroup, GROUP};
pub use crate::mat34::{invert_wide, keeps, keeps_translation, transform_from_wide};
pub use crate::propagate::{Upcoming, propagate, propagate_block, propagate_listed, reach};
pub use crate::simd::{level, prefetch, prefetch_far, prefetch_many, prefetch_whole, vectors, whole};
pub use crate::transform::{PackedTransform, look_rotation};
pub use crate::triangles::ray_test::{RayTest, cast_listed};
