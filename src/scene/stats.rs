//! What a scene is made of, in numbers.

use crate::scene::Scene;
use crate::store::{
    LinearAllocator, MaterialColumn, NameColumn, Row, ShapeColumn, Slice, SliceBoxes, Standing, Tables,
};

/// Entries and bytes of one kind of record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Records in use.
    pub live: usize,
    /// The bytes of these.
    pub live_bytes: usize,
    /// The bytes that are allocated for records of this kind.
    pub allocated_bytes: usize,
}

/// What a scene is made of; see [`Scene::stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Nodes, the root included, and those of detached subtrees left out.
    pub nodes: usize,
    /// Nodes of detached subtrees.
    pub detached: usize,
    /// Nodes that [`Scene::remove_later`] removed and [`Scene::maintain`] is to free.
    pub doomed: usize,
    /// Slices.
    pub slices: usize,
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

impl Usage {
    fn add(&mut self, slots: &LinearAllocator, record: usize, allocated: usize) {
        self.live += slots.live() as usize;
        self.live_bytes += slots.live() as usize * record;
        self.allocated_bytes += allocated;
    }
}

impl Scene {
    /// Counts what the scene is made of. Computes in **O(slices and transforms)**; meant for tools and tests.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn stats(&self) -> Stats {
        let mut stats = Stats {
            nodes: self.len(),
            detached: self.detached_len(),
            doomed: self.store.counted.of(Standing::Doomed),
            slices: self.store.slice_count(),
            tables: self.store.tables.len(),
            reconstitutions: self.store.reconstitutions,
            retired: self.store.tables.retired(),
            overhead_bytes: self.store.overhead_bytes(),
            metadata: Usage {
                live: self.store.total_len(),
                live_bytes: self.store.total_len() * Tables::ENTRY_BYTES,
                allocated_bytes: self.store.tables.allocated_bytes(),
            },
            ..Stats::default()
        };
        let mut misplaced = 0.0;
        for slice in self.store.slices.iter().filter(|slice| slice.lives) {
            stats.count(slice);
            misplaced += f64::from(slice.disorder()) * slice.nodes() as f64;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        {
            stats.disorder = (misplaced / self.store.total_len() as f64) as f32;
        }
        stats
    }
}

impl Stats {
    fn count(&mut self, slice: &Slice) {
        let Slice { row_slots, transforms, visibilities, materials, shapes, names, .. } = slice;
        self.rows.add(row_slots, size_of::<Row>(), slice.row_bytes());
        self.transforms.add(&transforms.slots, transforms.slot_bytes(), transforms.allocated_bytes());
        self.visibilities.add(&visibilities.slots, visibilities.slot_bytes(), visibilities.allocated_bytes());
        self.materials.add(&materials.slots, MaterialColumn::BYTES, materials.allocated_bytes());
        self.shapes.add(&shapes.slots, ShapeColumn::BYTES, shapes.allocated_bytes());
        if slice.boxes.is_some() {
            self.bounds.add(&shapes.slots, SliceBoxes::BYTES, slice.box_bytes());
        }
        self.names.add(&names.slots, NameColumn::BYTES, names.allocated_bytes());
        self.names.live_bytes += names.text_bytes;
        let columns =
            [row_slots, &transforms.slots, &visibilities.slots, &materials.slots, &shapes.slots, &names.slots];
        self.holes += columns.iter().map(|slots| slots.holes().count() as usize).sum::<usize>();
        let overflowed = |&slot: &u32| !transforms.worlds[slot as usize].is_finite();
        self.overflowed += transforms.slots.iter().skip(1).filter(overflowed).count();
    }
}
