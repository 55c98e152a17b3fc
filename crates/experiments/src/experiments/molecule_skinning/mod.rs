//! Skinning of positions and normals, in nanoseconds a vertex.
//!
//! 100 characters of 5,000 triangles, that is 2,700 vertices each, of which 25 % have one influence, 20 % two, 25 %
//! three and 30 % four, each character with a palette of 96 joints and places for its vertices of its own; against the
//! steps by which the seed goes from the first implementation to a fast one (see [`SeedSkin`]):
//!
//! - `first`: against the first implementation, interleaved vertices of which texture coordinates are copied, and four
//!   matrices weighted for each.
//! - `split`: against that with what is not skinned elsewhere.
//! - `layout`: against that with four floats for each position and normal.
//! - `sorted`: against that with a loop for each number of influences.
//! - `padded`: `first`, with four floats for each position and normal on our side, too.
//!
//! - `memory`: against the bytes that it cannot do without, touched in the same order ([`Streams`]): for each character
//!   its palette and all of the mesh that skinning asks for read, 24 bytes of a vertex and 2 to 20 of its influences,
//!   and 24 written.
//!
//! One mesh of 10,000 vertices, all with as many influences, against the first implementation:
//!
//! - `influences-1` to `influences-4`. Published figures of ozz-animation 0.16 for the same, in a build with AVX2 on a
//!   machine of the same kind: 2.0, 3.0, 3.6 and 4.4 ns a vertex.
//!
//! And the 100 characters again:
//!
//! - `morph`: with 8 morph targets that move all positions, two of which have a weight, added before; against the first
//!   implementation, which adds all.
//! - `morph-memory`: against the bytes that `morph` cannot do without, touched: those of `memory`, and for each
//!   character 12 bytes of a vertex read of each of the two targets. The morphed positions between are left out.
//! - `visible`: a visible list of every third character, in nanoseconds a vertex of all; against skinning all of them.
//! - `threads` (feature `rayon`): two threads; against one.
//!
//! Wherever a case does not say otherwise, our side writes three floats for each position and normal. What both sides
//! compute is compared to within 1e-5; the program fails if it differs.

mod crowd;
mod steps;

use self::crowd::{Crowd, STEPS, mesh, same};
use self::steps::{Narrow as _, Steps};
use crate::baselines::{SeedSkin, WholeVertex};
use crate::front::{Calls, Front, checked_elsewhere};
use crate::workloads::{SkinRecipe, Streams, TOUCHED};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::Mat4;
use hedgerow::skin::{Palette, SkinOutput};

const CHARACTERS: usize = 100;
/// So many of them are skinned in a turn, the next ones in the next: short turns are seldom interrupted.
const TURN: usize = 10;
const VERTICES: usize = 10_000;
/// What is written may differ by so much; positions lie within some units.
const TOLERANCE: f32 = 1e-5;
/// The weights of the morph targets.
const WEIGHTS: [f32; 8] = [0.0, 0.7, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0];

const VERTEX: Unit = Unit::Each("ns/vert");
const FIRST: &str = "first implementation";

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let mut crowd = Crowd::new()?;
    let mut steps = Steps::new(&crowd);
    compare(&mut crowd, &mut steps)?;
    for (name, baseline, step) in [
        ("first", FIRST, Steps::first as fn(&mut Steps)),
        ("split", "its split streams", Steps::split),
        ("layout", "and four floats", Steps::layout),
        ("sorted", "and sorted influences", Steps::sorted),
    ] {
        turns(front, (name, baseline), (&mut crowd, &mut steps), Crowd::skin, step)?;
    }
    turns(front, ("padded", FIRST), (&mut crowd, &mut steps), Crowd::skin_padded, Steps::first)?;
    touched(front, "memory", &mut crowd, 0, Crowd::skin)?;
    for influences in 1..=4 {
        uniform(front, influences)?;
    }

    all_turns(|| crowd.skin_morphed());
    all_turns(|| steps.first_morphed());
    crowd.check("morph", |at| (steps.whole[at].position, steps.whole[at].normal))?;
    turns(front, ("morph", FIRST), (&mut crowd, &mut steps), Crowd::skin_morphed, Steps::first_morphed)?;
    let targets = WEIGHTS.iter().filter(|weight| **weight != 0.0).count();
    touched(front, "morph-memory", &mut crowd, targets, Crowd::skin_morphed)?;
    visible(front, &mut crowd)?;
    if hedgerow::THREADED { threads(front, crowd) } else { Ok(()) }
}

