//! The thesis's dynamic evaluation (section 5.1.1, algorithm 3): a tenth of the nodes removed and as many inserted
//! before each of 30 frames.
//!
//! Cases, each a median over the frames, in nanoseconds a node of the tree:
//!
//! - `update`: the edits alone, in the random order of their choice. Choosing and shuffling the leaves is not timed.
//! - `transform`, `render`: the passes after them.
//! - `frame`: the sum of the three in the same frame.
//! - `batched-update`, `batched-frame`: the same edits as one batch of removals and one of inserts, and the frame with them.
//!
//! The scene is built by single inserts with the default policy, and nothing is ever reconstituted but by the scene's own
//! growth: `maintain` does not run in a frame. Small trees are rebuilt from other seeds until enough frames are seen.
//! The draws are compared after every frame, the world matrices of all nodes after the last.
//!
//! Two more cases count bytes a node after the 30 frames:
//!
//! - `bytes`: all that the scene has allocated, against the naive graph's blocks, the allocator's overhead included
//!   (an 8-byte header, blocks in multiples of 16 bytes). Handles, pointers and draw arrays count on neither side.
//! - `allocated/live`: after one unlimited `maintain`, all that the scene has allocated, against the size of its live records.
//!   Here a ratio of 1 is the most that there can be, and 0.83 stands for allocated ÷ live = 1.2.

use crate::report::{Case, Report, Unit};
use crate::timing::{median, nanoseconds, same_draws, same_worlds};
use hedgerow_naive::{Batched, Boxed, Churn, Edits, FRAMES, Packed, Recipe, SIZES, Side};
use std::error::Error;
use std::time::Duration;

/// Times of `update`, `transform`, `render` and `frame`.
type Times = [f64; 4];

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    SIZES.into_iter().try_for_each(|nodes| measure(report, nodes))
}

fn measure(report: &mut Report, nodes: usize) -> Result<(), Box<dyn Error>> {
    let (mut packed, boxed) =
        play_and_tell::<Packed>(report, nodes, &[("update", 0), ("transform", 1), ("render", 2), ("frame", 3)])?;
    play_and_tell::<Batched>(report, nodes, &[("batched-update", 0), ("batched-frame", 3)])?;

    let per_node = |total: f64| total / nodes as f64;
    let mut bytes = |name, ours: usize, baseline, theirs: usize| {
        let (ours, baseline_figure) = (per_node(ours as f64), per_node(theirs as f64));
        report.case(&Case { name, nodes, unit: Unit::Bytes, ours, baseline, baseline_figure })
    };
    bytes("bytes", packed.bytes(), Boxed::NAME, boxed.bytes())?;
    packed.scene_mut().maintain(Duration::MAX);
    let stats = packed.scene().stats();
    bytes("allocated/live", stats.allocated_bytes(), "live records, after maintain", stats.live_bytes())?;
    Ok(())
}

/// Plays enough frames on one of our sides and on the naive one, and tells the medians of these parts of a frame.
fn play_and_tell<S: Side>(
    report: &mut Report,
    nodes: usize,
    cases: &[(&str, usize)],
) -> Result<(S, Boxed), Box<dyn Error>> {
    let runs = ((1 << 18) / nodes).clamp(1, 64);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut last = None;
    for run in 0..runs {
        let seed = (nodes + run) as u64;
        last = Some(play::<S>(nodes, seed, &mut ours, &mut theirs)?);
    }
    let of = |times: &[Times], part: usize| {
        median(&mut times.iter().map(|times| times[part]).collect::<Vec<_>>()) / nodes as f64
    };
    for &(name, part) in cases {
        let (ours, baseline_figure) = (of(&ours, part), of(&theirs, part));
        let baseline = Boxed::NAME;
        report.case(&Case { name, nodes, unit: Unit::Time, ours, baseline, baseline_figure })?;
    }
    Ok(last.expect("there is at least one run"))
}

/// Builds both sides from one recipe and plays the frames on both.
fn play<S: Side>(
    nodes: usize,
    seed: u64,
    ours: &mut Vec<Times>,
    theirs: &mut Vec<Times>,
) -> Result<(S, Boxed), Box<dyn Error>> {
    let recipe = Recipe::random(nodes, seed);
    let mut churn = Churn::new(&recipe, !seed);
    let mut packed = S::build(&recipe);
    let mut boxed = Boxed::build(&recipe);
    frame(&mut packed, &Edits::default());
    frame(&mut boxed, &Edits::default());
    let what = format!("thesis-dynamic, {nodes} nodes");
    for number in 0..FRAMES {
        let edits = churn.next_frame();
        if number % 2 == 0 {
            ours.push(frame(&mut packed, edits));
            theirs.push(frame(&mut boxed, edits));
        } else {
            theirs.push(frame(&mut boxed, edits));
            ours.push(frame(&mut packed, edits));
        }
        same_draws(&packed, &boxed, &what)?;
    }
    same_worlds(&packed, &boxed, churn.kinds(), &what)?;
    Ok((packed, boxed))
}

/// One frame of one side.
fn frame(side: &mut impl Side, edits: &Edits) -> Times {
    let update = nanoseconds(|| side.edit(edits));
    let transform = nanoseconds(|| side.transform());
    let render = nanoseconds(|| side.render());
    [update, transform, render, update + transform + render]
}
