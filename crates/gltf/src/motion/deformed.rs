//! Drawables whose vertices follow joints or morph targets.

use super::{AnimationPlayer, ImportedSkin, MorphNode};
use crate::{Imported, ImportedDrawable, MeshData};
use hedgerow::data::NodeMap;
use hedgerow::{Mat34, NodeHandle, Scene};
use hedgerow_anim::skin::{MorphBuffer, Palette, SkinOutput};
use hedgerow_anim::{Error, Pose, Skeleton, Skin, SkinnedMesh};
use hedgerow_character::{CharacterError, JointBounds};
use std::borrow::Cow;
use std::collections::{HashMap, hash_map::Entry};
use std::sync::Arc;

/// A drawable whose vertices follow joints, morph targets or both. It has its mesh, palette and weights.
///
/// [`Imported::deformed_all`] and [`Imported::deformed`] make it, at rest. Each frame, [`follow`](Self::follow) takes
/// palette, weights and box from a player. For visible drawables, [`skin`](Self::skin) computes the vertices, or a
/// shader computes them from [`palette`](Self::palette) and [`weights`](Self::weights). Draw the vertices with the
/// matrix of the drawable's draw. A clone shares the mesh.
///
/// ```
/// use hedgerow::{Mat34, data::NodeMap};
/// use hedgerow_gltf::anim::skin::SkinOutput;
///
/// // A point at (0, 2, 0), and a morph target that moves it by (0, 2, 0), at rest with weight 0.5.
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
///     "meshes": [{"weights": [0.5], "primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}]}]}],
///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 1, "bufferView": 0}],
///     "bufferViews": [{"buffer": 0, "byteLength": 12}],
///     "buffers": [{"byteLength": 12, "uri": "data:;base64,AAAAAAAAAEAAAAAA"}]
/// }"#;
/// let mut import = hedgerow_gltf::from_slice(text, None)?;
/// let mut player = import.imported.at_rest();                      // once,
/// let drawable = &import.imported.scenes[0].drawables[0];
/// let mut flag = import.imported.deformed(drawable)?.expect("it has a target");
/// let mut positions = vec![[0.0_f32; 3]; flag.mesh().len()];
///
/// player.advance(1.0 / 60.0);                                      // then each frame.
/// player.apply(&mut import.scene)?;
/// flag.follow(&player, &mut import.scene)?;
/// import.scene.update();
/// flag.skin(SkinOutput::new(&mut positions[..]))?;
/// assert_eq!(positions, [[0.0, 3.0, 0.0]]);
///
/// // A copy of the node, and what a shader needs: matrices, weights and indices.
/// let scene = &mut import.scene;
/// let copies = scene.insert_tree(scene.root(), &scene.tree(flag.node())?)?;
/// let copy = flag.of_copy(&NodeMap::from_iter([(flag.node(), copies[0])])).expect("its node was copied");
/// assert_eq!((copy.node(), copy.palette().matrices()), (copies[0], &[Mat34::IDENTITY][..]));
/// assert_eq!((copy.weights(), copy.triangles().len()), (&[0.5][..], 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deformed {
    shared: Arc<Shared>,
    node: NodeHandle,
    /// The weights of the glTF node, without names.
    morph: Option<Arc<MorphNode>>,
    models: Vec<Mat34>,
    palette: Vec<Mat34>,
    weights: Vec<f32>,
    morphed: MorphBuffer,
}

/// The constant data of all drawables with this mesh and skin.
#[derive(Debug)]
struct Shared {
    mesh: SkinnedMesh,
    triangles: Vec<[u32; 3]>,
    skin: Skin,
    /// The number and the skeleton of the skin's rig; `None` if there is no skin.
    rig: Option<(usize, Skeleton)>,
    bounds: JointBounds,
}

impl Deformed {
    /// Takes palette and weights from a player of the same import, and sets the node's box for the next
    /// [`Scene::update`]. The box is correct for weights from 0 to 1. Runs in **O(joints + targets)** and does not
    /// allocate.
    ///
    /// # Errors
    /// The errors of [`JointBounds::follow`], such as for a removed node, and [`CharacterError::Pose`] if the player's
    /// rig has a different number of joints. The scene is then unchanged.
    pub fn follow(&mut self, player: &AnimationPlayer, scene: &mut Scene) -> Result<(), CharacterError> {
        let Self { shared, morph, models, palette, weights, .. } = self;
        if let Some((rig, skeleton)) = &shared.rig
            && let Some(pose) = player.pose(*rig)
        {
            pose.to_models(skeleton, models)?;
            shared.skin.palette(models, palette)?;
        }
        if let Some(morph) = morph {
            weights.iter_mut().zip(player.weights(morph)).for_each(|(weight, &now)| *weight = now);
        }
        self.shared.bounds.follow(scene, self.node, self.palette())
    }