/// Fails unless each of the seed's steps comes to what we do.
fn compare(crowd: &mut Crowd, steps: &mut Steps) -> Outcome {
    all_turns(|| crowd.skin());
    all_turns(|| steps.first());
    crowd.check("first", |at| (steps.whole[at].position, steps.whole[at].normal))?;
    all_turns(|| steps.split());
    crowd.check("split", |at| (steps.split[at].position, steps.split[at].normal))?;
    all_turns(|| steps.layout());
    crowd.check("layout", |at| steps.wide[at].narrow())?;
    all_turns(|| steps.sorted());
    let count = crowd.mesh.len();
    let mut order = vec![0; count];
    for (place, &vertex) in steps.skin.order().iter().enumerate() {
        order[vertex as usize] = place;
    }
    crowd.check("sorted", |at| steps.wide[at / count * count + order[at % count]].narrow())?;
    all_turns(|| crowd.skin_padded());
    let [positions, normals] = &crowd.padded;
    for (at, (position, normal)) in positions.iter().zip(normals).enumerate() {
        let narrow = |[x, y, z, _]: [f32; 4]| [x, y, z];
        same("padded", (crowd.positions[at], crowd.normals[at]), (narrow(*position), narrow(*normal)))?;
    }
    Ok(())
}

/// Times a turn of either side.
fn turns<F: Front, B>(
    front: &mut F,
    (name, baseline): (&str, &str),
    sides: (&mut Crowd, &mut B),
    ours: fn(&mut Crowd),
    theirs: fn(&mut B),
) -> Outcome {
    let calls = Calls {
        case: Case::new(name, sides.0.positions.len(), VERTEX, baseline),
        per: TURN * sides.0.mesh.len(),
        repeats: 1,
        sides,
        ours,
        baseline: theirs,
    };
    front.calls(calls, checked_elsewhere)
}

/// Times a turn against the bytes that it touches, where so many morph targets have a weight.
fn touched<F: Front>(front: &mut F, name: &str, crowd: &mut Crowd, targets: usize, skin: fn(&mut Crowd)) -> Outcome {
    let mut streams: Streams = crowd.streams(targets);
    turns(front, (name, TOUCHED), (crowd, &mut streams), skin, |streams| streams.touch_steps(STEPS * TURN))
}

/// Has all characters their turn.
fn all_turns(mut turn: impl FnMut()) {
    (0..CHARACTERS / TURN).for_each(|_| turn());
}

/// One mesh whose vertices have all the same number of influences.
fn uniform<F: Front>(front: &mut F, influences: usize) -> Outcome {
    let recipe = SkinRecipe::uniform(VERTICES, influences, influences as u64);
    let (mesh, seed_skin, skin) = (mesh(&recipe, &[])?, SeedSkin::new(&recipe), crowd::skin()?);
    let palette = SkinRecipe::palette(9);
    let wide: Vec<Mat4> = palette.iter().map(|&matrix| matrix.into()).collect();
    let (positions, normals) = (vec![[0.0_f32; 3]; VERTICES], vec![[0.0_f32; 3]; VERTICES]);
    let name = &format!("influences-{influences}");
    let calls = Calls {
        case: Case::new(name, VERTICES, VERTEX, FIRST),
        per: VERTICES,
        repeats: 3,
        sides: (
            &mut (mesh, Palette::of(&skin, &palette)?, positions, normals),
            &mut (seed_skin, wide, vec![WholeVertex::default(); VERTICES]),
        ),
        ours: |(mesh, palette, positions, normals)| {
            mesh.skin(*palette, SkinOutput::new(positions).normals(normals)).expect("places for all");
        },
        baseline: |(skin, palette, output)| skin.first(palette, output),
    };
    front.calls(calls, |(mesh, _, positions, normals), (_, _, output)| {
        for (at, &vertex) in mesh.permutation().iter().enumerate() {
            let WholeVertex { position, normal, .. } = output[vertex as usize];
            same(name, (positions[at], normals[at]), (position, normal))?;
        }
        Ok(())
    })
}

