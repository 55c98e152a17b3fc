//! Figures: meshes skinned by joints, morphed by weights, or both.

use crate::failure::{Failure, Result};
use bytemuck::{Pod, Zeroable};
use hedgerow::{Aabb, Mat34, NodeHandle};
use hedgerow_anim::Skeleton;
use hedgerow_anim::skin::Skin;
use hedgerow_character::Deformed;
use std::ops::Range;

/// Colours in sRGB, opaque; there are eight places.
pub type Coat = [[u8; 4]; 8];

/// A deformed mesh at one node.
pub struct Figure {
    /// The index in [`Figures::drawables`].
    pub drawable: usize,
    /// The figure's range in [`Figures::palettes`]; empty for a figure that only morphs.
    pub palette: Range<usize>,
    /// The figure's range in [`Figures::weights`].
    pub weights: Range<usize>,
    /// The colours of its covers, in sRGB; a vertex's second set of texture coordinates selects the colour.
    pub coat: Option<Coat>,
    /// The mesh, for rays and boxes.
    body: Deformed,
}

impl Figure {
    /// Returns the node that draws the figure.
    #[must_use]
    pub fn node(&self) -> NodeHandle {
        self.body.node()
    }
}

/// A mesh that figures share.
pub struct FigureDrawable {
    /// The number of the stage's mesh.
    pub mesh: u32,
    /// The joints that each vertex follows; empty if the mesh only morphs.
    pub influences: Vec<Influences>,
    /// The deltas of positions and normals: target by target for each vertex.
    pub deltas: Vec<[[f32; 4]; 2]>,
    /// The skeleton, and the skin that numbers its joints, if joints deform the mesh.
    pub rigged: Option<Rigged>,
}

/// A skeleton, and a skin that numbers its joints.
pub struct Rigged {
    /// The skeleton.
    pub skeleton: Skeleton,
    /// The skin.
    pub skin: Skin,
}

/// The joints that a vertex follows, and their weights, which sum to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Influences {
    joints: [u16; 8],
    weights: [f32; 8],
}

/// All figures of a stage.
#[derive(Default)]
pub struct Figures {
    /// The meshes.
    pub drawables: Vec<FigureDrawable>,
    /// The figures.
    pub list: Vec<Figure>,
    /// The matrices of all figures.
    pub palettes: Vec<Mat34>,
    /// The morph weights of all figures.
    pub weights: Vec<f32>,
    /// Whether matrices or weights changed since the last [`Figures::take_changed`].
    changed: bool,
}

impl Figures {
    /// Adds a figure at rest. Returns the user data of its draws.
    pub fn push(&mut self, drawable: usize, coat: Option<Coat>, body: Deformed) -> u32 {
        let rigid = self.drawables[drawable].influences.is_empty();
        let joints = if rigid { 0 } else { body.palette().matrices().len() };
        let palette = self.palettes.len()..self.palettes.len() + joints;
        let weights = self.weights.len()..self.weights.len() + body.weights().len();
        self.palettes.resize(palette.end, Mat34::IDENTITY);
        self.weights.resize(weights.end, 0.0);
        self.list.push(Figure { drawable, palette, weights, coat, body });
        self.changed = true;
        u32::try_from(self.list.len()).expect("there are fewer figures than nodes")
    }

    /// Sets all matrices.
    pub fn set_palettes(&mut self, palettes: &[Mat34]) {
        if self.palettes != palettes {
            self.palettes.clear();
            self.palettes.extend_from_slice(palettes);
            self.changed = true;
        }
    }

    /// Marks matrices and weights as changed.
    pub fn touch(&mut self) {
        self.changed = true;
    }

    /// Returns whether matrices or weights changed since the last call.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Returns a figure's node and its skeleton, if joints deform it.
    pub(super) fn rigged(&self, number: usize) -> Option<(NodeHandle, &Rigged)> {
        let figure = self.list.get(number)?;
        Some((figure.node(), self.drawables[figure.drawable].rigged.as_ref()?))
    }

    /// Sets the matrices of one figure. Returns the box of this pose.
    pub(super) fn set_palette(&mut self, number: usize, palette: &[Mat34]) -> Result<Aabb> {
        let range = self.list[number].palette.clone();
        self.changed |= self.palettes[range.clone()] != *palette;
        self.palettes[range].copy_from_slice(palette);
        Ok(self.posed(number)?.bounds()?)
    }

    /// Returns a figure's mesh in its present pose.
    pub fn posed(&mut self, number: usize) -> Result<&mut Deformed> {
        let Self { list, palettes, weights, .. } = self;
        let figure = list.get_mut(number).ok_or_else(|| Failure::new(format!("there is no figure {number}")))?;
        let matrices = if figure.palette.is_empty() { &[Mat34::IDENTITY] } else { &palettes[figure.palette.clone()] };
        figure.body.set_pose(matrices, &weights[figure.weights.clone()])?;
        Ok(&mut figure.body)
    }
}

/// Returns what all vertices follow, in the order of `permutation`; each has `per_vertex` joints and weights. The eight
/// greatest weights are kept.
#[must_use]
pub fn influences(joints: &[u16], weights: &[f32], per_vertex: usize, permutation: &[u32]) -> Vec<Influences> {
    let of_vertex = |&vertex: &u32| {
        let range = vertex as usize * per_vertex..(vertex as usize + 1) * per_vertex;
        let mut all: Vec<(u16, f32)> =
            joints[range.clone()].iter().copied().zip(weights[range].iter().copied()).collect();
        if per_vertex > 8 {
            all.sort_by(|a, b| b.1.total_cmp(&a.1));
            all.truncate(8);
        }
        let sum: f32 = all.iter().map(|(_, weight)| weight).sum();
        let mut influences = Influences::default();
        for (at, (joint, weight)) in all.into_iter().enumerate() {
            influences.joints[at] = joint;
            influences.weights[at] = if sum > 0.0 { weight / sum } else { f32::from(u8::from(at == 0)) };
        }
        influences
    };
    if per_vertex > 0 { permutation.iter().map(of_vertex).collect() } else { Vec::new() }
}
