//! What a slice must have room for before an edit begins.

use crate::Node;
use crate::store::columns::Storage;
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

    /// As many slots of each storage as `count` says.
    pub(in crate::store) fn by_storage(count: impl FnMut(Storage) -> u32) -> Self {
        let [rows, transforms, visibilities, materials, shapes, names] = Storage::ALL.map(count);
        Self { rows, transforms, visibilities, materials, shapes, names }
    }

    /// What a slice holds, beside the bases.
    pub(in crate::store) fn held_by(slice: &Slice) -> Self {
        Self::by_storage(|storage| storage.of(slice).live() - u32::from(storage.has_base()))
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

    /// How many slots of a storage.
    #[inline(always)]
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
        let all = Self::by_storage(|storage| scaled(self.slots(storage), factor));
        Self { rows: all.rows.min(most), ..all }
    }

    /// Adds another need.
    #[inline]
    pub(in crate::store) fn extend(&mut self, other: &Self) {
        *self = Self::by_storage(|storage| self.slots(storage) + other.slots(storage));
    }

    /// Adds what an existing row takes.
    #[inline]
    pub(in crate::store) fn add(&mut self, row: &Row) {
        let takes = |storage| storage == Storage::Rows || row.own(storage).is_some();
        *self = Self::by_storage(|storage| self.slots(storage) + u32::from(takes(storage)));
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
    pub(in crate::store) fn fits_one(&self, need: &Need, parent: u32) -> bool {
        let [transform, visibility, _] = self.inherited(parent);
        (need.rows == 0 || self.row_slots.has_any())
            && (need.transforms == 0 || self.transforms.slots.has_after(transform.index()))
            && (need.shapes == 0 || self.shapes.slots.has_any())
            && (need.materials == 0 || self.materials.slots.has_any())
            && (need.visibilities == 0 || self.visibilities.slots.has_after(visibility.index()))
            && (need.names == 0 || self.names.slots.has_any())
    }

    /// Whether many nodes fit, wherever the holes are.
    pub(in crate::store) fn fits_all(&self, need: &Need) -> bool {
        Storage::ALL.into_iter().all(|storage| storage.of(self).has_tail(need.slots(storage)))
    }
}
