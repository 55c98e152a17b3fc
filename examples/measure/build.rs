//! Building a tree of 262,144 nodes: the thesis's, each the last child of an earlier one chosen at random.
//!
//! - `random`: by single inserts in the order in which they were chosen, against boxed nodes. Nothing is reserved on either
//!   side but the array of handles or pointers.
//! - `builder`: from a list of the same nodes in the same order, pushing them to the list included, against single inserts.
//!
//! Dropping the tree is not timed.

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
    let (mut ours, mut theirs, mut listed) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(time(|| Packed::build(&recipe)));
        theirs.push(time(|| Boxed::build(&recipe)));
        listed.push(time(|| Packed::build_from_list(&recipe)));
    }
    let [ours, theirs, listed] = [ours, theirs, listed].map(|mut times| median(&mut times) / NODES as f64);
    let mut case = |name, ours, baseline, baseline_figure| {
        report.case(&Case { name, nodes: NODES, unit: Unit::Time, ours, baseline, baseline_figure })
    };
    case("random", ours, Boxed::NAME, theirs)?;
    case("builder", listed, "single inserts", ours)?;
    Ok(())
}

/// The nanoseconds that one build takes.
fn time<S: Side>(build: impl FnOnce() -> S) -> f64 {
    let mut built = None;
    nanoseconds(|| built = Some(build()))
}

/// Fails unless all ways build the same tree.
fn check(recipe: &Recipe) -> Result<(), String> {
    let mut boxed = Boxed::build(recipe);
    boxed.transform();
    boxed.render();
    for mut packed in [Packed::build(recipe), Packed::build_from_list(recipe)] {
        packed.transform();
        packed.render();
        same_draws(&packed, &boxed, "build")?;
    }
    Ok(())
}
