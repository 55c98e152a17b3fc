//! A mesh that follows joints.

use crate::simd::skinning::{self, Block, Influences, LANES, Lanes, Run, Sinks, Streams};
use crate::skin::morph::Targets;
use crate::skin::{MorphBuffer, Pruned, SkinError, SkinOutput, SkinnedMeshBuilder};
use crate::{Aabb, Error, Mat34};
use core::ops::Range;

/// A mesh whose vertices follow up to four joints each, laid out for being skinned.
///
/// Vertices are sorted by how many joints they follow, so that skinning is one loop for each number, none of which does work
/// that a vertex does not need; within a number they are in the order in which they came. [`indices`](Self::indices) are
/// remapped, and [`remap`](Self::remap) does the same to what is not skinned (texture coordinates, colours) and so never
/// copied again.
///
/// ```
/// use hedgerow_anim::{Mat34, SkinnedMesh, Transform, skin::SkinOutput};
///
/// // A triangle: one corner follows both joints.
/// let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let (joints, weights) = ([0, 1, 0, 0, 1, 0], [0.75, 0.25, 1.0, 0.0, 1.0, 0.0]);
/// let mesh = SkinnedMesh::builder(&positions)
///     .influences(2, &joints, &weights)
///     .indices(&[0, 1, 2])
///     .build(2)?;
/// assert_eq!(mesh.permutation(), [1, 2, 0]);
/// assert_eq!(mesh.indices(), [2, 0, 1]);
/// assert_eq!(mesh.remap(&["a", "b", "c"])?, ["b", "c", "a"]);
///
/// // Joint 1 rises by 8.
/// let palette = [Mat34::IDENTITY, Transform::from_xyz(0.0, 8.0, 0.0).to_matrix()];
/// let mut skinned = vec![[0.0; 3]; mesh.len()];
/// mesh.skin(&palette, SkinOutput::new(&mut skinned))?;
/// assert_eq!(skinned, [[1.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 2.0, 0.0]]);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
///
/// # Memory
///
/// 12 bytes a vertex for positions and for normals, 16 for tangents, 2, 8, 14 or 20 for one to four influences, 4 for the
/// permutation; each of the four groups is filled up to a multiple of 16 vertices. Source: S. Reinalter, *Adventures in
/// data-oriented design*, part 4, with coordinates of 16 vertices side by side instead of four floats each.
///
/// # Normals
///
/// Normals and tangents are multiplied with the linear part of the blended matrix, as nearly every engine does: right for
/// rotations and uniform scales. Where joints are scaled differently along their axes, normals lean. They are not
/// normalised afterwards: a blend of rotations shortens them, and shaders normalise what they interpolate anyway.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinnedMesh {
    pub(super) joints: usize,
    /// For one, two, three and four influences.
    pub(super) groups: [Influences; 4],
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
    /// Begins a mesh with these positions of its bind pose.
    #[must_use]
    pub fn builder(positions: &[[f32; 3]]) -> SkinnedMeshBuilder<'_> {
        SkinnedMeshBuilder::new(positions)
    }

    /// How many vertices there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.permutation.len()
    }

    /// Whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.permutation.is_empty()
    }

    /// How many matrices a palette for this mesh has.
    #[must_use]
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// How many vertices follow one, two, three and four joints. They come in this order.
    #[must_use]
    pub fn influence_counts(&self) -> [usize; 4] {
        self.groups.each_ref().map(Influences::vertices)
    }

    /// Whether the mesh has normals.
    #[must_use]
    pub fn has_normals(&self) -> bool {
        !self.normals.is_empty() || self.is_empty()
    }

    /// Whether the mesh has tangents.
    #[must_use]
    pub fn has_tangents(&self) -> bool {
        !self.tangents.is_empty() || self.is_empty()
    }

    /// How many morph targets there are.
    #[must_use]
    pub fn morph_targets(&self) -> usize {
        self.targets.len()
    }

    /// What was dropped of vertices with more than four influences.
    #[must_use]
    pub fn pruned(&self) -> Pruned {
        self.pruned
    }

    /// The indices, which name vertices by their new places.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Which vertex of the builder's lists came to each place.
    #[must_use]
    pub fn permutation(&self) -> &[u32] {
        &self.permutation
    }

    /// Brings what is known of each vertex into the order of this mesh.
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

    /// For each joint the box of the vertices that follow it, in the bind pose and without morph targets.
    #[must_use]
    pub fn joint_bounds(&self) -> &[Aabb] {
        &self.joint_bounds
    }

    /// A box of the skinned mesh, without morph targets: that of the joints' boxes, each moved by its matrix.
    ///
    /// A skinned vertex lies between the places that its joints would take it to, so none is outside but for rounding. Computes
    /// in **O(joints)**.
    ///
    /// # Errors
    /// [`SkinError::Palette`] unless the palette has a matrix for each joint.
    pub fn bounds(&self, palette: &[Mat34]) -> Result<Aabb, Error> {
        self.check_palette(palette)?;
        let boxes = self.joint_bounds.iter().zip(palette).filter(|(bounds, _)| !bounds.is_empty());
        Ok(boxes.fold(Aabb::EMPTY, |all, (bounds, matrix)| all.union(&bounds.transformed(matrix))))
    }

    /// How many bytes the mesh takes on the heap.
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

    /// Skins all vertices with this palette; see [`Skin::palette`](crate::Skin::palette).
    ///
    /// Computes in **O(vertices)** and, for up to 256 joints, allocates nothing. With the feature `rayon`, a mesh of many
    /// vertices is skinned on several threads, with the same results to the bit.
    ///
    /// # Errors
    /// [`SkinError::Palette`] unless the palette has a matrix for each joint, [`SkinError::Length`] unless each array of the
    /// output has a place for each vertex, [`SkinError::Absent`] if normals or tangents are asked for that the mesh does not
    /// have. Nothing was written.
    pub fn skin(&self, palette: &[Mat34], output: SkinOutput<'_>) -> Result<(), Error> {
        self.check(palette, &output)?;
        self.skin_streams(palette, self.streams(), output.0);
        Ok(())
    }

    /// Adds the weighted morph targets to the bind pose, then skins it.
    ///
    /// A target of weight zero costs nothing; without any other, neither does the buffer, which is otherwise filled with the
    /// morphed vertices and can be used for any mesh again. Computes in **O(vertices + deltas of targets with a weight)**.
    ///
    /// # Errors
    /// As [`skin`](Self::skin), and [`SkinError::Length`] unless there is a weight for each target,
    /// [`SkinError::MorphWeight`] for one that is not finite. Nothing was written.
    pub fn skin_morphed(
        &self,
        palette: &[Mat34],
        weights: &[f32],
        buffer: &mut MorphBuffer,
        output: SkinOutput<'_>,
    ) -> Result<(), Error> {
        self.check(palette, &output)?;
        self.targets.check(weights)?;
        let streams = self.targets.morph(weights, self.streams(), buffer);
        self.skin_streams(palette, streams, output.0);
        Ok(())
    }

    fn skin_streams(&self, palette: &[Mat34], streams: Streams<'_>, sinks: Sinks<'_>) {
        #[cfg(feature = "rayon")]
        if crate::skin::threads::is_worth_sharing(self.len()) {
            return self.share(palette, streams, 0..self.len(), sinks);
        }
        self.skin_range(palette, streams, 0..self.len(), sinks);
    }

    /// Skins the vertices from one cut to another.
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
        skinning::skin(palette, &runs, streams, sinks);
    }

    /// The streams of the bind pose.
    pub(super) fn streams(&self) -> Streams<'_> {
        Streams { positions: &self.positions, normals: &self.normals, tangents: &self.tangents, signs: &self.signs }
    }

    fn check_palette(&self, palette: &[Mat34]) -> Result<(), SkinError> {
        let (expected, found) = (self.joints, palette.len());
        if found == expected { Ok(()) } else { Err(SkinError::Palette { expected, found }) }
    }

    fn check(&self, palette: &[Mat34], output: &SkinOutput<'_>) -> Result<(), SkinError> {
        self.check_palette(palette)?;
        output.check(self.len())?;
        self.check_streams(output)
    }

    /// Fails if the output asks for what the mesh lacks.
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
