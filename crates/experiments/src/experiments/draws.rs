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

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::{Moves, Recipe};
use crate::{Case, Outcome, Unit};
use hedgerow::{
    Aabb, DrawList, Node, NodeHandle, Shape,
    draw::{DrawGroups, RenderPass},
};
use std::time::Duration;

const SIZES: Sizes<usize> = Sizes { full: 262_144, short: 262_144, tiny: 300 };
/// A case ends after this time, or after this many frames, but has the least number of them.
const BUDGET: Duration = Duration::from_millis(1500);
const MAX_FRAMES: usize = 301;
const MIN_FRAMES: usize = 15;
const BASELINE: &str = "listing anew";

/// Runs the experiment.
///
/// # Errors
/// Where the lists differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let nodes = SIZES.at(front.scale());
    let mut lists = Lists::new(nodes);
    measure(front, "1%", &mut lists, Event::SomeMove)?;
    lists.handles = lists.packed.scene().descendants(lists.packed.scene().root()).skip(1).collect();
    measure(front, "edit", &mut lists, Event::OneComes)?;
    measure(front, "none", &mut lists, Event::Nothing)?;
    let (mut list, mut groups) = (DrawList::new(), DrawGroups::new());
    front.alone("group", nodes, nodes, || {
        list.clear();
        lists.packed.scene().draw_list(&mut list);
        list.group(&mut groups);
    });
    Ok(())
}

/// Frames of one case.
fn measure<F: Front>(front: &mut F, name: &str, lists: &mut Lists, event: Event) -> Outcome {
    lists.event = event;
    lists.frame = 0;
    lists.packed.update();
    lists.play(0);
    lists.play(1);
    let rounds = Rounds {
        nodes: lists.nodes,
        per: lists.nodes,
        parts: [name],
        ways: &[Packed::NAME, BASELINE],
        pace: Pace { alternates: true, ..Pace::timed(MIN_FRAMES, MAX_FRAMES, BUDGET) },
        lasts: None,
    };
    if let Some(figures) = front.rounds(&rounds, lists)? {
        let case = Case::new(name, lists.nodes, Unit::Time, BASELINE).against_itself();
        front.report(&case, figures[0][0], figures[1][0])?;
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
            packed: Packed::build(&recipe),
            moves: Moves::new(&recipe, 1),
            handles: Vec::new(),
            event: Event::Nothing,
            frame: 0,
            kept: DrawList::new(),
            anew: DrawList::new(),
        }
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
