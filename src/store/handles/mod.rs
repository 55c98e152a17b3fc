//! From a handle to the place of its node; numbers that are given once.
//!
//! Invariants:
//!
//! - Each live entry of a table leads to the row whose occupant it is.
//! - Each free entry is on its table's list of these, or retired; each table with room is on its owner's list of open ones.

mod free;
mod identity;
pub(in crate::store) mod table;

pub(in crate::store) use identity::Identity;
pub(crate) use identity::unique_number;
pub(in crate::store) use table::Tables;
