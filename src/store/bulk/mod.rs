//! Many nodes at once: planned before, or made in the order in which they lie.

mod batch_order;
mod grow;
mod node_list;
mod plant;

pub(in crate::store) use batch_order::BatchOrder;
pub(crate) use grow::Forest;
pub(in crate::store) use grow::even_shares;
pub(crate) use node_list::{Head, NodeList};
