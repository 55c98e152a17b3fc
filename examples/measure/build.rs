//! Building a tree by single inserts in random places, against boxed nodes.
//!
//! Case `random`: the thesis's tree of 262,144 nodes, each the last child of an earlier one chosen at random, in the order
//! in which they were chosen. Nothing is reserved on either side but the array of handles or pointers. Dropping the
//! tree is not timed.

use crate::report::{Case, Report, Unit};
use crate::timing::{median, nanoseconds, same_draws};
use hedgerow_naive::{Boxed, Packed, Recipe, Side};
use std::error::Error;

const NODES: usize = 262_144;
const ROUNDS: usize = 11;

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe::random(NODES, 1);
    check(&recipe)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(build::<Packed>(&recipe));
        theirs.push(build::<Boxed>(&recipe));
    }
    report.case(&Case {
        name: "random",
        nodes: NODES,
        unit: Unit::Time,
        ours: median(&mut ours) / NODES as f64,
        baseline: Boxed::NAME,
        baseline_figure: median(&mut theirs) / NODES as f64,
    })?;
    Ok(())
}

/// The nanoseconds that one build takes.
fn build<S: Side>(recipe: &Recipe) -> f64 {
    let mut built = None;
    nanoseconds(|| built = Some(S::build(recipe)))
}

/// Fails unless both sides build the same tree.
fn check(recipe: &Recipe) -> Result<(), String> {
    let mut packed = Packed::build(recipe);
    let mut boxed = Boxed::build(recipe);
    packed.transform();
    boxed.transform();
    packed.render();
    boxed.render();
    same_draws(&packed, &boxed, "build")
}
