//! Bytes a node, counted by the allocator on all sides (see [`heap`](crate::heap)): what is requested, with the
//! allocator's own bytes for each block. Handles and pointers that the application keeps count on no side.
//!
//! A random tree of 262,144 nodes that all have transforms, built by single inserts:
//!
//! - `before`, `after`: our scene before and after one unlimited `maintain`, against the naive graph.
//! - `before/live`, `after/live`: the same against the bytes of the scene's live records, as it says itself. Here a
//!   ratio of 1 is the most that there can be, and 0.8 stands for allocated ÷ live = 1.25.
//! - `before/own`, `after/own`: what the scene itself says that it has allocated, against what the allocator counted.
//! - `building`: the most that was in use at a time while the tree was built.
//!
//! Then the thesis's figure 6.7, over the 30 frames of its dynamic evaluation, at each of its sizes:
//!
//! - `frames-mean`, `frames-worst`: bytes after a frame's edits and its transform pass, the mean and the most, against
//!   the naive graph; `frames-peak`: the most at any time, within these, too.
//! - `frames`, `thesis/frames`: the same frame by frame, as curves.
//! - `frames-after`: after these frames and one unlimited `maintain`, against the naive graph; `frames-after/live`:
//!   against the bytes of live records, as above.
//! - `thesis/frames-mean`, `thesis/frames-worst`, `thesis/frames-peak`: the thesis's slices, against the naive graph.
//!   Its own figures are a factor of 2.2 in the mean and of 3.3 at the worst: ratios of 0.45 and 0.30.
//!
//! There is no Criterion bench of this: bytes are the same at every run.

use crate::agreement::{same_draws, same_worlds};
use crate::front::{Front, Sizes};
use crate::heap::Meter;
use crate::sides::{Boxed, Packed, Side, Sliced};
use crate::workloads::{self, Churn, FRAMES, Recipe, Topology};
use crate::{Case, Outcome, Unit};
use hedgerow::NodeHandle;
use std::time::Duration;

const SIZES: Sizes<usize> = Sizes { full: 262_144, short: 262_144, tiny: 300 };
const DYNAMIC: Sizes<&[usize]> = Sizes { full: &workloads::SIZES, short: &[4096], tiny: &[300] };

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, the allocator does not count, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    built(front)?;
    DYNAMIC.at(front.scale()).iter().try_for_each(|&nodes| dynamic(front, nodes))
}

/// A side, and what it has allocated.
struct Metered<S> {
    side: S,
    meter: Meter,
    /// What the array of handles takes.
    handles: usize,
}

impl<S: Side> Metered<S> {
    fn build(recipe: &Recipe) -> Self {
        let mut meter = Meter::default();
        let side = meter.during(|| S::build(recipe));
        // A handle or a pointer has as many bytes on every side.
        Self { side, meter, handles: recipe.nodes().len() * size_of::<NodeHandle>() }
    }

    fn in_use(&self) -> usize {
        self.meter.in_use().saturating_sub(self.handles)
    }

    fn peak(&self) -> usize {
        self.meter.peak().saturating_sub(self.handles)
    }
}

fn built<F: Front>(front: &mut F) -> Outcome {
    let recipe = Recipe::transforms(Topology::Random, SIZES.at(front.scale()), 1);
    let boxed = Metered::<Boxed>::build(&recipe);
    let mut packed = Metered::<Packed>::build(&recipe);
    bytes(front, ("building", Boxed::NAME), recipe.nodes().len(), packed.peak(), boxed.peak())?;
    state(front, &packed, boxed.in_use(), ["before", "before/live", "before/own"])?;
    let Metered { side, meter, .. } = &mut packed;
    meter.during(|| side.scene_mut().maintain(Duration::MAX));
    state(front, &packed, boxed.in_use(), ["after", "after/live", "after/own"])
}

