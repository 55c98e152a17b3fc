//! The peers, a file each.

mod bevy;
mod boxed;
mod flattened;
mod hedgerow;
mod indextree;
mod links;
mod slots;

pub(crate) use self::bevy::Bevy;
pub(crate) use self::boxed::Boxed;
pub(crate) use self::flattened::Flattened;
pub(crate) use self::hedgerow::{Calls, Hedgerow};
pub(crate) use self::indextree::IndexTree;
pub(crate) use self::slots::Slots;

use ::hedgerow::Transform;
use ::hedgerow::glam::Affine3A;

/// The matrix of a local transform: what all peers but Bevy and hedgerow multiply by their parent's.
#[inline]
fn matrix(local: &Transform) -> Affine3A {
    Affine3A::from_scale_rotation_translation(local.scale, local.rotation, local.translation)
}
