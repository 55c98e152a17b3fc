//! What the change feed and last frame's matrices cost an update.
//!
//! Cases `feed/all`, `feed/10%`, `feed/1%`, `feed/one` and `feed/none`: the update after that share of the nodes was given
//! new local transforms, in a random tree in which every node has one; and `edits`, single inserts and removals of a tenth of
//! the thesis's tree each, with the update behind them. Ours is a scene with [`SceneConfig::changes`], compared with is the
//! same scene without. Medians over the frames, in nanoseconds a node of the tree, changed or not. Nothing reads the feed;
//! that it tells of what moved, and of as many nodes as came and went, is checked.
//!
//! Cases `motion/all`, `motion/10%`, `motion/1%`, `motion/one` and `motion/none`: a kept draw list with the matrices of the
//! update before, brought up to date after that share of the transforms of the thesis's tree moved; compared with is a list
//! without them of the same scene. The update is not timed.

use crate::report::{Case, Report, Unit};
use crate::timing::{median, nanoseconds};
use hedgerow::{DrawList, SceneConfig};
use hedgerow_naive::{Churn, Moves, Packed, Recipe, Side, Topology};
use std::error::Error;
use std::time::{Duration, Instant};

const SIZES: [usize; 3] = [4096, 32_768, 262_144];
const TOLD: SceneConfig = SceneConfig { changes: true, ..SceneConfig::DEFAULT };
const BASELINE: &str = "without the feed";

/// A case ends after this time, or after this many frames, but has the least number of them.
const BUDGET: Duration = Duration::from_millis(800);
const MAX_FRAMES: usize = 301;
const MIN_FRAMES: usize = 7;

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    SIZES.into_iter().try_for_each(|nodes| {
        moved(report, nodes)?;
        edits(report, nodes)?;
        motion(report, nodes)
    })
}

/// Both scenes of a tree, with everything told once.
fn sides(recipe: &Recipe) -> (Packed, Packed) {
    let (mut told, mut silent) = (Packed::build_with(recipe, TOLD), Packed::build(recipe));
    told.update();
    silent.update();
    (told, silent)
}

/// Frames of both scenes by turns; the median nanoseconds of each.
fn play(mut frame: impl FnMut() -> Result<(f64, f64), String>) -> Result<(f64, f64), String> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let start = Instant::now();
    while ours.len() < MIN_FRAMES || (ours.len() < MAX_FRAMES && start.elapsed() < BUDGET) {
        let (a, b) = frame()?;
        ours.push(a);
        theirs.push(b);
    }
    Ok((median(&mut ours), median(&mut theirs)))
}

fn case(
    report: &mut Report,
    name: &str,
    nodes: usize,
    baseline: &str,
    (ours, theirs): (f64, f64),
) -> Result<(), Box<dyn Error>> {
    let (ours, baseline_figure) = (ours / nodes as f64, theirs / nodes as f64);
    report.case(&Case { name, nodes, unit: Unit::Time, ours, baseline, baseline_figure })?;
    Ok(())
}

fn moved(report: &mut Report, nodes: usize) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe::transforms(Topology::Random, nodes, nodes as u64);
    let (mut told, mut silent) = sides(&recipe);
    let mut moves = Moves::new(&recipe, 1);
    let most = moves.most();
    for (share, count) in [("all", most), ("10%", most / 10), ("1%", most / 100), ("one", 1), ("none", 0)] {
        let figures = play(|| {
            let moved = moves.next_frame(count);
            told.set_locals(moved);
            let ours = nanoseconds(|| told.update());
            silent.set_locals(moved);
            let theirs = nanoseconds(|| silent.update());
            let changes = told.scene().changes();
            let told = changes.moved().len();
            if told < count || (count == 0 && told > 0) {
                return Err(format!("{count} nodes were moved, and {told} are told"));
            }
            Ok((ours, theirs))
        })?;
        case(report, &format!("feed/{share}"), nodes, BASELINE, figures)?;
    }
    Ok(())
}

fn edits(report: &mut Report, nodes: usize) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe::random(nodes, nodes as u64);
    let (mut told, mut silent) = sides(&recipe);
    let mut churn = Churn::new(&recipe, 1);
    let figures = play(|| {
        let edits = churn.next_frame();
        let frame = |side: &mut Packed| {
            nanoseconds(|| {
                side.edit(edits);
                side.update();
            })
        };
        let figures = (frame(&mut told), frame(&mut silent));
        let changes = told.scene().changes();
        let (entered, left) = (changes.entered().len(), changes.left().len());
        if (entered, left) != (edits.inserted.len(), edits.removed.len()) {
            return Err(format!("{entered} nodes are told to have entered and {left} to have left"));
        }
        Ok(figures)
    })?;
    case(report, "edits", nodes, BASELINE, figures)
}

fn motion(report: &mut Report, nodes: usize) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe::random(nodes, nodes as u64);
    let mut told = Packed::build_with(&recipe, TOLD);
    let mut moves = Moves::new(&recipe, 1);
    let (mut with, mut without) = (DrawList::new().with_motion(), DrawList::new());
    let most = moves.most();
    for (share, count) in [("all", most), ("10%", most / 10), ("1%", most / 100), ("one", 1), ("none", 0)] {
        let figures = play(|| {
            told.set_locals(moves.next_frame(count));
            told.update();
            let ours = nanoseconds(|| told.scene().draw_list(&mut with));
            let theirs = nanoseconds(|| told.scene().draw_list(&mut without));
            if with.matrices() != without.matrices() || with.previous_matrices().map(<[_]>::len) != Some(with.len()) {
                return Err("a list with motion is not the list without, with a matrix before each".into());
            }
            Ok((ours, theirs))
        })?;
        case(report, &format!("motion/{share}"), nodes, "a list without motion", figures)?;
    }
    Ok(())
}
