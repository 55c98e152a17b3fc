//! What a draw list that is kept from frame to frame saves.
//!
//! The thesis's random tree of 262,144 nodes (40 % transforms, 40 % drawables, 20 % materials), built by single
//! inserts. Each frame something happens, `Scene::update` runs, and then two lists are filled, by turns which one
//! first: `Scene::draw_list` fills one that it has filled before, and a `RenderPass` one that was cleared and keeps its
//! memory. Timed are the lists alone, in nanoseconds a node of the tree, as medians over the frames; both lists are
//! compared after each.
//!
//! - `1%`: 2621 transform nodes chosen at random are given new local transforms.
//! - `edit`: one drawable is inserted at a random place.
//! - `none`: nothing happens.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::{Content, Moves, Recipe, RecipeNode};
use crate::{Case, Outcome, Unit};
use hedgerow::{DrawList, draw::RenderPass};

const SIZES: Sizes<usize> = Sizes { full: 262_144, short: 262_144, tiny: 300 };

/// Runs the experiment.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let nodes = SIZES.at(front.scale());
    let recipe = Recipe::random(nodes, nodes as u64);
    let (kept, anew) = (DrawList::new(), DrawList::new());
    let (packed, moves) = (Packed::build(&recipe), Moves::new(&recipe, 1));
    let mut lists = Lists { nodes, packed, moves, event: Event::Nothing, frame: 0, kept, anew };
    for (name, event) in [("1%", Event::SomeMove), ("edit", Event::OneComes), ("none", Event::Nothing)] {
        lists.event = event;
        lists.packed.update();
        lists.play(0);
        lists.play(1);
        let case = Case::new(name, nodes, Unit::Time, "listing anew").against_itself();
        front.play([case], Pace::timed(15, 301, 1500), &mut lists)?;
    }
    Ok(())
}

/// What happens in a frame.
#[derive(Clone, Copy)]
enum Event {
    /// One transform node in a hundred nodes moves.
    SomeMove,
    /// A drawable is inserted.
    OneComes,
    Nothing,
}

/// A tree, and two lists of its draws.
struct Lists {
    nodes: usize,
    packed: Packed,
    moves: Moves,
    event: Event,
    frame: u32,
    kept: DrawList,
    anew: DrawList,
}

impl Trial<1> for Lists {
    fn begin(&mut self) {
        let nodes = u32::try_from(self.nodes).expect("ids have 32 bits");
        match self.event {
            Event::SomeMove => self.packed.set_locals(self.moves.next_frame(self.nodes / 100)),
            Event::OneComes => {
                let parent = self.frame.wrapping_mul(7919) % nodes;
                self.packed.insert(&[(nodes + self.frame, RecipeNode { parent, content: Content::Shape(1) })]);
                self.frame += 1;
            }
            Event::Nothing => {}
        }
        self.packed.update();
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
