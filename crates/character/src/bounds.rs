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

/// Eight joints, each with the box around the vertices that the joint moves. 256 bytes.
#[derive(Clone, Debug)]
struct JointGroup {
    /// The joint of each lane; 0 in unused lanes.
    joints: [u32; GROUP],
    boxes: [Aabb; GROUP],
    live: u8,
    morphs: Vec<Morph>,
}

/// How a morph target moves the vertices of a joint. 64 bytes.
#[derive(Clone, Copy, Debug)]
struct Morph {
    target: usize,
    lane: usize,
    /// The box around the deltas.
    deltas: Aabb,
    /// By how much each face of the joint's box moves at weight 1.
    whole: Aabb,
}

/// Computes the bounding box of a skinned and morphed mesh in any pose, from one box per joint.
///
/// A skinned vertex is a weighted mean of the positions that its joints give it, with positive weights that add up to
/// one. In the bind pose, the box of a joint contains all vertices that follow the joint. So each position stays inside
/// its joint's box under the palette matrix, and the vertex is inside the box around all transformed boxes. Morph
/// targets move the faces of a joint's box first: if weights of at least 0 add up to at most 1, each face by the
/// weighted sum of where the single targets put it.
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
///
/// let mut scene = Scene::new();
/// let body = scene.insert(scene.root(), Node::drawable(Drawable::new(7, Aabb::EMPTY)))?;
/// let models = [Mat34::IDENTITY, Transform::from_xyz(0.0, 5.0, 0.0).to_matrix()];  // of a pose, each frame
/// let mut room = Vec::new();
/// let bounds = bounds.of_pose(skin.palette(&models, &mut room)?, &[])?; // no weights of morph targets
/// scene.edit(body)?.set_drawable(Drawable::new(7, bounds))?;
/// scene.update();
/// assert!((scene.get(body).unwrap().bounds().unwrap().max - Vec3::new(1.0, 6.0, 0.0)).length() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Only joints that move a vertex are stored, at 32 bytes each, and 64 for each morph target that moves vertices of a
/// joint. The resulting box is in the space that the palette maps to: the space of the node that draws the mesh.
#[derive(Clone, Debug)]
pub struct JointBounds {
    groups: Vec<JointGroup>,
    /// The least number of matrices that a palette must have.
    matrices: usize,
    /// The number of morph targets.
    targets: usize,
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