    /// Computes the vertices for the present palette and weights, in the order of [`mesh`](Self::mesh). Output arrays
    /// for normals or tangents that the mesh lacks are not written. Runs in **O(vertices + deltas)**.
    ///
    /// # Errors
    /// The errors of [`SkinnedMesh::skin_morphed`]: arrays of another length, or weights beyond ±10⁶.
    pub fn skin(&mut self, output: SkinOutput<'_>) -> Result<(), Error> {
        let Self { shared, palette, weights, morphed, .. } = self;
        let palette = Palette::of(&shared.skin, palette)?;
        shared.mesh.skin_morphed(palette, weights, morphed, output.present_in(&shared.mesh))
    }

    /// Returns a `Deformed` for the copy of the node; `None` if the node was not copied. `copies` maps nodes to copies:
    /// see [`Scene::tree`]. The copy shares the mesh. Runs in **O(joints + targets)**.
    #[must_use]
    pub fn of_copy(&self, copies: &NodeMap<NodeHandle>) -> Option<Self> {
        let node = *copies.get(self.node)?;
        Some(Self { node, ..self.clone() })
    }

    /// Returns the node that draws the mesh.
    #[must_use]
    pub fn node(&self) -> NodeHandle {
        self.node
    }

    /// Returns the mesh. Its [permutation](SkinnedMesh::permutation) maps each vertex to its index in [`MeshData`].
    #[must_use]
    pub fn mesh(&self) -> &SkinnedMesh {
        &self.shared.mesh
    }

    /// Returns the triangles as indices of the mesh's vertices; see [`MeshData::triangles`].
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.shared.triangles
    }

    /// Returns the present palette, in the order of the skin's joints; one identity matrix if there is no skin.
    #[must_use]
    pub fn palette(&self) -> Palette<'_> {
        Palette::of(&self.shared.skin, &self.palette).expect("it has a matrix for each joint of the skin")
    }

    /// Returns the present weight of each morph target.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

impl Imported {
    /// Prepares a drawable of this import for deformation; `None` if nothing deforms it. Runs in **O(vertices ·
    /// (influences + targets) + indices)**. For several drawables, use [`deformed_all`](Self::deformed_all).
    ///
    /// # Errors
    /// The errors of [`MeshData::to_skinned_mesh`] and [`MeshData::joint_bounds`].
    pub fn deformed(&self, drawable: &ImportedDrawable) -> Result<Option<Deformed>, CharacterError> {
        Ok(self.deformed_all([drawable])?.pop().map(|(_, body)| body))
    }

    /// Prepares the drawables that joints or morph targets deform, and skips all others. Drawables with the same mesh
    /// id and skin share the mesh. Each further drawable costs **O(joints + targets)** time and 48 bytes for each joint
    /// of its rig and of its skin. For untrusted files, first limit the product of drawables and joints.
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
            let Some(first) = first else { continue };
            let mut body = Deformed { node: drawable.handle, ..first.clone() };
            if let Some(morph) = self.morph(drawable.node) {
                body.weights.iter_mut().zip(&morph.weights).for_each(|(weight, &rest)| *weight = rest);
                let (weights, names, channels) = (morph.weights.clone(), Vec::new(), morph.channels.clone());
                body.morph = Some(Arc::new(MorphNode { node: morph.node, weights, names, channels }));
            }
            all.push((drawable, body));
        }
        Ok(all)
    }

    /// Returns a `Deformed` with zero weights, to clone for drawables with the same mesh id and skin.
    fn lay_out(&self, drawable: &ImportedDrawable) -> Result<Option<Deformed>, CharacterError> {
        let Some((data, of_skin)) = self.deforming(drawable.id, drawable.skin) else { return Ok(None) };
        let skin = of_skin.map_or_else(Skin::rigid, |it| it.skin.clone());
        let mesh = data.to_skinned_mesh(&skin)?;
        let reordered = MeshData { topology: data.topology, indices: mesh.indices().to_vec(), ..MeshData::default() };
        let rig = of_skin.map(|it| (it.rig, self.rigs[it.rig].skeleton.clone()));
        let (mut models, mut palette) = (Vec::new(), vec![Mat34::IDENTITY]);
        if let Some((_, skeleton)) = &rig {
            Pose::rest(skeleton).to_models(skeleton, &mut models)?;
            skin.palette(&models, &mut palette)?;
        }
        let (bounds, weights) = (data.joint_bounds(&skin)?, vec![0.0; mesh.morph_targets()]);
        let shared = Arc::new(Shared { mesh, triangles: reordered.triangles().collect(), skin, rig, bounds });
        let (node, morphed) = (drawable.handle, MorphBuffer::new());
        Ok(Some(Deformed { shared, node, morph: None, models, palette, weights, morphed }))
    }

    /// Returns the vertices of a mesh id for drawing with `skin`, and the skin; `None` if nothing deforms the vertices.
    pub(crate) fn deforming(&self, id: u32, skin: Option<usize>) -> Option<(Cow<'_, MeshData>, Option<&ImportedSkin>)> {
        let data = self.vertices(id)?;
        let skin = skin.and_then(|skin| self.skins.get(skin)).filter(|_| data.influences > 0);
        if skin.is_some() || data.influences == 0 {
            return data.is_deformed().then_some((Cow::Borrowed(data), skin));
        }
        (!data.targets.is_empty()).then(|| (Cow::Owned(data.without_joints()), None))
    }
}
