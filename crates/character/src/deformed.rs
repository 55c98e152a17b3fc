//! Drawables whose vertices follow joints or morph targets.

use crate::surface::{self, Surface};
use crate::{AnimationPlayer, CharacterError, JointBounds, MorphNode};
use hedgerow::data::NodeMap;
use hedgerow::query::{Faces, LocalRay, LocalVolume, Touch, TriangleHit};
use hedgerow::{Aabb, Mat34, NodeHandle, Scene};
use hedgerow_anim::skin::{MorphBuffer, Palette, SkinError, SkinOutput};
use hedgerow_anim::{Error, Pose, Skeleton, Skin, SkinnedMesh};
use std::sync::Arc;

/// A drawable whose vertices follow joints, morph targets or both. It has its mesh, palette and weights.
///
/// [`new`](Self::new) makes it, at rest. Each frame, [`follow`](Self::follow) takes
/// palette, weights and box from a player. For visible drawables, [`skin`](Self::skin) computes the vertices, or a
/// shader computes them from [`palette`](Self::palette) and [`weights`](Self::weights). Draw the vertices with the
/// matrix of the drawable's draw. A clone shares the mesh.
///
/// ```
/// use hedgerow::{Aabb, Drawable, Mat34, Node, Scene, data::NodeMap};
/// use hedgerow_character::anim::skin::{MorphTarget, Skin, SkinOutput, SkinnedMesh};
/// use hedgerow_character::{AnimationPlayer, Deformed, DeformedMesh, JointBounds, MorphNode};
///
/// // A point at (0, 2, 0), and a morph target that moves it by (0, 2, 0), at rest with weight 0.5.
/// let (skin, at) = (Skin::rigid(), [[0.0, 2.0, 0.0]]);
/// let target = MorphTarget { positions: &at, ..MorphTarget::default() };
/// let mesh = SkinnedMesh::builder(&at).morph_target(target).build(&skin)?;
/// let bounds = JointBounds::with_morphs(&skin, &[at[0].into()], &[&at], &[0], &[1.0])?;
/// let mesh = DeformedMesh { mesh, triangles: Vec::new(), skin, rig: None, bounds };
///
/// let mut scene = Scene::new();
/// let node = scene.insert(scene.root(), Node::drawable(Drawable::new(0, Aabb::EMPTY)))?;
/// let wave = MorphNode::new(0, vec![0.5]);
/// let mut player = AnimationPlayer::at_rest(&[], &[wave.clone()]);       // once,
/// let mut flag = Deformed::new(mesh, node, Some(&wave))?;
/// let mut positions = vec![[0.0_f32; 3]; flag.mesh().len()];
///
/// player.advance(1.0 / 60.0);                                            // then each frame.
/// player.apply(&mut scene)?;
/// flag.follow(&player, &mut scene)?;
/// scene.update();
/// flag.skin(SkinOutput::new(&mut positions[..]))?;
/// assert_eq!(positions, [[0.0, 3.0, 0.0]]);
///
/// // A copy of the node, and what a shader needs: matrices, weights and indices.
/// let copies = scene.insert_tree(scene.root(), &scene.copy_tree(flag.node())?)?;
/// let copy = flag.of_copy(&NodeMap::from_iter([(flag.node(), copies[0])])).expect("its node was copied");
/// assert_eq!((copy.node(), copy.palette().matrices()), (copies[0], &[Mat34::IDENTITY][..]));
/// assert_eq!((copy.weights(), copy.triangles().len()), (&[0.5][..], 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deformed {
    shared: Arc<DeformedMesh>,
    node: NodeHandle,
    /// The weights of the node, without names.
    morph: Option<Arc<MorphNode>>,
    models: Vec<Mat34>,
    palette: Vec<Mat34>,
    weights: Vec<f32>,
    morphed: MorphBuffer,
    /// For rays and volumes, from the first on.
    surface: Option<Surface>,
}

