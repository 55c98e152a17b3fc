//! Links of records: parents, children and siblings.

use crate::store::page::{NodeState, Pages};
use crate::store::record::{Link, RecordId};

/// A position for a node: below a parent, before one of its children or after all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Position {
    /// The parent.
    pub parent: RecordId,
    /// The next sibling, or [`RecordId::NIL`] for the end.
    pub next: RecordId,
}

impl Position {
    /// Returns the position after all children of a node.
    #[inline(always)]
    pub(crate) const fn last_of(parent: RecordId) -> Self {
        Self { parent, next: RecordId::NIL }
    }

    /// Outside of the tree.
    pub(crate) const DETACHED: Self = Self::last_of(RecordId::LIMBO);
}

impl Pages {
    #[inline(always)]
    pub(crate) fn link(&self, id: RecordId, link: Link) -> RecordId {
        self.record(id).link(link)
    }

    /// Links a node that has no links yet.
    #[inline(always)]
    pub(crate) fn link_at(&mut self, id: RecordId, at: Position) {
        let [_, _, next, previous] = self.link_new(id, at);
        let record = self.record_mut(id);
        record.set_link(Link::Next, next);
        record.set_link(Link::Previous, previous);
        self.set_parent(id, at.parent);
    }

    /// Links the neighbours of a new node to it. Returns the links that the node must get.
    #[inline(always)]
    pub(crate) fn link_new(&mut self, id: RecordId, at: Position) -> [RecordId; 4] {
        let Position { parent, next } = at;
        // The neighbours' links are stored without a load, at addresses that are selected without a branch.
        let (after, link) = if next.is_nil() { (parent, Link::Last) } else { (next, Link::Previous) };
        let place = self.record_mut(after);
        let previous = place.link(link);
        place.set_link(link, id);
        let (before, link) = if previous.is_nil() { (parent, Link::First) } else { (previous, Link::Next) };
        self.record_mut(before).set_link(link, id);
        [RecordId::NIL, RecordId::NIL, next, previous]
    }

    /// Unlinks a node from its parent and siblings. The node's own links stay unchanged.
    #[inline(always)]
    pub(crate) fn unlink(&mut self, state: &NodeState) {
        let &NodeState { parent, links: [_, _, next, previous], .. } = state;
        let (before, link) = if previous.is_nil() { (parent, Link::First) } else { (previous, Link::Next) };
        self.record_mut(before).set_link(link, next);
        let (after, link) = if next.is_nil() { (parent, Link::Last) } else { (next, Link::Previous) };
        self.record_mut(after).set_link(link, previous);
    }

    /// Links all children of a node in this order.
    pub(crate) fn link_children(&mut self, parent: RecordId, children: &[RecordId]) {
        let neighbour = |at: Option<&RecordId>| at.copied().unwrap_or(RecordId::NIL);
        for (at, &child) in children.iter().enumerate() {
            let record = self.record_mut(child);
            record.set_link(Link::Previous, neighbour(at.checked_sub(1).and_then(|at| children.get(at))));
            record.set_link(Link::Next, neighbour(children.get(at + 1)));
        }
        let record = self.record_mut(parent);
        record.set_link(Link::First, neighbour(children.first()));
        record.set_link(Link::Last, neighbour(children.last()));
    }

    /// Returns the next node of the subtree of `top` in pre-order; `None` after the last. Descends below `id` only if
    /// `descend` is set. Only follows links, so depth takes no memory.
    #[inline]
    pub(crate) fn next_in_subtree(&self, top: RecordId, id: RecordId, descend: bool) -> Option<RecordId> {
        if descend && let Some(child) = self.link(id, Link::First).some() {
            return Some(child);
        }
        let mut at = id;
        // Up to the nearest ancestor with a next sibling. Over a whole walk, each link is followed once.
        while at != top {
            if let Some(next) = self.link(at, Link::Next).some() {
                return Some(next);
            }
            at = self.parent(at);
        }
        None
    }

    /// Iterates over the nodes of a subtree in pre-order.
    pub(crate) fn subtree(&self, top: RecordId) -> impl Iterator<Item = RecordId> + '_ {
        core::iter::successors(Some(top), move |&id| self.next_in_subtree(top, id, true))
    }

    /// Iterates over the children of a node, in order.
    pub(crate) fn children(&self, id: RecordId) -> impl Iterator<Item = RecordId> + '_ {
        core::iter::successors(self.link(id, Link::First).some(), |&child| self.link(child, Link::Next).some())
    }

    /// Returns whether a node is `top` or below it. Alternates between a climb from the node and a walk over the
    /// subtree, and ends when the shorter one ends.
    pub(crate) fn is_in_subtree(&self, id: RecordId, top: RecordId) -> bool {
        let mut walk = Some(top);
        let mut at = id;
        while !at.is_nil() {
            if at == top || walk == Some(id) {
                return true;
            }
            // The whole subtree was walked, and the node was not there.
            let Some(below) = walk else { return false };
            walk = self.next_in_subtree(top, below, true);
            at = self.parent(at);
        }
        false
    }
}
