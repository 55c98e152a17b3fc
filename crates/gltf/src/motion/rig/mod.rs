//! Which nodes of a file form rigs: nodes that move together.
//!
//! The marked nodes are the joints of all skins, and the nodes that animations move or morph. A rig consists of marked
//! nodes that belong together, and of the nodes on the paths from these up to joint 0, their lowest common ancestor.

mod build;
mod group;
#[cfg(test)]
mod tests;

pub(crate) use build::{Rigs, place};
