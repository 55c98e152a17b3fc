//! Bounding boxes that follow poses.

use crate::CharacterError;
use hedgerow::glam::Vec3;
use hedgerow::{Aabb, Drawable, Error, NodeHandle, Scene};
use hedgerow_anim::Error as AnimError;
use hedgerow_anim::skin::{Palette, Skin, SkinError, SkinId};
use hedgerow_math::internal as simd;
use hedgerow_math::internal::{BoxGroup, GROUP};
use std::collections::BTreeMap;

/// The factor by which boxes are widened to cover rounding: 2⁻¹⁹ of the numbers that a vertex is computed from.
///
/// Let `u = 2⁻²⁴`, half a unit in the last place. A coordinate of a vertex with eight joints has at most six roundings
/// per joint and eight for the sum. Weights add up to one within `2u`. The corner of a box has five roundings. The
/// total is below `22u` times the sum of absolute products; this factor is `32u`.
const WIDER: f32 = 1.0 / 524_288.0;

/// Eight joints, each with the box around the vertices that the joint moves. 232 bytes.
#[derive(Clone, Debug)]
struct JointGroup {
    /// The joint of each lane; 0 in unused lanes.
    joints: [u32; GROUP],
    boxes: [Aabb; GROUP],
    live: u8,
}

/// Computes the bounding box of a skinned mesh in any pose, from one box per joint.
///
/// A skinned vertex is a weighted mean of the positions that its joints give it, with positive weights that add up to
/// one. In the bind pose, the box of a joint contains all vertices that follow the joint. So each position stays inside
/// its joint's box under the palette matrix, and the vertex is inside the box around all transformed boxes.
///
/// ```
/// use hedgerow::glam::Vec3;
/// use hedgerow::{Aabb, Drawable, Mat34, Node, Scene, Transform};
/// use hedgerow_anim::Skin;
/// use hedgerow_character::JointBounds;
///
/// // A body and an arm, of two joints.
/// let skin = Skin::new(vec![0, 1], vec![Mat34::IDENTITY; 2])?;
/// let positions = [Vec3::ZERO, Vec3::new(0.0, 2.0, 0.0), Vec3::new(1.0, 1.0, 0.0)];
/// let bounds = JointBounds::new(&skin, &positions, &[0, 0, 1], &[1.0, 1.0, 1.0])?;
/// let morphed = JointBounds::with_morphs(&skin, &positions, &[Vec3::Y; 3], &[0, 0, 1], &[1.0, 1.0, 1.0])?;
/// assert!(morphed.iter().next().unwrap().1.max.y >= 3.0, "morphs move the vertex at 2 by 1");
///
/// let mut scene = Scene::new();
/// let body = scene.insert(scene.root(), Node::drawable(Drawable::new(7, Aabb::EMPTY)))?;
/// let models = [Mat34::IDENTITY, Transform::from_xyz(0.0, 5.0, 0.0).to_matrix()];  // of a pose, each frame
/// let mut room = Vec::new();
/// let bounds = bounds.of_pose(skin.palette(&models, &mut room)?)?;
/// scene.edit(body)?.set_drawable(Drawable::new(7, bounds))?;
/// scene.update();
/// assert!((scene.get(body).unwrap().bounds().unwrap().max - Vec3::new(1.0, 6.0, 0.0)).length() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Only joints that move a vertex are stored, at 29 bytes each. The resulting box is in the space that the palette maps
/// to: the space of the node that draws the mesh.
#[derive(Clone, Debug)]
pub struct JointBounds {
    groups: Vec<JointGroup>,
    /// The least number of matrices that a palette must have.
    matrices: usize,
    /// The skin whose joint numbers are used.
    skin: SkinId,
}

impl JointBounds {
    /// Computes the boxes from a mesh in its bind pose. Each vertex has the same number of joints and weights, listed
    /// one vertex after the other.
    ///
    /// Joint numbers are those of the skin, as in a palette. Weights need not add up to one; zero weights are ignored.
    /// A vertex whose weights are all zero follows its first joint. Runs in **O(influences)**.
    ///
    /// # Errors
    /// [`CharacterError::Length`], [`CharacterError::Vertex`] if a position or a weight is not finite or a weight is
    /// negative, [`CharacterError::NoJoint`] if the skin does not have a joint.
    pub fn new(skin: &Skin, positions: &[Vec3], joints: &[u16], weights: &[f32]) -> Result<Self, CharacterError> {
        Self::with_morphs(skin, positions, &[], joints, weights)
    }

