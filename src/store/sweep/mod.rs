//! Computes derived values: goes down the tree of slices, marked ones only.
//!
//! Invariants of a slice that is not marked: no slot is dirty; every world slot holds exactly `world[parent] * local`;
//! unless the slice above waits for an update, the bases equal what the slice's portal has.

mod boxes;
#[cfg(feature = "rayon")]
mod threads;
mod transforms;
mod update;
mod visibilities;

#[cfg(feature = "rayon")]
use update::Stamp;
