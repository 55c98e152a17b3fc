//! Skinning of positions and normals, in nanoseconds a vertex.
//!
//! 100 characters of 5,000 triangles, that is 2,700 vertices each, of which 25 % have one influence, 20 % two, 25 % three and
//! 30 % four, each character with a palette of 96 joints and places for its vertices of its own; against the steps by which
//! the seed goes from the first implementation to a fast one (see `hedgerow_naive::SeedSkin`):
//!
//! - `first`: against the first implementation, interleaved vertices of which texture coordinates are copied, and four matrices
//!   weighted for each.
//! - `split`: against that with what is not skinned elsewhere.
//! - `layout`: against that with four floats for each position and normal.
//! - `sorted`: against that with a loop for each number of influences.
//! - `padded`: `first`, with four floats for each position and normal on our side, too.
//!
//! One mesh of 10,000 vertices, all with as many influences, against the first implementation:
//!
//! - `influences-1` to `influences-4`. Published figures of ozz-animation 0.16 for the same, in a build with AVX2 on a machine
//!   of the same kind: 2.0, 3.0, 3.6 and 4.4 ns a vertex.
//!
//! And the 100 characters again:
//!
//! - `morph`: with 8 morph targets that move all positions, two of which have a weight, added before; against the first
//!   implementation, which adds all.
//! - `visible`: a visible list of every third character, in nanoseconds a vertex of all; against skinning all of them.
//! - `threads` (feature `rayon`): two threads; against one.
//!
//! Wherever a case does not say otherwise, our side writes three floats for each position and normal. What both sides
//! compute is compared to within 1e-5; the program fails if it differs.

use crate::report::{Case, Report, Unit};
use crate::timing::{on_one_thread, take_turns};
use hedgerow::glam::{Mat4, Vec3, Vec4};
use hedgerow::{
    Mat34,
    skin::{MorphBuffer, MorphTarget, SkinBatch, SkinOutput, SkinnedMesh},
};
use hedgerow_naive::{SKIN_JOINTS, SeedSkin, SkinRecipe, SplitVertex, WholeVertex, WideVertex};
use std::error::Error;
use std::ops::Range;
use std::sync::Arc;

const CHARACTERS: usize = 100;
/// So many of them are skinned in a turn, the next ones in the next: short turns are seldom interrupted.
const TURN: usize = 10;
const VERTICES: usize = 10_000;
/// What is written may differ by so much; positions lie within some units.
const TOLERANCE: f32 = 1e-5;
/// The weights of the morph targets.
const WEIGHTS: [f32; 8] = [0.0, 0.7, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0];

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let mut crowd = Crowd::new()?;
    let mut steps = Steps::new(&crowd);
    crowd.compare(report, &mut steps)?;
    for influences in 1..=4 {
        uniform(report, influences)?;
    }
    morph(report, &mut crowd, &mut steps)?;
    visible(report, &mut crowd)?;
    #[cfg(feature = "rayon")]
    threads(report, &mut crowd)?;
    Ok(())
}

/// The 100 characters on our side.
struct Crowd {
    recipe: SkinRecipe,
    mesh: Arc<SkinnedMesh>,
    batch: SkinBatch,
    palettes: Vec<Mat34>,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    padded: [Vec<[f32; 4]>; 2],
    buffer: MorphBuffer,
    turn: usize,
}

/// The same on the other side, for all of its steps.
struct Steps {
    skin: SeedSkin,
    palettes: Vec<Vec<Mat4>>,
    whole: Vec<WholeVertex>,
    split: Vec<SplitVertex>,
    wide: Vec<WideVertex>,
    morphs: Vec<Vec<[f32; 3]>>,
    morphed: Vec<WholeVertex>,
    turn: usize,
}

/// The name of a case, what it is compared with, and that.
type Step = (&'static str, &'static str, fn(&mut Steps));

fn mesh(recipe: &SkinRecipe, morphs: &[Vec<[f32; 3]>]) -> Result<SkinnedMesh, hedgerow::anim::Error> {
    let mut builder = SkinnedMesh::builder(&recipe.positions)
        .normals(&recipe.normals)
        .influences(4, recipe.joints.as_flattened(), recipe.weights.as_flattened())
        .indices(&recipe.indices);
    for positions in morphs {
        builder = builder.morph_target(MorphTarget { positions, ..MorphTarget::default() });
    }
    builder.build(SKIN_JOINTS)
}

