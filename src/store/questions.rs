//! Queries about the store as a whole.

use crate::store::columns::{At, NIL};
use crate::store::{Feed, Membership, Need, Spot, Store};
use crate::{Node, NodeHandle, SceneConfig};

impl Store {
    /// A store with the root.
    pub(crate) fn with_root(config: SceneConfig) -> Self {
        let mut store = Self::new(config);
        let (spot, root) = (Spot { slice: At::ROOT.slice, parent: NIL, previous: NIL, next: NIL }, Node::group());
        store.insert_node(&spot, &root, &Need::of(&root)).expect("the first table has room");
        store
    }

    /// The configuration.
    #[inline]
    pub(crate) fn config(&self) -> &SceneConfig {
        &self.config
    }

    /// Makes new slices and tables from now on as large as this configuration says.
    #[cfg(feature = "serde")]
    pub(crate) fn set_initial_sizes(&mut self, config: &SceneConfig) {
        self.config = *config;
        self.tables.initial_entries = config.initial_slice_max_num_nodes;
    }

    /// Lowers how many entries a table has at most, and how many nodes an entry serves.
    #[cfg(test)]
    pub(crate) fn limit_handles(&mut self, max_entries: u32, max_generation: u32) {
        (self.tables.max_entries, self.tables.max_generation) = (max_entries, max_generation);
    }

    /// A number that no other store has.
    pub(crate) fn scene_number(&self) -> u64 {
        self.identity.number()
    }

    /// The number of updates that had work to do.
    #[inline]
    pub(crate) fn updates(&self) -> u64 {
        self.updates
    }

    /// The number of updates that had anything to tell.
    #[inline]
    pub(crate) fn frames(&self) -> u64 {
        self.frames
    }

    /// How often bounds of a shape were set, where that changed no version.
    pub(crate) fn bounds_set(&self) -> u64 {
        self.bounds_set
    }

    /// The newest version that any slice has or had. It also changes with the tree of slices.
    pub(crate) fn versions(&self) -> u64 {
        self.versions
    }

    /// How many times a slice was rebuilt.
    pub(crate) fn reconstitutions(&self) -> u64 {
        self.reconstitutions
    }

    /// What changed, if changes are tracked.
    #[inline]
    pub(crate) fn feed(&self) -> Option<&Feed> {
        self.feed.as_deref()
    }

    /// Sets how many entries of the history of changes are kept of updates before the last.
    pub(crate) fn set_history(&mut self, entries: usize) {
        if let Some(feed) = &mut self.feed {
            feed.log.set_limit(entries);
        }
    }

    /// One past the highest number of a slice.
    #[inline]
    pub(crate) fn slice_end(&self) -> usize {
        self.slices.len()
    }

    /// How many removed nodes wait to be freed.
    pub(crate) fn pending_free_nodes(&self) -> usize {
        self.counted.of(Membership::PendingFree)
    }

    /// The membership of a node.
    #[inline]
    pub(crate) fn membership(&self, at: At) -> Membership {
        self.slice(at.slice).membership
    }

    /// The first node or portal at the top of a slice.
    pub(in crate::store) fn top_of(&self, slice: u32) -> At {
        At { slice, row: self.slice(slice).first_top }
    }

    /// How many metadata tables there are.
    pub(crate) fn table_count(&self) -> usize {
        self.tables.len()
    }

    /// Whether this many more tables can be opened.
    pub(crate) fn can_open_tables(&self, tables: usize) -> bool {
        self.tables.can_open(tables)
    }

    /// How many handle indices are retired.
    pub(crate) fn retired_indices(&self) -> usize {
        self.tables.retired()
    }

    /// The root.
    pub(crate) fn root(&self) -> NodeHandle {
        self.handle(At::ROOT)
    }
}
