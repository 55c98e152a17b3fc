//! The characters on our side.

use super::{CHARACTERS, TOLERANCE, TURN, WEIGHTS};
use crate::Outcome;
use crate::workloads::{SKIN_JOINTS, SkinRecipe, Streams};
use hedgerow::{
    Mat34,
    skin::{MorphBuffer, MorphTarget, Palette, Skin, SkinBatch, SkinOutput, SkinnedMesh},
};
use std::ops::Range;
use std::sync::Arc;

/// In so many steps the bytes of a character are touched.
pub(super) const STEPS: usize = 3;

/// The 100 characters on our side.
pub(super) struct Crowd {
    pub(super) recipe: SkinRecipe,
    pub(super) mesh: Arc<SkinnedMesh>,
    pub(super) skin: Arc<Skin>,
    pub(super) batch: SkinBatch,
    pub(super) palettes: Vec<Mat34>,
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) padded: [Vec<[f32; 4]>; 2],
    pub(super) buffer: MorphBuffer,
    pub(super) turn: usize,
}

/// The mesh of a recipe, with these morph targets.
pub(super) fn mesh(recipe: &SkinRecipe, morphs: &[Vec<[f32; 3]>]) -> Result<SkinnedMesh, hedgerow::anim::Error> {
    let mut builder = SkinnedMesh::builder(&recipe.positions)
        .normals(&recipe.normals)
        .influences(4, recipe.joints.as_flattened(), recipe.weights.as_flattened())
        .indices(&recipe.indices);
    for positions in morphs {
        builder = builder.morph_target(MorphTarget { positions, ..MorphTarget::default() });
    }
    builder.build(&skin()?)
}

/// The skin that recipes count joints in, bound at the origin.
pub(super) fn skin() -> Result<Skin, hedgerow::anim::Error> {
    Skin::new((0..).take(SKIN_JOINTS).collect(), vec![Mat34::IDENTITY; SKIN_JOINTS])
}

impl Crowd {
    /// All characters, in places of their own.
    pub(super) fn new() -> Result<Self, hedgerow::anim::Error> {
        let recipe = SkinRecipe::character(1);
        let mesh = Arc::new(mesh(&recipe, &recipe.morphs(WEIGHTS.len(), 3))?);
        let (skin, mut batch) = (Arc::new(skin()?), SkinBatch::new());
        for _ in 0..CHARACTERS {
            batch.push(Arc::clone(&mesh), Arc::clone(&skin))?;
        }
        let palettes = (0..CHARACTERS as u64).flat_map(|seed| SkinRecipe::palette(100 + seed)).collect();
        let vertices = batch.vertices_len();
        Ok(Self {
            recipe,
            mesh,
            skin,
            batch,
            palettes,
            positions: vec![[0.0; 3]; vertices],
            normals: vec![[0.0; 3]; vertices],
            padded: [vec![[0.0; 4]; vertices], vec![[0.0; 4]; vertices]],
            buffer: MorphBuffer::new(),
            turn: 0,
        })
    }

    /// What skinning a character reads and writes at least, in [`STEPS`]: what so many morph targets add to positions,
    /// its palette, and the mesh with the character's places.
    pub(super) fn streams(&self, targets: usize) -> Streams {
        let vertex = size_of::<[[f32; 3]; 2]>();
        // A joint's number, and weights beyond the first influence.
        let influences = self.mesh.influence_counts().into_iter().zip([2, 8, 14, 20]);
        let mesh: usize = influences.map(|(count, bytes)| count * (vertex + bytes)).sum();
        let deltas = targets * self.mesh.len() * size_of::<[f32; 3]>();
        let mut read = vec![mesh, deltas];
        read.extend([SKIN_JOINTS * size_of::<Mat34>()].repeat(CHARACTERS));
        let mut written = vec![0];
        written.extend([vertex * self.mesh.len()].repeat(CHARACTERS));
        let steps = |character| [(1, 0), (1 + character, 0), (0, character)];
        Streams::of(&read, &written, (1..=CHARACTERS).flat_map(steps))
    }

