//! Reads of single nodes: handles, links, effective values. Reads of their own components are in
//! [`own`](super::components_of_node).

use crate::store::Store;
use crate::store::links::Position;
use crate::store::nodes::Nodes;
use crate::store::page::NodeState;
use crate::store::record::{Has, Link, RecordId};
use crate::{Layers, Mat34, NodeHandle, Visibility};
use hedgerow_math::internal::prefetch_whole;

impl Nodes {
    #[inline(always)]
    pub(crate) fn resolve(&self, handle: NodeHandle) -> Option<RecordId> {
        self.pages.resolve(handle)
    }

    #[inline(always)]
    pub(crate) fn handle(&self, id: RecordId) -> NodeHandle {
        self.pages.handle(id)
    }

    /// Returns the parent; `None` for the root and for the root of a detached subtree.
    #[inline]
    pub(crate) fn parent(&self, id: RecordId) -> Option<RecordId> {
        self.pages.parent(id).some().filter(|&parent| parent != RecordId::LIMBO)
    }

    #[inline(always)]
    pub(crate) fn is_leaf(&self, id: RecordId) -> bool {
        self.pages.record(id).is_leaf()
    }

    /// Returns the node to which the local transform is relative: the parent, or `None` if the node is anchored.
    #[inline]
    pub(crate) fn local_parent(&self, id: RecordId) -> Option<RecordId> {
        self.parent(id).filter(|_| !self.is_anchored(id))
    }

    /// Prefetches the data that edits of a node need.
    #[inline(always)]
    pub(crate) fn prefetch(&self, id: RecordId) {
        self.pages.prefetch_record(id);
        self.pages.prefetch_location(id);
    }

    /// Prefetches the records to which a node's links lead, and which a removal writes.
    #[inline(always)]
    pub(crate) fn prefetch_neighbours(&self, node: NodeHandle) {
        if let Some(id) = self.resolve(node) {
            // A removal writes to both neighbours, or to the parent in place of one.
            let NodeState { parent, links: [_, _, next, previous], .. } = self.pages.state(id);
            self.pages.prefetch_record(next.some().unwrap_or(parent));
            self.pages.prefetch_record(previous.some().unwrap_or(parent));
        }
    }

    pub(crate) fn position(&self, id: RecordId) -> Position {
        Position { parent: self.pages.parent(id), next: self.pages.link(id, Link::Next) }
    }

    /// Returns whether a node is the root of a detached subtree.
    pub(crate) fn is_detached_top(&self, id: RecordId) -> bool {
        self.pages.parent(id) == RecordId::LIMBO
    }

    pub(crate) fn is_outside(&self, id: RecordId) -> bool {
        self.pages.record(id).has.has(Has::DETACHED)
    }

    #[inline]
    pub(crate) fn first_child(&self, id: RecordId) -> Option<RecordId> {
        self.pages.link(id, Link::First).some()
    }

    #[inline]
    pub(crate) fn last_child(&self, id: RecordId) -> Option<RecordId> {
        self.pages.link(id, Link::Last).some()
    }

    /// Returns the next sibling; `None` for the root of a detached subtree.
    #[inline]
    pub(crate) fn next_sibling(&self, id: RecordId) -> Option<RecordId> {
        if self.is_detached_top(id) { None } else { self.next_in_chain(id) }
    }

    /// Returns the previous sibling; `None` for the root of a detached subtree.
    #[inline]
    pub(crate) fn previous_sibling(&self, id: RecordId) -> Option<RecordId> {
        if self.is_detached_top(id) { None } else { self.previous_in_chain(id) }
    }

    /// Returns the next sibling or, for the root of a detached subtree, the next such root.
    #[inline]
    pub(crate) fn next_in_chain(&self, id: RecordId) -> Option<RecordId> {
        self.pages.link(id, Link::Next).some()
    }

    /// Returns the previous sibling or, for the root of a detached subtree, the previous such root.
    #[inline]
    pub(crate) fn previous_in_chain(&self, id: RecordId) -> Option<RecordId> {
        self.pages.link(id, Link::Previous).some()
    }

