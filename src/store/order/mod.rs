//! Chains of siblings, what rows inherit, and where a new node goes.
//!
//! Invariants:
//!
//! - Chains are linked both ways and end where their parent says. Every row in use is on one chain.
//! - A row's effective slots are its own or those of its parent row. A top row's are its own or the bases.
//! - A slice behind a portal stores the portal's place, and is in the list of the slice above at the index that it
//!   stores.

mod chain;
mod effective_slots;
mod place;
mod portal;
mod settle;

pub(in crate::store) use chain::Spot;
pub(crate) use place::Beside;
pub(in crate::store) use settle::Settled;
