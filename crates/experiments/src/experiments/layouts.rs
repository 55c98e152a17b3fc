//! The thesis's first question (sections 4.1, 5.1 and 7.4.1): how node order in memory affects a static tree.
//!
//! The node objects are those of the naive graph: 176, 96 and 144 bytes with child pointers (180, 108 and 172 in the
//! thesis). Each case compares `hedgerow`'s columns with one order of node objects. The ratio of two cases shows what
//! packing gains; each case shows what columns gain beyond packing.
//!
//! - `depth-first/`, `breadth-first/`, `van-emde-boas/`: nodes in that order in one block, visited depth first.
//! - `made/`: a block per node, as the allocator cuts blocks on a fresh heap, in creation order, with each node below a
//!   random earlier one. This is the thesis's naive layout.
//! - `heap/`: a block per node, created depth first on a fresh heap, which is the best case of a naive graph.
//!
//! Each name is followed by `transform`, `render` or `frame` (both passes), and by `+flush` if the caches are emptied
//! before each iteration. Trees have 512 to 1,048,576 nodes; figures are medians over the iterations, in nanoseconds
//! per node. Draws and world matrices of both sides are compared.

use crate::agreement::same_sums;
use crate::baselines::{Nodes, Order};
use crate::clock::nanoseconds;
use crate::front::{Front, Scale, Sizes};
use crate::rounds::{Pace, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::{self, Flush, Kind, Recipe};
use crate::{Case, Outcome, Unit};

const SIZES: Sizes<&[usize]> = Sizes { full: &workloads::SIZES, short: &[4096, 262_144], tiny: &[300] };
/// The least number of nodes visited in an iteration without a flush.
const NODES_SEEN: usize = 1 << 16;

const LAYOUTS: [(&str, Order, bool); 5] = [
    ("depth-first", Order::DepthFirst, false),
    ("breadth-first", Order::BreadthFirst, false),
    ("van-emde-boas", Order::VanEmdeBoas, false),
    ("made", Order::Made, true),
    ("heap", Order::DepthFirst, true),
];

/// Runs the experiment.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    SIZES.at(front.scale()).iter().try_for_each(|&nodes| measure(front, nodes))
}

type Pass = (&'static str, fn(&mut Packed), fn(&mut Nodes));

const PASSES: [Pass; 3] = [
    ("transform", Side::transform, Nodes::transform),
    ("render", Side::render, Nodes::render),
    ("frame", Side::frame, |nodes| {
        nodes.transform();
        nodes.render();
    }),
];

fn measure<F: Front>(front: &mut F, nodes: usize) -> Outcome {
    let recipe = Recipe::random(nodes, nodes as u64);
    for (layout, order, blocks) in LAYOUTS {
        let (mut packed, nodes_of) = (Packed::build(&recipe), Nodes::new(&recipe, order, blocks));
        packed.pack();
        let flush = Flush::new(front.scale() != Scale::Tiny);
        let (kinds, pass) = (recipe.kinds(), PASSES[2]);
        let mut both = Both { packed, nodes: nodes_of, kinds, pass, flush, flushes: false, repeats: 1 };
        both.play(0);
        both.play(1);
        for pass in PASSES {
            both.pass = pass;
            for behind in ["", "+flush"] {
                both.flushes = !behind.is_empty();
                both.repeats = if both.flushes { 1 } else { (NODES_SEEN / nodes).max(1) };
                let (name, baseline) = (&format!("{layout}/{}{behind}", pass.0), &format!("node objects, {layout}"));
                let case = Case::new(name, nodes, Unit::Time, baseline).per(nodes * both.repeats);
                front.play([case], Pace::timed(7, 101, 500), &mut both)?;
            }
        }
    }
    Ok(())
}

/// The passes of both sides.
struct Both {
    packed: Packed,
    nodes: Nodes,
    kinds: Vec<Kind>,
    pass: Pass,
    flush: Flush,
    flushes: bool,
    repeats: usize,
}

impl Trial<1> for Both {
    fn prepare(&mut self, _: usize) {
        if self.flushes {
            self.flush.flush();
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let Self { packed, nodes, pass: (_, ours, theirs), repeats, .. } = self;
        [nanoseconds(|| match way {
            0 => (0..*repeats).for_each(|_| ours(packed)),
            _ => (0..*repeats).for_each(|_| theirs(nodes)),
        })]
    }

    fn check_last(&mut self) -> Outcome {
        same_sums(self.packed.draws(), self.nodes.draws(), "layouts: the draws")?;
        same_sums(self.packed.worlds(&self.kinds), self.nodes.worlds(), "layouts: the world matrices")
    }
}
