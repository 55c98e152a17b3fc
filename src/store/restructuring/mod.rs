//! Rows that move: within a slice, between slices, out of the tree.
//!
//! Invariants:
//!
//! - No slice has more than `max_nodes` rows, is empty, or is a single portal.
//! - Runs of siblings stand side by side: a full one is cut beside its portal, and the children of a node are cut out all or none.
//!   So they stand behind equally many portals but for one, and that number is logarithmic.
//! - What is up to date stays so where nothing but the place in memory changes; what waits for the update is carried over.

mod append;
mod collapse;
mod detached;
mod discard;
mod merge;
mod merge_candidates;
mod rebuild;
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
