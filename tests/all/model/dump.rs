//! A scene as text, to compare scenes by, and to print one that is broken.

use hedgerow::{NodeHandle, Scene};
use std::fmt::Write;

/// The tree as text: one line for each node, with its depth, its handle and its components. Detached subtrees follow.
/// Equal scenes give equal text.
pub(crate) fn dump(scene: &Scene) -> String {
    let mut text = String::new();
    for top in core::iter::once(scene.root()).chain(scene.detached_roots()) {
        for node in scene.descendants(top) {
            let described = scene.node(node).expect("a node of the scene");
            writeln!(text, "{} {node:?} {described:?}", scene.depth(node).unwrap_or(0))
                .expect("a string takes all text");
        }
    }
    text
}

/// Whether both nodes are in the same slice; false if either handle is stale.
pub(crate) fn same_slice(scene: &Scene, a: NodeHandle, b: NodeHandle) -> bool {
    let slice = |node| scene.matrix_slot(node).map(|at| at.slice);
    slice(a).is_some() && slice(a) == slice(b)
}
