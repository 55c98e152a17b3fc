//! What an update costs where some nodes moved, in trees in which every node has a transform.
//!
//! Cases `SHAPE/all`, `SHAPE/half`, `SHAPE/10%`, `SHAPE/1%`, `SHAPE/one` and `SHAPE/none`: the share of the nodes,
//! chosen at random and others each frame, that are given new local transforms. Setting these is not timed, and leaves
//! what it touched in the cache, on both sides. Timed is the update alone: `Scene::update`, and the naive transform
//! traversal, which always walks the whole tree. Medians over the frames, in nanoseconds a node of the tree, moved or
//! not; for `none` the clock, which takes some 25 ns to read, is most of it.
//!
//! The shapes are those of [`Topology`]: `random` at four sizes, `8-ary`, `humanoids` (4000 rigs of 68), `flat` and
//! `chain`. The chain ends at 16,384 nodes, since the naive traversal recurses by depth. All are built by single
//! inserts in the order of the recipe, and maintained once without a limit of time before the first frame. The world
//! matrices of both sides are compared after the last frame of each case.
//!
//! The cases `SHAPE/all-memory` have in place of a baseline the bytes that an update of all nodes cannot do without,
//! read and written in the same order and not computed with ([`Streams`]): of each node 40 bytes of its local transform
//! and four of its parent's slot read, and 48 written.
//!
//! The case `idle` is a call of `Scene::update` in which nothing changed, in nanoseconds a *call*, as the mean of many
//! calls in a row; beside it one naive traversal of the same random tree.

use crate::agreement::same_worlds;
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Boxed, Packed, Side};
use crate::workloads::{Kind, Moves, RIG, Recipe, Streams, TOUCHED, Topology};
use crate::{Case, Outcome, Unit};
use hedgerow::Mat34;
use std::hint::black_box;
use std::time::Duration;

const TREES: Sizes<&[(Topology, usize)]> = Sizes {
    full: &[
        (Topology::Random, 4096),
        (Topology::Random, 32_768),
        (Topology::Random, 262_144),
        (Topology::Random, 1_048_576),
        (Topology::EightAry, 262_144),
        (Topology::Humanoids, 4000 * RIG as usize + 1),
        (Topology::Flat, 100_000),
        (Topology::Chain, 16_384),
    ],
    short: &[(Topology::Random, 4096), (Topology::Random, 262_144), (Topology::Humanoids, 4000 * RIG as usize + 1)],
    tiny: &[
        (Topology::Random, 300),
        (Topology::EightAry, 300),
        (Topology::Humanoids, 300),
        (Topology::Flat, 300),
        (Topology::Chain, 300),
    ],
};

/// A case ends after the turn in which it has taken this time, or had this many frames.
const BUDGET: Duration = Duration::from_millis(400);
const MAX_FRAMES: usize = 301;

/// So many frames of one side come after one another, as they do where there is one side. Where few nodes move, it
/// takes some frames until the caches hold what is theirs and not what the other side left in them.
const TURN: usize = 32;
/// In so many of these the naive side traverses: it has its caches warm after one traversal, and takes long.
const NAIVE_FRAMES: usize = 4;

/// About as many transforms as a slice of the default policy has.
const BLOCK: usize = 2048;

/// Trees that nothing happens to.
const IDLE: Sizes<&[usize]> = Sizes { full: &[1000, 1_000_000], short: &[1000], tiny: &[300] };
/// Updates in a row of these.
const CALLS: u32 = 4096;

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    TREES.at(front.scale()).iter().try_for_each(|&(topology, nodes)| measure(front, topology, nodes))?;
    IDLE.at(front.scale()).iter().try_for_each(|&nodes| idle(front, nodes))
}

