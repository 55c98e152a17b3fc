//! Statistics: what a scene consists of, in numbers.

use crate::scene::Scene;
pub use crate::store::Usage;

/// What a scene consists of; see [`Scene::stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Nodes in the tree, including the root but not detached subtrees.
    pub nodes: usize,
    /// Nodes of detached subtrees.
    pub detached: usize,
    /// Nodes that [`Scene::remove_later`] removed and [`Scene::maintain`] has yet to free.
    pub pending_free: usize,
    /// Slices.
    pub slices: usize,
    /// The greatest number of nested slices that hold children of one node: 0 if all children are in the slice of their
    /// parent, 1 if some are in slices behind portals beside it. Logarithmic in the number of slices, as in a B-tree.
    pub slice_levels: usize,
    /// Metadata tables.
    pub tables: usize,
    /// Topology records; portals count as live ones.
    pub rows: Usage,
    /// Local transforms and world matrices.
    pub transforms: Usage,
    /// Visibility masks.
    pub visibilities: Usage,
    /// Materials.
    pub materials: Usage,
    /// Shapes and their bounds.
    pub shapes: Usage,
    /// World boxes of shapes, blocks and slices; zero unless the scene keeps them.
    pub bounds: Usage,
    /// Names and their text.
    pub names: Usage,
    /// Entries of handles.
    pub metadata: Usage,
    /// The bytes of everything else: a record for each slice, and temporary lists.
    pub overhead_bytes: usize,
    /// Unused rows and slots that removed nodes left inside the columns.
    pub holes: usize,
    /// The share of rows that were placed far from their depth-first place since their slice was last reconstituted.
    pub disorder: f32,
    /// How many times a slice was reconstituted since the scene was made.
    pub reconstitutions: u64,
    /// World matrices that are not finite, because finite local ones overflowed.
    pub overflowed: usize,
    /// Handle indices that are used up.
    pub retired: usize,
}

impl Stats {
    /// The bytes of all records in use: the sizes of records times the live entries.
    #[must_use]
    pub fn live_bytes(&self) -> usize {
        self.usages().iter().map(|usage| usage.live_bytes).sum()
    }

    /// All bytes that the scene has allocated.
    #[must_use]
    pub fn allocated_bytes(&self) -> usize {
        self.usages().iter().map(|usage| usage.allocated_bytes).sum::<usize>() + self.overhead_bytes
    }

    fn usages(&self) -> [Usage; 8] {
        [
            self.rows,
            self.transforms,
            self.visibilities,
            self.materials,
            self.shapes,
            self.bounds,
            self.names,
            self.metadata,
        ]
    }
}

impl Scene {
    /// Counts what the scene consists of. Runs in **O(slices and transforms)**; meant for tools and tests.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn stats(&self) -> Stats {
        let store = &self.store;
        let [rows, transforms, visibilities, materials, shapes, names] = store.usages();
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let disorder = (store.count_disordered() / store.total_len() as f64) as f32;
        Stats {
            nodes: self.len(),
            detached: self.detached_len(),
            pending_free: store.pending_free_nodes(),
            slices: store.slice_count(),
            slice_levels: store.slice_levels(),
            tables: store.table_count(),
            rows,
            transforms,
            visibilities,
            materials,
            shapes,
            bounds: store.box_usage(),
            names,
            metadata: store.table_usage(store.total_len()),
            overhead_bytes: store.overhead_bytes(),
            holes: store.count_holes(),
            disorder,
            reconstitutions: store.reconstitutions(),
            overflowed: store.count_overflowed(),
            retired: store.retired_indices(),
        }
    }
}
