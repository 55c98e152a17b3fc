//! The peers, a file each.

mod bevy;
mod boxed;
mod flattened;
#[cfg(feature = "fyrox")]
mod fyrox;
mod hedgerow;
mod indextree;
mod links;
mod slots;

pub use self::bevy::Bevy;
pub use self::boxed::Boxed;
pub use self::flattened::Flattened;
#[cfg(feature = "fyrox")]
pub use self::fyrox::Fyrox;
pub use self::hedgerow::{Calls, Hedgerow};
pub use self::indextree::IndexTree;
pub use self::slots::Slots;

use ::hedgerow::Transform;
use ::hedgerow::glam::Affine3A;

/// The matrix of a local transform: what all peers but Bevy, Fyrox and hedgerow multiply by their parent's.
#[inline]
fn matrix(local: &Transform) -> Affine3A {
    Affine3A::from_scale_rotation_translation(local.scale, local.rotation, local.translation)
}
