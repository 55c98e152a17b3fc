//! Links between nodes in a slot map.

use core::ops::{Index, IndexMut};
use slotmap::{SlotMap, new_key_type};

new_key_type! {
    /// A key of a node in [`Slots`](super::Slots) or [`Flattened`](super::Flattened).
    pub(crate) struct Key;
}

/// The links of a node; 40 bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Links {
    pub parent: Option<Key>,
    pub first: Option<Key>,
    pub last: Option<Key>,
    pub previous: Option<Key>,
    pub next: Option<Key>,
}

pub(crate) trait Linked {
    fn links(&mut self) -> &mut Links;
}

/// Makes an unlinked node the last child of another. Runs in O(1).
pub(crate) fn append<M: IndexMut<Key>>(nodes: &mut M, node: Key, parent: Key)
where
    M::Output: Linked,
{
    let last = nodes[parent].links().last.replace(node);
    match last {
        Some(last) => nodes[last].links().next = Some(node),
        None => nodes[parent].links().first = Some(node),
    }
    let links = nodes[node].links();
    (links.parent, links.previous, links.next) = (Some(parent), last, None);
}

/// Unlinks a subtree from its siblings. Runs in O(1).
pub(crate) fn unlink<M: IndexMut<Key>>(nodes: &mut M, node: Key)
where
    M::Output: Linked,
{
    let Links { parent, previous, next, .. } = *nodes[node].links();
    let parent = parent.expect("the root stays where it is");
    match previous {
        Some(previous) => nodes[previous].links().next = next,
        None => nodes[parent].links().first = next,
    }
    match next {
        Some(next) => nodes[next].links().previous = previous,
        None => nodes[parent].links().last = previous,
    }
}

/// Removes a subtree; `below` is an empty scratch buffer. Runs in O(nodes removed).
pub(crate) fn remove_all_below<N: Linked>(nodes: &mut SlotMap<Key, N>, top: Key, below: &mut Vec<Key>) {
    unlink(nodes, top);
    below.push(top);
    while let Some(node) = below.pop() {
        let mut node = nodes.remove(node).expect("a linked node is alive");
        let mut child = node.links().first;
        while let Some(next) = child {
            below.push(next);
            child = nodes[next].links().next;
        }
    }
}

/// Returns the next node in depth-first order below `top`.
pub(crate) fn following<M: Index<Key>>(
    nodes: &M,
    node: Key,
    top: Key,
    links: impl Fn(&M::Output) -> &Links,
) -> Option<Key> {
    if let Some(child) = links(&nodes[node]).first {
        return Some(child);
    }
    let mut at = node;
    while at != top {
        let Links { parent, next, .. } = *links(&nodes[at]);
        if next.is_some() {
            return next;
        }
        at = parent?;
    }
    None
}
