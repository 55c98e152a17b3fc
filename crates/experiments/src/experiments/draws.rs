//! The gain from keeping a draw list between frames.
//!
//! The tree is the thesis's random tree of 262,144 nodes (40 % transforms, 40 % drawables, 20 % materials), built by
//! single inserts. In each frame an edit is made, `Scene::update` runs, and two lists are filled in alternating order.
//! `Scene::draw_list` fills the list that it filled in the last frame; a `RenderPass` fills a cleared list. Only
//! filling is timed, in nanoseconds per node of the tree, as medians over frames; lists are compared after each frame.
//!
//! - `1%`: 2621 transform nodes chosen at random are given new local transforms.
//! - `edit`: one drawable is inserted at a random position.
//! - `none`: no edit.

use crate::agreement::agree;
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
    let mut lists = Lists { nodes, packed, moves, moved: 0, inserts: false, frame: 0, kept, anew };
    for (name, moved, inserts) in [("1%", nodes / 100, false), ("edit", 0, true), ("none", 0, false)] {
        (lists.moved, lists.inserts) = (moved, inserts);
        lists.packed.update();
        lists.play(0);
        lists.play(1);
        let case = Case::new(name, nodes, Unit::Time, "listing anew").against_itself();
        front.play([case], Pace::timed(15, 301, 1500), &mut lists)?;
    }
    Ok(())
}

/// A tree and two lists of its draws.
struct Lists {
    nodes: usize,
    packed: Packed,
    moves: Moves,
    /// The number of transform nodes that move in a frame, and whether a drawable is inserted.
    moved: usize,
    inserts: bool,
    frame: u32,
    kept: DrawList,
    anew: DrawList,
}

impl Trial<1> for Lists {
    fn begin(&mut self) {
        let nodes = u32::try_from(self.nodes).expect("ids have 32 bits");
        self.packed.set_locals(self.moves.next_frame(self.moved));
        if self.inserts {
            let parent = self.frame.wrapping_mul(7919) % nodes;
            self.packed.insert_one(nodes + self.frame, &RecipeNode { parent, content: Content::Shape(1) });
            self.frame += 1;
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
        let same = self.kept.commands() == self.anew.commands() && self.kept.matrices() == self.anew.matrices();
        agree(same, "draws: the list that was kept differs from one that is new")
    }
}
