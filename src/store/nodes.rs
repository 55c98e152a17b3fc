//! All that an edit borrows: records, the components of few nodes, and what waits for the update.

use crate::NodeHandle;
use crate::store::Usage;
use crate::store::components::Components;
use crate::store::inbox::Inbox;
use crate::store::page::{Pages, RECORD_BYTES};
use crate::store::record::RecordId;

/// The nodes of a scene. Edits and reads of single nodes are methods; only a removal also frees a row of a slice.
#[derive(Clone)]
pub(crate) struct Nodes {
    pub(crate) pages: Pages,
    pub(crate) components: Components,
    pub(crate) inbox: Inbox,
    /// The number of nodes outside of the tree.
    pub(crate) detached: usize,
    /// Temporary memory of removals.
    pub(crate) stack: Vec<RecordId>,
    /// The tags of documents, by record.
    pub(crate) tags: Vec<u32>,
    /// Says which document set them last.
    pub(crate) tagged_by: u32,
}

impl Nodes {
    pub(crate) fn new(pages: Pages, components: Components, inbox: Inbox) -> Self {
        Self { pages, components, inbox, detached: 0, stack: Vec::new(), tags: Vec::new(), tagged_by: 0 }
    }

    pub(crate) fn root(&self) -> NodeHandle {
        self.pages.handle(RecordId::ROOT)
    }

    /// Returns the memory use of records, in pages.
    pub(crate) fn record_usage(&self) -> Usage {
        let live = self.pages.len();
        Usage { live, live_bytes: live * RECORD_BYTES, allocated_bytes: self.pages.bytes() + self.tags.capacity() * 4 }
    }

    /// Returns the memory use of components except names, and of names.
    pub(crate) fn component_usages(&self) -> [Usage; 2] {
        [self.components.usage(), self.components.name_usage()]
    }

    /// Returns the number of retired records.
    pub(crate) fn retired(&self) -> usize {
        self.pages.retired()
    }

    /// Frees unused memory.
    pub(crate) fn shrink(&mut self) {
        self.pages.shrink();
        self.components.shrink();
        self.inbox.shrink();
        self.stack = Vec::new();
    }
}
