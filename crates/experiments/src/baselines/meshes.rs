//! Meshes in two layouts: as heap objects that point to heap objects for their sub-meshes, and in columns.
//!
//! Source: S. Reinalter's Molecule engine, *Adventures in data-oriented design, part 1: mesh data*. The "by-the-book"
//! implementation culls sub-meshes through one interface and stores the result in a flag. It renders meshes through
//! another interface, which reads the flags. The data-oriented implementation keeps boxes, bools and draws in one array
//! each, here for all meshes.

use crate::workloads::{self, Parts};
use hedgerow::Aabb;
use hedgerow::glam::{Mat4, Vec4};
use hedgerow_mesh::MeshDraw;
use std::cell::Cell;
use std::rc::Rc;

/// Something that can be culled.
trait Cullable {
    /// Tests the frustum and stores the result.
    fn cull(&self, planes: &[Vec4; 6]);
}

/// Something that can be rendered.
trait Renderable {
    /// Lists the visible parts.
    fn render(&self, draws: &mut Vec<MeshDraw>);
}

/// A sub-mesh with the members of the source. With its reference counts and the allocator's header it takes 64 bytes on
/// the heap, as in C++ with a vtable pointer.
struct SubMesh {
    start: u32,
    count: u32,
    /// The material's number instead of a pointer, because both sides bind the same number.
    material: u32,
    bounds: Aabb,
    visible: Cell<bool>,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<SubMesh>() + 3 * size_of::<usize>() == 64);

/// Returns the six planes of the camera's view frustum.
fn planes_of(matrix: &Mat4) -> [Vec4; 6] {
    let [x, y, z, w] = core::array::from_fn(|row| matrix.row(row));
    [w + x, w - x, w + y, w - y, z, w - z]
}

/// Returns whether no plane has the box entirely on its outer side.
#[inline]
fn touches(bounds: &Aabb, planes: &[Vec4; 6]) -> bool {
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

/// A mesh: its buffers, represented by one number, and pointers to its sub-meshes.
struct Mesh {
    buffers: u32,
    sub_meshes: Vec<Rc<SubMesh>>,
}

impl Renderable for Mesh {
    fn render(&self, draws: &mut Vec<MeshDraw>) {
        for sub_mesh in &self.sub_meshes {
            if sub_mesh.visible.get() {
                let SubMesh { start, count, material, .. } = **sub_mesh;
                draws.push(MeshDraw { mesh: self.buffers, start, count, material });
            }
        }
    }
}

/// All sub-meshes behind one interface and all meshes behind another; each object is allocated separately.
pub struct Meshes {
    cullables: Vec<Rc<dyn Cullable>>,
    renderables: Vec<Box<dyn Renderable>>,
}

impl Meshes {
    /// Allocates an object for each mesh and each sub-mesh.
    pub fn new(parts: &Parts) -> Self {
        let mut meshes = Self { cullables: Vec::new(), renderables: Vec::new() };
        for (buffers, sub_meshes) in parts.meshes() {
            let object = |part: &workloads::SubMesh| {
                let &workloads::SubMesh { start, count, material, bounds } = part;
                Rc::new(SubMesh { start, count, material, bounds, visible: Cell::new(false) })
            };
            let sub_meshes: Vec<Rc<SubMesh>> = sub_meshes.iter().map(object).collect();
            meshes.cullables.extend(sub_meshes.iter().map(|part| Rc::clone(part) as Rc<dyn Cullable>));
            meshes.renderables.push(Box::new(Mesh { buffers, sub_meshes }));
        }
        meshes
    }

    /// Tests every sub-mesh against the camera's frustum.
    #[inline(never)]
    pub fn cull(&self, camera: &Mat4) {
        let planes = planes_of(camera);
        self.cullables.iter().for_each(|object| object.cull(&planes));
    }

    /// Renders every mesh by listing the sub-meshes that the last culling found visible.
    #[inline(never)]
    pub fn render(&self, draws: &mut Vec<MeshDraw>) {
        draws.clear();
        self.renderables.iter().for_each(|object| object.render(draws));
    }
}

/// All sub-meshes in columns.
#[derive(Clone, Debug)]
pub struct MeshColumns {
    bounds: Vec<Aabb>,
    visible: Vec<bool>,
    draws: Vec<MeshDraw>,
}

impl MeshColumns {
    /// Builds the columns of all sub-meshes.
    pub fn new(parts: &Parts) -> Self {
        let draw = |(mesh, part): (u32, &workloads::SubMesh)| {
            let &workloads::SubMesh { start, count, material, .. } = part;
            MeshDraw { mesh, start, count, material }
        };
        let all = || parts.meshes().flat_map(|(mesh, parts)| parts.iter().map(move |part| (mesh, part)));
        let bounds: Vec<_> = all().map(|(_, part)| part.bounds).collect();
        Self { visible: vec![false; bounds.len()], bounds, draws: all().map(draw).collect() }
    }

    /// Writes for each box whether it is visible to the camera.
    #[inline(never)]
    pub fn cull(&mut self, camera: &Mat4) {
        let planes = planes_of(camera);
        for (visible, bounds) in self.visible.iter_mut().zip(&self.bounds) {
            *visible = touches(bounds, &planes);
        }
    }

    /// Lists the draws that the last culling found visible.
    #[inline(never)]
    pub fn render(&self, draws: &mut Vec<MeshDraw>) {
        draws.clear();
        draws.extend(self.draws.iter().zip(&self.visible).filter(|(_, visible)| **visible).map(|(draw, _)| *draw));
    }
}