impl Crowd {
    fn new() -> Result<Self, hedgerow::anim::Error> {
        let recipe = SkinRecipe::character(1);
        let mesh = Arc::new(mesh(&recipe, &recipe.morphs(WEIGHTS.len(), 3))?);
        let mut batch = SkinBatch::new();
        for _ in 0..CHARACTERS {
            batch.push(Arc::clone(&mesh));
        }
        let palettes = (0..CHARACTERS as u64).flat_map(|seed| SkinRecipe::palette(100 + seed)).collect();
        let vertices = batch.vertices_len();
        Ok(Self {
            recipe,
            mesh,
            batch,
            palettes,
            positions: vec![[0.0; 3]; vertices],
            normals: vec![[0.0; 3]; vertices],
            padded: [vec![[0.0; 4]; vertices], vec![[0.0; 4]; vertices]],
            buffer: MorphBuffer::new(),
            turn: 0,
        })
    }

    /// Which characters' turn it is: where their palettes lie, and their vertices.
    fn next(&mut self) -> (Range<usize>, Range<usize>) {
        let (first, count) = (self.turn, self.mesh.len());
        self.turn = (first + TURN) % CHARACTERS;
        (first * SKIN_JOINTS..(first + TURN) * SKIN_JOINTS, first * count..(first + TURN) * count)
    }

    /// Skins some characters, one after the other.
    fn skin(&mut self) {
        let (joints, vertices) = self.next();
        let (positions, normals) = (&mut self.positions[vertices.clone()], &mut self.normals[vertices]);
        let count = self.mesh.len();
        let places = positions.chunks_exact_mut(count).zip(normals.chunks_exact_mut(count));
        for (palette, (positions, normals)) in self.palettes[joints].chunks_exact(SKIN_JOINTS).zip(places) {
            self.mesh.skin(palette, SkinOutput::new(positions).normals(normals)).expect("places for all");
        }
    }

    fn skin_padded(&mut self) {
        let (joints, vertices) = self.next();
        let [positions, normals] = self.padded.each_mut().map(|places| &mut places[vertices.clone()]);
        let count = self.mesh.len();
        let places = positions.chunks_exact_mut(count).zip(normals.chunks_exact_mut(count));
        for (palette, (positions, normals)) in self.palettes[joints].chunks_exact(SKIN_JOINTS).zip(places) {
            self.mesh.skin(palette, SkinOutput::new(positions).normals(normals)).expect("places for all");
        }
    }

    fn skin_morphed(&mut self) {
        let (joints, vertices) = self.next();
        let (positions, normals) = (&mut self.positions[vertices.clone()], &mut self.normals[vertices]);
        let count = self.mesh.len();
        let places = positions.chunks_exact_mut(count).zip(normals.chunks_exact_mut(count));
        for (palette, (positions, normals)) in self.palettes[joints].chunks_exact(SKIN_JOINTS).zip(places) {
            let output = SkinOutput::new(positions).normals(normals);
            self.mesh.skin_morphed(palette, &WEIGHTS, &mut self.buffer, output).expect("places for all");
        }
    }

    fn skin_visible(&mut self, visible: &[u32]) {
        let output = SkinOutput::new(&mut self.positions).normals(&mut self.normals);
        self.batch.skin_visible(visible, &self.palettes, output).expect("characters of the batch");
    }

    /// Fails unless each vertex, in the recipe's order, is where `theirs` says.
    fn check(&self, what: &str, theirs: impl Fn(usize) -> ([f32; 3], [f32; 3])) -> Result<(), String> {
        let count = self.mesh.len();
        for (at, (&position, &normal)) in self.positions.iter().zip(&self.normals).enumerate() {
            let vertex = at / count * count + self.mesh.permutation()[at % count] as usize;
            same(what, (position, normal), theirs(vertex))?;
        }
        Ok(())
    }

    /// The seed's steps, one by one.
    fn compare(&mut self, report: &mut Report, steps: &mut Steps) -> Result<(), Box<dyn Error>> {
        all_turns(|| self.skin());
        all_turns(|| steps.first());
        self.check("first", |at| (steps.whole[at].position, steps.whole[at].normal))?;
        all_turns(|| steps.split());
        self.check("split", |at| (steps.split[at].position, steps.split[at].normal))?;
        all_turns(|| steps.layout());
        self.check("layout", |at| steps.wide[at].narrow())?;
        all_turns(|| steps.sorted());
        let count = self.mesh.len();
        let mut order = vec![0; count];
        for (place, &vertex) in steps.skin.order().iter().enumerate() {
            order[vertex as usize] = place;
        }
        self.check("sorted", |at| steps.wide[at / count * count + order[at % count]].narrow())?;
        all_turns(|| self.skin_padded());
        let [positions, normals] = &self.padded;
        for (at, (position, normal)) in positions.iter().zip(normals).enumerate() {
            let narrow = |[x, y, z, _]: [f32; 4]| [x, y, z];
            same("padded", (self.positions[at], self.normals[at]), (narrow(*position), narrow(*normal)))?;
        }

        let baselines: [Step; 4] = [
            ("first", "first implementation", Steps::first),
            ("split", "its split streams", Steps::split),
            ("layout", "and four floats", Steps::layout),
            ("sorted", "and sorted influences", Steps::sorted),
        ];
        for (name, baseline, step) in baselines {
            let (ours, theirs) = take_turns((self, steps), 1, Self::skin, step);
            self.case(report, (name, TURN), ours, baseline, theirs)?;
        }
        let (ours, theirs) = take_turns((self, steps), 1, Self::skin_padded, Steps::first);
        self.case(report, ("padded", TURN), ours, "first implementation", theirs)
    }

