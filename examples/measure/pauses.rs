//! How long a single edit keeps its caller waiting, and the update behind it: the default policy against the thesis's.
//!
//! One seeded [`Script`] is played on a scene of either policy: *n* nodes are inserted one by one below one child of the
//! root, each below an earlier one chosen at random, and then churned by *n* / 5 inserts, removals of small subtrees and
//! moves of subtrees of any size. `maintain` never runs. Every edit is timed, and by turns the updates:
//!
//! - `median`, `p99`, `p99.99`, `worst`: the time of a single edit.
//! - `update-median` to `update-worst`: the update that follows one edit. There are about 12,000 of them, spread evenly:
//!   every *n* / 10,000 edits all is brought up to date, then comes an edit, then the update that is timed.
//! - `frame-median` to `frame-worst`: the updates that bring all up to date there, each after that many edits, so that
//!   nothing is merely put off: every update is in one of the two rows.
//! - `worst-growth`: our worst edit at a million nodes; beside it, in place of a baseline, our worst at 100,000. At a ratio
//!   of 0.67 and above the worst edit grows by at most half where the scene grows tenfold.
//! - `chain/`, `caterpillar/`, `flat/` before the names of medians and worsts, and before `worst-growth`: the same where the
//!   tree grows in that shape, and is churned by inserts and removals without moves.
//!
//! The script is played seven times, those of shapes three times, and by the thesis's policy once, on a new scene each
//! time, and the time of an edit is its minimum over the runs, since the machine's interruptions are not ours. The clock is
//! read before and after each edit and update; some 25 ns of each figure are the clock's own.

use crate::report::{Case, Report, Unit};
use hedgerow::SceneConfig;
use hedgerow_naive::{Growth, Script, Stage};
use std::error::Error;
use std::time::Instant;

/// How many nodes are built.
const SIZES: [usize; 2] = [100_000, 1_000_000];
/// About as many updates are timed as this, and a fifth more.
const UPDATES: usize = 10_000;

const QUANTILES: [(&str, f64); 4] = [("median", 0.5), ("p99", 0.99), ("p99.99", 0.9999), ("worst", 1.0)];

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    shape(report, Growth::Random, "", &QUANTILES, (7, 7))?;
    let [median, .., worst] = QUANTILES;
    Growth::EXTREMES
        .into_iter()
        .try_for_each(|growth| shape(report, growth, &format!("{}/", growth.name()), &[median, worst], (3, 1)))
}

/// A tree that grows in one shape: the script is played so often by the default policy and by the thesis's.
fn shape(
    report: &mut Report,
    growth: Growth,
    prefix: &str,
    quantiles: &[(&str, f64)],
    (runs, baseline_runs): (usize, usize),
) -> Result<(), Box<dyn Error>> {
    let [small, large] = SIZES.map(|nodes| {
        let script = Script::shaped(growth, nodes, nodes / 5, nodes as u64);
        let ours = Times::least(SceneConfig::DEFAULT, &script, nodes / UPDATES, runs);
        let theirs = Times::least(SceneConfig::THESIS, &script, nodes / UPDATES, baseline_runs);
        (nodes, ours, theirs)
    });
    for (nodes, ours, theirs) in [&small, &large] {
        let kinds = [
            ("", Unit::Edit, &ours.edits, &theirs.edits),
            ("update-", Unit::Call, &ours.updates, &theirs.updates),
            ("frame-", Unit::Call, &ours.frames, &theirs.frames),
        ];
        for (kind, unit, ours, theirs) in kinds {
            for &(quantile, share) in quantiles {
                report.case(&Case {
                    name: &format!("{prefix}{kind}{quantile}"),
                    nodes: *nodes,
                    unit,
                    ours: at(ours, share),
                    baseline: "the thesis's policy",
                    baseline_figure: at(theirs, share),
                })?;
            }
        }
    }
    report.case(&Case {
        name: &format!("{prefix}worst-growth"),
        nodes: large.0,
        unit: Unit::Edit,
        ours: at(&large.1.edits, 1.0),
        baseline: "worst of the smaller scene",
        baseline_figure: at(&small.1.edits, 1.0),
    })?;
    Ok(())
}

/// Nanoseconds: in the order of the script while it is played, in ascending order afterwards.
struct Times {
    edits: Vec<u32>,
    updates: Vec<u32>,
    frames: Vec<u32>,
}

impl Times {
    /// The least time of each edit and update over that many runs, in ascending order.
    fn least(config: SceneConfig, script: &Script, frame: usize, runs: usize) -> Self {
        let slots = script.edits().len().div_ceil(frame);
        let mut least = Self {
            edits: vec![u32::MAX; script.edits().len()],
            updates: vec![u32::MAX; slots],
            frames: vec![u32::MAX; slots],
        };
        (0..runs).for_each(|_| least.play(config, script, frame));
        for times in [&mut least.edits, &mut least.updates, &mut least.frames] {
            times.sort_unstable();
        }
        least
    }

    /// Plays the script once.
    fn play(&mut self, config: SceneConfig, script: &Script, frame: usize) {
        let mut stage = Stage::new(config, script);
        for (number, &edit) in script.edits().iter().enumerate() {
            let sampled = (number % frame == 0).then_some(number / frame);
            if let Some(sample) = sampled {
                lower(&mut self.frames[sample], || stage.scene_mut().update());
            }
            lower(&mut self.edits[number], || stage.play(edit));
            if let Some(sample) = sampled {
                lower(&mut self.updates[sample], || stage.scene_mut().update());
            }
        }
    }
}

/// Lowers a figure to the nanoseconds that the work takes, if these are fewer.
#[inline]
fn lower(least: &mut u32, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    let time = start.elapsed().as_nanos();
    *least = u32::try_from(time).unwrap_or(u32::MAX).min(*least);
}

/// The figure that this share of the others does not exceed.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
fn at(ascending: &[u32], share: f64) -> f64 {
    let rank = (ascending.len() as f64 * share).ceil() as usize;
    f64::from(ascending[rank.max(1) - 1])
}
