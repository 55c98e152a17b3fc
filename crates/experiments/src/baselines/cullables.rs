//! Culling as an object-oriented engine does it, a virtual call for each sub-mesh, and in columns.
//!
//! Source: S. Reinalter's Molecule engine, *Adventures in data-oriented design, part 1: mesh data*. In its
//! "by-the-book" implementation each sub-mesh is an object behind an interface, asks the frustum about its own box, and
//! keeps the answer in a flag that the next loop reads. In its data-oriented one a loop over boxes writes an array of
//! bools, which the next loop reads.

use hedgerow::Aabb;
use hedgerow::glam::{Mat4, Vec4};
use std::cell::Cell;
use std::rc::Rc;

/// Something that can be culled.
pub trait Cullable {
    /// Asks the frustum and keeps the answer.
    fn cull(&self, planes: &[Vec4; 6]);
}

/// A sub-mesh with the members of the source: a block of 64 bytes on the heap, with its counts and the allocator's
/// header, as in C++ with the pointer to its table of functions.
#[derive(Debug)]
pub(super) struct SubMesh {
    pub(super) start: u32,
    pub(super) count: u32,
    /// In place of a pointer to a material: what is bound is the same number on both sides.
    pub(super) material: u32,
    pub(super) bounds: Aabb,
    pub(super) visible: Cell<bool>,
}

/// The planes that bound what a camera sees.
pub(crate) fn planes_of(matrix: &Mat4) -> [Vec4; 6] {
    let [x, y, z, w] = core::array::from_fn(|row| matrix.row(row));
    [w + x, w - x, w + y, w - y, z, w - z]
}

/// Whether a box is not wholly outside any plane.
#[inline]
pub(crate) fn touches(bounds: &Aabb, planes: &[Vec4; 6]) -> bool {
    let Aabb { min, max } = bounds;
    planes.iter().all(|plane| {
        let x = if plane.x >= 0.0 { max.x } else { min.x };
        let y = if plane.y >= 0.0 { max.y } else { min.y };
        let z = if plane.z >= 0.0 { max.z } else { min.z };
        plane.x * x + plane.y * y + plane.z * z + plane.w >= 0.0
    })
}

impl Cullable for SubMesh {
    fn cull(&self, planes: &[Vec4; 6]) {
        self.visible.set(touches(&self.bounds, planes));
    }
}

/// Sub-meshes, each a heap block, allocated one after the other: culled through pointers to their interface, and listed
/// through pointers to what they are.
pub struct Cullables {
    interfaces: Vec<Rc<dyn Cullable>>,
    objects: Vec<Rc<SubMesh>>,
}

impl Cullables {
    /// An object for each box.
    #[must_use]
    pub fn new(bounds: &[Aabb]) -> Self {
        let object =
            |&bounds: &Aabb| Rc::new(SubMesh { start: 0, count: 0, material: 0, bounds, visible: Cell::new(false) });
        let objects: Vec<_> = bounds.iter().map(object).collect();
        Self { interfaces: objects.iter().map(|object| Rc::clone(object) as Rc<dyn Cullable>).collect(), objects }
    }

    /// Culls every object, then lists those whose flag says so.
    #[inline(never)]
    pub fn cull(&mut self, matrix: &Mat4, visible: &mut Vec<u32>) {
        let planes = planes_of(matrix);
        for object in &self.interfaces {
            object.cull(&planes);
        }
        visible.extend((0..).zip(&self.objects).filter(|(_, object)| object.visible.get()).map(|(index, _)| index));
    }
}

/// Boxes in one array, and whether each is visible in another one.
#[derive(Clone, Debug)]
pub struct CullColumns {
    bounds: Vec<Aabb>,
    visible: Vec<bool>,
}

impl CullColumns {
    /// The columns of these boxes.
    #[must_use]
    pub fn new(bounds: &[Aabb]) -> Self {
        Self { bounds: bounds.to_vec(), visible: vec![false; bounds.len()] }
    }

    /// Writes for every box whether the camera sees it, then lists those that it does.
    #[inline(never)]
    pub fn cull(&mut self, matrix: &Mat4, visible: &mut Vec<u32>) {
        self.mark(matrix);
        visible.extend((0..).zip(&self.visible).filter(|(_, visible)| **visible).map(|(index, _)| index));
    }

    /// Writes for every box whether the camera sees it.
    pub(super) fn mark(&mut self, matrix: &Mat4) {
        let planes = planes_of(matrix);
        for (visible, bounds) in self.visible.iter_mut().zip(&self.bounds) {
            *visible = touches(bounds, &planes);
        }
    }

    /// What [`mark`](Self::mark) wrote.
    pub(super) fn marks(&self) -> &[bool] {
        &self.visible
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_sub_mesh_takes_a_block_of_64_bytes() {
        let (counts, header) = (2 * size_of::<usize>(), size_of::<usize>());
        assert_eq!(size_of::<SubMesh>() + counts + header, 64);
    }
}
