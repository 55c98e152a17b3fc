//! What a draw list that is kept from frame to frame saves.
//!
//! The thesis's random tree of 262,144 nodes (40 % transforms, 40 % shapes, 20 % materials), built by single inserts.
//! Each frame something happens, `Scene::update` runs, and then two lists are filled, by turns which one first:
//! `Scene::draw_list` fills one that it has filled before, and a `RenderPass` one that was cleared and keeps its
//! memory. Timed are the lists alone, in nanoseconds a node of the tree, as medians over the frames; both lists are
//! compared after each.
//!
//! - `1%`: 2621 transform nodes chosen at random are given new local transforms.
//! - `edit`: one shape is inserted at a random place.
//! - `none`: nothing happens.
//! - `1%-memory`: `1%` against the bytes that it cannot do without, read and written and not computed with
//!   ([`Streams`]), in nanoseconds a node of the tree: of each listed shape whose matrix changed, because a node above
//!   it moved, 48 bytes written, and a third of the 48 bytes of its matrix read, which three shapes share in this tree.
//!   These shapes are counted each frame, by comparing the list with that of the frame before; the number is rounded up
//!   to a multiple of 64. Their matrices lie next to each other, and each frame they are others. What says where a
//!   shape's matrix is, and whether it changed, is left out.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::{Moves, Recipe, Streams, TOUCHED};
use crate::{Case, Outcome, Unit};
use hedgerow::{
    Aabb, DrawList, Mat34, Node, NodeHandle, Shape,
    draw::{DrawGroups, RenderPass},
};
use std::time::Duration;

const SIZES: Sizes<usize> = Sizes { full: 262_144, short: 262_144, tiny: 300 };
/// A case ends after this time, or after this many frames, but has the least number of them.
const PACE: Pace = Pace::timed(15, 301, Duration::from_millis(1500));
const BASELINE: &str = "listing anew";
/// So many matrices are touched in a step.
const BLOCK: usize = 64;

/// Runs the experiment.
///
/// # Errors
/// Where the lists differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let nodes = SIZES.at(front.scale());
    let mut lists = Lists::new(nodes);
    let against_itself = |name| Case::new(name, nodes, Unit::Time, BASELINE).against_itself();
    let alternating = Pace { alternates: true, ..PACE };
    lists.start(Event::SomeMove);
    measure(front, &against_itself("1%"), alternating, &mut lists)?;
    lists.start(Event::SomeMove);
    measure(front, &Case::new("1%-memory", nodes, Unit::Time, TOUCHED), PACE, &mut Touched::new(&mut lists))?;
    lists.handles = lists.packed.scene().descendants(lists.packed.scene().root()).skip(1).collect();
    lists.start(Event::OneComes);
    measure(front, &against_itself("edit"), alternating, &mut lists)?;
    lists.start(Event::Nothing);
    measure(front, &against_itself("none"), alternating, &mut lists)?;
    let (mut list, mut groups) = (DrawList::new(), DrawGroups::new());
    front.alone("group", nodes, nodes, || {
        list.clear();
        lists.packed.scene().draw_list(&mut list);
        list.group(&mut groups);
    });
    Ok(())
}

/// Frames of one case.
fn measure<F: Front>(front: &mut F, case: &Case<'_>, pace: Pace, trial: &mut impl Trial<1>) -> Outcome {
    let (nodes, ways) = (case.nodes, [Packed::NAME, case.baseline]);
    let rounds = Rounds { nodes, per: nodes, parts: [case.name], ways: &ways, pace, lasts: None };
    if let Some(figures) = front.rounds(&rounds, trial)? {
        front.report(case, figures[0][0], figures[1][0])?;
    }
    Ok(())
}

/// What happens in a frame.
#[derive(Clone, Copy)]
enum Event {
    /// One transform node in a hundred nodes moves.
    SomeMove,
    /// A shape is inserted.
    OneComes,
    Nothing,
}

/// A tree, and two lists of its draws.
struct Lists {
    nodes: usize,
    /// How many matrices the shapes have.
    shown: usize,
    packed: Packed,
    moves: Moves,
    handles: Vec<NodeHandle>,
    event: Event,
    frame: usize,
    kept: DrawList,
    anew: DrawList,
}

impl Lists {
    fn new(nodes: usize) -> Self {
        let recipe = Recipe::random(nodes, nodes as u64);
        Self {
            nodes,
            shown: recipe.shown_matrices(),
            packed: Packed::build(&recipe),
            moves: Moves::new(&recipe, 1),
            handles: Vec::new(),
            event: Event::Nothing,
            frame: 0,
            kept: DrawList::new(),
            anew: DrawList::new(),
        }
    }

    /// Begins the frames of a case, with both lists filled.
    fn start(&mut self, event: Event) {
        self.event = event;
        self.frame = 0;
        self.packed.update();
        self.play(0);
        self.play(1);
    }
}

impl Trial<1> for Lists {
    fn begin(&mut self) {
        match self.event {
            Event::SomeMove => self.packed.set_locals(self.moves.next_frame(self.nodes / 100)),
            Event::OneComes => {
                let parent = self.handles[self.frame * 7919 % self.handles.len()];
                let shape = Node::shape(Shape::new(1, Aabb::cube(0.5)));
                self.packed.scene_mut().insert(parent, shape).expect("a live parent takes a finite node");
            }
            Event::Nothing => {}
        }
        self.packed.update();
        self.frame += 1;
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let (scene, kept, anew) = (self.packed.scene(), &mut self.kept, &mut self.anew);
        [match way {
            0 => nanoseconds(|| scene.draw_list(kept)),
            _ => nanoseconds(|| {
                anew.clear();
                scene.visit_slices(&mut RenderPass::new(anew));
            }),
        }]
    }

    fn check(&mut self) -> Outcome {
        if self.kept.commands() == self.anew.commands() && self.kept.matrices() == self.anew.matrices() {
            return Ok(());
        }
        Err("draws: the list that was kept differs from one that is new".into())
    }
}

/// The list that is kept, and the bytes that it touches.
struct Touched<'l> {
    lists: &'l mut Lists,
    /// The matrices of all shapes, and those that they share.
    streams: Streams,
    /// How many steps of these have as many matrices as changed.
    steps: usize,
}

impl<'l> Touched<'l> {
    fn new(lists: &'l mut Lists) -> Self {
        let matrix = size_of::<Mat34>();
        let mut streams = Streams::sharing(lists.kept.len(), BLOCK, 0, matrix, (lists.shown, matrix));
        // What was never written has no memory yet.
        streams.touch();
        Self { lists, streams, steps: 0 }
    }
}

impl Trial<1> for Touched<'_> {
    fn begin(&mut self) {
        self.lists.begin();
    }

    fn prepare(&mut self, way: usize) {
        if way > 0 {
            // The other list is still that of the frame before.
            self.lists.play(0);
            let both = self.lists.kept.matrices().iter().zip(self.lists.anew.matrices());
            self.steps = both.filter(|(now, before)| now != before).count().div_ceil(BLOCK);
            self.lists.play(1);
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        match way {
            0 => self.lists.play(way),
            _ => [nanoseconds(|| self.streams.touch_steps(self.steps))],
        }
    }

    fn check(&mut self) -> Outcome {
        self.lists.check()
    }
}
