//! Skinning of positions and normals, in nanoseconds per vertex.
//!
//! There are 100 characters of 2,700 vertices: 25 % of the vertices have one influence, 20 % two, 25 % three and 30 %
//! four. Each character has its own palette of 96 joints and its own output. The baseline is the source's code:
//!
//! - `first`: the first implementation (interleaved vertices, copied texture coordinates, four blended matrices each).
//! - `sorted`: the optimized one (skinned attributes only, vectors of four floats, a loop for each influence count).
//!
//! Our side writes three floats for each position and normal. The results are compared with a tolerance of 1e-5.

use crate::baselines::{SeedSkin, WholeVertex, WideVertex};
use crate::front::{Front, checked_elsewhere};
use crate::workloads::{SKIN_JOINTS, SkinRecipe};
use crate::{Case, Outcome, Unit};
use hedgerow::Mat34;
use hedgerow::glam::Mat4;
use hedgerow_anim::skin::{Palette, Skin, SkinOutput, SkinnedMesh};
use std::ops::Range;

const CHARACTERS: usize = 100;
/// The number of characters in a turn; the next turn skins the next characters. Short turns are seldom interrupted.
const TURN: usize = 10;
/// The tolerance of the comparison; positions are at most a few units long.
const TOLERANCE: f32 = 1e-5;

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    let mut ours = Ours::new()?;
    let mut theirs = Theirs::new(&ours);
    measure(front, ("first", "first implementation"), (&mut ours, &mut theirs), Theirs::first, Theirs::whole)?;
    let sorted = ("sorted", "split, four floats, sorted influences");
    measure(front, sorted, (&mut ours, &mut theirs), Theirs::sorted, Theirs::wide)
}

/// Skins all characters on both sides, compares the results, and lets the front measure the turns of both sides.
fn measure(
    front: &mut Front,
    (name, baseline): (&str, &str),
    (ours, theirs): (&mut Ours, &mut Theirs),
    theirs_do: fn(&mut Theirs),
    find: Find,
) -> Outcome {
    for _ in 0..CHARACTERS / TURN {
        ours.skin();
        theirs_do(theirs);
    }
    let count = ours.mesh.len();
    for (at, (&position, &normal)) in ours.positions.iter().zip(&ours.normals).enumerate() {
        let vertex = ours.mesh.permutation()[at % count] as usize;
        same(name, (position, normal), find(theirs, at / count, vertex))?;
    }
    let case = Case::new(name, ours.positions.len(), Unit::Each("ns/vert"), baseline).per(TURN * count);
    front.calls(case, (ours, theirs), Ours::skin, theirs_do, checked_elsewhere)
}

/// Returns the position and the normal that the other side computed for a vertex of a character.
type Find = fn(&Theirs, usize, usize) -> ([f32; 3], [f32; 3]);

/// Fails unless position and normal are the same on both sides, apart from rounding.
fn same(what: &str, ours: ([f32; 3], [f32; 3]), theirs: ([f32; 3], [f32; 3])) -> Outcome {
    let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= TOLERANCE);
    if near(ours.0, theirs.0) && near(ours.1, theirs.1) {
        return Ok(());
    }
    Err(format!("{what}: a vertex differs: {ours:?} and {theirs:?}").into())
}

fn mesh(recipe: &SkinRecipe) -> Result<SkinnedMesh, hedgerow_anim::Error> {
    SkinnedMesh::builder(&recipe.positions)
        .normals(&recipe.normals)
        .influences(4, recipe.joints.as_flattened(), recipe.weights.as_flattened())
        .build(&skin()?)
}

/// Returns the skin whose joints recipes refer to, bound at the origin.
fn skin() -> Result<Skin, hedgerow_anim::Error> {
    Skin::new((0..).take(SKIN_JOINTS).collect(), vec![Mat34::IDENTITY; SKIN_JOINTS])
}

/// Returns the characters of the next turn.
fn next(turn: &mut usize) -> Range<usize> {
    let first = *turn;
    *turn = (first + TURN) % CHARACTERS;
    first..first + TURN
}

struct Ours {
    recipe: SkinRecipe,
    mesh: SkinnedMesh,
    skin: Skin,
    palettes: Vec<Mat34>,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    turn: usize,
}

impl Ours {
    fn new() -> Result<Self, hedgerow_anim::Error> {
        let recipe = SkinRecipe::character(1);
        let palettes = (0..CHARACTERS as u64).flat_map(|seed| SkinRecipe::palette(100 + seed)).collect();
        let (mesh, skin, places) = (mesh(&recipe)?, skin()?, vec![[0.0; 3]; CHARACTERS * recipe.positions.len()]);
        Ok(Self { recipe, mesh, skin, palettes, positions: places.clone(), normals: places, turn: 0 })
    }

    /// Skins the characters of a turn, one after the other.
    fn skin(&mut self) {
        let (count, turn) = (self.mesh.len(), next(&mut self.turn));
        for character in turn {
            let vertices = character * count..(character + 1) * count;
            let joints = character * SKIN_JOINTS..(character + 1) * SKIN_JOINTS;
            let palette = Palette::of(&self.skin, &self.palettes[joints]).expect("a matrix for each joint");
            let output = SkinOutput::new(&mut self.positions[vertices.clone()]).normals(&mut self.normals[vertices]);
            self.mesh.skin(palette, output).expect("places for all");
        }
    }
}

/// The characters on the other side and their output.
struct Theirs {
    skin: SeedSkin,
    palettes: Vec<Vec<Mat4>>,
    whole: Vec<WholeVertex>,
    wide: Vec<WideVertex>,
    /// The index of each vertex among those sorted by influences.
    places: Vec<usize>,
    turn: usize,
}

impl Theirs {
    fn new(ours: &Ours) -> Self {
        let skin = SeedSkin::new(&ours.recipe);
        let palettes = ours.palettes.chunks_exact(SKIN_JOINTS);
        let mut places = vec![0; skin.vertices()];
        for (place, &vertex) in skin.order().iter().enumerate() {
            places[vertex as usize] = place;
        }
        Self {
            palettes: palettes.map(|palette| palette.iter().map(|&matrix| matrix.into()).collect()).collect(),
            whole: vec![WholeVertex::default(); CHARACTERS * skin.vertices()],
            wide: vec![WideVertex::default(); CHARACTERS * skin.vertices()],
            places,
            skin,
            turn: 0,
        }
    }

    fn first(&mut self) {
        let count = self.skin.vertices();
        for character in next(&mut self.turn) {
            self.skin.first(&self.palettes[character], &mut self.whole[character * count..][..count]);
        }
    }

    fn sorted(&mut self) {
        let count = self.skin.vertices();
        for character in next(&mut self.turn) {
            self.skin.sorted(&self.palettes[character], &mut self.wide[character * count..][..count]);
        }
    }

    fn whole(&self, character: usize, vertex: usize) -> ([f32; 3], [f32; 3]) {
        let WholeVertex { position, normal, .. } = self.whole[character * self.skin.vertices() + vertex];
        (position, normal)
    }

    fn wide(&self, character: usize, vertex: usize) -> ([f32; 3], [f32; 3]) {
        let WideVertex { position, normal } = self.wide[character * self.skin.vertices() + self.places[vertex]];
        (position.truncate().to_array(), normal.truncate().to_array())
    }
}
