//! The memory of a random tree of 262,144 nodes that all have transforms, built by single inserts.
//!
//! - `before`, `after`: all bytes that the scene has allocated, a node, before and after one unlimited `maintain`,
//!   against the naive graph's blocks, the allocator's overhead included (an 8-byte header, blocks in multiples of 16
//!   bytes).
//! - `before/live`, `after/live`: the same bytes against those of the scene's live records in the same state. Here a
//!   ratio of 1 is the most that there can be, and 0.8 stands for allocated ÷ live = 1.25.
//!
//! Handles and pointers that the application keeps count on neither side. No update runs before the maintenance. There
//! is no Criterion bench of this: bytes are counted, and are the same at every run.

use crate::front::{Front, Sizes};
use crate::sides::{Boxed, Packed, Side};
use crate::workloads::{Recipe, Topology};
use crate::{Case, Outcome, Unit};
use std::time::Duration;

const SIZES: Sizes<usize> = Sizes { full: 262_144, short: 262_144, tiny: 300 };

/// Runs the experiment.
///
/// # Errors
/// Where the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let recipe = Recipe::transforms(Topology::Random, SIZES.at(front.scale()), 1);
    let boxed = Boxed::build(&recipe).bytes();
    let mut packed = Packed::build(&recipe);
    state(front, &packed, boxed, ["before", "before/live"])?;
    packed.scene_mut().maintain(Duration::MAX);
    state(front, &packed, boxed, ["after", "after/live"])
}

/// Both cases of the state that the scene is in.
fn state<F: Front>(front: &mut F, packed: &Packed, boxed: usize, names: [&str; 2]) -> Outcome {
    let (stats, nodes) = (packed.scene().stats(), packed.scene().len());
    let baselines = [(Boxed::NAME, boxed), ("live records", stats.live_bytes())];
    for (name, (baseline, bytes)) in names.into_iter().zip(baselines) {
        let case = Case::new(name, nodes, Unit::Bytes, baseline);
        front.report(&case, stats.allocated_bytes() as f64 / nodes as f64, bytes as f64 / nodes as f64)?;
    }
    Ok(())
}
