//! The triangles under a ray or in a rectangle.

use super::Stage;
use super::figures::Figures;
use super::geometry::{Mesh, Topology};
use crate::camera::Camera;
use crate::failure::Result;
use hedgerow::draw::DrawCommand;
use hedgerow::glam::{DAffine3, DVec3, Vec2, Vec3};
use hedgerow::query::{CullView, Faces, Filter, Frustum, Pick, Ray, Selected, Touch, Triangles};
use hedgerow::{Aabb, DrawList, Layers, Scene};
use hedgerow_anim::ik::Contact;
use hedgerow_character::Deformed;
use hedgerow_mesh::TriangleTree;
use std::collections::HashMap;

/// Trees over the triangles of meshes, each made when a ray or a selection first meets the mesh. Lines and points have
/// those of their box.
#[derive(Default)]
pub struct Trees(HashMap<u32, Option<Tree>>);

struct Tree {
    positions: Vec<[f32; 3]>,
    indices: Vec<[u32; 3]>,
    tree: TriangleTree,
}

/// What a draw shows.
enum Surface<'s> {
    Still(Triangles<'s>, &'s TriangleTree),
    Figure(&'s mut Deformed),
}

impl Trees {
    fn surface<'s>(
        &'s mut self,
        meshes: &[Mesh],
        figures: &'s mut Figures,
        drawn: &DrawCommand,
    ) -> Option<Surface<'s>> {
        let mesh = meshes.get(drawn.mesh as usize)?;
        if let (true, Some(figure)) = (mesh.deformed, drawn.user_data.checked_sub(1)) {
            return figures.posed(figure as usize).ok().map(Surface::Figure);
        }
        self.of(meshes, drawn).map(|(mesh, tree)| Surface::Still(mesh, tree))
    }

    /// Returns the triangles that a draw shows, unless a figure draws them.
    fn of(&mut self, meshes: &[Mesh], drawn: &DrawCommand) -> Option<(Triangles<'_>, &TriangleTree)> {
        let mesh = meshes.get(drawn.mesh as usize).filter(|mesh| !mesh.deformed)?;
        let Tree { positions, indices, tree } = self.0.entry(drawn.mesh).or_insert_with(|| Tree::new(mesh)).as_ref()?;
        Some((Triangles::new(positions, indices), tree))
    }
}

impl Tree {
    fn new(mesh: &Mesh) -> Option<Self> {
        let positions = |mesh: &Mesh| mesh.vertices.iter().map(|vertex| vertex.place).collect::<Vec<_>>();
        let (positions, indices) = if mesh.topology == Topology::Triangles {
            (positions(mesh), mesh.indices.as_chunks().0.to_vec())
        } else {
            let bounds = Aabb::from_points(positions(mesh).into_iter().map(Vec3::from));
            let around = Mesh::block(bounds, [1.0; 2]);
            (positions(&around), around.indices.as_chunks().0.to_vec())
        };
        let tree = TriangleTree::build(Triangles::new(&positions, &indices)).ok()?;
        Some(Self { positions, indices, tree })
    }
}

/// What figures stand on: all that does not deform, as of the last update.
pub(super) struct Ground<'s> {
    pub(super) scene: &'s Scene,
    pub(super) meshes: &'s [Mesh],
    pub(super) trees: &'s mut Trees,
    /// The layers of what one can stand on.
    pub(super) layers: Layers,
}

impl Ground<'_> {
    /// Returns the ground on the vertical line through a point of a node's space.
    pub(super) fn below(&mut self, world: &DAffine3, at: Vec3) -> Option<Contact> {
        /// Metres above the point at which the ray begins, and its length.
        const REACH: [f64; 2] = [0.6, 1.4];
        let from = world.transform_point3(at.as_dvec3()) + DVec3::Y * REACH[0];
        let ray = Ray::new(from.as_vec3(), Vec3::NEG_Y).ok()?.up_to(REACH[1] as f32).ok()?;
        let Self { scene, meshes, trees, layers } = self;
        let pick = scene.pick(&ray, Filter::from(*layers), |drawn, ray, limit| {
            let (mesh, tree) = trees.of(meshes, drawn)?;
            tree.cast(mesh, ray, limit, Faces::Front)
        });
        let pick = pick.ok()??;
        let point = world.inverse().transform_point3(pick.position).as_vec3();
        let normal = (world.matrix3.transpose() * pick.normal).normalize_or(DVec3::Y).as_vec3();
        Some(Contact { point, normal })
    }
}

impl Stage {
    /// Lists what a camera sees, to be picked: levels of detail and stand-ins in place of what they stand for.
    fn seen_by(&self, camera: &Camera, frustum: &Frustum) -> Result<DrawList> {
        let (layers, detail) = self.seen_from(Some(camera.eye));
        let mut list = DrawList::new().on_layers(layers).without_matrices();
        list.set_eye(camera.eye);
        if detail.is_some() {
            self.scene.cull(&mut [CullView { detail, ..CullView::new(frustum, &mut list) }])?;
        }
        Ok(list)
    }

    /// Returns the nearest triangle that a camera sees at a point of the picture, in normalised device coordinates, also of
    /// figures.
    pub fn pick(&mut self, camera: &Camera, aspect: f32, place: Vec2) -> Result<Option<Pick>> {
        let ray = camera.ray(aspect, place)?;
        let mut list = self.seen_by(camera, &camera.relative_frustum(aspect)?)?;
        let Self { scene, meshes, surfaces, figures, trees, .. } = self;
        Ok(scene.pick(&ray, Filter::ALL.in_list(&mut list), |drawn, ray, limit| {
            let last = surfaces.len() - 1;
            let surface = &surfaces[drawn.material().map_or(last, |number| (number as usize).min(last))];
            let faces = if surface.double_sided { Faces::Both } else { Faces::Front };
            match trees.surface(meshes, figures, drawn)? {
                Surface::Still(mesh, tree) => tree.cast(mesh, ray, limit, faces),
                Surface::Figure(body) => body.cast(ray, limit, faces).ok()?,
            }
        })?)
    }

    /// Lists what is in a frustum relative to the camera, wholly or partly, by triangles.
    pub fn select(&mut self, camera: &Camera, frustum: &Frustum, selected: &mut Vec<Selected>) -> Result<()> {
        let mut list = self.seen_by(camera, frustum)?;
        let Self { scene, meshes, figures, trees, .. } = self;
        let touch = |drawn: &DrawCommand, volume: &_| match trees.surface(meshes, figures, drawn) {
            None => Touch::None,
            Some(Surface::Still(mesh, tree)) => tree.touch(mesh, volume),
            Some(Surface::Figure(body)) => body.touch(volume).unwrap_or(Touch::None),
        };
        Ok(scene.select(frustum, Filter::ALL.in_list(&mut list), touch, selected)?)
    }
}