    /// Reports what so many characters took.
    fn case(
        &self,
        report: &mut Report,
        (name, characters): (&str, usize),
        ours: f64,
        baseline: &str,
        theirs: f64,
    ) -> Result<(), Box<dyn Error>> {
        let nodes = self.positions.len();
        let vertices = (characters * self.mesh.len()) as f64;
        let (ours, baseline_figure) = (ours / vertices, theirs / vertices);
        report.case(&Case { name, nodes, unit: Unit::Each("ns/vert"), ours, baseline, baseline_figure })?;
        Ok(())
    }
}

impl Steps {
    fn new(crowd: &Crowd) -> Self {
        let skin = SeedSkin::new(&crowd.recipe);
        let vertices = CHARACTERS * skin.vertices();
        let palettes = crowd.palettes.chunks_exact(SKIN_JOINTS);
        Self {
            palettes: palettes.map(|palette| palette.iter().map(|&matrix| matrix.into()).collect()).collect(),
            whole: vec![WholeVertex::default(); vertices],
            split: vec![SplitVertex::default(); vertices],
            wide: vec![WideVertex::default(); vertices],
            morphs: crowd.recipe.morphs(WEIGHTS.len(), 3),
            morphed: skin.whole().to_vec(),
            skin,
            turn: 0,
        }
    }

    /// Which characters' turn it is, and where their vertices lie.
    fn next(&mut self) -> (Range<usize>, Range<usize>) {
        let (first, count) = (self.turn, self.skin.vertices());
        self.turn = (first + TURN) % CHARACTERS;
        (first..first + TURN, first * count..(first + TURN) * count)
    }

    fn first(&mut self) {
        let (characters, vertices) = self.next();
        let places = self.whole[vertices].chunks_exact_mut(self.skin.vertices());
        self.palettes[characters].iter().zip(places).for_each(|(palette, to)| self.skin.first(palette, to));
    }

    fn split(&mut self) {
        let (characters, vertices) = self.next();
        let places = self.split[vertices].chunks_exact_mut(self.skin.vertices());
        self.palettes[characters].iter().zip(places).for_each(|(palette, to)| self.skin.split(palette, to));
    }

    fn layout(&mut self) {
        let (characters, vertices) = self.next();
        let places = self.wide[vertices].chunks_exact_mut(self.skin.vertices());
        self.palettes[characters].iter().zip(places).for_each(|(palette, to)| self.skin.layout(palette, to));
    }

    fn sorted(&mut self) {
        let (characters, vertices) = self.next();
        let places = self.wide[vertices].chunks_exact_mut(self.skin.vertices());
        self.palettes[characters].iter().zip(places).for_each(|(palette, to)| self.skin.sorted(palette, to));
    }

    /// Adds all targets to each vertex, then skins.
    fn first_morphed(&mut self) {
        let (characters, vertices) = self.next();
        let places = self.whole[vertices].chunks_exact_mut(self.skin.vertices());
        for (palette, places) in self.palettes[characters].iter().zip(places) {
            for (vertex, (to, from)) in self.morphed.iter_mut().zip(self.skin.whole()).enumerate() {
                let mut position = Vec3::from(from.position);
                for (target, weight) in self.morphs.iter().zip(WEIGHTS) {
                    position += weight * Vec3::from(target[vertex]);
                }
                *to = WholeVertex { position: position.to_array(), ..*from };
            }
            self.skin.first_of(&self.morphed, palette, places);
        }
    }
}

/// Has all characters their turn.
fn all_turns(mut turn: impl FnMut()) {
    (0..CHARACTERS / TURN).for_each(|_| turn());
}