/// A visible list of every third character, against all characters.
fn visible<F: Front>(front: &mut F, crowd: &mut Crowd) -> Outcome {
    let mut all = Crowd::new()?;
    front.on_one_thread(|front| {
        all_turns(|| all.skin());
        crowd.positions.fill([0.0; 3]);
        let third: Vec<u32> = (0..).step_by(3).take(CHARACTERS.div_ceil(3)).collect();
        crowd.skin_visible(&third);
        for (character, places) in (0..).zip(crowd.positions.chunks_exact(crowd.mesh.len())) {
            let range = crowd.batch.vertex_range(character).ok_or("a character of the batch")?;
            let seen = third.contains(&character);
            if seen && places != &all.positions[range] || !seen && places.iter().any(|place| *place != [0.0; 3]) {
                return Err(format!("visible: character {character} is not as it should be"));
            }
        }
        let calls = Calls {
            case: Case::new("visible", crowd.positions.len(), VERTEX, "all characters").against_itself(),
            per: CHARACTERS * crowd.mesh.len(),
            repeats: 1,
            sides: (&mut (crowd, &third), &mut all),
            ours: |(crowd, third)| crowd.skin_visible(third),
            baseline: |all| all_turns(|| all.skin()),
        };
        front.calls(calls, checked_elsewhere).map_err(|error| error.to_string())
    })
}

/// All characters on two threads, against one.
fn threads<F: Front>(front: &mut F, crowd: Crowd) -> Outcome {
    use crate::rounds::{Pace, Rounds};

    let [two, one] = [2, 1].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
    let (nodes, per) = (crowd.positions.len(), CHARACTERS * crowd.mesh.len());
    let mut on_threads = OnThreads { pools: [two?, one?], all: (0..).take(CHARACTERS).collect(), crowd };
    let ways = ["two threads", "one thread"];
    let rounds = Rounds { nodes, per, parts: ["threads"], ways: &ways, pace: Pace::fixed(100), lasts: None };
    if let Some(figures) = front.rounds(&rounds, &mut on_threads)? {
        let case = Case::new("threads", nodes, VERTEX, ways[1]).on_threads(2, 1).against_itself();
        front.report(&case, figures[0][0], figures[1][0])?;
    }
    Ok(())
}

/// The characters, and two pools of threads to skin them.
struct OnThreads {
    pools: [rayon::ThreadPool; 2],
    all: Vec<u32>,
    crowd: Crowd,
}

impl crate::rounds::Trial<1> for OnThreads {
    fn play(&mut self, way: usize) -> [f64; 1] {
        let Self { pools, all, crowd } = self;
        [pools[way].install(|| crate::clock::nanoseconds(|| crowd.skin_visible(all)))]
    }

    fn check_last(&mut self) -> Outcome {
        let Self { pools, all, crowd } = self;
        let [two, one] = pools.each_ref().map(|pool| {
            crowd.positions.fill([0.0; 3]);
            pool.install(|| crowd.skin_visible(all));
            (crowd.positions.clone(), crowd.normals.clone())
        });
        if two == one { Ok(()) } else { Err("threads: two threads skin differently from one".into()) }
    }
}
