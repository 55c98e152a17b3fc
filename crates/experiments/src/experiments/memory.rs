//! Bytes per node, counted by the allocator on all sides (see [`heap`](crate::heap)): the requested bytes and the
//! allocator's own bytes for each block. The application's arrays of handles and pointers are not counted.
//!
//! The first cases use a random tree of 262,144 nodes that all have transforms, built by single inserts:
//!
//! - `before`, `after`: our scene before and after one unlimited `maintain`; the baseline is the naive graph.
//! - `before/live`, `after/live`: the same scenes, compared with the bytes of live records that the scene reports. A
//!   ratio of 1 is the best possible, and 0.8 means allocated ÷ live = 1.25.
//! - `building`: the peak while the tree was built.
//!
//! The other cases repeat the thesis's figure 6.7, the 30 frames of the dynamic evaluation at each of its sizes:
//!
//! - `frames-mean`, `frames-worst`: the mean and the maximum of the bytes after each frame's edits and transform pass;
//!   `frames-peak`: the peak at any time, also during edits. The baseline is the naive graph.
//! - `frames-after`: the bytes after these frames and one unlimited `maintain`, compared with the naive graph;
//!   `frames-after/live`: compared with the bytes of live records.
//! - `thesis/frames-mean`, `thesis/frames-worst`, `thesis/frames-peak`: the thesis's slices, compared with the naive
//!   graph. The thesis reports factors of 2.2 (mean) and 3.3 (worst): ratios of 0.45 and 0.30.

use crate::agreement::{same_draws, same_worlds};
use crate::front::{Front, Sizes};
use crate::heap::Meter;
use crate::sides::{Boxed, Packed, Side, Sliced};
use crate::workloads::{self, Churn, FRAMES, Recipe, Topology};
use crate::{Case, Outcome, Unit};
use hedgerow::NodeHandle;

const SIZES: Sizes<usize> = Sizes { full: 262_144, tiny: 300 };
const DYNAMIC: Sizes<&[usize]> = Sizes { full: &workloads::SIZES, tiny: &[300] };

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    built(front)?;
    DYNAMIC.at(front).iter().try_for_each(|&nodes| dynamic(front, nodes))
}

/// A side and its allocations.
struct Metered<S> {
    side: S,
    meter: Meter,
    /// The bytes of the array of handles.
    handles: usize,
}

impl<S: Side> Metered<S> {
    fn build(recipe: &Recipe) -> Self {
        let mut meter = Meter::default();
        let side = meter.during(|| S::build(recipe));
        // A handle and a pointer have the same size, and their array doubles as it grows.
        let handles = recipe.nodes().len().next_power_of_two().max(4) * size_of::<NodeHandle>();
        Self { side, meter, handles }
    }

    fn in_use(&self) -> usize {
        self.meter.in_use().saturating_sub(self.handles)
    }

    fn peak(&self) -> usize {
        self.meter.peak().saturating_sub(self.handles)
    }
}

impl Metered<Packed> {
    fn maintain(&mut self) {
        let Self { side, meter, .. } = self;
        meter.during(|| side.pack());
    }
}

fn built(front: &mut Front) -> Outcome {
    let recipe = Recipe::transforms(Topology::Random, SIZES.at(front), 1);
    let (boxed, mut packed) = (Metered::<Boxed>::build(&recipe), Metered::<Packed>::build(&recipe));
    let nodes = recipe.nodes().len();
    bytes(front, ("building", Boxed::NAME), nodes, packed.peak(), boxed.peak())?;
    for (name, live) in [("before", "before/live"), ("after", "after/live")] {
        let (stats, counted) = (packed.side.scene().stats(), packed.in_use());
        bytes(front, (name, Boxed::NAME), nodes, counted, boxed.in_use())?;
        bytes(front, (live, "live records"), nodes, counted, stats.live_bytes())?;
        packed.maintain();
    }
    Ok(())
}

fn bytes(front: &mut Front, (name, baseline): (&str, &str), nodes: usize, ours: usize, theirs: usize) -> Outcome {
    let case = Case::new(name, nodes, Unit::Bytes, baseline);
    front.report(&case, ours as f64 / nodes as f64, theirs as f64 / nodes as f64)
}

/// Returns a side after its frames, with the mean and the maximum of its bytes after a frame, and their peak.
fn frames<S: Side>(recipe: &Recipe) -> (Metered<S>, Churn, [usize; 3]) {
    let mut metered = Metered::<S>::build(recipe);
    let mut churn = Churn::new(recipe, !(recipe.nodes().len() as u64));
    let mut bytes = Vec::new();
    for _ in 0..FRAMES {
        let edits = churn.next_frame();
        let Metered { side, meter, .. } = &mut metered;
        meter.during(|| side.edit(edits));
        // Passes are not part of the graph, so their draw arrays are not counted.
        side.transform();
        bytes.push(metered.in_use());
    }
    metered.side.render();
    let (mean, most) = (bytes.iter().sum::<usize>() / FRAMES, bytes.iter().copied().max().unwrap_or(0));
    let peak = metered.peak();
    (metered, churn, [mean, most, peak])
}

fn dynamic(front: &mut Front, nodes: usize) -> Outcome {
    let recipe = Recipe::random(nodes, nodes as u64);
    let (boxed, churn, theirs) = frames::<Boxed>(&recipe);
    let (mut packed, _, ours) = frames::<Packed>(&recipe);
    let (sliced, _, slices) = frames::<Sliced>(&recipe);
    let what = "memory, after all frames";
    same_draws(&packed.side, &boxed.side, what)?;
    same_draws(&sliced.side, &boxed.side, what)?;
    same_worlds(&packed.side, &boxed.side, churn.kinds(), what)?;
    same_worlds(&sliced.side, &boxed.side, churn.kinds(), what)?;
    for (at, name) in ["frames-mean", "frames-worst", "frames-peak"].into_iter().enumerate() {
        bytes(front, (name, Boxed::NAME), nodes, ours[at], theirs[at])?;
        let name = &format!("thesis/{name}");
        let case = Case { kernels: [false; 2], ..Case::new(name, nodes, Unit::Bytes, Boxed::NAME) };
        front.report(&case, slices[at] as f64 / nodes as f64, theirs[at] as f64 / nodes as f64)?;
    }
    packed.maintain();
    bytes(front, ("frames-after", Boxed::NAME), nodes, packed.in_use(), boxed.in_use())?;
    let live = packed.side.scene().stats().live_bytes();
    bytes(front, ("frames-after/live", "live records"), nodes, packed.in_use(), live)
}