/// One mesh whose vertices have all the same number of influences.
fn uniform(report: &mut Report, influences: usize) -> Result<(), Box<dyn Error>> {
    let recipe = SkinRecipe::uniform(VERTICES, influences, influences as u64);
    let (mesh, skin) = (mesh(&recipe, &[])?, SeedSkin::new(&recipe));
    let palette = SkinRecipe::palette(9);
    let wide: Vec<Mat4> = palette.iter().map(|&matrix| matrix.into()).collect();
    let (positions, normals) = (vec![[0.0_f32; 3]; VERTICES], vec![[0.0_f32; 3]; VERTICES]);
    let mut ours = (mesh, palette, positions, normals);
    let mut theirs = (skin, wide, vec![WholeVertex::default(); VERTICES]);
    let (ns, baseline_ns) = take_turns(
        (&mut ours, &mut theirs),
        3,
        |(mesh, palette, positions, normals)| {
            mesh.skin(palette, SkinOutput::new(positions).normals(normals)).expect("places for all");
        },
        |(skin, palette, output)| skin.first(palette, output),
    );
    let name = format!("influences-{influences}");
    for (at, &vertex) in ours.0.permutation().iter().enumerate() {
        let WholeVertex { position, normal, .. } = theirs.2[vertex as usize];
        same(&name, (ours.2[at], ours.3[at]), (position, normal))?;
    }
    report.case(&Case {
        name: &name,
        nodes: VERTICES,
        unit: Unit::Each("ns/vert"),
        ours: ns / VERTICES as f64,
        baseline: "first implementation",
        baseline_figure: baseline_ns / VERTICES as f64,
    })?;
    Ok(())
}

fn morph(report: &mut Report, crowd: &mut Crowd, steps: &mut Steps) -> Result<(), Box<dyn Error>> {
    all_turns(|| crowd.skin_morphed());
    all_turns(|| steps.first_morphed());
    crowd.check("morph", |at| (steps.whole[at].position, steps.whole[at].normal))?;
    let (ours, theirs) = take_turns((crowd, steps), 1, Crowd::skin_morphed, Steps::first_morphed);
    crowd.case(report, ("morph", TURN), ours, "first implementation", theirs)
}

fn visible(report: &mut Report, crowd: &mut Crowd) -> Result<(), Box<dyn Error>> {
    let mut all = Crowd::new()?;
    all_turns(|| all.skin());
    crowd.positions.fill([0.0; 3]);
    let third: Vec<u32> = (0..).step_by(3).take(CHARACTERS.div_ceil(3)).collect();
    on_one_thread(|| crowd.skin_visible(&third))?;
    for (character, places) in (0..).zip(crowd.positions.chunks_exact(crowd.mesh.len())) {
        let range = crowd.batch.vertex_range(character).ok_or("a character of the batch")?;
        let seen = third.contains(&character);
        if seen && places != &all.positions[range] || !seen && places.iter().any(|place| *place != [0.0; 3]) {
            return Err(format!("visible: character {character} is not as it should be").into());
        }
    }
    let (ours, theirs) = on_one_thread(|| {
        let mut listed = (&mut *crowd, &third);
        take_turns(
            (&mut listed, &mut all),
            1,
            |(crowd, third)| crowd.skin_visible(third),
            |all| all_turns(|| all.skin()),
        )
    })?;
    crowd.case(report, ("visible", CHARACTERS), ours, "all characters", theirs)
}

#[cfg(feature = "rayon")]
fn threads(report: &mut Report, crowd: &mut Crowd) -> Result<(), Box<dyn Error>> {
    use crate::timing::{median, nanoseconds};

    let [two, one] = [2, 1].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
    let pools = [two?, one?];
    let all: Vec<u32> = (0..).take(CHARACTERS).collect();
    let mut times = [const { Vec::new() }; 2];
    let mut written = Vec::new();
    for _ in 0..100 {
        for (pool, times) in pools.iter().zip(&mut times) {
            let crowd = &mut *crowd;
            times.push(pool.install(|| nanoseconds(|| crowd.skin_visible(&all))));
        }
    }
    for pool in &pools {
        crowd.positions.fill([0.0; 3]);
        pool.install(|| crowd.skin_visible(&all));
        written.push((crowd.positions.clone(), crowd.normals.clone()));
    }
    if written[0] != written[1] {
        return Err("threads: two threads skin differently from one".into());
    }
    let [ours, theirs] = times.each_mut().map(|times| median(times));
    crowd.case(report, ("threads", CHARACTERS), ours, "one thread", theirs)
}

/// Fails unless a position and a normal are the same on both sides but for rounding.
fn same(what: &str, ours: ([f32; 3], [f32; 3]), theirs: ([f32; 3], [f32; 3])) -> Result<(), String> {
    let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= TOLERANCE);
    if near(ours.0, theirs.0) && near(ours.1, theirs.1) {
        Ok(())
    } else {
        Err(format!("{what}: a vertex differs: {ours:?} and {theirs:?}"))
    }
}

/// Three of four floats.
trait Narrow {
    fn narrow(&self) -> ([f32; 3], [f32; 3]);
}

impl Narrow for WideVertex {
    fn narrow(&self) -> ([f32; 3], [f32; 3]) {
        let three = |four: Vec4| four.truncate().to_array();
        (three(self.position), three(self.normal))
    }
}
