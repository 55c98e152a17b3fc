//! Finds the place of a node by its handle; issues unique numbers.
//!
//! Invariants:
//!
//! - Each live entry of a table points to the row whose occupant it is.
//! - Each free entry is in its table's set of free entries, or retired. Each table with room is on its owner's list of
//!   open tables.

mod cached;
mod cut;
mod free;
mod identity;
pub(in crate::store) mod table;
#[cfg(test)]
mod tests;

pub(crate) use cached::CachedSlot;
pub(in crate::store) use identity::Identity;
pub(in crate::store) use table::{Entry, Tables};
