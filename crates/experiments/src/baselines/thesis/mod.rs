//! The thesis's own structures: nodes in each memory order that it compares, and its dynamic structure. Both use the
//! nodes of the [naive graph](super::Graph), in memory aligned to 16 bytes.
//!
//! Source: M. Åkerstedt Bergsten, *Scene Graph Memory Management*, Chalmers 2019, chapter 4.

mod layout;
mod slices;

pub use layout::{Nodes, Order};
pub use slices::{SliceGraph, SliceHandle};

/// 16 bytes of node memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
struct Line([u64; 2]);
