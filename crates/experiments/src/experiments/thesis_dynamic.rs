//! The thesis's dynamic evaluation (section 5.1.1, algorithm 3): a tenth of the nodes removed and as many inserted
//! before each of 30 frames.
//!
//! Cases, each a median over the frames, in nanoseconds a node of the tree:
//!
//! - `update`: the edits alone, in the random order of their choice. Choosing and shuffling the leaves is not timed.
//! - `transform`, `render`: the passes after them.
//! - `frame`: the sum of the three in the same frame.
//! - `batched-update`, `batched-frame`: the same edits as one batch of removals and one of inserts, and the frame with
//!   them.
//!
//! The scene is built by single inserts with the default policy, and nothing is ever reconstituted but by the scene's
//! own growth: `maintain` does not run in a frame. Small trees are rebuilt from other seeds until enough frames are
//! seen. The draws are compared after every frame, the world matrices of all nodes after the last.
//!
//! Two more cases count bytes a node after the 30 frames:
//!
//! - `bytes`: all that the scene has allocated, against the naive graph's blocks, the allocator's overhead included
//!   (an 8-byte header, blocks in multiples of 16 bytes). Handles, pointers and draw arrays count on neither side.
//! - `allocated/live`: after one unlimited `maintain`, all that the scene has allocated, against the size of its live
//!   records. Here a ratio of 1 is the most that there can be, and 0.83 stands for allocated ÷ live = 1.2.

use crate::agreement::{same_draws, same_worlds};
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Batched, Boxed, Packed, Side};
use crate::workloads::{self, Churn, Edits, FRAMES, Recipe};
use crate::{Case, Failure, Outcome, Unit};
use std::time::Duration;

const SIZES: Sizes<&[usize]> = Sizes { full: &workloads::SIZES, short: &[4096, 32_768], tiny: &[300] };
/// So many nodes at least are seen in all trees of a size together.
const NODES_SEEN: usize = 1 << 18;

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    SIZES.at(front.scale()).iter().try_for_each(|&nodes| measure(front, nodes))
}

fn measure<F: Front>(front: &mut F, nodes: usize) -> Outcome {
    let parts = ["update", "transform", "render", "frame"];
    let names = [Some("update"), Some("transform"), Some("render"), Some("frame")];
    let Frames { ours: mut packed, boxed, .. } = play_and_report::<F, Packed>(front, nodes, parts, names)?;
    let parts = ["batched-update", "batched-transform", "batched-render", "batched-frame"];
    let names = [Some("batched-update"), None, None, Some("batched-frame")];
    play_and_report::<F, Batched>(front, nodes, parts, names)?;

    let mut bytes = |name, ours: usize, baseline, theirs: usize| {
        let case = Case::new(name, nodes, Unit::Bytes, baseline);
        front.report(&case, ours as f64 / nodes as f64, theirs as f64 / nodes as f64)
    };
    bytes("bytes", packed.bytes(), Boxed::NAME, boxed.bytes())?;
    packed.scene_mut().maintain(Duration::MAX);
    let stats = packed.scene().stats();
    bytes("allocated/live", stats.allocated_bytes(), "live records, after maintain", stats.live_bytes())
}

/// Plays enough frames on one of our sides and on the naive one, and reports those parts of a frame that have a name.
fn play_and_report<F: Front, S: Side>(
    front: &mut F,
    nodes: usize,
    parts: [&str; 4],
    names: [Option<&str>; 4],
) -> Result<Frames<S>, Failure> {
    let mut frames = Frames::<S>::new(nodes, 0);
    let trials = (NODES_SEEN / nodes).clamp(1, 64);
    let rounds = Rounds {
        nodes,
        per: nodes,
        parts,
        ways: &[S::NAME, Boxed::NAME],
        pace: Pace { trials, alternates: true, ..Pace::fixed(FRAMES) },
        lasts: Some(FRAMES),
    };
    if let Some(figures) = front.rounds(&rounds, &mut frames)? {
        for (part, name) in names.into_iter().enumerate() {
            let Some(name) = name else { continue };
            let case = Case::new(name, nodes, Unit::Time, Boxed::NAME);
            front.report(&case, figures[0][part], figures[1][part])?;
        }
    }
    Ok(frames)
}

/// A tree on both sides, and the edits of its frames.
struct Frames<S> {
    nodes: usize,
    ours: S,
    boxed: Boxed,
    churn: Churn,
}

impl<S: Side> Frames<S> {
    /// The tree of one trial, with all matrices computed.
    fn new(nodes: usize, number: usize) -> Self {
        let seed = (nodes + number) as u64;
        let recipe = Recipe::random(nodes, seed);
        let churn = Churn::new(&recipe, !seed);
        let (mut ours, mut boxed) = (S::build(&recipe), Boxed::build(&recipe));
        frame(&mut ours, &Edits::default());
        frame(&mut boxed, &Edits::default());
        Self { nodes, ours, boxed, churn }
    }

    fn what(&self) -> String {
        format!("thesis-dynamic, {} nodes", self.nodes)
    }
}

impl<S: Side> Trial<4> for Frames<S> {
    fn renew(&mut self, number: usize) -> Outcome {
        *self = Self::new(self.nodes, number);
        Ok(())
    }

    fn begin(&mut self) {
        self.churn.next_frame();
    }

    fn play(&mut self, way: usize) -> [f64; 4] {
        match way {
            0 => frame(&mut self.ours, self.churn.edits()),
            _ => frame(&mut self.boxed, self.churn.edits()),
        }
    }

    fn check(&mut self) -> Outcome {
        same_draws(&self.ours, &self.boxed, &self.what())
    }

    fn check_last(&mut self) -> Outcome {
        same_worlds(&self.ours, &self.boxed, self.churn.kinds(), &self.what())
    }
}

/// One frame of one side: the times of its edits, of both passes, and of all three together.
fn frame(side: &mut impl Side, edits: &Edits) -> [f64; 4] {
    let update = nanoseconds(|| side.edit(edits));
    let transform = nanoseconds(|| side.transform());
    let render = nanoseconds(|| side.render());
    [update, transform, render, update + transform + render]
}
