//! A mesh whose vertices follow joints.

use crate::skin::kernels::{self, Block, Influences, LANES, Lanes, Run, Sinks, Streams};
use crate::skin::morph::Targets;
use crate::skin::{MorphBuffer, Palette, Pruned, SkinError, SkinId, SkinOutput, SkinnedMeshBuilder};
use crate::{Aabb, Error, Mat34, Skin};
use core::ops::Range;
#[cfg(feature = "rayon")]
use hedgerow_math::internal::sharing;

/// A mesh laid out for skinning. Its vertices follow up to four joints each, or up to
/// [eight](SkinnedMeshBuilder::eight_influences).
///
/// Vertices are sorted by how many joints they follow, so that skinning runs one loop per number of joints. Vertices
/// that follow equally many joints keep their order, and [`indices`](Self::indices) are remapped.
/// [`remap`](Self::remap) reorders data that is not skinned, such as texture coordinates.
///
/// ```
/// use hedgerow_anim::{Mat34, Skin, SkinnedMesh, Transform, skin::SkinOutput};
///
/// // A triangle: one corner follows both joints.
/// let skin = Skin::new(vec![0, 1], vec![Mat34::IDENTITY; 2])?;
/// let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let (joints, weights) = ([0, 1, 0, 0, 1, 0], [0.75, 0.25, 1.0, 0.0, 1.0, 0.0]);
/// let mesh = SkinnedMesh::builder(&positions)
///     .influences(2, &joints, &weights)
///     .indices(&[0, 1, 2])
///     .build(&skin)?;
/// assert_eq!(mesh.permutation(), [1, 2, 0]);
/// assert_eq!(mesh.indices(), [2, 0, 1]);
/// assert_eq!(mesh.remap(&["a", "b", "c"])?, ["b", "c", "a"]);
/// assert_eq!(mesh.influence_counts(), [2, 1, 0, 0, 0]);
/// assert_eq!((mesh.has_normals(), mesh.has_tangents(), mesh.morph_targets()), (false, false, 0));
/// assert_eq!(mesh.joint_bounds()[1].max.to_array(), [0.0, 1.0, 0.0]);
///
/// // Joint 1 rises by 8.
/// let models = [Mat34::IDENTITY, Transform::from_xyz(0.0, 8.0, 0.0).to_matrix()];
/// let (mut room, mut skinned) = (Vec::new(), vec![[0.0; 3]; mesh.len()]);
/// mesh.skin(skin.palette(&models, &mut room)?, SkinOutput::new(&mut skinned))?;
/// assert_eq!(skinned, [[1.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 2.0, 0.0]]);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
///
/// # Memory
///
/// A vertex takes 12 bytes for the position, 12 for a normal and 16 for a tangent. One to four influences take 2, 8, 14
/// or 20 bytes; more take 44. The permutation takes 4. Each of the five groups is padded to a multiple of 16 vertices.
/// Source: S. Reinalter, *Adventures in data-oriented design*, part 4. Here, 16 vertices form a structure of arrays.
///
/// # Normals
///
/// Normals and tangents are multiplied by the linear part of the blended matrix. This is right for rotations and
/// uniform scales; non-uniform scales tilt normals. Results are not normalised. A blend of rotations shortens normals,
/// but shaders normalise interpolated normals anyway.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinnedMesh {
    /// The id of the skin whose joint numbers the influences use.
    pub(super) skin: SkinId,
    pub(super) joints: usize,
    /// The influences of five groups of vertices: with one, two, three, four, and five to eight influences.
    pub(super) groups: [Influences; 5],
    pub(super) positions: Vec<Block>,
    pub(super) normals: Vec<Block>,
    pub(super) tangents: Vec<Block>,
    pub(super) signs: Vec<Lanes>,
    pub(super) targets: Targets,
    pub(super) permutation: Vec<u32>,
    pub(super) indices: Vec<u32>,
    pub(super) joint_bounds: Vec<Aabb>,
    pub(super) pruned: Pruned,
}