    /// See [`Pages::next_in_subtree`](crate::store::page::Pages::next_in_subtree).
    #[inline]
    pub(crate) fn next_in_subtree(&self, top: RecordId, id: RecordId, descend: bool) -> Option<RecordId> {
        self.pages.next_in_subtree(top, id, descend)
    }

    /// Returns whether a node is `top` or below it.
    pub(crate) fn is_in_subtree(&self, id: RecordId, top: RecordId) -> bool {
        self.pages.is_in_subtree(id, top)
    }

    /// Returns the number of nodes in the tree; at least 1, for the root.
    pub(crate) fn len(&self) -> usize {
        self.pages.len() - self.detached
    }

    /// Returns the number of nodes outside of the tree.
    pub(crate) fn detached_len(&self) -> usize {
        self.detached
    }

    /// Returns the present effective material of a node: its own, or that of the nearest ancestor that has a material.
    pub(crate) fn material(&self, id: RecordId) -> Option<u32> {
        core::iter::successors(Some(id), |&id| self.pages.parent(id).some()).find_map(|id| self.own_material(id))
    }

    /// Returns the layers on which a node is visible now.
    pub(crate) fn layers(&self, id: RecordId) -> Layers {
        let chain = core::iter::successors(Some(id), |&id| self.pages.parent(id).some());
        let mut layers = Layers::ALL;
        // Of the node and its ancestors, the nearest that is hidden or shown decides.
        let mut nearest = Visibility::Inherited;
        for id in chain {
            layers &= self.own_layers(id).unwrap_or(Layers::ALL);
            if nearest == Visibility::Inherited {
                nearest = self.own_visibility(id);
            }
        }
        if nearest == Visibility::Hidden { Layers::NONE } else { layers }
    }

    /// Returns one past the last record that was ever used.
    pub(crate) fn record_end(&self) -> usize {
        self.pages.ids().len()
    }
}

/// Reads of what the update derived.
impl Store {
    /// Returns the world matrix of a live node as of the last update; the identity if the node was inserted since.
    #[inline(always)]
    pub(crate) fn world(&self, handle: NodeHandle) -> Option<&Mat34> {
        self.nodes.pages.location_of(handle).map(|location| self.slices.world(location))
    }

    /// Copies the world matrices of live nodes as of the last update. Returns the index of the first stale handle.
    ///
    /// Three loads that wait for each other lead from a handle to a matrix, so each is prefetched some nodes ahead.
    pub(crate) fn copy_worlds(&self, nodes: &[NodeHandle], worlds: &mut [Mat34]) -> Option<usize> {
        // In measurements, 32 was equally fast; blocks in place of a ring took 4 to 10 % longer.
        const AHEAD: usize = 16;
        let pages = &self.nodes.pages;
        let (mut locations, mut stale) = ([None; AHEAD], None);
        nodes.iter().take(AHEAD).for_each(|node| pages.prefetch_lookup(node.record()));
        for at in 0..nodes.len() + AHEAD {
            if let Some(ahead) = nodes.get(at + AHEAD) {
                pages.prefetch_lookup(ahead.record());
            }
            let location = nodes.get(at).and_then(|&node| pages.location_of(node));
            if let Some(location) = location {
                if let Some(slice) = self.slices.get(location.slice()) {
                    prefetch_whole(&slice.slots.worlds, location.slot());
                }
            } else if at < nodes.len() {
                // The others are copied all the same; the caller names the first that is not.
                stale = stale.or(Some(at));
            }
            if let Some(location) = core::mem::replace(&mut locations[at % AHEAD], location) {
                worlds[at - AHEAD] = *self.slices.world(location);
            }
        }
        stale
    }

    /// Returns the world matrix of a node as of the last update.
    pub(crate) fn world_at(&self, id: RecordId) -> &Mat34 {
        self.slices.world(self.nodes.pages.location(id))
    }
}
