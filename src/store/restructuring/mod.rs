//! Moves rows: within a slice, between slices, and out of the tree.
//!
//! Invariants:
//!
//! - No slice has more than `max_nodes` rows, is empty, or holds a single portal only.
//! - Runs of siblings stand side by side: a full run is cut beside its portal, and either all children of a node are
//!   cut out or none. So they are all behind equally many portals, within one, and that number is logarithmic.
//! - What is up to date stays so if only its place in memory changes. Marks for the update move with the rows.

mod append;
mod collapse;
mod detached;
mod discard;
mod merge;
mod merge_candidates;
mod rebuild;
mod reconfigure;
mod reconstitute;
mod room;
mod siblings;
mod split;
mod tidy;
mod transplant;
mod unlinked;

pub(crate) use detached::Membership;
pub(in crate::store) use merge::Partner;
pub(in crate::store) use reconstitute::Capacity;
pub(in crate::store) use split::{Cut, Planner};
pub use tidy::Maintenance;
pub(in crate::store) use unlinked::Unlinked;
