//! The thesis's static evaluation (section 5.1, algorithm 2): trees that do not change.
//!
//! Cases `transform`, `render` and `frame` (both), each on random trees of 512 to 1,048,576 nodes, 40 % of them
//! transforms, 40 % shapes and 20 % materials.
//!
//! Both sides build the tree by the same single inserts. The scene is then reconstituted once, untimed, as a scene
//! that does not change would be; the naive graph lies as the allocator placed it. Small trees are traversed many times
//! a round, and so are measured in the cache (the thesis's variety without *flush*).
//!
//! The naive transform pass also writes each shape's matrix, as the thesis's does (listing 2); the scene keeps none,
//! and its draw list reads the world matrix instead.
//!
//! The cases `transform-memory` and `render-memory` have in place of a baseline the bytes that each pass cannot do
//! without, read and written in the same order and not computed with ([`Streams`]): of a transform 40 bytes read with
//! four for its parent, and 48 written; of a draw its shape's record of 40 bytes read, and 24 and 48 written. The matrix
//! of 48 bytes, which three shapes share in this tree, is read once for them. A ratio of 1 is the most that there can
//! be, and 0.63 stands for 1.6 times what memory takes.
//!
//! The case `idle` shows what `update()` costs where nothing changed. The naive graph knows nothing of the kind, and
//! so the case counts for nothing; its line says so.

use crate::agreement::{same_draws, same_worlds};
use crate::front::{Calls, Front, Sizes, checked_elsewhere};
use crate::sides::{Boxed, Packed, Side};
use crate::workloads::{self, Churn, Kind, Recipe, Streams, TOUCHED};
use crate::{Case, Outcome, Unit};
use hedgerow::Mat34;

/// About as many of a component as a slice of the default policy holds.
const BLOCK: usize = 1024;
/// What a draw needs of a shape beside its matrix: mesh, layers, slots, handle and the rest of its record.
const SHAPE_BYTES: usize = 40;

const SIZES: Sizes<&[usize]> = Sizes { full: &workloads::SIZES, short: &[4096, 262_144], tiny: &[300] };

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    SIZES.at(front.scale()).iter().try_for_each(|&nodes| measure(front, nodes))
}

fn measure<F: Front>(front: &mut F, nodes: usize) -> Outcome {
    let recipe = Recipe::random(nodes, nodes as u64);
    let mut packed = Packed::build(&recipe);
    let mut boxed = Boxed::build(&recipe);
    packed.pack();
    check(&recipe, &mut packed, &mut boxed)?;
    {
        let mut case = |name, baseline, ours, theirs| {
            let calls = Calls {
                case: Case::new(name, nodes, Unit::Time, baseline),
                per: nodes,
                repeats: (1 << 18) / nodes.min(1 << 18),
                sides: (&mut packed, &mut boxed),
                ours,
                baseline: theirs,
            };
            front.calls(calls, checked_elsewhere)
        };
        case("transform", Boxed::NAME, Side::transform, Side::transform)?;
        case("render", Boxed::NAME, Side::render, Side::render)?;
        case("frame", Boxed::NAME, frame, frame)?;
        let idle = |packed: &mut Packed| packed.scene_mut().update();
        case("idle", "naive, recomputing all: counts for nothing", idle, Side::transform)?;
    }
    check(&recipe, &mut packed, &mut boxed)?;
    memory(front, nodes, &recipe, &mut packed)
}

/// Both passes against the bytes that they touch.
fn memory<F: Front>(front: &mut F, nodes: usize, recipe: &Recipe, packed: &mut Packed) -> Outcome {
    let (transforms, shapes) = (recipe.count(Kind::Transform), recipe.count(Kind::Shape));
    let matrix = size_of::<Mat34>();
    let shown = (recipe.shown_matrices(), matrix);
    let passes: [(_, _, fn(&mut Packed)); 2] = [
        ("transform-memory", Streams::new(transforms, BLOCK, size_of::<[f32; 10]>() + 4, matrix), Side::transform),
        ("render-memory", Streams::sharing(shapes, BLOCK, SHAPE_BYTES, 24 + matrix, shown), Side::render),
    ];
    for (name, mut streams, pass) in passes {
        let calls = Calls {
            case: Case::new(name, nodes, Unit::Time, TOUCHED),
            per: nodes,
            repeats: (1 << 18) / nodes.min(1 << 18),
            sides: (&mut *packed, &mut streams),
            ours: pass,
            baseline: Streams::touch,
        };
        front.calls(calls, checked_elsewhere)?;
    }
    Ok(())
}

/// Both passes.
fn frame(side: &mut impl Side) {
    side.transform();
    side.render();
}

/// Runs both passes on both sides, and fails unless all that they computed is the same.
fn check(recipe: &Recipe, packed: &mut Packed, boxed: &mut Boxed) -> Outcome {
    frame(packed);
    frame(boxed);
    let what = format!("thesis-static, {} nodes", recipe.nodes().len());
    same_draws(packed, boxed, &what)?;
    same_worlds(packed, boxed, Churn::new(recipe, 0).kinds(), &what)
}
