//! What an update costs where some nodes moved, in trees in which every node has a transform.
//!
//! Cases `SHAPE/all`, `SHAPE/half`, `SHAPE/10%`, `SHAPE/1%`, `SHAPE/one` and `SHAPE/none`: the share of the nodes, chosen
//! at random and others each frame, that are given new local transforms. Setting these is not timed, and leaves what it
//! touched in the cache, on both sides. Timed is the update alone: `Scene::update`, and the naive transform traversal, which
//! always walks the whole tree. Medians over the frames, in nanoseconds a node of the tree, moved or not; for `none` the
//! clock, which takes some 25 ns to read, is most of it.
//!
//! The shapes are those of [`Topology`]: `random` at three sizes, `8-ary`, `humanoids` (4000 rigs of 68), `flat` and
//! `chain`. The chain ends at 16,384 nodes, since the naive traversal recurses by depth. All are built by single inserts
//! in the order of the recipe, and maintained once without a limit of time before the first frame. The world matrices of both sides are compared after
//! the last frame of each case.
//!
//! The case `idle` is a call of `Scene::update` in which nothing changed, in nanoseconds a *call*, as the mean of many
//! calls in a row; beside it one naive traversal of the same random tree.

use crate::report::{Case, Report, Unit};
use crate::timing::{median, nanoseconds, same_worlds};
use hedgerow_naive::{Boxed, Kind, Moves, Packed, RIG, Recipe, Side, Topology};
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

const TREES: [(Topology, usize); 7] = [
    (Topology::Random, 4096),
    (Topology::Random, 32_768),
    (Topology::Random, 262_144),
    (Topology::EightAry, 262_144),
    (Topology::Humanoids, 4000 * RIG as usize + 1),
    (Topology::Flat, 100_000),
    (Topology::Chain, 16_384),
];

/// A case ends after the turn in which it has taken this time, or had this many frames.
const BUDGET: Duration = Duration::from_millis(400);
const MAX_FRAMES: usize = 301;

/// So many frames of one side come after one another, as they do where there is one side. Where few nodes move, it takes
/// some frames until the caches hold what is theirs and not what the other side left in them.
const TURN: usize = 32;
/// In so many of these the naive side traverses.
const NAIVE_FRAMES: usize = 4;

/// Trees that nothing happens to.
const IDLE: [usize; 2] = [1000, 1_000_000];
/// Updates in a row of these.
const CALLS: u32 = 4096;

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    TREES.into_iter().try_for_each(|(topology, nodes)| measure(report, topology, nodes))?;
    IDLE.into_iter().try_for_each(|nodes| idle(report, nodes))
}

fn measure(report: &mut Report, topology: Topology, nodes: usize) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe::transforms(topology, nodes, nodes as u64);
    let mut moves = Moves::new(&recipe, 1);
    let mut sides = (Packed::build(&recipe), Boxed::build(&recipe));
    sides.0.scene_mut().maintain(Duration::MAX);
    sides.0.update();
    sides.1.update();
    let most = moves.most();
    let shares = [("all", most), ("half", most / 2), ("10%", most / 10), ("1%", most / 100), ("one", 1), ("none", 0)];
    for (share, count) in shares {
        let (ours, baseline_figure) = play(&mut moves, count, &mut sides);
        let name = format!("{}/{share}", topology.name());
        report.case(&Case {
            name: &name,
            nodes,
            unit: Unit::Time,
            ours: ours / nodes as f64,
            baseline: Boxed::NAME,
            baseline_figure: baseline_figure / nodes as f64,
        })?;
        same_worlds(&sides.0, &sides.1, &vec![Kind::Transform; nodes], &name)?;
    }
    Ok(())
}

/// Frames that move `count` nodes each; the median nanoseconds of the updates of either side.
fn play(moves: &mut Moves, count: usize, (packed, boxed): &mut (Packed, Boxed)) -> (f64, f64) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let start = Instant::now();
    while ours.is_empty() || (ours.len() < MAX_FRAMES && start.elapsed() < BUDGET) {
        let mut again = moves.clone();
        for _ in 0..TURN {
            packed.set_locals(moves.next_frame(count));
            ours.push(nanoseconds(|| packed.update()));
        }
        for frame in 0..TURN {
            boxed.set_locals(again.next_frame(count));
            // The naive side has its caches warm after one traversal, and takes long.
            if frame + NAIVE_FRAMES >= TURN {
                theirs.push(nanoseconds(|| boxed.update()));
            }
        }
    }
    (median(&mut ours), median(&mut theirs))
}

/// Updates in which nothing changed.
fn idle(report: &mut Report, nodes: usize) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe::transforms(Topology::Random, nodes, nodes as u64);
    let (mut packed, mut boxed) = (Packed::build(&recipe), Boxed::build(&recipe));
    packed.update();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..4 {
        let calls = nanoseconds(|| (0..CALLS).for_each(|_| black_box(&mut packed).update()));
        ours.push(calls / f64::from(CALLS));
        theirs.push(nanoseconds(|| boxed.update()));
    }
    report.case(&Case {
        name: "idle",
        nodes,
        unit: Unit::Call,
        ours: median(&mut ours),
        baseline: Boxed::NAME,
        baseline_figure: median(&mut theirs),
    })?;
    Ok(())
}