fn measure<F: Front>(front: &mut F, topology: Topology, nodes: usize) -> Outcome {
    let mut trial = Moving::new(topology, nodes);
    let most = trial.moves[0].most();
    let shares = [("all", most), ("half", most / 2), ("10%", most / 10), ("1%", most / 100), ("one", 1), ("none", 0)];
    for (share, count) in shares {
        trial.name = format!("{}/{share}", topology.name());
        trial.count = count;
        let name = &trial.name.clone();
        let rounds = Rounds {
            nodes,
            per: nodes,
            parts: [name],
            ways: if share == "all" { &[Packed::NAME, Boxed::NAME, TOUCHED] } else { &[Packed::NAME, Boxed::NAME] },
            pace: Pace { turn: TURN, skipped: TURN - NAIVE_FRAMES, ..Pace::timed(1, MAX_FRAMES, BUDGET) },
            lasts: None,
        };
        if let Some(figures) = front.rounds(&rounds, &mut trial)? {
            let case = Case::new(name, nodes, Unit::Time, Boxed::NAME);
            front.report(&case, figures[0][0], figures[1][0])?;
            if let Some([touched]) = figures.get(2) {
                let case = Case { name: &format!("{name}-memory"), baseline: TOUCHED, ..case };
                front.report(&case, figures[0][0], *touched)?;
            }
        }
    }
    Ok(())
}

/// A tree on both sides, of which each moves the same nodes in its own frames.
struct Moving {
    name: String,
    packed: Packed,
    boxed: Boxed,
    streams: Streams,
    moves: [Moves; 2],
    /// How many nodes move.
    count: usize,
    kinds: Vec<Kind>,
}

impl Moving {
    fn new(topology: Topology, nodes: usize) -> Self {
        let recipe = Recipe::transforms(topology, nodes, nodes as u64);
        let moves = Moves::new(&recipe, 1);
        let (mut packed, mut boxed) = (Packed::build(&recipe), Boxed::build(&recipe));
        packed.scene_mut().maintain(Duration::MAX);
        packed.update();
        boxed.update();
        let kinds = vec![Kind::Transform; nodes];
        let streams = Streams::new(nodes, BLOCK, size_of::<[f32; 10]>() + size_of::<u32>(), size_of::<Mat34>());
        Self { name: String::new(), packed, boxed, streams, moves: [moves.clone(), moves], count: 0, kinds }
    }
}

impl Trial<1> for Moving {
    fn prepare(&mut self, way: usize) {
        let Some(moves) = self.moves.get_mut(way) else { return };
        let moved = moves.next_frame(self.count);
        match way {
            0 => self.packed.set_locals(moved),
            _ => self.boxed.set_locals(moved),
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        [match way {
            0 => nanoseconds(|| self.packed.update()),
            1 => nanoseconds(|| self.boxed.update()),
            _ => nanoseconds(|| self.streams.touch()),
        }]
    }

    fn check_last(&mut self) -> Outcome {
        same_worlds(&self.packed, &self.boxed, &self.kinds, &self.name)
    }
}

/// Updates in which nothing changed.
fn idle<F: Front>(front: &mut F, nodes: usize) -> Outcome {
    let recipe = Recipe::transforms(Topology::Random, nodes, nodes as u64);
    let (mut packed, boxed) = (Packed::build(&recipe), Boxed::build(&recipe));
    packed.update();
    let rounds = Rounds {
        nodes,
        per: 1,
        parts: ["idle"],
        ways: &[Packed::NAME, Boxed::NAME],
        pace: Pace::fixed(4),
        lasts: None,
    };
    if let Some(figures) = front.rounds(&rounds, &mut Idle { packed, boxed })? {
        let case = Case::new("idle", nodes, Unit::Call, Boxed::NAME);
        front.report(&case, figures[0][0], figures[1][0])?;
    }
    Ok(())
}

/// A tree that nothing happens to.
struct Idle {
    packed: Packed,
    boxed: Boxed,
}

impl Trial<1> for Idle {
    fn play(&mut self, way: usize) -> [f64; 1] {
        let Self { packed, boxed } = self;
        [match way {
            0 => nanoseconds(|| (0..CALLS).for_each(|_| black_box(&mut *packed).update())) / f64::from(CALLS),
            _ => nanoseconds(|| boxed.update()),
        }]
    }
}
