//! Chains of siblings, what rows inherit, and where a newcomer goes.
//!
//! Invariants:
//!
//! - Chains are linked both ways and end where their parent says; every row in use is on one.
//! - A row's effective slots are its own or its parent row's; a top row's are its own or the bases.
//! - A slice behind a portal knows the portal's place, and stands in the list of the slice above where it thinks it does.

mod chain;
mod effective_slots;
mod place;
mod portal;
mod settle;

pub(in crate::store) use chain::Spot;
pub use place::Place;
pub(in crate::store) use settle::Settled;