/// What all drawables with the same mesh and skin share. An [`Arc`] of it makes any number of [`Deformed`].
#[derive(Debug)]
pub struct DeformedMesh {
    /// The vertices, for the palettes of `skin`.
    pub mesh: SkinnedMesh,
    /// The triangles: [indices](SkinnedMesh::indices) of the mesh.
    pub triangles: Vec<[u32; 3]>,
    /// The skin; [`Skin::rigid`] if only morph targets deform the mesh.
    pub skin: Skin,
    /// The number of the skin's rig in the list of a player, and the rig's skeleton. Without a rig, the mesh keeps its
    /// bind pose.
    pub rig: Option<(usize, Skeleton)>,
    /// The boxes of the skin's joints, [with](JointBounds::with_morphs) the mesh's morph targets.
    pub bounds: JointBounds,
}

impl Deformed {
    /// Creates a drawable at rest. `node` draws the mesh, in the space of the rig's [base](crate::RigPlace::base), and
    /// `morph` has its weights. Runs in **O(joints + targets)**.
    ///
    /// # Errors
    /// [`CharacterError::Pose`] if the skin has joints that the rig does not have, or the bounds another number of
    /// morph targets than the mesh.
    pub fn new(
        mesh: impl Into<Arc<DeformedMesh>>,
        node: NodeHandle,
        morph: Option<&MorphNode>,
    ) -> Result<Self, CharacterError> {
        let shared: Arc<DeformedMesh> = mesh.into();
        let (expected, found) = (shared.mesh.morph_targets(), shared.bounds.targets());
        if found != expected {
            return Err(Error::from(SkinError::Length { what: "morph targets of the bounds", expected, found }).into());
        }
        let (mut models, mut palette) = (Vec::new(), vec![Mat34::IDENTITY; shared.skin.len()]);
        if let Some((_, skeleton)) = &shared.rig {
            Pose::rest(skeleton).to_models(skeleton, &mut models)?;
            shared.skin.palette(&models, &mut palette)?;
        }
        let mut weights = vec![0.0; shared.mesh.morph_targets()];
        let morph = morph.map(|MorphNode { node, weights: rest, channels, .. }| {
            weights.iter_mut().zip(rest).for_each(|(weight, &rest)| *weight = rest);
            let names = Vec::new();
            Arc::new(MorphNode { node: *node, weights: rest.clone(), names, channels: channels.clone() })
        });
        Ok(Self { shared, node, morph, models, palette, weights, morphed: MorphBuffer::new(), surface: None })
    }

    /// Takes palette and weights from a player of the same rigs, and sets the node's box for the next
    /// [`Scene::update`]. Runs in **O(joints + targets)** and does not allocate.
    ///
    /// # Errors
    /// The errors of [`JointBounds::follow`], such as for a removed node, and [`CharacterError::Pose`] if the player's
    /// rig has a different number of joints. The scene is then unchanged.
    pub fn follow(&mut self, player: &AnimationPlayer, scene: &mut Scene) -> Result<(), CharacterError> {
        self.take(self.shared.rig.as_ref().and_then(|(rig, _)| player.pose(*rig)))?;
        if let Some(morph) = &self.morph {
            self.weights.iter_mut().zip(player.weights(morph)).for_each(|(weight, &now)| *weight = now);
        }
        self.shared.bounds.follow(scene, self.node, self.palette(), &self.weights)
    }

    /// Like [`follow`](Self::follow), with a pose of your own for the mesh's rig: of layers, inverse kinematics or another
    /// skeleton. `weights` are those of its morph targets. Does not allocate.
    ///
    /// # Errors
    /// The errors of [`follow`](Self::follow), and [`SkinError::Length`](hedgerow_anim::skin::SkinError::Length) for
    /// another number of targets.
    pub fn follow_pose(&mut self, pose: &Pose, weights: &[f32], scene: &mut Scene) -> Result<(), CharacterError> {
        let (expected, found) = (self.weights.len(), weights.len());
        if found != expected {
            return Err(Error::from(SkinError::Length { what: "morph weights", expected, found }).into());
        }
        self.take(Some(pose))?;
        self.weights.copy_from_slice(weights);
        self.shared.bounds.follow(scene, self.node, self.palette(), &self.weights)
    }

