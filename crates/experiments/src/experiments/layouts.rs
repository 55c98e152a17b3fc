//! The thesis's first question (sections 4.1, 5.1 and 7.4.1): the orders in which nodes of a tree that does not change
//! can lie, told apart from what columns gain.
//!
//! The node objects are the thesis's own, of 180, 108 and 172 bytes with pointers to their children, and each case
//! compares `hedgerow`'s columns with one way to place them: ratios of two cases say what packing gains, and each ratio
//! what columns gain beyond it.
//!
//! - `depth-first/`, `breadth-first/`, `van-emde-boas/`: end to end in one block, in that order, visited depth first.
//! - `made/`: a block each, as the allocator cuts them on a fresh heap, in the order in which the nodes are made: each
//!   below an earlier one chosen at random. The thesis's naive layout.
//! - `heap/`: a block each, made depth first on a fresh heap: the best that can befall a naive graph.
//! - `level-order/`: lying breadth first and visited breadth first, too, with what each node inherits kept beside it in
//!   the list of its level.
//!
//! and behind these names `transform`, `render` and `frame`, the two together; then `+flush` where the caches were
//! emptied before each iteration. Trees of 512 to 1,048,576 nodes, in nanoseconds a node, medians over the iterations.
//! Draws and world matrices of both sides are compared.

use crate::baselines::{Layout, Nodes, Order, Traversal};
use crate::clock::nanoseconds;
use crate::front::{Front, Scale, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::{self, Churn, Flush, Kind, Recipe};
use crate::{Case, Outcome, Unit};
use std::time::Duration;

const SIZES: Sizes<&[usize]> = Sizes { full: &workloads::SIZES, short: &[4096, 262_144], tiny: &[300] };
const PACE: Pace = Pace { alternates: true, ..Pace::timed(7, 101, Duration::from_millis(500)) };
/// So many nodes at least are visited in an iteration without a flush.
const NODES_SEEN: usize = 1 << 16;

const fn layout(order: Order, blocks: bool) -> Layout {
    Layout { order, blocks }
}

const LAYOUTS: [(&str, Layout, Traversal); 6] = [
    ("depth-first", layout(Order::DepthFirst, false), Traversal::DepthFirst),
    ("breadth-first", layout(Order::BreadthFirst, false), Traversal::DepthFirst),
    ("van-emde-boas", layout(Order::VanEmdeBoas, false), Traversal::DepthFirst),
    ("made", layout(Order::Made, true), Traversal::DepthFirst),
    ("heap", layout(Order::DepthFirst, true), Traversal::DepthFirst),
    ("level-order", layout(Order::BreadthFirst, false), Traversal::BreadthFirst),
];

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    SIZES.at(front.scale()).iter().try_for_each(|&nodes| measure(front, nodes))
}

fn measure<F: Front>(front: &mut F, nodes: usize) -> Outcome {
    let recipe = Recipe::random(nodes, nodes as u64);
    let mut packed = Packed::build(&recipe);
    packed.pack();
    let kinds = Churn::new(&recipe, 0).kinds().to_vec();
    let mut flush = Flush::new(front.scale() != Scale::Tiny);
    for (layout_name, layout, traversal) in LAYOUTS {
        let mut nodes_of = Nodes::new(&recipe, layout, traversal);
        for (pass, what) in [("transform", What::Transform), ("render", What::Render), ("frame", What::Frame)] {
            for flushes in [false, true] {
                let name = &format!("{layout_name}/{pass}{}", if flushes { "+flush" } else { "" });
                let baseline = &format!("node objects, {layout_name}");
                let repeats = if flushes { 1 } else { (NODES_SEEN / nodes).max(1) };
                let mut trial = Passes {
                    packed: &mut packed,
                    nodes: &mut nodes_of,
                    kinds: &kinds,
                    what,
                    flush: flushes.then_some(&mut flush),
                    repeats,
                };
                trial.both();
                let rounds = Rounds {
                    nodes,
                    per: nodes * repeats,
                    parts: [name],
                    ways: &[Packed::NAME, baseline],
                    pace: PACE,
                    lasts: None,
                };
                if let Some(figures) = front.rounds(&rounds, &mut trial)? {
                    let case = Case::new(name, nodes, Unit::Time, baseline);
                    front.report(&case, figures[0][0], figures[1][0])?;
                }
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    Transform,
    Render,
    Frame,
}

/// A pass on both sides.
struct Passes<'p> {
    packed: &'p mut Packed,
    nodes: &'p mut Nodes,
    kinds: &'p [Kind],
    what: What,
    flush: Option<&'p mut Flush>,
    repeats: usize,
}

impl Passes<'_> {
    /// Both passes on both sides, so that either alone can be compared.
    fn both(&mut self) {
        self.packed.transform();
        self.packed.render();
        self.nodes.transform();
        self.nodes.render();
    }
}

impl Trial<1> for Passes<'_> {
    fn prepare(&mut self, _: usize) {
        if let Some(flush) = &mut self.flush {
            flush.flush();
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let Self { packed, nodes, what, repeats, .. } = self;
        let (transforms, renders) = (*what != What::Render, *what != What::Transform);
        [nanoseconds(|| {
            for _ in 0..*repeats {
                match (way, transforms, renders) {
                    (0, true, false) => packed.transform(),
                    (0, false, _) => packed.render(),
                    (0, ..) => {
                        packed.transform();
                        packed.render();
                    }
                    (_, true, false) => nodes.transform(),
                    (_, false, _) => nodes.render(),
                    _ => {
                        nodes.transform();
                        nodes.render();
                    }
                }
            }
        })]
    }

    fn check_last(&mut self) -> Outcome {
        let (ours, theirs) = (self.packed.draws(), self.nodes.draws());
        if ours != theirs || ours.count == 0 {
            return Err(format!("layouts: the draws of the two sides differ: {ours:x?} and {theirs:x?}").into());
        }
        let (ours, theirs) = (self.packed.worlds(self.kinds), self.nodes.worlds());
        if ours == theirs {
            Ok(())
        } else {
            Err(format!("layouts: the world matrices of the two sides differ: {ours:x?} and {theirs:x?}").into())
        }
    }
}
