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
//! - `threads-transform`, `threads-render`, `threads-frame`, `threads-batched-frame` (feature `rayon`, `--threads 2`):
//!   the same with the passes on two threads, against boxed nodes on one. In a pool of two threads these are all that
//!   is measured.
//!
//! All of these are against the naive graph. With `thesis/` before their names they are against the thesis's own
//! structure, node objects in slices that are rebuilt when they are full. With `+flush` behind their names, they empty
//! the caches before each frame's edits and before each of its passes.
//!
//! The scene is built by single inserts with the default policy, and nothing is ever reconstituted but by the scene's
//! own growth: `maintain` does not run in a frame. Small trees are rebuilt from other seeds until enough frames are
//! seen, but with `+flush`, whose figures are of one tree. The draws are compared after every frame, the world matrices
//! of all nodes after the last. The bytes that each takes over the frames and after them are in the experiment
//! [`memory`](super::memory).

use crate::agreement::{same_draws, same_worlds};
use crate::clock::nanoseconds;
use crate::front::{Front, Scale, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Batched, Boxed, Packed, Side, Sliced, Threaded};
use crate::workloads::{self, Churn, Edits, FRAMES, Flush, Recipe};
use crate::{Case, Outcome, Unit};

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

/// What the parts of a frame are called, and which of them are reported.
type Names = [(&'static str, bool); 4];

const PLAIN: Names = [("update", true), ("transform", true), ("render", true), ("frame", true)];
const BATCHED: Names =
    [("batched-update", true), ("batched-transform", false), ("batched-render", false), ("batched-frame", true)];
const THREADED: Names =
    [("threads-update", false), ("threads-transform", true), ("threads-render", true), ("threads-frame", true)];
const BATCHED_THREADED: Names = [
    ("threads-batched-update", false),
    ("threads-batched-transform", false),
    ("threads-batched-render", false),
    ("threads-batched-frame", true),
];

fn measure<F: Front>(front: &mut F, nodes: usize) -> Outcome {
    let is_shared = is_in_pool_of_two();
    if hedgerow::THREADED && (is_shared || front.scale() == Scale::Tiny) {
        for flushes in [false, true] {
            play_and_report::<F, Threaded, Boxed>(front, nodes, THREADED, flushes)?;
            play_and_report::<F, Threaded<Batched>, Boxed>(front, nodes, BATCHED_THREADED, flushes)?;
            play_and_report::<F, Threaded, Sliced>(front, nodes, THREADED, flushes)?;
            play_and_report::<F, Threaded<Batched>, Sliced>(front, nodes, BATCHED_THREADED, flushes)?;
        }
    }
    if is_shared {
        return Ok(());
    }
    for flushes in [false, true] {
        play_and_report::<F, Packed, Boxed>(front, nodes, PLAIN, flushes)?;
        play_and_report::<F, Batched, Boxed>(front, nodes, BATCHED, flushes)?;
        play_and_report::<F, Packed, Sliced>(front, nodes, PLAIN, flushes)?;
        play_and_report::<F, Batched, Sliced>(front, nodes, BATCHED, flushes)?;
    }
    Ok(())
}

/// Whether the caller is one of the two threads of a pool.
fn is_in_pool_of_two() -> bool {
    rayon::current_thread_index().is_some() && rayon::current_num_threads() == 2
}

/// Plays enough frames on one of our sides and on another one, and reports those parts of a frame that are to be.
fn play_and_report<F: Front, S: Side, T: Side>(front: &mut F, nodes: usize, names: Names, flushes: bool) -> Outcome {
    let mut frames = Frames::<S, T>::new(nodes, 0);
    frames.flush = flushes.then(|| Flush::new(front.scale() != Scale::Tiny));
    // With a flush a frame of a small tree takes as long as one of a large tree.
    let trials = if flushes { 1 } else { (NODES_SEEN / nodes).clamp(1, 64) };
    let before = if T::NAME == Sliced::NAME { "thesis/" } else { "" };
    let behind = if flushes { "+flush" } else { "" };
    let full = names.map(|(name, _)| format!("{before}{name}{behind}"));
    let rounds = Rounds {
        nodes,
        per: nodes,
        parts: full.each_ref().map(|name| &**name),
        ways: &[S::NAME, T::NAME],
        pace: Pace { trials, alternates: true, ..Pace::fixed(FRAMES) },
        lasts: Some(FRAMES),
    };
    if let Some(figures) = front.rounds(&rounds, &mut frames)? {
        for (part, (name, (_, is_reported))) in full.iter().zip(names).enumerate() {
            if is_reported {
                let case = Case::new(name, nodes, Unit::Time, T::NAME);
                let case = if S::THREADS > 1 { case.on_threads(S::THREADS, 1) } else { case };
                front.report(&case, figures[0][part], figures[1][part])?;
            }
        }
    }
    Ok(())
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
    /// The tree of one trial, with all matrices computed.
    fn new(nodes: usize, number: usize) -> Self {
        let seed = (nodes + number) as u64;
        let recipe = Recipe::random(nodes, seed);
        let churn = Churn::new(&recipe, !seed);
        let (mut ours, mut theirs) = (S::build(&recipe), T::build(&recipe));
        frame(&mut ours, &Edits::default(), &mut None);
        frame(&mut theirs, &Edits::default(), &mut None);
        Self { nodes, ours, theirs, churn, flush: None }
    }

    fn what(&self) -> String {
        format!("thesis-dynamic, {} nodes", self.nodes)
    }
}

impl<S: Side, T: Side> Trial<4> for Frames<S, T> {
    fn renew(&mut self, number: usize) -> Outcome {
        let flush = self.flush.take();
        *self = Self { flush, ..Self::new(self.nodes, number) };
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
        same_draws(&self.ours, &self.theirs, &self.what())
    }

    fn check_last(&mut self) -> Outcome {
        same_worlds(&self.ours, &self.theirs, self.churn.kinds(), &self.what())
    }
}

/// One frame of one side: the times of its edits, of both passes, and of all three together.
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
