//! Culling as an object-oriented engine does it: a virtual call for each sub-mesh.
//!
//! Source: S. Reinalter's Molecule engine, *Adventures in data-oriented design, part 1: mesh data*, the "by-the-book"
//! implementation: each sub-mesh is an object behind an interface, asks the frustum about its own box, and keeps the
//! answer in a flag that the next loop reads.

use hedgerow::Aabb;
use hedgerow::glam::{Mat4, Vec4};
use std::cell::Cell;

/// Something that can be culled.
pub trait Cullable {
    /// Asks the frustum and keeps the answer.
    fn cull(&self, planes: &[Vec4; 6]);

    /// The answer.
    fn is_visible(&self) -> bool;
}

/// A sub-mesh with what an object of its kind has beside its box: 96 bytes on the heap.
#[derive(Debug)]
struct SubMesh {
    _material: u64,
    _vertices: [u64; 3],
    _indices: [u64; 3],
    bounds: Aabb,
    visible: Cell<bool>,
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

    fn is_visible(&self) -> bool {
        self.visible.get()
    }
}

/// Sub-meshes, each a heap block behind a pointer to its interface, allocated one after the other.
pub struct Cullables {
    objects: Vec<Box<dyn Cullable>>,
}

impl Cullables {
    /// An object for each box.
    #[must_use]
    pub fn new(bounds: &[Aabb]) -> Self {
        let object = |&bounds: &Aabb| -> Box<dyn Cullable> {
            Box::new(SubMesh { _material: 0, _vertices: [0; 3], _indices: [0; 3], bounds, visible: Cell::new(false) })
        };
        Self { objects: bounds.iter().map(object).collect() }
    }

    /// Culls every object, then lists those that are visible.
    pub fn cull(&mut self, matrix: &Mat4, visible: &mut Vec<u32>) {
        let planes = planes_of(matrix);
        for object in &self.objects {
            object.cull(&planes);
        }
        visible.extend((0..).zip(&self.objects).filter(|(_, object)| object.is_visible()).map(|(index, _)| index));
    }
}