/// The cases of the state that the scene is in.
fn state<F: Front>(front: &mut F, packed: &Metered<Packed>, boxed: usize, names: [&str; 3]) -> Outcome {
    let (stats, nodes, counted) = (packed.side.scene().stats(), packed.side.scene().len(), packed.in_use());
    bytes(front, (names[0], Boxed::NAME), nodes, counted, boxed)?;
    bytes(front, (names[1], "live records"), nodes, counted, stats.live_bytes())?;
    bytes(front, (names[2], "what the allocator counts"), nodes, stats.allocated_bytes(), counted)
}

fn bytes<F: Front>(front: &mut F, (name, baseline): (&str, &str), nodes: usize, ours: usize, theirs: usize) -> Outcome {
    let case = Case::new(name, nodes, Unit::Bytes, baseline);
    front.report(&case, ours as f64 / nodes as f64, theirs as f64 / nodes as f64)
}

/// What one side has after each frame, and the most at any time.
fn frames<S: Side>(recipe: &Recipe) -> (Metered<S>, Churn, Vec<usize>, usize) {
    let mut metered = Metered::<S>::build(recipe);
    let mut churn = Churn::new(recipe, !(recipe.nodes().len() as u64));
    let mut bytes = Vec::new();
    for _ in 0..FRAMES {
        let edits = churn.next_frame();
        let Metered { side, meter, .. } = &mut metered;
        meter.during(|| side.edit(edits));
        // The passes are no part of the graph: their draw arrays are not counted.
        side.transform();
        bytes.push(metered.in_use());
    }
    let peak = metered.peak();
    (metered, churn, bytes, peak)
}

/// The mean over the frames, the most after one, and the most at any time.
fn summary(bytes: &[usize], peak: usize) -> [usize; 3] {
    [bytes.iter().sum::<usize>() / bytes.len(), bytes.iter().copied().max().unwrap_or(0), peak]
}

fn dynamic<F: Front>(front: &mut F, nodes: usize) -> Outcome {
    let recipe = Recipe::random(nodes, nodes as u64);
    let (mut boxed, churn, boxed_frames, peak) = frames::<Boxed>(&recipe);
    let theirs = summary(&boxed_frames, peak);
    let (mut packed, _, packed_frames, peak) = frames::<Packed>(&recipe);
    let ours = summary(&packed_frames, peak);
    let (mut sliced, _, sliced_frames, peak) = frames::<Sliced>(&recipe);
    let slices = summary(&sliced_frames, peak);
    boxed.side.render();
    packed.side.render();
    sliced.side.render();
    let what = "memory, after all frames";
    same_draws(&packed.side, &boxed.side, what)?;
    same_draws(&sliced.side, &boxed.side, what)?;
    same_worlds(&packed.side, &boxed.side, churn.kinds(), what)?;
    same_worlds(&sliced.side, &boxed.side, churn.kinds(), what)?;
    for (at, name) in ["frames-mean", "frames-worst", "frames-peak"].into_iter().enumerate() {
        bytes(front, (name, Boxed::NAME), nodes, ours[at], theirs[at])?;
        let name = &format!("thesis/{name}");
        let case = Case::new(name, nodes, Unit::Bytes, Boxed::NAME).of_baselines();
        front.report(&case, slices[at] as f64 / nodes as f64, theirs[at] as f64 / nodes as f64)?;
    }
    let by_node = |bytes: &[usize]| bytes.iter().map(|&bytes| bytes as f64 / nodes as f64).collect::<Vec<_>>();
    let [boxed_frames, packed_frames, sliced_frames] =
        [boxed_frames, packed_frames, sliced_frames].map(|bytes| by_node(&bytes));
    let case = |name| Case::new(name, nodes, Unit::Bytes, Boxed::NAME);
    front.curve(&case("frames"), &packed_frames, &boxed_frames)?;
    front.curve(&case("thesis/frames").of_baselines(), &sliced_frames, &boxed_frames)?;

    let Metered { side, meter, .. } = &mut packed;
    meter.during(|| side.scene_mut().maintain(Duration::MAX));
    bytes(front, ("frames-after", Boxed::NAME), nodes, packed.in_use(), boxed.in_use())?;
    let live = packed.side.scene().stats().live_bytes();
    bytes(front, ("frames-after/live", "live records"), nodes, packed.in_use(), live)
}
