//! Statistics of a scene.

use crate::scene::Scene;
pub use crate::store::Usage;

/// Statistics of a scene; see [`Scene::stats`].
///
/// Nodes, records and components are as of now; the contents of slices are as of the last update.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Nodes in the tree, including the root but not detached subtrees.
    pub nodes: usize,
    /// Nodes of detached subtrees.
    pub detached: usize,
    /// Slices.
    pub slices: usize,
    /// Records of nodes: links, local transform, material, and the state that a handle is checked against.
    pub records: Usage,
    /// Rows of slices.
    pub rows: Usage,
    /// Transform slots of slices: world matrices and copies of local transforms.
    pub transforms: Usage,
    /// Drawables in slices, as draw lists read them.
    pub drawables: Usage,
    /// Data that few nodes have: drawables, layers, user data, shearing matrices, rounding errors of translations.
    pub components: Usage,
    /// Names and their text.
    pub names: Usage,
    /// World boxes of drawables, blocks and slices; zero without [`SceneConfig::bounds`](crate::SceneConfig::bounds).
    pub bounds: Usage,
    /// The bytes of previous matrices and of the log of changes; zero unless the scene tracks changes.
    pub change_bytes: usize,
    /// The bytes of everything else: slice headers, lists of nodes to place in the next update, and temporary lists.
    pub overhead_bytes: usize,
    /// Unused rows, slots and drawables that removed or moved nodes left behind in slices.
    pub holes: usize,
    /// How many times a slice was reconstituted since the scene was made or loaded.
    pub reconstitutions: u64,
    /// World matrices that are not finite, because the product of finite local transforms overflowed.
    pub overflowed: usize,
    /// Records whose generations are exhausted. They are never used again.
    pub retired: usize,
}

impl Stats {
    /// Returns the bytes of everything in use: for each kind, the size of an entry times the number of live entries.
    #[must_use]
    pub fn live_bytes(&self) -> usize {
        self.usages().iter().map(|usage| usage.live_bytes).sum()
    }

    /// Returns the number of bytes that the scene has allocated.
    #[must_use]
    pub fn allocated_bytes(&self) -> usize {
        let records: usize = self.usages().iter().map(|usage| usage.allocated_bytes).sum();
        records + self.change_bytes + self.overhead_bytes
    }

    fn usages(&self) -> [Usage; 7] {
        [self.records, self.rows, self.transforms, self.drawables, self.components, self.names, self.bounds]
    }
}

impl Scene {
    /// Computes statistics of the scene. Runs in **O(slices + transforms + names)**; meant for tools and tests.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let store = &self.store;
        let [rows, transforms, drawables] = store.slices.slice_usages();
        let [components, names] = store.nodes.component_usages();
        Stats {
            nodes: self.len(),
            detached: store.nodes.detached_len(),
            slices: store.slices.order.len(),
            records: store.nodes.record_usage(),
            rows,
            transforms,
            drawables,
            components,
            names,
            bounds: store.slices.box_usage(),
            change_bytes: store.change_bytes(),
            overhead_bytes: store.overhead_bytes(),
            holes: store.slices.count_holes(),
            reconstitutions: store.reconstitutions(),
            overflowed: store.slices.count_overflowed(),
            retired: store.nodes.retired(),
        }
    }
}
