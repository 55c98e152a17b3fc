//! The components of a node, by its place.

use crate::store::Store;
use crate::store::columns::{At, NIL};
use crate::{Aabb, Local, Mat34, Node, Shape, Visibility};

impl Store {
    /// The description of a node.
    pub(crate) fn node_at(&self, at: At) -> Node<'_> {
        Node {
            local: self.local_at(at),
            material: self.own_material_at(at),
            shape: self.shape_at(at),
            visibility: self.own_visibility_at(at),
            name: self.name_at(at),
        }
    }

    /// A node's own local transform.
    #[inline]
    pub(crate) fn local_at(&self, at: At) -> Option<Local> {
        let slice = self.slice(at.slice);
        slice.row(at.row).transform.as_own().map(|slot| slice.transforms.local(slot))
    }

    /// The world matrix as of the last update.
    #[inline]
    pub(crate) fn world_at(&self, at: At) -> &Mat34 {
        let slice = self.slice(at.slice);
        &slice.transforms.worlds[slice.row(at.row).transform.index() as usize]
    }

    #[inline]
    pub(crate) fn own_material_at(&self, at: At) -> Option<u32> {
        let slice = self.slice(at.slice);
        slice.row(at.row).material.as_own().and_then(|slot| slice.materials.values[slot as usize])
    }

    #[inline]
    pub(crate) fn shape_at(&self, at: At) -> Option<Shape> {
        let slice = self.slice(at.slice);
        let slot = slice.row(at.row).shape;
        (slot != NIL).then(|| slice.shapes.shape(slot))
    }

    #[inline]
    pub(crate) fn own_visibility_at(&self, at: At) -> Option<Visibility> {
        let slice = self.slice(at.slice);
        let slot = slice.row(at.row).visibility.as_own()?;
        Some(Visibility::layers(slice.visibilities.locals[slot as usize]))
    }

    #[inline]
    pub(crate) fn name_at(&self, at: At) -> Option<&str> {
        let slice = self.slice(at.slice);
        let slot = slice.row(at.row).name;
        (slot != NIL).then(|| &*slice.names.names[slot as usize])
    }

    /// The world box of a node's shape, by the matrix of the last update.
    pub(crate) fn world_bounds_at(&self, at: At) -> Option<Aabb> {
        let slice = self.slice(at.slice);
        let slot = slice.row(at.row).shape;
        (slot != NIL).then(|| slice.shapes.bounds[slot as usize].transformed(self.world_at(at)))
    }

    /// The slot of a node's transform: its own, or that of the nearest ancestor with one.
    #[inline]
    pub(crate) fn transform_slot_at(&self, at: At) -> u32 {
        self.row(at).transform.index()
    }

    /// The slot of a node's own transform, if it has one.
    #[inline]
    pub(crate) fn own_transform_slot_at(&self, at: At) -> Option<u32> {
        self.row(at).transform.as_own()
    }

    /// The world matrix that a node had after the update before the last; the present one for a node that did not exist
    /// then. `None` if changes are not tracked.
    pub(crate) fn previous_world_at(&self, at: At) -> Option<&Mat34> {
        let feed = self.feed()?;
        let slice = self.slice(at.slice);
        let of_slot = slice.transforms.previous(slice.row(at.row).transform.index());
        Some(feed.previous(self.handle(at), self.world_at(at), of_slot))
    }

    /// The effective material of a node as of now. Runs in O(slices above).
    pub(crate) fn material_at(&self, mut at: At) -> Option<u32> {
        loop {
            let slice = self.slice(at.slice);
            let slot = slice.row(at.row).material.index();
            if slot != 0 {
                return slice.materials.values[slot as usize];
            }
            at = Some(slice.portal).filter(|&portal| portal != At::NONE)?;
        }
    }

    /// The effective visibility of a node as of now. Runs in O(slices above and ancestors with a visibility).
    pub(crate) fn visibility_at(&self, mut at: At) -> Visibility {
        let mut mask = u32::MAX;
        loop {
            let slice = self.slice(at.slice);
            let mut slot = slice.row(at.row).visibility.index();
            while slot != 0 {
                mask &= slice.visibilities.locals[slot as usize];
                slot = slice.visibilities.parents[slot as usize];
            }
            at = slice.portal;
            if at == At::NONE {
                return Visibility::layers(mask);
            }
        }
    }
}