    /// Which characters' turn it is: where their palettes lie, and their vertices.
    fn next(&mut self) -> (Range<usize>, Range<usize>) {
        let (first, count) = (self.turn, self.mesh.len());
        self.turn = (first + TURN) % CHARACTERS;
        (first * SKIN_JOINTS..(first + TURN) * SKIN_JOINTS, first * count..(first + TURN) * count)
    }

    /// Skins some characters, one after the other.
    pub(super) fn skin(&mut self) {
        let (joints, vertices) = self.next();
        let (positions, normals) = (&mut self.positions[vertices.clone()], &mut self.normals[vertices]);
        let count = self.mesh.len();
        let places = positions.chunks_exact_mut(count).zip(normals.chunks_exact_mut(count));
        for (palette, (positions, normals)) in self.palettes[joints].chunks_exact(SKIN_JOINTS).zip(places) {
            self.mesh
                .skin(of_skin(&self.skin, palette), SkinOutput::new(positions).normals(normals))
                .expect("places for all");
        }
    }

    /// The same to four floats for each position and normal.
    pub(super) fn skin_padded(&mut self) {
        let (joints, vertices) = self.next();
        let [positions, normals] = self.padded.each_mut().map(|places| &mut places[vertices.clone()]);
        let count = self.mesh.len();
        let places = positions.chunks_exact_mut(count).zip(normals.chunks_exact_mut(count));
        for (palette, (positions, normals)) in self.palettes[joints].chunks_exact(SKIN_JOINTS).zip(places) {
            self.mesh
                .skin(of_skin(&self.skin, palette), SkinOutput::new(positions).normals(normals))
                .expect("places for all");
        }
    }

    /// The same with morph targets added before.
    pub(super) fn skin_morphed(&mut self) {
        let (joints, vertices) = self.next();
        let (positions, normals) = (&mut self.positions[vertices.clone()], &mut self.normals[vertices]);
        let count = self.mesh.len();
        let places = positions.chunks_exact_mut(count).zip(normals.chunks_exact_mut(count));
        for (palette, (positions, normals)) in self.palettes[joints].chunks_exact(SKIN_JOINTS).zip(places) {
            let output = SkinOutput::new(positions).normals(normals);
            self.mesh
                .skin_morphed(of_skin(&self.skin, palette), &WEIGHTS, &mut self.buffer, output)
                .expect("places for all");
        }
    }

    /// Skins those of a visible list.
    pub(super) fn skin_visible(&mut self, visible: &[u32]) {
        let output = SkinOutput::new(&mut self.positions).normals(&mut self.normals);
        self.batch.skin_visible(visible, &self.palettes, output).expect("characters of the batch");
    }

    /// Fails unless each vertex, in the recipe's order, is where `theirs` says.
    pub(super) fn check(&self, what: &str, theirs: impl Fn(usize) -> ([f32; 3], [f32; 3])) -> Outcome {
        let count = self.mesh.len();
        for (at, (&position, &normal)) in self.positions.iter().zip(&self.normals).enumerate() {
            let vertex = at / count * count + self.mesh.permutation()[at % count] as usize;
            same(what, (position, normal), theirs(vertex))?;
        }
        Ok(())
    }
}

/// A character's part of all palettes.
fn of_skin<'p>(skin: &Skin, matrices: &'p [Mat34]) -> Palette<'p> {
    Palette::of(skin, matrices).expect("a matrix for each joint")
}

/// Fails unless a position and a normal are the same on both sides but for rounding.
pub(super) fn same(what: &str, ours: ([f32; 3], [f32; 3]), theirs: ([f32; 3], [f32; 3])) -> Outcome {
    let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= TOLERANCE);
    if near(ours.0, theirs.0) && near(ours.1, theirs.1) {
        Ok(())
    } else {
        Err(format!("{what}: a vertex differs: {ours:?} and {theirs:?}").into())
    }
}
