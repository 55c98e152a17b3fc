//! How long a single edit keeps its caller waiting, and the update behind it: the default policy against the thesis's.
//!
//! One seeded [`Script`] is played on a scene of either policy: *n* nodes are inserted one by one below one child of
//! the root, each below an earlier one chosen at random, and then churned by *n* / 5 inserts, removals of small
//! subtrees and moves of subtrees of any size. `maintain` never runs. Every edit is timed, and by turns the updates:
//!
//! - `median`, `p99`, `p99.99`, `worst`: the time of a single edit.
//! - `update-median` to `update-worst`: the update that follows one edit. There are about 12,000 of them, spread
//!   evenly: every *n* / 10,000 edits all is brought up to date, then comes an edit, then the update that is timed.
//! - `frame-median` to `frame-worst`: the updates that bring all up to date there, each after that many edits, so that
//!   nothing is merely put off: every update is in one of the two rows.
//! - `edits`, `updates` and `frames`: the same times as curves ([`NINES`]).
//! - `worst-growth`: our worst edit at a million nodes; beside it, in place of a baseline, our worst at 100,000. At a
//!   ratio of 0.67 and above the worst edit grows by at most half where the scene grows tenfold.
//! - `chain/`, `caterpillar/`, `flat/` before all of these names, and before `worst-growth`: the same
//!   where the tree grows in that shape, and is churned by inserts and removals without moves.
//!
//! The script is played seven times, those of shapes three times, by both policies by turns, on a new scene each time,
//! and the time of an edit is its minimum over the runs, since the machine's interruptions are nobody's. The
//! clock is read before and after each edit and update; some 25 ns of each figure are the clock's own.

use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::Stage;
use crate::workloads::{Growth, Script};
use crate::{Case, Outcome, Unit};
use hedgerow::SceneConfig;
use std::time::Instant;

/// How many nodes are built.
const SIZES: Sizes<&[usize]> = Sizes { full: &[100_000, 1_000_000], short: &[100_000], tiny: &[300] };
/// About as many updates are timed as this, and a fifth more.
const UPDATES: usize = 10_000;
const POLICIES: [SceneConfig; 2] = [SceneConfig::DEFAULT, SceneConfig::THESIS];
const BASELINE: &str = "the thesis's policy";

/// The points of a curve: so many for each nine of the share that takes no longer. The place *k* / `NINES` stands for
/// the share 1 - 10^(-*k* / `NINES`): 0 for the least, 1 for 90 %, 2 for 99 %. The last one is the worst.
pub const NINES: u32 = 10;

const QUANTILES: [(&str, f64); 4] = [("median", 0.5), ("p99", 0.99), ("p99.99", 0.9999), ("worst", 1.0)];

/// Runs the experiment.
///
/// # Errors
/// Where both policies do not leave as many nodes, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    shape(front, Growth::Random, "", &QUANTILES, 7)?;
    Growth::EXTREMES
        .into_iter()
        .try_for_each(|growth| shape(front, growth, &format!("{}/", growth.name()), &QUANTILES, 3))
}

/// A tree that grows in one shape: the script is played so often by the default policy, and as often by the thesis's.
fn shape<F: Front>(front: &mut F, growth: Growth, prefix: &str, quantiles: &[(&str, f64)], runs: usize) -> Outcome {
    let parts = ["edits", "updates", "frames"].map(|part| format!("{prefix}{part}"));
    let mut measured = Vec::new();
    for &nodes in SIZES.at(front.scale()) {
        let mut playing = Playing::new(Script::shaped(growth, nodes, nodes / 5, nodes as u64), nodes);
        let rounds = Rounds {
            nodes,
            per: 1,
            parts: parts.each_ref().map(|part| &**part),
            ways: &["hedgerow", BASELINE],
            pace: Pace::fixed(runs),
            lasts: None,
        };
        if front.rounds(&rounds, &mut playing)?.is_some() {
            measured.push((nodes, playing.least.map(Times::ascending)));
        }
    }
    for (nodes, [ours, theirs]) in &measured {
        let kinds = [
            ("", Unit::Edit, &ours.edits, &theirs.edits),
            ("update-", Unit::Call, &ours.updates, &theirs.updates),
            ("frame-", Unit::Call, &ours.frames, &theirs.frames),
        ];
        for (kind, unit, ours, theirs) in kinds {
            for &(quantile, share) in quantiles {
                let name = &format!("{prefix}{kind}{quantile}");
                let case = Case::new(name, *nodes, unit, BASELINE).against_itself();
                front.report(&case, at(ours, share), at(theirs, share))?;
            }
        }
        for (name, unit, ours, theirs) in [
            (&parts[0], Unit::Edit, &ours.edits, &theirs.edits),
            (&parts[1], Unit::Call, &ours.updates, &theirs.updates),
            (&parts[2], Unit::Call, &ours.frames, &theirs.frames),
        ] {
            let case = Case::new(name, *nodes, unit, BASELINE).against_itself();
            front.curve(&case, &curve(ours), &curve(theirs))?;
        }
    }
    if let [(_, [small, _]), (nodes, [large, _])] = &measured[..] {
        let name = &format!("{prefix}worst-growth");
        let case = Case::new(name, *nodes, Unit::Edit, "worst of the smaller scene").against_itself();
        front.report(&case, at(&large.edits, 1.0), at(&small.edits, 1.0))?;
    }
    Ok(())
}

