//! Code shared by the crates of this family. It is not part of the public interface, and changes without notice.

pub mod file_header;

pub use crate::boxes::{BLOCK, BoxGroup, GROUP};
pub use crate::frustum::TOLERANCE;
pub use crate::mat34::{invert_wide, keeps, keeps_translation, transform_from_wide};
#[cfg(target_arch = "x86_64")]
pub use crate::simd::x86;
pub use crate::simd::{boxes, level, prefetch, prefetch_whole, propagate, propagate_dirty, vectors};
pub use crate::transform::PackedTransform;
