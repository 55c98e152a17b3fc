//! Builds a mesh for skinning from authored lists.

use crate::skin::influence::{COUNTS, Kept, MOST, MOST_IF_ASKED};
use crate::skin::kernels::{Block, Influences, LANES, Lanes};
use crate::skin::morph::Targets;
use crate::skin::{MorphTarget, Pruned, SkinError, SkinnedMesh};
use crate::{Aabb, Error, Skin};
use glam::Vec3;

/// The builder of a [`SkinnedMesh`], from [`SkinnedMesh::builder`].
///
/// The builder borrows all lists; [`build`](Self::build) checks them.
#[derive(Clone, Debug, Default)]
pub struct SkinnedMeshBuilder<'a> {
    positions: &'a [[f32; 3]],
    normals: Option<&'a [[f32; 3]]>,
    tangents: Option<&'a [[f32; 4]]>,
    influences: usize,
    keeps_eight: bool,
    joints: &'a [u16],
    weights: &'a [f32],
    indices: &'a [u32],
    targets: Vec<MorphTarget<'a>>,
}

impl<'a> SkinnedMeshBuilder<'a> {
    /// The greatest number of vertices in a mesh: as many as 32-bit indices allow, minus room to pad blocks.
    pub const MAX_VERTICES: usize = u32::MAX as usize - 4 * LANES;

    pub(super) fn new(positions: &'a [[f32; 3]]) -> Self {
        Self { positions, ..Self::default() }
    }

    /// Sets the normal of each vertex.
    #[must_use]
    pub fn normals(mut self, normals: &'a [[f32; 3]]) -> Self {
        self.normals = Some(normals);
        self
    }

    /// Sets the tangent of each vertex. The fourth number is the sign of the bitangent, which skinning copies.
    #[must_use]
    pub fn tangents(mut self, tangents: &'a [[f32; 4]]) -> Self {
        self.tangents = Some(tangents);
        self
    }

    /// Sets `count` joints and weights per vertex, in the order of vertices. Joints have the skin's numbers.
    ///
    /// `count` may be any number: 4 for glTF's `JOINTS_0` and `WEIGHTS_0`, 8 together with `JOINTS_1` and `WEIGHTS_1`.
    ///
    /// - Influences with weight zero are dropped, even if their joints do not exist. Weights below 2⁻²³ of the vertex's
    ///   total weight are also dropped (2⁻²² if eight influences are kept).
    /// - Influences of the same joint are merged.
    /// - Of the remaining influences, the four greatest are kept, or the [eight](Self::eight_influences) greatest.
    ///   [`SkinnedMesh::pruned`] reports the loss.
    /// - Weights are divided by their sum, which glTF requires to be 1.
    /// - A vertex whose weights are all zero follows its first joint with weight 1, as in three.js. If this method is
    ///   not called, every vertex follows joint 0.
    #[must_use]
    pub fn influences(mut self, count: usize, joints: &'a [u16], weights: &'a [f32]) -> Self {
        (self.influences, self.joints, self.weights) = (count, joints, weights);
        self
    }

    /// Keeps the eight greatest influences of each vertex instead of four.
    ///
    /// A vertex with five to eight influences takes 44 bytes instead of 20, and about twice as long as with four.
    ///
    /// ```
    /// use hedgerow_anim::{Mat34, Skin, SkinnedMesh, skin::SkinnedMeshBuilder};
    ///
    /// let (corner, joints, weights) = ([[0.0; 3]], [0, 1, 2, 3, 4], [0.2; 5]);
    /// assert!(corner.len() <= SkinnedMeshBuilder::MAX_VERTICES);
    /// let skin = Skin::new(joints.to_vec(), vec![Mat34::IDENTITY; 5])?;
    /// let builder = SkinnedMesh::builder(&corner).influences(5, &joints, &weights);
    /// assert_eq!(builder.clone().build(&skin)?.pruned().largest_sum, 0.2);
    /// assert_eq!(builder.eight_influences().build(&skin)?.pruned().vertices, 0);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    #[must_use]
    pub fn eight_influences(mut self) -> Self {
        self.keeps_eight = true;
        self
    }

    /// Sets the indices, of triangles or other primitives.
    #[must_use]
    pub fn indices(mut self, indices: &'a [u32]) -> Self {
        self.indices = indices;
        self
    }

    /// Adds a morph target. Targets are numbered in the order of calls.
    #[must_use]
    pub fn morph_target(mut self, target: MorphTarget<'a>) -> Self {
        self.targets.push(target);
        self
    }

