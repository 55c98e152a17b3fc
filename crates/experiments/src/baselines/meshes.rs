//! Meshes as an object-oriented engine has them, a heap object each with heap objects for their sub-meshes, and in
//! columns.
//!
//! Source: S. Reinalter's Molecule engine, *Adventures in data-oriented design, part 1: mesh data*, the "by-the-book"
//! implementation: sub-meshes are culled through one interface and keep the answer in a flag, meshes are rendered
//! through another and look at the flags of their sub-meshes. Then its data-oriented one: boxes, bools and what is
//! drawn each in an array, here of all meshes.

use super::cullables::{CullColumns, Cullable, SubMesh, planes_of};
use crate::workloads::Parts;
use hedgerow::glam::Mat4;
use hedgerow_mesh::{MeshDraw, ShadowDraw};
use std::cell::Cell;
use std::rc::Rc;

/// Something that can be rendered.
pub trait Renderable {
    /// Lists what is visible of it.
    fn render(&self, draws: &mut Vec<MeshDraw>);

    /// Lists what is visible of it for a depth buffer.
    fn render_shadow(&self, draws: &mut Vec<ShadowDraw>);
}

/// A mesh: its buffers, which are one number here, and pointers to its sub-meshes.
#[derive(Debug)]
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

    fn render_shadow(&self, draws: &mut Vec<ShadowDraw>) {
        for sub_mesh in &self.sub_meshes {
            if sub_mesh.visible.get() {
                draws.push(ShadowDraw { mesh: self.buffers, start: sub_mesh.start, count: sub_mesh.count });
            }
        }
    }
}

/// All sub-meshes behind one interface and all meshes behind the other, allocated one after the other.
pub struct Meshes {
    cullables: Vec<Rc<dyn Cullable>>,
    renderables: Vec<Box<dyn Renderable>>,
}

impl Meshes {
    /// An object for each mesh and each sub-mesh.
    #[must_use]
    pub fn new(parts: &Parts) -> Self {
        let mut meshes = Self { cullables: Vec::new(), renderables: Vec::new() };
        for (buffers, sub_meshes) in parts.meshes() {
            let object = |part: &hedgerow_mesh::SubMesh| {
                let &hedgerow_mesh::SubMesh { start, count, material, bounds } = part;
                Rc::new(SubMesh { start, count, material, bounds, visible: Cell::new(false) })
            };
            let sub_meshes: Vec<Rc<SubMesh>> = sub_meshes.iter().map(object).collect();
            meshes.cullables.extend(sub_meshes.iter().map(|part| Rc::clone(part) as Rc<dyn Cullable>));
            meshes.renderables.push(Box::new(Mesh { buffers, sub_meshes }));
        }
        meshes
    }

    /// Asks every sub-mesh whether the camera sees it.
    #[inline(never)]
    pub fn cull(&self, camera: &Mat4) {
        let planes = planes_of(camera);
        for object in &self.cullables {
            object.cull(&planes);
        }
    }

    /// Renders every mesh: lists what the last culling left.
    #[inline(never)]
    pub fn render(&self, draws: &mut Vec<MeshDraw>) {
        draws.clear();
        for object in &self.renderables {
            object.render(draws);
        }
    }

    /// The same for a depth buffer.
    #[inline(never)]
    pub fn render_shadow(&self, draws: &mut Vec<ShadowDraw>) {
        draws.clear();
        for object in &self.renderables {
            object.render_shadow(draws);
        }
    }
}

/// All sub-meshes in columns.
#[derive(Clone, Debug)]
pub struct MeshColumns {
    culled: CullColumns,
    draws: Vec<MeshDraw>,
}

impl MeshColumns {
    /// The columns of all sub-meshes.
    #[must_use]
    pub fn new(parts: &Parts) -> Self {
        let all = || parts.meshes().flat_map(|(mesh, parts)| parts.iter().map(move |part| (mesh, part)));
        let draw = |(mesh, part): (u32, &hedgerow_mesh::SubMesh)| {
            let &hedgerow_mesh::SubMesh { start, count, material, .. } = part;
            MeshDraw { mesh, start, count, material }
        };
        let bounds: Vec<_> = all().map(|(_, part)| part.bounds).collect();
        Self { culled: CullColumns::new(&bounds), draws: all().map(draw).collect() }
    }

    /// Writes for each box whether the camera sees it.
    #[inline(never)]
    pub fn cull(&mut self, camera: &Mat4) {
        self.culled.mark(camera);
    }

    /// Lists what the last culling left.
    #[inline(never)]
    pub fn render(&self, draws: &mut Vec<MeshDraw>) {
        draws.clear();
        for (draw, &visible) in self.draws.iter().zip(self.culled.marks()) {
            if visible {
                draws.push(*draw);
            }
        }
    }
}
