//! The thesis's static evaluation (section 5.1, algorithm 2): trees that do not change.
//!
//! The cases `transform`, `render` and `frame`, which does both, use random trees of 512 to 1,048,576 nodes: 40 %
//! transforms, 40 % drawables and 20 % materials. The baseline is boxed nodes.
//!
//! Both sides build the tree by the same single inserts. The scene is then maintained once, untimed, as is usual for a
//! static scene; the naive graph stays where the allocator placed it. Small trees are traversed many times per turn, so
//! they are in the cache (the thesis's variant without *flush*).
//!
//! The root moves before each transform pass, so that every world matrix is computed. The naive pass also writes each
//! drawable's matrix, as in the thesis (listing 2); the scene's draw list reads the world matrix.

use crate::agreement::{same_draws, same_worlds};
use crate::front::{Front, Sizes};
use crate::sides::{Boxed, Packed, Side};
use crate::workloads::{self, Recipe};
use crate::{Case, Outcome, Unit};

const SIZES: Sizes<&[usize]> = Sizes { full: &workloads::SIZES, tiny: &[300] };

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    SIZES.at(front).iter().try_for_each(|&nodes| measure(front, nodes))
}

fn measure(front: &mut Front, nodes: usize) -> Outcome {
    let recipe = Recipe::random(nodes, nodes as u64);
    let (mut packed, mut boxed) = (Packed::build(&recipe), Boxed::build(&recipe));
    packed.pack();
    packed.frame();
    boxed.frame();
    let mut case = |name, ours: fn(&mut Packed), theirs: fn(&mut Boxed)| {
        let case = Case::new(name, nodes, Unit::Time, Boxed::NAME).repeats((1 << 18) / nodes.min(1 << 18));
        front.calls(case, (&mut packed, &mut boxed), ours, theirs, |packed, boxed| {
            same_draws(packed, boxed, "thesis-static")?;
            same_worlds(packed, boxed, &recipe.kinds(), "thesis-static")
        })
    };
    case("transform", Side::transform, Side::transform)?;
    case("render", Side::render, Side::render)?;
    case("frame", Side::frame, Side::frame)
}
