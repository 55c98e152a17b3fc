//! Edits of many nodes at once: planned before, or made in the order in which the nodes lie.

mod batch_order;
mod build;
mod insert;
mod node_list;

pub(in crate::store) use batch_order::{BatchOrder, LOCAL_AHEAD};
pub(crate) use build::Forest;
pub(in crate::store) use build::even_shares;
pub(crate) use node_list::{Head, NodeList};
