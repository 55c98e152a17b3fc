//! What a draw list that is kept from frame to frame saves.
//!
//! The thesis's random tree of 262,144 nodes (40 % transforms, 40 % shapes, 20 % materials), built by single inserts. Each
//! frame something happens, `Scene::update` runs, and then two lists are filled, by turns which one first:
//! `Scene::draw_list` fills one that it has filled before, and a `RenderPass` one that was cleared and keeps its memory.
//! Timed are the lists alone, in nanoseconds a node of the tree, as medians over the frames; both lists are compared after
//! each.
//!
//! - `1%`: 2621 transform nodes chosen at random are given new local transforms.
//! - `edit`: one shape is inserted at a random place.
//! - `none`: nothing happens.

use crate::report::{Case, Report, Unit};
use crate::timing::{median, nanoseconds};
use hedgerow::{Aabb, DrawList, Node, NodeHandle, Scene, Shape, draw::RenderPass};
use hedgerow_naive::{Moves, Packed, Recipe, Side};
use std::error::Error;
use std::time::{Duration, Instant};

const NODES: usize = 262_144;
/// A case ends after this time, or after this many frames, but has the least number of them.
const BUDGET: Duration = Duration::from_millis(1500);
const MAX_FRAMES: usize = 301;
const MIN_FRAMES: usize = 15;

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe::random(NODES, NODES as u64);
    let mut packed = Packed::build(&recipe);
    let mut moves = Moves::new(&recipe, 1);
    let mut lists = Lists::default();
    play(report, "1%", &mut packed, &mut lists, |packed, _| packed.set_locals(moves.next_frame(NODES / 100)))?;
    let handles: Vec<NodeHandle> = packed.scene().descendants(packed.scene().root()).collect();
    play(report, "edit", &mut packed, &mut lists, |packed, frame| {
        let parent = handles[frame * 7919 % handles.len()];
        let shape = Node::shape(Shape::new(1, Aabb::cube(0.5)));
        packed.scene_mut().insert(parent, shape).expect("a live parent takes a finite node");
    })?;
    play(report, "none", &mut packed, &mut lists, |_, _| {})
}

#[derive(Default)]
struct Lists {
    kept: DrawList,
    anew: DrawList,
}

impl Lists {
    /// Fills both lists; the nanoseconds that each took.
    fn fill(&mut self, scene: &Scene, kept_first: bool) -> (f64, f64) {
        let Self { kept, anew } = self;
        let mut ours = || nanoseconds(|| scene.draw_list(kept));
        let mut theirs = || {
            nanoseconds(|| {
                anew.clear();
                scene.visit_slices(&mut RenderPass::new(anew));
            })
        };
        if kept_first {
            let ours = ours();
            (ours, theirs())
        } else {
            let theirs = theirs();
            (ours(), theirs)
        }
    }
}

/// Frames of one case.
fn play(
    report: &mut Report,
    name: &str,
    packed: &mut Packed,
    lists: &mut Lists,
    mut happen: impl FnMut(&mut Packed, usize),
) -> Result<(), Box<dyn Error>> {
    packed.update();
    lists.fill(packed.scene(), true);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let start = Instant::now();
    while ours.len() < MIN_FRAMES || (ours.len() < MAX_FRAMES && start.elapsed() < BUDGET) {
        happen(packed, ours.len());
        packed.update();
        let (kept, anew) = lists.fill(packed.scene(), ours.len().is_multiple_of(2));
        ours.push(kept);
        theirs.push(anew);
        let Lists { kept, anew } = &lists;
        if kept.commands() != anew.commands() || kept.matrices() != anew.matrices() {
            return Err(format!("draws, {name}: the list that was kept differs from one that is new").into());
        }
    }
    report.case(&Case {
        name,
        nodes: NODES,
        unit: Unit::Time,
        ours: median(&mut ours) / NODES as f64,
        baseline: "listing anew",
        baseline_figure: median(&mut theirs) / NODES as f64,
    })?;
    Ok(())
}