    /// Like [`new`](Self::new), for a mesh that morph targets deform before skinning. For each vertex, `extents` has
    /// the greatest displacement along each axis, in both directions.
    ///
    /// For targets with weights from 0 to 1, the extent is the sum of the absolute values of their deltas.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), which also apply to `extents`.
    pub fn with_morphs(
        skin: &Skin,
        positions: &[Vec3],
        extents: &[Vec3],
        joints: &[u16],
        weights: &[f32],
    ) -> Result<Self, CharacterError> {
        let vertices = positions.len();
        let length = |what, found| CharacterError::Length { what, expected: vertices, found };
        if weights.len() != joints.len() {
            return Err(length("weights", weights.len()));
        }
        // `is_multiple_of` of 0 vertices holds only for 0 joints.
        if !joints.len().is_multiple_of(vertices) || (joints.is_empty() && vertices > 0) {
            return Err(length("joints", joints.len()));
        }
        if !extents.is_empty() && extents.len() != vertices {
            return Err(length("extents", extents.len()));
        }
        let influences = joints.len().checked_div(vertices).unwrap_or(0);
        let mut boxes = BTreeMap::new();
        for (vertex, &position) in positions.iter().enumerate() {
            let fault = |what| CharacterError::Vertex { what, vertex };
            let reach = extents.get(vertex).copied().unwrap_or(Vec3::ZERO);
            if !position.is_finite() {
                return Err(fault("position"));
            }
            if !(reach.is_finite() && reach.cmpge(Vec3::ZERO).all()) {
                return Err(fault("extent"));
            }
            let own = vertex * influences..(vertex + 1) * influences;
            let (joints, weights) = (&joints[own.clone()], &weights[own]);
            if !weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0) {
                return Err(fault("weight"));
            }
            let reached = Aabb::new(position - reach, position + reach);
            let mut hold = |joint: u16| {
                let bounds = boxes.entry(joint).or_insert(Aabb::EMPTY);
                *bounds = bounds.merge(&reached);
            };
            let weighted = || joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0).map(|(joint, _)| *joint);
            // Skinning lets vertices without weight follow their first joint.
            if weighted().next().is_none() {
                hold(joints[0]);
            }
            weighted().for_each(hold);
        }
        // Joints ascend, so the last is the greatest.
        match boxes.last_key_value() {
            Some((&joint, _)) if usize::from(joint) >= skin.len() => {
                Err(CharacterError::NoJoint { joint, matrices: skin.len() })
            }
            _ => Ok(Self::of_boxes(&boxes, skin.id())),
        }
    }

    /// Returns the number of joints that move at least one vertex.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.iter().map(|group| group.live.count_ones() as usize).sum()
    }

    /// Returns whether there are no boxes, because the mesh has no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Returns the joints that move at least one vertex, in ascending order. Each comes with the box around the
    /// vertices that it moves, in the bind pose, enlarged by a few millionths.
    pub fn iter(&self) -> impl Iterator<Item = (u16, Aabb)> {
        self.groups.iter().flat_map(|group| {
            let live = (0..GROUP).filter(|lane| group.live >> lane & 1 != 0);
            live.map(|lane| (u16::try_from(group.joints[lane]).expect("joints come as such"), group.boxes[lane]))
        })
    }

    /// Returns a box around all vertices in the pose of this palette, for any weights. Returns [`Aabb::INFINITE`] if a
    /// number is not finite, and [`Aabb::EMPTY`] if there are no vertices.
    ///
    /// Runs in **O(joints that move vertices)**, eight at a time. The box contains every vertex that is skinned in
    /// single precision by up to eight joints, including rounding errors.
    ///
    /// # Errors
    /// [`CharacterError::Pose`] with [`SkinError::OtherSkin`] for a palette of another skin.
    pub fn of_pose(&self, palette: Palette<'_>) -> Result<Aabb, CharacterError> {
        let (expected, found) = (self.skin, palette.skin());
        if found != expected {
            return Err(AnimError::from(SkinError::OtherSkin { expected, found }).into());
        }
        let palette = palette.matrices();
        assert!(palette.len() >= self.matrices, "a palette has a matrix for each joint of its skin");
        let mut all = BoxGroup::EMPTY;
        let mut moved = BoxGroup::EMPTY;
        for group in &self.groups {
            simd::boxes::transformed(palette, &group.joints, &group.boxes, group.live, &mut moved);
            all.widen(&moved);
        }
        let bounds = all.merged();
        if !bounds.is_finite() {
            return Ok(if self.is_empty() { Aabb::EMPTY } else { Aabb::INFINITE });
        }
        // The stored boxes are widened enough for the linear parts. This adds the rounding of translations.
        let mut far = [0.0_f32; 3];
        for matrix in &palette[..self.matrices] {
            for (far, row) in far.iter_mut().zip(&matrix.rows) {
                *far = far.max(row[3].abs());
            }
        }
        let margin = Vec3::from_array(far) * WIDER;
        let wider = Aabb::new(bounds.min - margin, bounds.max + margin);
        Ok(if wider.is_finite() { wider } else { Aabb::INFINITE })
    }

    /// Sets the bounds of a node from the pose of this palette, for the next [`Scene::update`].
    ///
    /// The node must draw the vertices, in the space that the palette maps to. So pass the character's node, or one of
    /// its children that has no transform. Runs in **O(joints that move vertices)**.
    ///
    /// ```
    /// use hedgerow::glam::Vec3;
    /// use hedgerow::{Aabb, Drawable, Mat34, Node, Scene, Transform};
    /// use hedgerow_anim::Skin;
    /// use hedgerow_character::JointBounds;
    ///
    /// let mut scene = Scene::new();
    /// let knight = scene.insert(scene.root(), Node::transform(Transform::from_xyz(7.0, 0.0, 0.0)))?;
    /// let body = scene.insert(knight, Node::drawable(Drawable::new(1, Aabb::EMPTY)))?;
    ///
    /// let skin = Skin::new(vec![0], vec![Mat34::IDENTITY])?;
    /// let bounds = JointBounds::new(&skin, &[Vec3::ZERO, Vec3::Y], &[0, 0], &[1.0, 1.0])?;
    /// let mut room = Vec::new();
    /// bounds.follow(&mut scene, body, skin.palette(&[Mat34::IDENTITY], &mut room)?)?;
    /// scene.update();
    /// assert!((scene.get(body).unwrap().bounds().unwrap().max - Vec3::new(7.0, 1.0, 0.0)).length() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoDrawable`], and those of [`of_pose`](Self::of_pose). The scene is unchanged.
    pub fn follow(&self, scene: &mut Scene, node: NodeHandle, palette: Palette<'_>) -> Result<(), CharacterError> {
        let bounds = self.of_pose(palette)?;
        let mut node = scene.edit(node)?;
        let drawable = node.as_ref().drawable().ok_or(Error::NoDrawable(node.handle()))?;
        node.set_drawable(Drawable { bounds, ..drawable })?;
        Ok(())
    }

    fn of_boxes(boxes: &BTreeMap<u16, Aabb>, skin: SkinId) -> Self {
        let mut groups: Vec<JointGroup> = Vec::with_capacity(boxes.len().div_ceil(GROUP));
        for (index, (&joint, bounds)) in boxes.iter().enumerate() {
            let lane = index % GROUP;
            if lane == 0 {
                groups.push(JointGroup { joints: [0; GROUP], boxes: [Aabb::EMPTY; GROUP], live: 0 });
            }
            // Proportional to the coordinates, as the rounding of products is.
            let margin = bounds.min.abs().max(bounds.max.abs()) * WIDER;
            let group = groups.last_mut().expect("a group was pushed for the first of its lanes");
            group.joints[lane] = u32::from(joint);
            group.boxes[lane] = Aabb::new(bounds.min - margin, bounds.max + margin);
            group.live |= 1 << lane;
        }
        let matrices = boxes.last_key_value().map_or(0, |(&joint, _)| usize::from(joint) + 1);
        Self { groups, matrices, skin }
    }
}
