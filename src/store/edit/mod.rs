//! Edits of single nodes.
//!
//! Each edit has a fast path for the common case, and a general path for all others. The fast path checks everything
//! that it depends on before it changes anything. It returns `None` in uncommon cases and builds no error; the caller
//! then takes the general path, which finds the reason. In a scene larger than the caches, two things decide how fast
//! an edit is:
//!
//! - **The number of instructions.** A core looks some hundred instructions ahead. So short edits wait for memory
//!   together, and longer ones wait one after the other.
//! - **Branches that wait for memory.** An unpredictable branch that depends on a cache miss ends that overlap. So
//!   neighbours, free slots and components are selected without branches.

mod batch;
mod component;
mod detach;
mod insert;
mod local;
mod move_many;
mod read;
mod remove;
mod reparent;
mod spaces;
mod worlds;

pub(crate) use local::LocalSlot;
pub(in crate::store) use spaces::WorldLists;
