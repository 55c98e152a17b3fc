//! One thread against two (feature `rayon`).
//!
//! Cases, in nanoseconds a node of the thesis's random tree:
//!
//! - `transform`: every world matrix computed anew.
//! - `moved`: the update after one node in a hundred was given a new local transform, which is not timed.
//!
//! The baseline is the same call in a pool of one thread. The scene was maintained once without a limit of time.

use crate::report::{Case, Report, Unit};
use crate::timing::{median, nanoseconds};
use hedgerow_naive::{Moves, Packed, Recipe, Side, Topology};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::error::Error;
use std::time::Duration;

const SIZES: [usize; 4] = [4096, 32_768, 262_144, 1_048_576];
/// So many calls of one side come after one another.
const TURN: usize = 16;
const TURNS: usize = 6;

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let pools = [2, 1].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
    let [two, one] = pools;
    let (two, one) = (two?, one?);
    SIZES.into_iter().try_for_each(|nodes| measure(report, nodes, &two, &one))
}

fn measure(report: &mut Report, nodes: usize, two: &ThreadPool, one: &ThreadPool) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe::transforms(Topology::Random, nodes, nodes as u64);
    let mut packed = Packed::build(&recipe);
    packed.scene_mut().maintain(Duration::MAX);
    packed.update();
    let mut moves = Moves::new(&recipe, 1);
    let mut case = |name, times: &mut [Vec<f64>; 2]| {
        let [ours, theirs] = times.each_mut().map(|times| median(times) / nodes as f64);
        let baseline = "one thread";
        report.case(&Case { name, nodes, unit: Unit::Time, ours, baseline, baseline_figure: theirs })
    };
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..TURNS {
        for (pool, times) in [two, one].into_iter().zip(&mut times) {
            for _ in 0..TURN {
                times.push(pool.install(|| nanoseconds(|| packed.scene_mut().update_all())));
            }
        }
    }
    case("transform", &mut times)?;
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..TURNS {
        for (pool, times) in [two, one].into_iter().zip(&mut times) {
            for _ in 0..TURN {
                packed.set_locals(moves.next_frame(nodes / 100));
                times.push(pool.install(|| nanoseconds(|| packed.update())));
            }
        }
    }
    case("moved", &mut times)?;
    Ok(())
}
