//! Slots: which ones are in use, which ones are holes, and what an edit needs room for.
//!
//! Invariants:
//!
//! - The slots in use are those before the end that are not holes. The last slot before the end is in use.
//! - A summary bit of a [`HoleSet`] is set if and only if its word is not zero.

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

/// The greatest number of nodes in a scene. It lets slots and rows be numbered in 31 bits.
pub(crate) const MAX_NODES: usize = 1 << 30;
pub(in crate::store) use scratch::Scratch;
