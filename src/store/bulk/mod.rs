//! Many nodes at once: planned before, or made in the order in which they lie.

mod grow;
mod node_list;
mod plant;
mod tour;

pub(crate) use grow::Forest;
pub(in crate::store) use grow::even_shares;
pub(crate) use node_list::{Head, NodeList};
pub(in crate::store) use tour::Tour;
