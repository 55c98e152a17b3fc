//! Iterators over the nodes of a scene. Each is returned by the method of [`Scene`](crate::Scene) with the same name,
//! borrows the scene, allocates nothing, and takes amortised **O(1)** for each step. Those that go down from a node
//! ([`Descendants`], [`PostOrder`], [`Edges`], [`Leaves`]) include the node itself.

use crate::NodeHandle;
use crate::store::{RecordId, Store};
use core::iter::FusedIterator;

/// One step of a walk around a tree; see [`Scene::edges`](crate::Scene::edges).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edge {
    /// The walk enters a node, before its children.
    Enter(NodeHandle),
    /// The walk leaves a node, after its children.
    Leave(NodeHandle),
}

/// The children of a node; see [`Scene::children`](crate::Scene::children).
#[derive(Clone, Debug)]
pub struct Children<'s> {
    store: &'s Store,
    /// The first and the last child that are left.
    ends: Option<(RecordId, RecordId)>,
}

impl<'s> Children<'s> {
    pub(crate) fn new(store: &'s Store, parent: Option<RecordId>) -> Self {
        let ends = parent.and_then(|parent| store.first_child(parent).zip(store.last_child(parent)));
        Self { store, ends }
    }
}

impl Iterator for Children<'_> {
    type Item = NodeHandle;

    fn next(&mut self) -> Option<NodeHandle> {
        let (first, last) = self.ends?;
        self.ends = if first == last { None } else { self.store.next_sibling(first).map(|next| (next, last)) };
        Some(self.store.handle(first))
    }
}

impl DoubleEndedIterator for Children<'_> {
    fn next_back(&mut self) -> Option<NodeHandle> {
        let (first, last) = self.ends?;
        self.ends =
            if first == last { None } else { self.store.previous_sibling(last).map(|previous| (first, previous)) };
        Some(self.store.handle(last))
    }
}

impl FusedIterator for Children<'_> {}

/// The siblings of a node; see [`Scene::siblings`](crate::Scene::siblings).
#[derive(Clone, Debug)]
pub struct Siblings<'s> {
    children: Children<'s>,
    but: Option<NodeHandle>,
}

impl<'s> Siblings<'s> {
    pub(crate) fn new(store: &'s Store, node: Option<RecordId>) -> Self {
        let parent = node.and_then(|node| store.parent(node));
        Self { children: Children::new(store, parent), but: node.map(|node| store.handle(node)) }
    }
}

impl Iterator for Siblings<'_> {
    type Item = NodeHandle;

    fn next(&mut self) -> Option<NodeHandle> {
        self.children.find(|&node| Some(node) != self.but)
    }
}

impl DoubleEndedIterator for Siblings<'_> {
    fn next_back(&mut self) -> Option<NodeHandle> {
        self.children.rfind(|&node| Some(node) != self.but)
    }
}

impl FusedIterator for Siblings<'_> {}

/// The ancestors of a node; see [`Scene::ancestors`](crate::Scene::ancestors).
#[derive(Clone, Debug)]
pub struct Ancestors<'s> {
    store: &'s Store,
    next: Option<RecordId>,
}

impl<'s> Ancestors<'s> {
    pub(crate) fn new(store: &'s Store, node: Option<RecordId>) -> Self {
        Self { store, next: node.and_then(|node| store.parent(node)) }
    }
}

impl Iterator for Ancestors<'_> {
    type Item = NodeHandle;

    fn next(&mut self) -> Option<NodeHandle> {
        let at = self.next?;
        self.next = self.store.parent(at);
        Some(self.store.handle(at))
    }
}

impl FusedIterator for Ancestors<'_> {}

/// A node and those below it in pre-order; see [`Scene::descendants`](crate::Scene::descendants).
#[derive(Clone, Debug)]
pub struct Descendants<'s> {
    store: &'s Store,
    /// The top of the walk and the node that comes next.
    walk: Option<(RecordId, RecordId)>,
}

