//! A scene as text, for comparing scenes and for printing a broken one.

use hedgerow::{NodeHandle, NodeRef, Scene};
use std::fmt::Write;

/// Returns the tree as text: one line per node with its depth, handle and components. Detached subtrees follow. Equal
/// scenes give equal text.
pub fn dump(scene: &Scene) -> String {
    let mut text = String::new();
    let tops = scene.get(scene.root()).into_iter().chain(scene.detached());
    for node in tops.flat_map(NodeRef::descendants) {
        writeln!(text, "{} {:?} {:?}", node.depth(), node.handle(), node.to_node()).expect("a string takes all text");
    }
    text
}

/// Returns whether both nodes are in the same slice; false if either handle is stale.
pub fn same_slice(scene: &Scene, a: NodeHandle, b: NodeHandle) -> bool {
    let slice = |node| scene.get(node).and_then(|node| node.matrix_slot()).map(|at| at.slice);
    slice(a).is_some() && slice(a) == slice(b)
}
