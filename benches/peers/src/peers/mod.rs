//! The peers, one file for each.

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

use ::hedgerow::{Mat34, Transform};

/// Returns the matrix of a local transform, for all peers except Bevy and hedgerow.
///
/// This is not glam's `Affine3A`, because the hidden fourth number of its columns becomes denormal in deep trees, which
/// makes products twenty times slower.
#[inline]
fn matrix(local: &Transform) -> Mat34 {
    local.to_matrix()
}

/// Returns a matrix as three columns and the translation.
fn columns(matrix: &Mat34) -> [f32; 12] {
    core::array::from_fn(|element| matrix.rows[element % 3][element / 3])
}
