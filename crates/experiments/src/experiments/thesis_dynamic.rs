//! The thesis's dynamic evaluation (section 5.1.1, algorithm 3): each of 30 frames replaces a tenth of the nodes.
//!
//! Figures are medians over the frames, in nanoseconds per node of the tree:
//!
//! - `update`: the edits alone, in random order. Choosing and shuffling the leaves is not timed.
//! - `transform`, `render`: the passes after the edits.
//! - `frame`: the sum of the three in the same frame.
//! - `batched-update` to `batched-frame`: the same with the removals as one batch.
//!
//! The baseline is the naive graph; with the prefix `thesis/`, it is the thesis's own: node objects in slices that are
//! rebuilt when full. With the suffix `+flush`, the caches are emptied before the edits and before each pass.
//!
//! The scene is built by single inserts with the default policy; `maintain` does not run. Small trees are rebuilt from
//! other seeds until enough frames are measured, except with `+flush`. The draws are compared after every frame, and
//! the world matrices of all nodes after the last frame. Bytes are in the experiment [`memory`](super::memory).

use crate::agreement::{same_draws, same_worlds};
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::sides::{Batched, Boxed, Packed, Side, Sliced};
use crate::workloads::{self, Churn, Edits, FRAMES, Flush, Recipe};
use crate::{Case, Outcome, Unit};

const SIZES: Sizes<&[usize]> = Sizes { full: &workloads::SIZES, tiny: &[300] };
/// The least total number of nodes in all trees of a size.
const NODES_SEEN: usize = 1 << 18;
const PARTS: [&str; 4] = ["update", "transform", "render", "frame"];

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    for &nodes in SIZES.at(front) {
        for behind in ["", "+flush"] {
            measure::<Packed, Boxed>(front, nodes, "", behind)?;
            measure::<Batched, Boxed>(front, nodes, "batched-", behind)?;
            measure::<Packed, Sliced>(front, nodes, "thesis/", behind)?;
        }
    }
    Ok(())
}

fn measure<S: Side, T: Side>(front: &mut Front, nodes: usize, before: &str, behind: &str) -> Outcome {
    let flush = (!behind.is_empty()).then(|| Flush::new(!front.is_tiny()));
    // With a flush, a frame of a small tree takes as long as one of a large tree.
    let trials = if flush.is_some() { 1 } else { (NODES_SEEN / nodes).clamp(1, 64) };
    let names = PARTS.map(|part| format!("{before}{part}{behind}"));
    let cases = names.each_ref().map(|name| Case::new(name, nodes, Unit::Time, T::NAME));
    let pace = Pace { trials, alternates: true, ..Pace::fixed(FRAMES) };
    front.play(cases, pace, &mut Frames::<S, T>::new(nodes, 0, flush))
}

/// A tree on both sides, and the edits of its frames.
struct Frames<S, T> {
    nodes: usize,
    ours: S,
    theirs: T,
    churn: Churn,
    flush: Option<Flush>,
}

impl<S: Side, T: Side> Frames<S, T> {
    /// Builds the tree of one trial and computes all matrices.
    fn new(nodes: usize, number: usize, flush: Option<Flush>) -> Self {
        let seed = (nodes + number) as u64;
        let recipe = Recipe::random(nodes, seed);
        let (mut ours, mut theirs) = (S::build(&recipe), T::build(&recipe));
        ours.frame();
        theirs.frame();
        Self { nodes, ours, theirs, churn: Churn::new(&recipe, !seed), flush }
    }
}

impl<S: Side, T: Side> Trial<4> for Frames<S, T> {
    fn renew(&mut self, number: usize) -> Outcome {
        *self = Self::new(self.nodes, number, self.flush.take());
        Ok(())
    }

    fn begin(&mut self) {
        self.churn.next_frame();
    }

    fn play(&mut self, way: usize) -> [f64; 4] {
        match way {
            0 => frame(&mut self.ours, self.churn.edits(), &mut self.flush),
            _ => frame(&mut self.theirs, self.churn.edits(), &mut self.flush),
        }
    }

    fn check(&mut self) -> Outcome {
        same_draws(&self.ours, &self.theirs, "thesis-dynamic")
    }

    fn check_last(&mut self) -> Outcome {
        same_worlds(&self.ours, &self.theirs, self.churn.kinds(), "thesis-dynamic")
    }
}

/// Runs one frame of one side. Returns the times of the edits, of each pass, and of all three.
fn frame(side: &mut impl Side, edits: &Edits, flush: &mut Option<Flush>) -> [f64; 4] {
    let mut flushed = || flush.as_mut().map_or((), Flush::flush);
    flushed();
    let update = nanoseconds(|| side.edit(edits));
    flushed();
    let transform = nanoseconds(|| side.transform());
    flushed();
    let render = nanoseconds(|| side.render());
    [update, transform, render, update + transform + render]
}
