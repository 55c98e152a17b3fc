//! Figures: meshes skinned by joints, morphed by weights, or both.

use crate::failure::Result;
use hedgerow::Mat34;
use hedgerow_anim::skin::{MorphBuffer, Palette, Skin, SkinOutput, SkinnedMesh};
use std::ops::Range;
use std::sync::Arc;

/// A deformed mesh at one node.
pub struct Figure {
    /// The index in [`Figures::drawables`].
    pub drawable: usize,
    /// The figure's range in [`Figures::palettes`]; empty for a figure that only morphs.
    pub palette: Range<usize>,
    /// The figure's range in [`Figures::weights`].
    pub weights: Range<usize>,
    /// The colours of its covers, in sRGB; a vertex's second set of texture coordinates selects the colour.
    pub coat: Option<[[u8; 4]; 5]>,
}

/// A mesh that figures share.
pub struct FigureDrawable {
    /// The number of the stage's mesh.
    pub mesh: u32,
    /// The mesh for skinning on the processor.
    pub skinned: Arc<SkinnedMesh>,
    /// The skin that numbers its joints.
    pub skin: Arc<Skin>,
    /// The number of influences of each vertex.
    pub per_vertex: usize,
    /// Joints and weights, vertex by vertex; the weights of a vertex sum to 1.
    pub influences: Vec<(u32, f32)>,
    /// The deltas of positions and normals, target by target.
    pub deltas: Vec<[f32; 6]>,
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
    room: Vec<[f32; 3]>,
    morphing: MorphBuffer,
}

impl Figures {
    /// Adds a figure at rest. Returns the user data of its draws.
    pub fn push(&mut self, drawable: usize, coat: Option<[[u8; 4]; 5]>) -> u32 {
        let FigureDrawable { skinned, skin, per_vertex, .. } = &self.drawables[drawable];
        let joints = if *per_vertex == 0 { 0 } else { skin.len() };
        let palette = self.palettes.len()..self.palettes.len() + joints;
        let weights = self.weights.len()..self.weights.len() + skinned.morph_targets();
        self.palettes.resize(palette.end, Mat34::IDENTITY);
        self.weights.resize(weights.end, 0.0);
        self.list.push(Figure { drawable, palette, weights, coat });
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

    /// Computes positions and normals of a figure's vertices, and appends them: six numbers per vertex.
    pub fn skin(&mut self, number: usize, streams: &mut Vec<f32>) -> Result<()> {
        let Self { drawables, list, palettes, weights, room, morphing, .. } = self;
        let figure = &list[number];
        let drawable = &drawables[figure.drawable];
        let count = drawable.skinned.len();
        room.resize(2 * count, [0.0; 3]);
        let (places, normals) = room.split_at_mut(count);
        let identity = [Mat34::IDENTITY];
        let matrices = if figure.palette.is_empty() { &identity[..] } else { &palettes[figure.palette.clone()] };
        let palette = Palette::of(&drawable.skin, matrices)?;
        let output = SkinOutput::new(&mut *places).normals(&mut *normals);
        drawable.skinned.skin_morphed(palette, &weights[figure.weights.clone()], morphing, output)?;
        streams
            .extend(places.iter().zip(&*normals).flat_map(|(place, normal)| [*place, *normal].into_iter().flatten()));
        Ok(())
    }
}

/// Returns joints and weights of all vertices, normalised to a sum of 1.
#[must_use]
pub fn influences(joints: &[u16], weights: &[f32], per_vertex: usize) -> Vec<(u32, f32)> {
    let mut influences: Vec<(u32, f32)> =
        joints.iter().map(|&joint| u32::from(joint)).zip(weights.iter().copied()).collect();
    if per_vertex > 0 {
        for vertex in influences.chunks_exact_mut(per_vertex) {
            let sum: f32 = vertex.iter().map(|(_, weight)| weight).sum();
            if sum > 0.0 {
                vertex.iter_mut().for_each(|(_, weight)| *weight /= sum);
            } else if let Some(first) = vertex.first_mut() {
                first.1 = 1.0;
            }
        }
    }
    influences
}

/// Returns the items of all vertices in the order of `permutation`; each vertex has `per_vertex` items.
#[must_use]
pub fn reordered<T: Copy>(items: &[T], per_vertex: usize, permutation: &[u32]) -> Vec<T> {
    let of = |&vertex: &u32| &items[vertex as usize * per_vertex..][..per_vertex];
    permutation.iter().flat_map(of).copied().collect()
}