impl<'s> Descendants<'s> {
    pub(crate) fn new(store: &'s Store, top: Option<RecordId>) -> Self {
        Self { store, walk: top.map(|top| (top, top)) }
    }
}

impl Iterator for Descendants<'_> {
    type Item = NodeHandle;

    fn next(&mut self) -> Option<NodeHandle> {
        let (top, at) = self.walk?;
        self.walk = self.store.next_in_subtree(top, at, true).map(|next| (top, next));
        Some(self.store.handle(at))
    }
}

impl FusedIterator for Descendants<'_> {}

/// A node and those below it in post-order; see [`Scene::post_order`](crate::Scene::post_order).
#[derive(Clone, Debug)]
pub struct PostOrder<'s> {
    store: &'s Store,
    /// The top of the walk and the node that comes next.
    walk: Option<(RecordId, RecordId)>,
}

impl<'s> PostOrder<'s> {
    pub(crate) fn new(store: &'s Store, top: Option<RecordId>) -> Self {
        Self { store, walk: top.map(|top| (top, first_leaf(store, top))) }
    }
}

/// The node where a post-order walk of `top` begins.
fn first_leaf(store: &Store, top: RecordId) -> RecordId {
    core::iter::successors(Some(top), |&at| store.first_child(at)).last().unwrap_or(top)
}

impl Iterator for PostOrder<'_> {
    type Item = NodeHandle;

    fn next(&mut self) -> Option<NodeHandle> {
        let (top, at) = self.walk?;
        self.walk = if at == top {
            None
        } else if let Some(sibling) = self.store.next_sibling(at) {
            Some((top, first_leaf(self.store, sibling)))
        } else {
            self.store.parent(at).map(|parent| (top, parent))
        };
        Some(self.store.handle(at))
    }
}

impl FusedIterator for PostOrder<'_> {}

/// The nodes without children at or below a node; see [`Scene::leaves`](crate::Scene::leaves).
#[derive(Clone, Debug)]
pub struct Leaves<'s> {
    store: &'s Store,
    /// The top of the walk and the leaf that comes next.
    walk: Option<(RecordId, RecordId)>,
}

impl<'s> Leaves<'s> {
    pub(crate) fn new(store: &'s Store, top: Option<RecordId>) -> Self {
        Self { store, walk: top.map(|top| (top, first_leaf(store, top))) }
    }
}

impl Iterator for Leaves<'_> {
    type Item = NodeHandle;

    fn next(&mut self) -> Option<NodeHandle> {
        let (top, at) = self.walk?;
        let next = self.store.next_in_subtree(top, at, false);
        self.walk = next.map(|next| (top, first_leaf(self.store, next)));
        Some(self.store.handle(at))
    }
}

impl FusedIterator for Leaves<'_> {}

/// A walk around a node and those below it; see [`Scene::edges`](crate::Scene::edges).
#[derive(Clone, Debug)]
pub struct Edges<'s> {
    store: &'s Store,
    /// The top of the walk, and the node that is entered or left next.
    walk: Option<(RecordId, Step)>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Enter(RecordId),
    Leave(RecordId),
}

impl<'s> Edges<'s> {
    pub(crate) fn new(store: &'s Store, top: Option<RecordId>) -> Self {
        Self { store, walk: top.map(|top| (top, Step::Enter(top))) }
    }
}

impl Iterator for Edges<'_> {
    type Item = Edge;

    fn next(&mut self) -> Option<Edge> {
        let (top, step) = self.walk?;
        match step {
            Step::Enter(at) => {
                let next = self.store.first_child(at).map_or(Step::Leave(at), Step::Enter);
                self.walk = Some((top, next));
                Some(Edge::Enter(self.store.handle(at)))
            }
            Step::Leave(at) => {
                self.walk = if at == top {
                    None
                } else if let Some(sibling) = self.store.next_sibling(at) {
                    Some((top, Step::Enter(sibling)))
                } else {
                    self.store.parent(at).map(|parent| (top, Step::Leave(parent)))
                };
                Some(Edge::Leave(self.store.handle(at)))
            }
        }
    }
}

impl FusedIterator for Edges<'_> {}
