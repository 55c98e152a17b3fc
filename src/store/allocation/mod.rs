//! Slots: which are in use, which are holes, and what an edit needs room for.
//!
//! Invariants:
//!
//! - Slots in use are those before the end that are no holes; the last slot before the end is in use.
//! - A summary bit of a [`HoleSet`] is set where, and only where, its word is not zero.

mod bits;
mod holes;
mod linear;
mod need;
mod scratch;

pub(crate) use bits::{Bits, Runs};
use bits::{WORD, locate};
pub(in crate::store) use holes::HoleSet;
pub(in crate::store) use linear::LinearAllocator;
pub(in crate::store) use need::Need;
pub(in crate::store) use need::scaled;

/// No scene has more nodes than this, so that slots and rows are numbered in 31 bits.
pub(crate) const MAX_NODES: usize = 1 << 30;
pub(in crate::store) use scratch::Scratch;
