//! The triangles of a node, whether static or deformed.

use crate::Imported;
use glam::Vec3;
use hedgerow::data::NodeMap;
use hedgerow::{NodeHandle, Scene};
use hedgerow_anim::Error;
use hedgerow_anim::skin::SkinOutput;
use hedgerow_character::Deformed;

impl Imported {
    /// Replaces the contents of `triangles` by the corners of all triangles that a node draws, for rays, decals and
    /// physics. The corners are in the space of the node, so that [`Scene::world`] takes them to the world.
    ///
    /// If `bodies` has the node, the triangles are deformed as its [`Deformed`] is now; else they are those of the
    /// file. There are none if the node draws points, lines, nothing, or a mesh of another file. Meshes of other files
    /// are recognised only if [`ImportOptions::after`](crate::ImportOptions::after) gave each file its own ids. With
    /// [`Instances::Matrices`](crate::Instances::Matrices), the triangles are those of one instance, without its
    /// matrix.
    ///
    /// Runs in **O(vertices + triangles)**, and computes deformed vertices anew in each call. It allocates if
    /// `triangles` is too short, and for deformed positions.
    ///
    /// ```
    /// use hedgerow::{data::NodeMap, glam::Vec3};
    ///
    /// // A triangle with the corners (0, 0, 0), (0, 2, 0) and (2, 0, 0). The second node doubles it by a target.
    /// let text = br#"{
    ///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0, 1]}],
    ///     "nodes": [{"mesh": 0}, {"mesh": 1, "weights": [1]}],
    ///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]},
    ///         {"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}]}]}],
    ///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "bufferView": 0}],
    ///     "bufferViews": [{"buffer": 0, "byteLength": 36}],
    ///     "buffers": [{"byteLength": 36, "uri": "data:;base64,AAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAAA"}]
    /// }"#;
    /// let import = hedgerow_gltf::from_slice(text, None)?;
    /// let (scene, imported) = (import.scene, import.imported);
    /// let mut bodies = NodeMap::new();
    /// for (drawable, body) in imported.deformed_all(&imported.scenes[0].drawables)? {
    ///     _ = bodies.insert(drawable.handle, body);
    /// }
    /// let mut triangles = Vec::new();
    /// imported.triangles(&scene, imported.node(0).unwrap(), &mut bodies, &mut triangles)?;
    /// assert_eq!(triangles, [[Vec3::ZERO, 2.0 * Vec3::Y, 2.0 * Vec3::X]]);
    /// imported.triangles(&scene, imported.node(1).unwrap(), &mut bodies, &mut triangles)?;
    /// assert_eq!(triangles, [[Vec3::ZERO, 4.0 * Vec3::Y, 4.0 * Vec3::X]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Deformed::skin`]: weights beyond ±10⁶. `triangles` is then empty.
    pub fn triangles(
        &self,
        scene: &Scene,
        node: NodeHandle,
        bodies: &mut NodeMap<Deformed>,
        triangles: &mut Vec<[Vec3; 3]>,
    ) -> Result<(), Error> {
        triangles.clear();
        let corners = |positions: &[[f32; 3]], [a, b, c]: [u32; 3]| {
            let corner = |index: u32| positions.get(index as usize).copied().map(Vec3::from);
            Some([corner(a)?, corner(b)?, corner(c)?])
        };
        if let Some(body) = bodies.get_mut(node) {
            let mut positions = vec![[0.0; 3]; body.mesh().len()];
            body.skin(SkinOutput::new(&mut positions[..]))?;
            triangles.extend(body.triangles().iter().filter_map(|&of| corners(&positions, of)));
        } else if let Some(drawable) = scene.get(node).and_then(|node| node.drawable())
            && let Some(data) = self.vertices(drawable.mesh)
        {
            triangles.extend(data.triangles().filter_map(|of| corners(&data.positions, of)));
        }
        Ok(())
    }
}