/// A script, and the least times of its edits and updates so far, by policy.
struct Playing {
    script: Script,
    /// So many edits come between two updates.
    frame: usize,
    least: [Times; 2],
    /// How many nodes each policy had in the end.
    nodes: [usize; 2],
}

impl Playing {
    fn new(script: Script, nodes: usize) -> Self {
        let frame = (nodes / UPDATES).max(1);
        let least = [(); 2].map(|()| Times::new(script.edits().len(), frame));
        Self { script, frame, least, nodes: [0; 2] }
    }
}

/// The parts are the edits, the updates and the frames of a run, each together, with the clock.
impl Trial<3> for Playing {
    fn play(&mut self, way: usize) -> [f64; 3] {
        let mut stage = Stage::new(POLICIES[way], &self.script);
        let totals = self.least[way].play(&mut stage, &self.script, self.frame);
        self.nodes[way] = stage.scene().len();
        totals
    }

    fn check(&mut self) -> Outcome {
        let [ours, theirs] = self.nodes;
        if ours == theirs { Ok(()) } else { Err(format!("{ours} nodes, and {theirs} by {BASELINE}").into()) }
    }
}

/// Nanoseconds: in the order of the script while it is played, in ascending order afterwards.
struct Times {
    edits: Vec<u32>,
    updates: Vec<u32>,
    frames: Vec<u32>,
}

impl Times {
    fn new(edits: usize, frame: usize) -> Self {
        let slots = edits.div_ceil(frame);
        Self { edits: vec![u32::MAX; edits], updates: vec![u32::MAX; slots], frames: vec![u32::MAX; slots] }
    }

    /// All times in ascending order.
    fn ascending(mut self) -> Self {
        for times in [&mut self.edits, &mut self.updates, &mut self.frames] {
            times.sort_unstable();
        }
        self
    }

    /// Plays the script once, keeps the least time of each edit and update, and returns the sums of this run.
    fn play(&mut self, stage: &mut Stage<'_>, script: &Script, frame: usize) -> [f64; 3] {
        let [mut edits, mut updates, mut frames] = [0; 3];
        for (number, &edit) in script.edits().iter().enumerate() {
            let sampled = (number % frame == 0).then_some(number / frame);
            if let Some(sample) = sampled {
                frames += lower(&mut self.frames[sample], || stage.scene_mut().update());
            }
            edits += lower(&mut self.edits[number], || stage.play(edit));
            if let Some(sample) = sampled {
                updates += lower(&mut self.updates[sample], || stage.scene_mut().update());
            }
        }
        [edits, updates, frames].map(|sum| sum as f64)
    }
}

/// Lowers a figure to the nanoseconds that the work takes, if these are fewer. Returns what it took.
#[inline]
fn lower(least: &mut u32, work: impl FnOnce()) -> u64 {
    let start = Instant::now();
    work();
    let time = start.elapsed().as_nanos();
    let time = u32::try_from(time).unwrap_or(u32::MAX);
    *least = time.min(*least);
    u64::from(time)
}

/// The figures at the shares of [`NINES`], up to the last one.
fn curve(ascending: &[u32]) -> Vec<f64> {
    let count = ascending.len() as f64;
    let shares = (0..).map(|place| f64::from(place) / f64::from(NINES)).map(|nines| 10.0_f64.powf(-nines));
    let mut rest: Vec<f64> = shares.take_while(|rest| rest * count >= 1.0).collect();
    rest.push(0.0);
    rest.into_iter().map(|rest| at(ascending, 1.0 - rest)).collect()
}

/// The figure that this share of the others does not exceed.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the list")]
fn at(ascending: &[u32], share: f64) -> f64 {
    let rank = (ascending.len() as f64 * share).ceil() as usize;
    f64::from(ascending[rank.max(1) - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_from_the_least_by_nines_to_the_worst() {
        let times: Vec<u32> = (1..=1000).collect();
        let curve = curve(&times);
        assert_eq!((curve[0], curve[10], curve[20]), (1.0, 900.0, 990.0));
        assert_eq!(curve.last(), Some(&1000.0));
        assert!(curve.is_sorted());
        assert_eq!(super::curve(&[7]), [7.0, 7.0]);
    }
}