    /// Takes the palette from a pose of the rig, if there are both.
    fn take(&mut self, pose: Option<&Pose>) -> Result<(), CharacterError> {
        let Self { shared, models, palette, surface, .. } = self;
        if let Some(surface) = surface {
            surface.forget();
        }
        if let (Some((_, skeleton)), Some(pose)) = (&shared.rig, pose) {
            pose.to_models(skeleton, models)?;
            shared.skin.palette(models, palette)?;
        }
        Ok(())
    }

    /// Takes palette and weights from elsewhere in place of a player, such as [those of many
    /// characters](hedgerow_anim::Skeleton::par_each_palette). The node's box stays as it is.
    ///
    /// Rays at the same pose compute nothing anew. Runs in **O(joints + targets)**.
    ///
    /// # Errors
    /// [`SkinError::Palette`](hedgerow_anim::skin::SkinError::Palette) and
    /// [`SkinError::Length`](hedgerow_anim::skin::SkinError::Length) for another number of joints or targets. Nothing
    /// is changed then.
    pub fn set_pose(&mut self, palette: &[Mat34], weights: &[f32]) -> Result<(), Error> {
        let (expected, found) = (self.weights.len(), weights.len());
        if found != expected {
            return Err(SkinError::Length { what: "morph weights", expected, found }.into());
        }
        Palette::of(&self.shared.skin, palette)?;
        if self.palette != palette || self.weights != weights {
            self.palette.copy_from_slice(palette);
            self.weights.copy_from_slice(weights);
            self.surface.iter_mut().for_each(Surface::forget);
        }
        Ok(())
    }

    /// Returns the box of the present pose and weights, in the space of the node. Runs in **O(joints + targets)**.
    ///
    /// # Errors
    /// The errors of [`JointBounds::of_pose`].
    pub fn bounds(&self) -> Result<Aabb, CharacterError> {
        self.shared.bounds.of_pose(self.palette(), &self.weights)
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

    /// Returns the nearest hit of a ray on the triangles of the present pose at a distance from 0 to `limit`, in the
    /// space of the node: for [`Scene::pick`](hedgerow::Scene::pick). The result is that of testing all triangles.
    ///
    /// A ray first tests boxes around parts of the mesh, one for each joint. If it touches any, all vertices are
    /// skinned, once for a pose, and the triangles of the touched parts are tested: in all, about two and a half times
    /// as long as skinning. From the fifth such ray at a pose on, a tree over the triangles is refitted. The first ray
    /// at a `Deformed` computes the parts, in **O(triangles log triangles + vertices × targets)**.
    ///
    /// # Errors
    /// The errors of [`skin`](Self::skin).
    pub fn cast(&mut self, ray: &LocalRay, limit: f64, faces: Faces) -> Result<Option<TriangleHit>, Error> {
        let (surface, mut pose) = self.surface()?;
        surface.cast(&mut pose, ray, limit, faces)
    }

    /// Returns how much of the present pose's triangles is in a volume of the space of the node: for
    /// [`Scene::select`](hedgerow::Scene::select). Skins all vertices if the volume cuts a part, once for a pose.
    ///
    /// # Errors
    /// The errors of [`skin`](Self::skin).
    pub fn touch(&mut self, volume: &LocalVolume) -> Result<Touch, Error> {
        let (surface, mut pose) = self.surface()?;
        surface.touch(&mut pose, volume)
    }

    /// Returns the surface, and what its pose is computed from.
    fn surface(&mut self) -> Result<(&mut Surface, surface::Pose<'_>), Error> {
        let Self { shared, palette, weights, morphed, surface, .. } = self;
        let surface = match surface {
            Some(surface) => surface,
            none => none.insert(Surface::new(shared)?),
        };
        Ok((surface, surface::Pose { mesh: shared, palette, weights, morphed }))
    }

    /// Returns a `Deformed` for the copy of the node; `None` if the node was not copied. `copies` maps nodes to copies:
    /// see [`Scene::copy_tree`]. The copy shares the mesh. Runs in **O(joints + targets)**.
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

    /// Returns the mesh. Its [permutation](SkinnedMesh::permutation) maps each vertex to its index in the lists
    /// that the mesh was built from.
    #[must_use]
    pub fn mesh(&self) -> &SkinnedMesh {
        &self.shared.mesh
    }

    /// Returns the triangles as indices of the mesh's vertices.
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
