//! Building a tree of 262,144 nodes: the thesis's, each the last child of an earlier one chosen at random.
//!
//! - `random`: by single inserts in the order in which they were chosen, against boxed nodes. Nothing is reserved on
//!   either side but the array of handles or pointers.
//! - `builder`: from a list of the same nodes in the same order, pushing them to the list included, against single
//!   inserts.
//!
//! Dropping the tree is not timed.

use crate::agreement::same_draws;
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Boxed, Packed, Side};
use crate::workloads::Recipe;
use crate::{Case, Outcome, Unit};

const SIZES: Sizes<&[usize]> = Sizes { full: &[262_144], short: &[32_768, 262_144], tiny: &[300] };
const ROUNDS: usize = 11;
const WAYS: [&str; 3] = ["single inserts", Boxed::NAME, "builder"];

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    SIZES.at(front.scale()).iter().try_for_each(|&nodes| measure(front, nodes))
}

fn measure<F: Front>(front: &mut F, nodes: usize) -> Outcome {
    let recipe = Recipe::random(nodes, 1);
    check(&recipe)?;
    let rounds = Rounds { nodes, per: nodes, parts: ["random"], ways: &WAYS, pace: Pace::fixed(ROUNDS), lasts: None };
    if let Some(figures) = front.rounds(&rounds, &mut Building(recipe))? {
        let [single, naive, builder] = [0, 1, 2].map(|way| figures[way][0]);
        let case = |name, baseline| Case::new(name, nodes, Unit::Time, baseline);
        front.report(&case("random", WAYS[1]), single, naive)?;
        front.report(&case("builder", WAYS[0]).against_itself(), builder, single)?;
    }
    Ok(())
}

/// Builds a tree by way of single inserts, of boxed nodes, and of a list.
struct Building(Recipe);

impl Trial<1> for Building {
    fn play(&mut self, way: usize) -> [f64; 1] {
        let recipe = &self.0;
        [match way {
            0 => time(|| Packed::build(recipe)),
            1 => time(|| Boxed::build(recipe)),
            _ => time(|| Packed::build_from_list(recipe)),
        }]
    }
}

/// The nanoseconds that one build takes.
fn time<S: Side>(build: impl FnOnce() -> S) -> f64 {
    let mut built = None;
    nanoseconds(|| built = Some(build()))
}

/// Fails unless all ways build the same tree.
fn check(recipe: &Recipe) -> Outcome {
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