impl SkinnedMesh {
    /// Starts a builder with these positions of the bind pose.
    #[must_use]
    pub fn builder(positions: &[[f32; 3]]) -> SkinnedMeshBuilder<'_> {
        SkinnedMeshBuilder::new(positions)
    }

    /// Returns the number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.permutation.len()
    }

    /// Returns whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.permutation.is_empty()
    }

    /// Returns the number of joints of the mesh's skin, which is the number of matrices in a palette.
    #[must_use]
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// Returns the id of the mesh's skin; palettes of other skins are refused.
    #[must_use]
    pub fn skin_id(&self) -> SkinId {
        self.skin
    }

    /// Replaces the skin by a skin with the same joint order, whose skeleton and inverse bind matrices may differ.
    ///
    /// # Errors
    /// [`SkinError::SkinJoints`] if the skin has a different number of joints.
    pub fn set_skin(&mut self, skin: &Skin) -> Result<(), Error> {
        let (expected, found) = (self.joints, skin.len());
        if found != expected {
            return Err(SkinError::SkinJoints { expected, found }.into());
        }
        self.skin = skin.id();
        Ok(())
    }

    /// Returns how many vertices follow one, two, three, four and more joints. Vertices are sorted in this order.
    #[must_use]
    pub fn influence_counts(&self) -> [usize; 5] {
        self.groups.each_ref().map(Influences::vertices)
    }

    /// Returns the joints and weights of each vertex, in the order of the mesh's vertices, for skinning on a GPU with
    /// the same result. Joints have the skin's numbers, in descending order of weight. Weights sum to 1 up to rounding.
    /// Unused entries are joint 0 with weight 0.
    ///
    /// ```
    /// use hedgerow_anim::{Mat34, Skin, SkinnedMesh};
    ///
    /// let skin = Skin::new(vec![0, 1], vec![Mat34::IDENTITY; 2])?;
    /// let (joints, weights) = ([0, 1, 0, 1], [1.0, 3.0, 0.0, 1.0]);
    /// let mesh = SkinnedMesh::builder(&[[0.0; 3]; 2]).influences(2, &joints, &weights).build(&skin)?;
    /// // The second vertex follows one joint, and comes first.
    /// let uploaded: Vec<_> = mesh.influences::<4>().collect();
    /// assert_eq!(uploaded, [([1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]), ([1, 0, 0, 0], [0.75, 0.25, 0.0, 0.0])]);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Panics
    /// Panics if a vertex follows more than `N` joints, so pass 8 if the mesh [keeps
    /// eight](SkinnedMeshBuilder::eight_influences), else 4.
    pub fn influences<const N: usize>(&self) -> impl Iterator<Item = ([u16; N], [f32; N])> {
        self.groups.iter().flat_map(|group| {
            (0..group.vertices()).map(|vertex| {
                let (mut joints, mut weights, mut rest, mut count) = ([0; N], [0.0; N], 1.0, 0);
                let last = group.joints_of_vertex(vertex).last().unwrap_or(0);
                // Vertices with five to seven influences are padded with zeros.
                let given = group.joints_of_vertex(vertex).zip(group.weights_of_vertex(vertex));
                for (joint, weight) in given.filter(|&(_, weight)| weight != 0.0) {
                    (joints[count], weights[count]) = (joint, weight);
                    rest -= weight;
                    count += 1;
                }
                (joints[count], weights[count]) = (last, rest);
                (joints, weights)
            })
        })
    }

    /// Returns whether the mesh has normals.
    #[must_use]
    pub fn has_normals(&self) -> bool {
        !self.normals.is_empty() || self.is_empty()
    }

    /// Returns whether the mesh has tangents.
    #[must_use]
    pub fn has_tangents(&self) -> bool {
        !self.tangents.is_empty() || self.is_empty()
    }

    /// Returns the number of morph targets.
    #[must_use]
    pub fn morph_targets(&self) -> usize {
        self.targets.len()
    }

    /// Returns statistics about dropped influences.
    #[must_use]
    pub fn pruned(&self) -> Pruned {
        self.pruned
    }

    /// Returns the indices, which refer to vertices in the order of this mesh.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Returns the index of each vertex of this mesh in the builder's lists.
    #[must_use]
    pub fn permutation(&self) -> &[u32] {
        &self.permutation
    }

    /// Reorders per-vertex items from the order of the builder's lists to the order of this mesh.
    ///
    /// # Errors
    /// [`SkinError::Length`] unless there is an item for each vertex.
    pub fn remap<T: Copy>(&self, items: &[T]) -> Result<Vec<T>, Error> {
        let (expected, found) = (self.len(), items.len());
        if found != expected {
            return Err(SkinError::Length { what: "items to be remapped", expected, found }.into());
        }
        Ok(self.permutation.iter().map(|&vertex| items[vertex as usize]).collect())
    }

    /// Returns each joint's box: the box of the vertices that follow the joint, in the bind pose without morph targets.
    #[must_use]
    pub fn joint_bounds(&self) -> &[Aabb] {
        &self.joint_bounds
    }

    /// Computes a box of the skinned mesh without morph targets: the union of the transformed
    /// [`joint_bounds`](Self::joint_bounds).
    ///
    /// A skinned vertex is a weighted mean of the positions that its joints give it, so no vertex is outside the box,
    /// except for rounding. Runs in **O(joints)**.
    ///
    /// # Errors
    /// [`SkinError::OtherSkin`] for a palette of another skin.
    pub fn bounds(&self, palette: Palette<'_>) -> Result<Aabb, Error> {
        self.check_palette(palette)?;
        let boxes = self.joint_bounds.iter().zip(palette.matrices()).filter(|(bounds, _)| !bounds.is_empty());
        Ok(boxes.fold(Aabb::EMPTY, |all, (bounds, matrix)| all.merge(&bounds.transformed(matrix))))
    }

    /// Returns the size of the mesh on the heap, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let influences: usize = self.groups.iter().map(Influences::bytes).sum();
        influences
            + size_of_val(&self.positions[..])
            + size_of_val(&self.normals[..])
            + size_of_val(&self.tangents[..])
            + size_of_val(&self.signs[..])
            + size_of_val(&self.permutation[..])
            + size_of_val(&self.indices[..])
            + size_of_val(&self.joint_bounds[..])
            + self.targets.bytes()
    }

    /// Skins all vertices with this palette, which [`Skin::palette`] computes.
    ///
    /// Runs in **O(vertices)** and allocates nothing for up to 256 joints. With the feature `rayon`, a mesh of many
    /// vertices is skinned on several threads; results are identical to the bit.
    ///
    /// # Errors
    /// [`SkinError::OtherSkin`] if the palette is not of the skin that the mesh was built for. [`SkinError::Length`]
    /// unless each array of the output has one element per vertex, [`SkinError::Absent`] if the mesh does not have the
    /// requested normals or tangents. An error writes nothing.
    pub fn skin(&self, palette: Palette<'_>, output: SkinOutput<'_>) -> Result<(), Error> {
        self.check(palette, &output)?;
        self.skin_streams(palette.matrices(), self.streams(), output.0);
        Ok(())
    }

    /// Adds the weighted morph targets to the bind pose, then skins the sum.
    ///
    /// A target with weight zero costs nothing. The buffer receives the morphed vertices, and can be reused for any
    /// mesh. Runs in **O(vertices + deltas of targets with a weight)**.
    ///
    /// # Errors
    /// The errors of [`skin`](Self::skin), [`SkinError::Length`] unless there is a weight for each target, and
    /// [`SkinError::MorphWeight`] for a weight outside −10⁶ to 10⁶. An error writes nothing.
    pub fn skin_morphed(
        &self,
        palette: Palette<'_>,
        weights: &[f32],
        buffer: &mut MorphBuffer,
        output: SkinOutput<'_>,
    ) -> Result<(), Error> {
        self.check(palette, &output)?;
        self.targets.check(weights)?;
        let streams = self.targets.morph(weights, self.streams(), buffer);
        self.skin_streams(palette.matrices(), streams, output.0);
        Ok(())
    }

    fn skin_streams(&self, palette: &[Mat34], streams: Streams<'_>, sinks: Sinks<'_>) {
        #[cfg(feature = "rayon")]
        if sharing::is_worth_sharing(self.len(), sharing::WORTH_SHARING) {
            return self.share(palette, streams, 0..self.len(), sinks);
        }
        self.skin_range(palette, streams, 0..self.len(), sinks);
    }

    /// Skins a range of vertices that starts at a block.
    pub(super) fn skin_range(&self, palette: &[Mat34], streams: Streams<'_>, range: Range<usize>, sinks: Sinks<'_>) {
        let (mut vertex, mut stream) = (0, 0);
        let runs = self.groups.each_ref().map(|influences| {
            let (start, end) = (range.start.max(vertex), range.end.min(vertex + influences.vertices()));
            let vertices = end.saturating_sub(start);
            let first = if vertices > 0 { (start - vertex) / LANES } else { 0 };
            let run =
                Run { influences, blocks: first..first + vertices.div_ceil(LANES), stream: stream + first, vertices };
            vertex += influences.vertices();
            stream += influences.blocks();
            run
        });
        kernels::skin(palette, &runs, streams, sinks);
    }

    /// Returns the streams of the bind pose.
    pub(super) fn streams(&self) -> Streams<'_> {
        Streams { positions: &self.positions, normals: &self.normals, tangents: &self.tangents, signs: &self.signs }
    }

    fn check_palette(&self, palette: Palette<'_>) -> Result<(), SkinError> {
        self.check_skin(palette.skin())?;
        // Forged bytes of a mesh may name a skin with a different number of joints.
        let (expected, found) = (self.joints, palette.len());
        if found == expected { Ok(()) } else { Err(SkinError::Palette { expected, found }) }
    }

    /// Returns an error if the mesh was built for another skin.
    pub(super) fn check_skin(&self, found: SkinId) -> Result<(), SkinError> {
        let expected = self.skin;
        if found == expected { Ok(()) } else { Err(SkinError::OtherSkin { expected, found }) }
    }

    fn check(&self, palette: Palette<'_>, output: &SkinOutput<'_>) -> Result<(), SkinError> {
        self.check_palette(palette)?;
        output.check(self.len())?;
        self.check_streams(output)
    }

    /// Returns an error if the output requests normals or tangents that the mesh does not have.
    pub(super) fn check_streams(&self, output: &SkinOutput<'_>) -> Result<(), SkinError> {
        if output.0.normals.is_some() && !self.has_normals() {
            return Err(SkinError::Absent { what: "normals" });
        }
        if output.0.tangents.is_some() && !self.has_tangents() {
            return Err(SkinError::Absent { what: "tangents" });
        }
        Ok(())
    }
}
