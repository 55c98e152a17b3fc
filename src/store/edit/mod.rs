//! Edits of single nodes: the short ways through the storage.
//!
//! Each edit has a short way for the common case, and a long one for all others. The short way looks at everything that it
//! depends on before it changes anything, returns `None` where the case is not the common one, and builds no error; the caller then
//! takes the long way, which finds out why. What decides how fast an edit is in a scene that no cache holds:
//!
//! - **How many instructions it has.** A core looks some hundred instructions ahead. Edits that are shorter wait for memory
//!   together, longer ones wait one after the other.
//! - **Branches that wait for memory.** One that cannot be foreseen and depends on a load that misses ends that overlap, so
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

pub(crate) use local::LocalSlot;
