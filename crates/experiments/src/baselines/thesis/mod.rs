//! The thesis's own nodes: laid out in the orders that it compares, and in its dynamic structure.
//!
//! Source: M. Åkerstedt Bergsten, *Scene Graph Memory Management*, Chalmers 2019, chapter 4.

mod layout;
mod node;
mod slices;

pub use layout::{Layout, Nodes, Order, Traversal};
pub use slices::{SliceGraph, SliceHandle};
