//! Drawables of a file whose vertices follow joints or morph targets.

use super::ImportedSkin;
use crate::{Imported, ImportedDrawable, MeshData};
use hedgerow_anim::Skin;
use hedgerow_character::{CharacterError, Deformed, DeformedMesh};
use std::borrow::Cow;
use std::collections::{HashMap, hash_map::Entry};
use std::sync::Arc;

impl Imported {
    /// Prepares a drawable of this import for deformation; `None` if nothing deforms it. Runs in **O(vertices ·
    /// (influences + targets) + indices)**. For several drawables, use [`deformed_all`](Self::deformed_all).
    ///
    /// # Errors
    /// The errors of [`MeshData::to_skinned_mesh`] and [`MeshData::joint_bounds`].
    pub fn deformed(&self, drawable: &ImportedDrawable) -> Result<Option<Deformed>, CharacterError> {
        Ok(self.deformed_all([drawable])?.pop().map(|(_, body)| body))
    }

    /// Prepares the drawables that joints or morph targets deform, and skips all others. For untrusted files, first
    /// limit the product of drawables and joints.
    ///
    /// Drawables with the same mesh id and skin share the mesh. Each further drawable costs **O(joints + targets)**
    /// time and 48 bytes for each joint of its rig and of its skin.
    ///
    /// ```
    /// let text = br#"{
    ///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0, 1]}], "nodes": [{"mesh": 0}, {"mesh": 0, "weights": [1]}],
    ///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}]}]}],
    ///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 1}]
    /// }"#;
    /// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
    /// let bodies = imported.deformed_all(&imported.scenes[0].drawables)?;
    /// let [(_, first), (of_second, second)] = &bodies[..] else { unreachable!() };
    /// assert!(std::ptr::eq(first.mesh(), second.mesh()));
    /// assert_eq!((of_second.node, first.weights(), second.weights()), (1, &[0.0][..], &[1.0][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`deformed`](Self::deformed).
    pub fn deformed_all<'d>(
        &self,
        drawables: impl IntoIterator<Item = &'d ImportedDrawable>,
    ) -> Result<Vec<(ImportedDrawable, Deformed)>, CharacterError> {
        let (mut laid_out, mut all) = (HashMap::new(), Vec::new());
        for &drawable in drawables {
            let first = match laid_out.entry((drawable.id, drawable.skin)) {
                Entry::Occupied(found) => found.into_mut(),
                Entry::Vacant(place) => place.insert(self.lay_out(&drawable)?),
            };
            if let Some(mesh) = first {
                all.push((drawable, Deformed::new(Arc::clone(mesh), drawable.handle, self.morph(drawable.node))?));
            }
        }
        Ok(all)
    }

    /// Returns the data that drawables with this mesh id and skin share; `None` if nothing deforms it.
    fn lay_out(&self, drawable: &ImportedDrawable) -> Result<Option<Arc<DeformedMesh>>, CharacterError> {
        let Some((data, of_skin)) = self.deforming(drawable.id, drawable.skin) else { return Ok(None) };
        let skin = of_skin.map_or_else(Skin::rigid, |it| it.skin.clone());
        let mesh = data.to_skinned_mesh(&skin)?;
        let reordered = MeshData { topology: data.topology, indices: mesh.indices().to_vec(), ..MeshData::default() };
        let rig = of_skin.map(|it| (it.rig, self.rigs[it.rig].skeleton.clone()));
        let bounds = data.joint_bounds(&skin)?;
        Ok(Some(Arc::new(DeformedMesh { mesh, triangles: reordered.triangles().collect(), skin, rig, bounds })))
    }

    /// Returns the vertices of a mesh id for drawing with `skin`, and the skin; `None` if nothing deforms the vertices.
    fn deforming(&self, id: u32, skin: Option<usize>) -> Option<(Cow<'_, MeshData>, Option<&ImportedSkin>)> {
        let data = self.vertices(id)?;
        let skin = skin.and_then(|skin| self.skins.get(skin)).filter(|_| data.influences > 0);
        if skin.is_some() || data.influences == 0 {
            return data.is_deformed().then_some((Cow::Borrowed(data), skin));
        }
        (!data.targets.is_empty()).then(|| (Cow::Owned(data.without_joints()), None))
    }
}
