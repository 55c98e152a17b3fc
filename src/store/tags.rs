//! A number for each node of a document, kept by the scene because it must go with the node.
//!
//! [`Has::TAG`] says whether a node has one. The number itself stays where it is when the node is removed: so a document
//! learns which of its nodes it was. Scenes without documents have no memory here, and edits never touch it.

use crate::store::nodes::Nodes;
use crate::store::record::{Has, RecordId};

impl Nodes {
    /// Returns the tag of a live node.
    pub(crate) fn tag(&self, id: RecordId) -> Option<u32> {
        self.last_tag(id).filter(|_| self.pages.record(id).has.has(Has::TAG))
    }

    /// Returns the tag that a record got last, whether its node lives or not.
    pub(crate) fn last_tag(&self, id: RecordId) -> Option<u32> {
        self.tags.get(id.number() as usize).copied()
    }

    /// Sets or removes the tag of a live node.
    pub(crate) fn set_tag(&mut self, id: RecordId, tag: Option<u32>) {
        if let Some(tag) = tag {
            if id.number() as usize >= self.tags.len() {
                let (records, len) = (self.pages.ids().len(), self.tags.len());
                // An eighth more at a time, because a tag is small beside its node.
                if records > self.tags.capacity() {
                    self.tags.reserve_exact(records.max(len + len / 8) - len);
                }
                self.tags.resize(records, 0);
            }
            self.tags[id.number() as usize] = tag;
        }
        let record = self.pages.record_mut(id);
        record.has = record.has.with(Has::TAG, tag.is_some());
    }
}