    /// Builds the mesh for palettes of this skin. For a mesh that follows no joints, pass [`Skin::rigid`].
    ///
    /// Runs in **O(vertices · influences + indices + deltas)**.
    ///
    /// # Errors
    /// [`SkinError::Length`] for a list of the wrong length, [`SkinError::NotFinite`] for a number that is not finite,
    /// [`SkinError::Weight`] for a weight that is negative or not finite. [`SkinError::Joint`] and [`SkinError::Index`]
    /// for joints and vertices that do not exist, [`SkinError::TooManyVertices`] for more than
    /// [`MAX_VERTICES`](Self::MAX_VERTICES). The error names the first invalid vertex or index.
    pub fn build(&self, skin: &Skin) -> Result<SkinnedMesh, Error> {
        self.check()?;
        let joints = skin.len();
        let count = self.positions.len();
        let mut pruned = Pruned::default();
        let mut all = Vec::with_capacity(count);
        let mut kept = Kept::default();
        let most = if self.keeps_eight { MOST_IF_ASKED } else { MOST };
        for vertex in 0..count {
            let range = vertex * self.influences..(vertex + 1) * self.influences;
            kept.take(vertex, (&self.joints[range.clone()], &self.weights[range]), (joints, most), &mut pruned)?;
            let (mut of_joints, mut of_weights) = ([0; MOST_IF_ASKED], [0.0; MOST_IF_ASKED]);
            let influences = kept.joints.len();
            of_joints[..influences].copy_from_slice(&kept.joints);
            of_weights[..influences].copy_from_slice(&kept.weights);
            all.push((influences, of_joints, of_weights));
        }

        let mut permutation: Vec<u32> = (0..).take(count).collect();
        // Vertices with the same number of influences form a group, whose kernel has no inner branch. The sort is
        // stable.
        permutation.sort_by_key(|&vertex| all[vertex as usize].0);
        let mut groups = COUNTS.map(Influences::new);
        let mut joint_bounds = vec![Aabb::EMPTY; joints];
        for &vertex in &permutation {
            let (influences, of_joints, of_weights) = &all[vertex as usize];
            let group = (influences - 1).min(MOST);
            groups[group].push(&of_joints[..*influences], &of_weights[..*influences]);
            let position = Vec3::from_array(self.positions[vertex as usize]);
            for &joint in &of_joints[..*influences] {
                let bounds = &mut joint_bounds[usize::from(joint)];
                *bounds = bounds.merge(&Aabb::new(position, position));
            }
        }

        // The place in the streams and the new number of each vertex.
        let (mut places, mut news) = (vec![0; count], vec![0; count]);
        let (mut block, mut new) = (0, 0);
        for group in &groups {
            for lane in 0..group.vertices() {
                let vertex = permutation[new as usize] as usize;
                places[vertex] = place(block, lane);
                news[vertex] = new;
                new += 1;
            }
            // Each group begins a block of its own, so that no block mixes kernels.
            block += group.blocks();
        }

        let mut targets = Targets::default();
        for target in &self.targets {
            let present = [true, self.normals.is_some(), self.tangents.is_some()];
            targets.push(target, &places, block, present)?;
        }
        let signs = self.tangents.map(|tangents| {
            let mut lanes = vec![Lanes::default(); block];
            for (tangent, place) in tangents.iter().zip(&places) {
                lanes[*place as usize / LANES].0[*place as usize % LANES] = tangent[3];
            }
            lanes
        });
        let directions =
            self.tangents.map(|tangents| blocks(tangents.iter().map(|t| [t[0], t[1], t[2]]), &places, block));
        Ok(SkinnedMesh {
            skin: skin.id(),
            joints,
            positions: blocks(self.positions.iter().copied(), &places, block),
            normals: self.normals.map(|normals| blocks(normals.iter().copied(), &places, block)).unwrap_or_default(),
            tangents: directions.unwrap_or_default(),
            signs: signs.unwrap_or_default(),
            groups,
            targets,
            permutation,
            indices: self.indices.iter().map(|&index| news[index as usize]).collect(),
            joint_bounds,
            pruned,
        })
    }

    fn check(&self) -> Result<(), SkinError> {
        let vertices = self.positions.len();
        if vertices > Self::MAX_VERTICES {
            return Err(SkinError::TooManyVertices { vertices });
        }
        let influences = vertices.saturating_mul(self.influences);
        let lengths = [
            ("normals", self.normals.map(<[_]>::len), vertices),
            ("tangents", self.tangents.map(<[_]>::len), vertices),
            ("joints of influences", Some(self.joints.len()), influences),
            ("weights of influences", Some(self.weights.len()), influences),
        ];
        for (what, found, expected) in lengths {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(SkinError::Length { what, expected, found });
            }
        }
        finite("positions", self.positions)?;
        finite("normals", self.normals.unwrap_or(&[]))?;
        finite("tangents", self.tangents.unwrap_or(&[]))?;
        match self.indices.iter().position(|&index| index as usize >= vertices) {
            Some(place) => Err(SkinError::Index { place, index: self.indices[place], vertices }),
            None => Ok(()),
        }
    }
}

fn finite<const N: usize>(what: &'static str, list: &[[f32; N]]) -> Result<(), SkinError> {
    match list.iter().position(|item| !item.iter().all(|x| x.is_finite())) {
        Some(vertex) => Err(SkinError::NotFinite { what, vertex }),
        None => Ok(()),
    }
}

/// Returns the place of a lane in the streams, counted from the start of a block.
#[expect(clippy::cast_possible_truncation, reason = "there are at most MAX_VERTICES")]
fn place(block: usize, lane: usize) -> u32 {
    (block * LANES + lane) as u32
}

/// Writes the numbers of all vertices to their places.
fn blocks(list: impl Iterator<Item = [f32; 3]>, places: &[u32], count: usize) -> Vec<Block> {
    let mut blocks = vec![Block::default(); count];
    for (item, &place) in list.zip(places) {
        for (row, number) in blocks[place as usize / LANES].iter_mut().zip(item) {
            row.0[place as usize % LANES] = number;
        }
    }
    blocks
}
