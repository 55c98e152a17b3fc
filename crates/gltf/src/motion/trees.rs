//! Trees over the triangles of an import's meshes, to pick and select nodes, static or deformed.

use crate::Imported;
use hedgerow::data::NodeMap;
use hedgerow::draw::DrawCommand;
use hedgerow::query::{Faces, LocalRay, LocalVolume, Touch, TriangleHit, Triangles};
use hedgerow_character::Deformed;
use hedgerow_mesh::TriangleTree;
use std::collections::HashMap;

/// Trees over the triangles of an import's meshes, each made when a ray or a selection first meets the mesh.
///
/// [`cast`](Self::cast) and [`touch`](Self::touch) are what [`Scene::pick`](hedgerow::Scene::pick) and
/// [`Scene::select`](hedgerow::Scene::select) ask for, for static nodes and for figures. A tree takes some 11 bytes per
/// triangle, and 12 for its corners.
///
/// ```
/// use hedgerow::glam::Vec3;
/// use hedgerow::query::{Filter, Ray};
/// use hedgerow::{SceneConfig, data::NodeMap};
/// use hedgerow_gltf::{ImportOptions, TriangleTrees};
///
/// // A triangle with the corners (0, 0, 0), (0, 2, 0) and (2, 0, 0), three metres to the right, with a double-sided material.
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "translation": [3, 0, 0]}],
///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}], "materials": [{"doubleSided": true}],
///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "bufferView": 0}],
///     "bufferViews": [{"buffer": 0, "byteLength": 36}],
///     "buffers": [{"byteLength": 36, "uri": "data:;base64,AAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAAA"}]
/// }"#;
/// let import = ImportOptions::new().with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).from_slice(text, None)?;
/// let (mut scene, imported) = (import.scene, import.imported);
/// scene.update();
/// let (mut trees, mut bodies) = (TriangleTrees::new(), NodeMap::new());
/// let mut at = |x| {
///     let ray = Ray::new(Vec3::new(x, 0.5, 9.0), Vec3::NEG_Z)?;
///     scene.pick(&ray, Filter::ALL, |drawn, ray, limit| trees.cast(&imported, &mut bodies, drawn, ray, limit))
/// };
/// assert_eq!(at(3.5)?.map(|pick| (pick.drawn.node, pick.distance)), imported.node(0).map(|node| (node, 9.0)));
/// assert_eq!(at(4.9)?, None);   // in the box, but beside the triangle
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct TriangleTrees {
    /// By mesh id; `None` if the mesh has no triangles.
    meshes: HashMap<u32, Option<Tree>>,
}

/// The triangles of a mesh whose positions the import has.
#[derive(Debug)]
struct Tree {
    indices: Vec<[u32; 3]>,
    tree: TriangleTree,
}

impl TriangleTrees {
    /// Creates an empty collection, for one import.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the nearest hit of a ray on the triangles that a command draws, deformed as they are now if `bodies` has
    /// the node. Both sides are hit if the material is [double-sided](crate::material::Material::double_sided), else
    /// fronts. `None` for points, lines, meshes of other files, and morph weights beyond ±10⁶.
    pub fn cast(
        &mut self,
        imported: &Imported,
        bodies: &mut NodeMap<Deformed>,
        drawn: &DrawCommand,
        ray: &LocalRay,
        limit: f64,
    ) -> Option<TriangleHit> {
        let material = drawn.material().and_then(|number| imported.material(number));
        let faces = if material.is_some_and(|material| material.double_sided) { Faces::Both } else { Faces::Front };
        if let Some(body) = bodies.get_mut(drawn.node) {
            return body.cast(ray, limit, faces).ok()?;
        }
        let (mesh, tree) = self.of(imported, drawn.mesh)?;
        tree.cast(mesh, ray, limit, faces)
    }

    /// Returns how much of the triangles that a command draws is in a volume, deformed as they are now if `bodies` has
    /// the node.
    pub fn touch(
        &mut self,
        imported: &Imported,
        bodies: &mut NodeMap<Deformed>,
        drawn: &DrawCommand,
        volume: &LocalVolume,
    ) -> Touch {
        if let Some(body) = bodies.get_mut(drawn.node) {
            return body.touch(volume).unwrap_or(Touch::None);
        }
        self.of(imported, drawn.mesh).map_or(Touch::None, |(mesh, tree)| tree.touch(mesh, volume))
    }

    /// Returns the triangles of a mesh id and their tree, which is built in the first call; `None` if there are none.
    pub fn of<'t>(&'t mut self, imported: &'t Imported, mesh: u32) -> Option<(Triangles<'t>, &'t TriangleTree)> {
        let data = imported.vertices(mesh)?;
        let made = self.meshes.entry(mesh).or_insert_with(|| {
            let indices: Vec<[u32; 3]> = data.triangles().collect();
            let tree = TriangleTree::build(Triangles::new(&data.positions, &indices)).ok();
            tree.filter(|tree| !tree.is_empty()).map(|tree| Tree { indices, tree })
        });
        let Tree { indices, tree } = made.as_ref()?;
        Some((Triangles::new(&data.positions, indices), tree))
    }
}
