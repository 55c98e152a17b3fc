//! What edits leave to the update beside the [masks](super::pending) of nodes: nodes without a row, and removed nodes.

use crate::store::location::Location;
use crate::store::page::Pages;
use crate::store::pending::Pending;
use crate::store::record::RecordId;
use crate::{NodeHandle, SceneConfig};

/// The greatest number of nodes for which lists are kept from update to update.
pub(crate) const MOST_KEPT: usize = 1 << 12;

/// Work for the next update.
#[derive(Clone, Debug)]
pub(crate) struct Inbox {
    /// Live nodes without a row, in no order. Each node's location has its index here: [`Location::waiting`].
    pub(crate) waiting: Vec<RecordId>,
    /// Nodes that were removed since the last update, and whether readers of changes know them. Empty unless the scene
    /// tracks changes.
    pub(crate) removed: Vec<(NodeHandle, bool)>,
    /// The greatest length of `removed`.
    pub(crate) most_removed: usize,
    /// Whether more nodes were removed, so that the next read of changes must be whole.
    pub(crate) overflowed: bool,
    /// Whether the scene tracks changes.
    pub(crate) tracks_changes: bool,
    /// The bits of masks that anybody reads.
    pub(crate) read: Pending,
    /// Whether any node is or was anchored. If not, no check for anchored nodes is needed.
    pub(crate) any_anchored: bool,
}

impl Inbox {
    pub(crate) fn new(config: &SceneConfig) -> Self {
        Self {
            waiting: Vec::new(),
            removed: Vec::new(),
            most_removed: MOST_KEPT.max(config.change_history as usize),
            overflowed: false,
            tracks_changes: config.changes,
            read: if config.changes { Pending::TRACKED } else { Pending::DERIVED },
            any_anchored: false,
        }
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^30 records")]
    pub(crate) fn push(&mut self, id: RecordId) -> Location {
        // Nodes are taken from the list by their index, so that a removal does not search it.
        let index = self.waiting.len() as u32;
        self.waiting.push(id);
        Location::waiting(index)
    }

    /// Removes the node at an index. The last node gets the free index.
    #[inline]
    pub(crate) fn remove(&mut self, pages: &mut Pages, index: u32) {
        if let Some(last) = self.waiting.pop()
            && let Some(entry) = self.waiting.get_mut(index as usize)
        {
            *entry = last;
            pages.set_location(last, Location::waiting(index));
        }
    }

    /// Lists a removed node for readers of changes, who know it if it was `reported`.
    #[cold]
    pub(crate) fn list_removed(&mut self, node: NodeHandle, reported: bool) {
        if self.removed.len() >= self.most_removed {
            self.overflowed = true;
            // Readers must read everything now, so what was listed is of no use.
            self.removed = Vec::new();
        }
        if !self.overflowed {
            self.removed.push((node, reported));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.removed.is_empty() && !self.overflowed
    }

    pub(crate) fn shrink(&mut self) {
        self.waiting.shrink_to_fit();
        self.removed.shrink_to_fit();
    }

    /// Returns the bytes of the list of waiting nodes.
    pub(crate) fn bytes(&self) -> usize {
        self.waiting.capacity() * size_of::<RecordId>()
    }
}
