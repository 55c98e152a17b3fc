//! The memory of a random tree of 262,144 nodes that all have transforms, built by single inserts.
//!
//! - `before`, `after`: all bytes that the scene has allocated, a node, before and after one unlimited `maintain`, against
//!   the naive graph's blocks, the allocator's overhead included (an 8-byte header, blocks in multiples of 16 bytes).
//! - `before/live`, `after/live`: the same bytes against those of the scene's live records in the same state. Here a ratio
//!   of 1 is the most that there can be, and 0.8 stands for allocated ÷ live = 1.25.
//!
//! Handles and pointers that the application keeps count on neither side. No update runs before the maintenance. There is no
//! Criterion bench of this: bytes are counted, and are the same at every run.

use crate::report::{Case, Report, Unit};
use hedgerow_naive::{Boxed, Packed, Recipe, Side, Topology};
use std::error::Error;
use std::time::Duration;

const NODES: usize = 262_144;

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe::transforms(Topology::Random, NODES, 1);
    let boxed = Boxed::build(&recipe).bytes();
    let mut packed = Packed::build(&recipe);
    state(report, &packed, boxed, ["before", "before/live"])?;
    packed.scene_mut().maintain(Duration::MAX);
    state(report, &packed, boxed, ["after", "after/live"])
}

/// Both cases of the state that the scene is in.
fn state(report: &mut Report, packed: &Packed, boxed: usize, names: [&str; 2]) -> Result<(), Box<dyn Error>> {
    let stats = packed.scene().stats();
    let baselines = [(Boxed::NAME, boxed), ("live records", stats.live_bytes())];
    for (name, (baseline, bytes)) in names.into_iter().zip(baselines) {
        report.case(&Case {
            name,
            nodes: NODES,
            unit: Unit::Bytes,
            ours: stats.allocated_bytes() as f64 / NODES as f64,
            baseline,
            baseline_figure: bytes as f64 / NODES as f64,
        })?;
    }
    Ok(())
}