    /// Like [`new`](Self::new), for a mesh that morph targets deform before skinning. Each target has a delta for each
    /// vertex (a sparse one has zeros), or is empty if it moves nothing. Runs in **O(influences × targets)**.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), which also apply to deltas.
    pub fn with_morphs(
        skin: &Skin,
        positions: &[Vec3],
        targets: &[&[[f32; 3]]],
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
        let influences = joints.len().checked_div(vertices).unwrap_or(0);
        let followed = |vertex: usize| {
            let own = vertex * influences..(vertex + 1) * influences;
            let (joints, weights) = (&joints[own.clone()], &weights[own]);
            // Skinning lets vertices without weight follow their first joint.
            let first = weights.iter().all(|weight| *weight == 0.0).then_some(joints[0]);
            joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0).map(|(joint, _)| *joint).chain(first)
        };
        let mut boxes = BTreeMap::new();
        for (vertex, &position) in positions.iter().enumerate() {
            let fault = |what| CharacterError::Vertex { what, vertex };
            if !position.is_finite() {
                return Err(fault("position"));
            }
            let weights = &weights[vertex * influences..(vertex + 1) * influences];
            if !weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0) {
                return Err(fault("weight"));
            }
            for joint in followed(vertex) {
                let bounds = boxes.entry(joint).or_insert(Aabb::EMPTY);
                *bounds = bounds.merge(&Aabb::new(position, position));
            }
        }
        // Joints ascend, so the last is the greatest.
        let last = boxes.last_key_value().map(|(&joint, _)| joint);
        if let Some(joint) = last.filter(|&joint| usize::from(joint) >= skin.len()) {
            return Err(CharacterError::NoJoint { joint, matrices: skin.len() });
        }
        let matrices = last.map_or(0, |joint| usize::from(joint) + 1);
        let mut groups = Self::groups(&boxes);
        let mut moved = vec![(Aabb::EMPTY, Aabb::EMPTY); matrices];
        for (target, deltas) in targets.iter().enumerate() {
            if deltas.is_empty() {
                continue;
            }
            if deltas.len() != vertices {
                return Err(length("morph deltas", deltas.len()));
            }
            moved.fill((Aabb::EMPTY, Aabb::EMPTY));
            for (vertex, (&position, &delta)) in positions.iter().zip(*deltas).enumerate() {
                let delta = Vec3::from(delta);
                if !delta.is_finite() {
                    return Err(CharacterError::Vertex { what: "morph delta", vertex });
                }
                for joint in followed(vertex) {
                    let (deltas, places) = &mut moved[usize::from(joint)];
                    *deltas = deltas.merge(&Aabb::new(delta, delta));
                    *places = places.merge(&Aabb::new(position + delta, position + delta));
                }
            }
            for (index, (&joint, rest)) in boxes.iter().enumerate() {
                let (deltas, places) = moved[usize::from(joint)];
                if deltas != Aabb::new(Vec3::ZERO, Vec3::ZERO) {
                    let whole = Aabb::new(places.min - rest.min, places.max - rest.max);
                    groups[index / GROUP].morphs.push(Morph { target, lane: index % GROUP, deltas, whole });
                }
            }
        }
        Ok(Self { groups, matrices, targets: targets.len(), skin: skin.id() })
    }

    /// Returns the number of morph targets.
    #[must_use]
    pub const fn targets(&self) -> usize {
        self.targets
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

    /// Returns a box around all vertices in the pose of this palette, with these weights of the morph targets, which
    /// may be negative or above 1. Returns [`Aabb::INFINITE`] if a number is not finite, and [`Aabb::EMPTY`] if there
    /// are no vertices.
    ///
    /// Runs in **O(joints that move vertices + morph targets of these)**, joints eight at a time. The box contains
    /// every vertex that is skinned in single precision by up to eight joints, including rounding errors.
    ///
    /// # Errors
    /// [`CharacterError::Pose`] with [`SkinError::OtherSkin`] for a palette of another skin, and [`SkinError::Length`]
    /// for another number of weights than of targets.
    pub fn of_pose(&self, palette: Palette<'_>, weights: &[f32]) -> Result<Aabb, CharacterError> {
        let (expected, found) = (self.skin, palette.skin());
        if found != expected {
            return Err(AnimError::from(SkinError::OtherSkin { expected, found }).into());
        }
        let (expected, found) = (self.targets, weights.len());
        if found != expected {
            return Err(AnimError::from(SkinError::Length { what: "morph weights", expected, found }).into());
        }
        if !weights.iter().all(|weight| weight.is_finite()) {
            return Ok(if self.is_empty() { Aabb::EMPTY } else { Aabb::INFINITE });
        }
        let palette = palette.matrices();
        assert!(palette.len() >= self.matrices, "a palette has a matrix for each joint of its skin");
        let mut all = BoxGroup::EMPTY;
        let mut moved = BoxGroup::EMPTY;
        for group in &self.groups {
            let Some(boxes) = group.morphed(weights) else { return Ok(Aabb::INFINITE) };
            simd::boxes::transformed(palette, &group.joints, &boxes, group.live, &mut moved);
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

    /// Sets the bounds of a node from the pose of this palette and these weights of morph targets, for the next
    /// [`Scene::update`].
    ///
    /// The node must draw the vertices, in the space that the palette maps to. So pass the character's node, or one of
    /// its children that has no transform. Runs in **O(joints that move vertices + morph
    /// targets of these)**.
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
    /// bounds.follow(&mut scene, body, skin.palette(&[Mat34::IDENTITY], &mut room)?, &[])?;
    /// scene.update();
    /// assert!((scene.get(body).unwrap().bounds().unwrap().max - Vec3::new(7.0, 1.0, 0.0)).length() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoDrawable`], and those of [`of_pose`](Self::of_pose). The scene is unchanged.
    pub fn follow(
        &self,
        scene: &mut Scene,
        node: NodeHandle,
        palette: Palette<'_>,
        weights: &[f32],
    ) -> Result<(), CharacterError> {
        let bounds = self.of_pose(palette, weights)?;
        let mut node = scene.edit(node)?;
        let drawable = node.as_ref().drawable().ok_or(Error::NoDrawable(node.handle()))?;
        node.set_drawable(Drawable { bounds, ..drawable })?;
        Ok(())
    }

    fn groups(boxes: &BTreeMap<u16, Aabb>) -> Vec<JointGroup> {
        let mut groups: Vec<JointGroup> = Vec::with_capacity(boxes.len().div_ceil(GROUP));
        for (index, (&joint, bounds)) in boxes.iter().enumerate() {
            let lane = index % GROUP;
            if lane == 0 {
                let boxes = [Aabb::EMPTY; GROUP];
                groups.push(JointGroup { joints: [0; GROUP], boxes, live: 0, morphs: Vec::new() });
            }
            // Proportional to the coordinates, as the rounding of products is.
            let margin = greatest(bounds) * WIDER;
            let group = groups.last_mut().expect("a group was pushed for the first of its lanes");
            group.joints[lane] = u32::from(joint);
            group.boxes[lane] = Aabb::new(bounds.min - margin, bounds.max + margin);
            group.live |= 1 << lane;
        }
        groups
    }
}

impl JointGroup {
    /// Returns the joints' boxes at these weights of morph targets; `None` if a number is not finite.
    ///
    /// On each axis, let `h(w)` be the greatest coordinate of a vertex at weights `w`. It is convex, because it is a
    /// maximum of linear functions. So for positive weights with the sum `s ≤ 1`, `h(w) ≤ h(0) + Σ wᵢ (h(eᵢ) - h(0))`,
    /// where `eᵢ` is target `i` alone. For `s > 1`, the vertex is the mean, by `wᵢ / s`, of `p + s dᵢ`, of which
    /// `(s - 1) dᵢ` is bounded by the box of deltas. So are negative weights.
    fn morphed(&self, weights: &[f32]) -> Option<[Aabb; GROUP]> {
        let mut boxes = self.boxes;
        if self.morphs.is_empty() {
            return Some(boxes);
        }
        let (mut sums, mut terms) = ([1.0_f32; GROUP], [0.0_f32; GROUP]);
        let mut reaches = self.boxes.map(|bounds| greatest(&bounds));
        let moving = || {
            let weighted = self.morphs.iter().map(|morph| (morph, weights[morph.target]));
            weighted.filter(|(_, weight)| *weight != 0.0).map(|(morph, weight)| (morph, morph.lane, weight))
        };
        let mut positive = [0.0_f32; GROUP];
        for (_, lane, weight) in moving() {
            positive[lane] += weight.max(0.0);
            sums[lane] = positive[lane].max(1.0);
        }
        for (&Morph { deltas, whole, .. }, lane, weight) in moving() {
            let Aabb { min, max } = &mut boxes[lane];
            if weight < 0.0 {
                (*min, *max) = (*min + weight * deltas.max, *max + weight * deltas.min);
            } else {
                let share = 1.0 / sums[lane];
                *min += weight * (deltas.min + share * (whole.min - deltas.min));
                *max += weight * (deltas.max + share * (whole.max - deltas.max));
            }
            terms[lane] += 1.0;
            reaches[lane] += weight.abs() * greatest(&deltas);
        }
        for ((Aabb { min, max }, reach), terms) in boxes.iter_mut().zip(reaches).zip(terms) {
            if terms > 0.0 {
                // Sums of this many terms, of the vertex and of the box, have fewer roundings than a quarter of it.
                let margin = reach * WIDER * (2.0 + terms / 4.0);
                (*min, *max) = (*min - margin, *max + margin);
                if !(min.is_finite() && max.is_finite()) {
                    return None;
                }
            }
        }
        Some(boxes)
    }
}

/// Returns the greatest absolute coordinate of a box on each axis.
fn greatest(bounds: &Aabb) -> Vec3 {
    bounds.min.abs().max(bounds.max.abs())
}
