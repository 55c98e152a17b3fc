//! The thesis's static evaluation (section 5.1, algorithm 2): trees that do not change.
//!
//! Cases `transform`, `render` and `frame` (both), each on random trees of 512 to 1,048,576 nodes, 40 % of them
//! transforms, 40 % shapes and 20 % materials.
//!
//! Both sides build the tree by the same single inserts. The scene is then reconstituted once, untimed, as a scene
//! that does not change would be; the naive graph lies as the allocator placed it. Small trees are traversed many times
//! a round, and so are measured in the cache (the thesis's variety without *flush*).
//!
//! The naive transform pass also writes each shape's matrix, as the thesis's does (listing 2); the scene keeps none, and
//! its draw list reads the world matrix instead.
//!
//! The case `idle` shows what `update()` costs where nothing changed. The naive graph knows nothing of the kind, and
//! so the case counts for nothing; its line says so.

use crate::report::{Case, Report, Unit};
use crate::timing::{same_draws, same_worlds, take_turns};
use hedgerow_naive::{Boxed, Churn, Packed, Recipe, SIZES, Side};
use std::error::Error;

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    SIZES.into_iter().try_for_each(|nodes| measure(report, nodes))
}

fn measure(report: &mut Report, nodes: usize) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe::random(nodes, nodes as u64);
    let mut packed = Packed::build(&recipe);
    let mut boxed = Boxed::build(&recipe);
    packed.pack();
    check(&recipe, &mut packed, &mut boxed)?;

    let repeats = (1 << 18) / nodes.min(1 << 18);
    let mut case = |name, (ours, baseline_figure): (f64, f64), baseline| {
        let nodes_f = nodes as f64;
        let (ours, baseline_figure) = (ours / nodes_f, baseline_figure / nodes_f);
        report.case(&Case { name, nodes, unit: Unit::Time, ours, baseline, baseline_figure })
    };
    let sides = (&mut packed, &mut boxed);
    case("transform", take_turns(sides, repeats, Side::transform, Side::transform), Boxed::NAME)?;
    let sides = (&mut packed, &mut boxed);
    case("render", take_turns(sides, repeats, Side::render, Side::render), Boxed::NAME)?;
    let sides = (&mut packed, &mut boxed);
    case("frame", take_turns(sides, repeats, frame, frame), Boxed::NAME)?;
    let sides = (&mut packed, &mut boxed);
    let idle = take_turns(sides, repeats, |packed| packed.scene_mut().update(), Side::transform);
    case("idle", idle, "naive, recomputing all: counts for nothing")?;

    check(&recipe, &mut packed, &mut boxed)
}

/// Both passes.
fn frame(side: &mut impl Side) {
    side.transform();
    side.render();
}

/// Runs both passes on both sides, and fails unless all that they computed is the same.
fn check(recipe: &Recipe, packed: &mut Packed, boxed: &mut Boxed) -> Result<(), Box<dyn Error>> {
    frame(packed);
    frame(boxed);
    let what = format!("thesis-static, {} nodes", recipe.nodes().len());
    same_draws(packed, boxed, &what)?;
    same_worlds(packed, boxed, Churn::new(recipe, 0).kinds(), &what)?;
    Ok(())
}
