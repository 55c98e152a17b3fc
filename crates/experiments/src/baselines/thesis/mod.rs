//! The thesis's own structures: nodes laid out in the orders that it compares, and its dynamic structure. Nodes are
//! those of the [naive graph](super::Graph), placed in memory that is aligned to 16 bytes.
//!
//! Source: M. Åkerstedt Bergsten, *Scene Graph Memory Management*, Chalmers 2019, chapter 4.

mod layout;
mod slices;

pub use layout::{Nodes, Order};
pub use slices::{SliceGraph, SliceHandle};

/// Memory for nodes, 16 bytes of it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
struct Line([u64; 2]);
