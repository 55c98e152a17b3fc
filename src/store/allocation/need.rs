//! What a slice must have room for before an edit begins.

use crate::Node;
use crate::store::columns::{NIL, Storage};
use crate::store::{Row, Slice};

/// A number of rows, and of slots in each column.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::store) struct Need {
    pub(in crate::store) rows: u32,
    pub(in crate::store) transforms: u32,
    pub(in crate::store) visibilities: u32,
    pub(in crate::store) materials: u32,
    pub(in crate::store) shapes: u32,
    pub(in crate::store) names: u32,
}

impl Need {
    /// The need of one portal: a row.
    pub(in crate::store) const PORTAL: Self =
        Self { rows: 1, transforms: 0, visibilities: 0, materials: 0, shapes: 0, names: 0 };

    /// The need of this many nodes with every component except a name.
    pub(in crate::store) fn all(count: u32) -> Self {
        Self { rows: count, transforms: count, visibilities: count, materials: count, shapes: count, names: 0 }
    }

    /// The need of this many typical nodes. Most slices do not have every component, so their columns start small.
    pub(in crate::store) fn usual(count: u32) -> Self {
        let half = count.div_ceil(2);
        Self { rows: count, transforms: half, visibilities: 0, materials: half.min(4), shapes: half, names: 0 }
    }

    /// What a slice holds, without the bases.
    pub(in crate::store) fn held_by(slice: &Slice) -> Self {
        Self {
            rows: slice.row_slots.live(),
            transforms: slice.transforms.slots.live() - 1,
            visibilities: slice.visibilities.slots.live() - 1,
            materials: slice.materials.slots.live() - 1,
            shapes: slice.shapes.slots.live(),
            names: slice.names.slots.live(),
        }
    }

    /// What a new node needs.
    #[inline(always)]
    pub(in crate::store) fn of(node: &Node<'_>) -> Self {
        Self {
            rows: 1,
            transforms: u32::from(node.local.is_some()),
            visibilities: u32::from(node.visibility.is_some()),
            materials: u32::from(node.material.is_some()),
            shapes: u32::from(node.shape.is_some()),
            names: u32::from(node.name.is_some()),
        }
    }

    /// The number of slots in one storage.
    pub(in crate::store) fn slots(&self, storage: Storage) -> u32 {
        match storage {
            Storage::Rows => self.rows,
            Storage::Transforms => self.transforms,
            Storage::Visibilities => self.visibilities,
            Storage::Materials => self.materials,
            Storage::Shapes => self.shapes,
            Storage::Names => self.names,
        }
    }

    /// Multiplies each number by a factor, with at most `most` rows.
    pub(in crate::store) fn times(&self, factor: f32, most: u32) -> Self {
        let times = |count| scaled(count, factor);
        let Self { rows, transforms, visibilities, materials, shapes, names } = *self;
        Self {
            rows: times(rows).min(most),
            transforms: times(transforms),
            visibilities: times(visibilities),
            materials: times(materials),
            shapes: times(shapes),
            names: times(names),
        }
    }

    /// Adds another need.
    pub(in crate::store) fn extend(&mut self, other: &Self) {
        self.rows += other.rows;
        self.transforms += other.transforms;
        self.visibilities += other.visibilities;
        self.materials += other.materials;
        self.shapes += other.shapes;
        self.names += other.names;
    }

    /// Adds what an existing row needs.
    pub(in crate::store) fn add(&mut self, row: &Row) {
        self.rows += 1;
        self.transforms += u32::from(row.transform.as_own().is_some());
        self.visibilities += u32::from(row.visibility.as_own().is_some());
        self.materials += u32::from(row.material.as_own().is_some());
        self.shapes += u32::from(row.shape != NIL);
        self.names += u32::from(row.name != NIL);
    }
}

/// Multiplies a count by a factor, rounding up.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a capacity; the conversion saturates, and nodes number less than 2^30"
)]
pub(in crate::store) fn scaled(count: u32, factor: f32) -> u32 {
    ((f64::from(count) * f64::from(factor)).ceil() as u32).min(1 << 31)
}

impl Slice {
    /// What the subtree of a row needs, portals included.
    pub(in crate::store) fn need_of(&self, top: u32) -> Need {
        let mut need = Need::default();
        for row in self.subtree(top) {
            need.add(self.row(row));
        }
        need
    }

    /// Whether one node with at most one of each component fits below `parent`.
    #[inline(always)]
    pub(in crate::store) fn fits_one(&self, need: &Need, parent: u32, reuse: bool) -> bool {
        let [transform, visibility, _] = self.inherited(parent);
        (need.rows == 0 || self.row_slots.has_any(reuse))
            && (need.transforms == 0 || self.transforms.slots.has_after(transform.index(), reuse))
            && (need.shapes == 0 || self.shapes.slots.has_any(reuse))
            && (need.materials == 0 || self.materials.slots.has_any(reuse))
            && (need.visibilities == 0 || self.visibilities.slots.has_after(visibility.index(), reuse))
            && (need.names == 0 || self.names.slots.has_any(reuse))
    }

    /// Whether many nodes fit, wherever the holes are.
    pub(in crate::store) fn fits_all(&self, need: &Need) -> bool {
        Storage::ALL.into_iter().all(|storage| storage.of(self).has_tail(need.slots(storage)))
    }
}
