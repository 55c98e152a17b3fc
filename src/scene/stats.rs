//! What a scene is made of, in numbers.

use crate::scene::Scene;
pub use crate::store::Usage;

/// What a scene is made of; see [`Scene::stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Nodes, the root included, and those of detached subtrees left out.
    pub nodes: usize,
    /// Nodes of detached subtrees.
    pub detached: usize,
    /// Nodes that [`Scene::remove_later`] removed and [`Scene::maintain`] is to free.
    pub pending_free: usize,
    /// Slices.
    pub slices: usize,
    /// How many slices stand above each other at most that hold children of one node: 0 where all children lie beside their
    /// parent, 1 where some are in slices behind portals beside it. Logarithmic in the slices, as in a B-tree.
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
    /// World boxes of shapes, blocks and slices; none unless the scene keeps them.
    pub bounds: Usage,
    /// Names and their text.
    pub names: Usage,
    /// Handles' entries.
    pub metadata: Usage,
    /// The bytes of what a scene keeps beside these: a record for each slice, and passing lists.
    pub overhead_bytes: usize,
    /// Rows and slots that removed nodes left behind the ends of the columns.
    pub holes: usize,
    /// The share of rows that were put far from their depth-first place since their slice was last reconstituted.
    pub disorder: f32,
    /// How many times a slice was reconstituted since the scene was made.
    pub reconstitutions: u64,
    /// World matrices that are not finite, because finite local ones overflowed.
    pub overflowed: usize,
    /// Indices that are spent for good.
    pub retired: usize,
}

impl Stats {
    /// The bytes of all records in use: record sizes times live entries.
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
    /// Counts what the scene is made of. Computes in **O(slices and transforms)**; meant for tools and tests.
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
