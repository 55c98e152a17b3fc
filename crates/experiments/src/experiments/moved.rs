//! The cost of an update after some nodes moved, in trees whose nodes all have transforms.
//!
//! - `SHAPE/all`, `SHAPE/half`, `SHAPE/10%`, `SHAPE/1%`, `SHAPE/one` and `SHAPE/none`: this share of the nodes, chosen
//!   at random anew in each frame, gets new local transforms. Setting them is not timed and warms the cache, on both
//!   sides. Only the update is timed: `Scene::update`, and the naive transform traversal of the whole tree. Figures are
//!   medians over the frames, in nanoseconds per node of the tree, whether or not the node moved. Most of `none` is the
//!   time to read the clock, about 25 ns. The shapes are those of [`Topology`]; the chain is short, since the naive
//!   traversal is recursive. All trees are built by single inserts and maintained once.
//!
//! - `idle`: a call of `Scene::update` without changes, compared with one naive traversal of the same random tree; in
//!   nanoseconds per *call*, the mean of many consecutive calls.
//!
//! - `meshes/set` and `meshes/reparent`: edits and an update of 60,000 groups of ten nodes, each with a mesh; in
//!   nanoseconds per frame. Others report times of such scenes. If 5,000 groups are set, NVIDIA reports 27 frames per
//!   second for Fabric and 14 for `OmniHydra` (highlights of Kit 106.3). If 10,000 nodes change groups, a user of
//!   `OpenUSD` reports 8 seconds.
//!
//! The world matrices of both sides are compared after the last frame of each case.

use crate::agreement::same_worlds;
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::sides::{Boxed, Packed, Side};
use crate::workloads::{Kind, Moves, RIG, Recipe, Topology};
use crate::{Case, Outcome, Unit};
use hedgerow::Transform;
use std::hint::black_box;

const RIGS: (Topology, usize) = (Topology::Humanoids, 4000 * RIG as usize + 1);
const TREES: Sizes<&[(Topology, usize)]> = Sizes {
    full: &[
        (Topology::Random, 4096),
        (Topology::Random, 32_768),
        (Topology::Random, 262_144),
        (Topology::Random, 1_048_576),
        (Topology::EightAry, 262_144),
        RIGS,
        (Topology::Flat, 100_000),
        (Topology::Chain, 16_384),
    ],
    tiny: &[
        (Topology::Random, 300),
        (Topology::EightAry, 300),
        (Topology::Humanoids, 300),
        (Topology::Flat, 300),
        (Topology::Chain, 300),
    ],
};

/// The number of consecutive frames of one side, as in an application that has only this side. If few nodes move, it
/// takes some frames until the caches hold this side's data and not the other's.
const TURN: usize = 32;
/// The naive side traverses in few frames of a turn, because a traversal is slow and the first warms the caches.
const NAIVE_FRAMES: usize = 4;

/// The sizes of unchanged trees, and the number of consecutive updates of each.
const IDLE: Sizes<&[usize]> = Sizes { full: &[1000, 1_000_000], tiny: &[300] };
const CALLS: u32 = 4096;

const GROUPS: Sizes<u32> = Sizes { full: 60_000, tiny: 30 };

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    let groups = GROUPS.at(front);
    let nodes = groups as usize * 21 + 1;
    for (name, reparents) in [("meshes/set", false), ("meshes/reparent", true)] {
        let mut frames = Reported(Moving::new(Topology::Meshes, nodes), groups, [0; 2], reparents);
        front.play([Case::new(name, nodes, Unit::Call, Boxed::NAME).per(1)], Pace::timed(5, 51, 3000), &mut frames)?;
    }
    TREES.at(front).iter().try_for_each(|&(topology, nodes)| measure(front, topology, nodes))?;
    IDLE.at(front).iter().try_for_each(|&nodes| {
        let mut idle = Moving::new(Topology::Random, nodes);
        idle.calls = CALLS;
        front.play([Case::new("idle", nodes, Unit::Call, Boxed::NAME).per(1)], Pace::fixed(4), &mut idle)
    })
}

fn measure(front: &mut Front, topology: Topology, nodes: usize) -> Outcome {
    let mut trial = Moving::new(topology, nodes);
    let most = trial.moves[0].most();
    for (share, count) in
        [("all", most), ("half", most / 2), ("10%", most / 10), ("1%", most / 100), ("one", 1), ("none", 0)]
    {
        trial.count = count;
        let name = &format!("{}/{share}", topology.name());
        let pace = Pace { turn: TURN, skipped: TURN - NAIVE_FRAMES, alternates: false, ..Pace::timed(1, 301, 400) };
        front.play([Case::new(name, nodes, Unit::Time, Boxed::NAME)], pace, &mut trial)?;
    }
    Ok(())
}

/// A tree on both sides. Both move the same nodes, each in its own frames.
pub(super) struct Moving {
    pub(super) packed: Packed,
    pub(super) boxed: Boxed,
    pub(super) moves: [Moves; 2],
    count: usize,
    /// The number of our consecutive updates.
    calls: u32,
    kinds: Vec<Kind>,
}

impl Moving {
    pub(super) fn new(topology: Topology, nodes: usize) -> Self {
        let recipe = Recipe::transforms(topology, nodes, nodes as u64);
        let moves = Moves::new(&recipe, 1);
        let (mut packed, mut boxed) = (Packed::build(&recipe), Boxed::build(&recipe));
        packed.pack();
        packed.update();
        boxed.update();
        Self { packed, boxed, moves: [moves.clone(), moves], count: 0, calls: 1, kinds: recipe.kinds() }
    }
}

impl Trial<1> for Moving {
    fn prepare(&mut self, way: usize) {
        let moved = self.moves[way].next_frame(self.count);
        match way {
            0 => self.packed.set_locals(moved),
            _ => self.boxed.set_locals(moved),
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let Self { packed, boxed, calls, .. } = self;
        [match way {
            0 => nanoseconds(|| (0..*calls).for_each(|_| black_box(&mut *packed).update())) / f64::from(*calls),
            _ => nanoseconds(|| boxed.update()),
        }]
    }

    fn check_last(&mut self) -> Outcome {
        same_worlds(&self.packed, &self.boxed, &self.kinds, "moved")
    }
}

/// A tree, its number of groups, the number of frames of each side, and whether nodes are reparented.
struct Reported(Moving, u32, [u32; 2], bool);

impl Trial<1> for Reported {
    fn play(&mut self, way: usize) -> [f64; 1] {
        self.2[way] += 1;
        let (Moving { packed, boxed, .. }, how) = (&mut self.0, (self.1, self.2[way], self.3));
        [if way == 0 { edit(packed, how) } else { edit(boxed, how) }]
    }

    fn check_last(&mut self) -> Outcome {
        self.0.check_last()
    }
}

fn edit(side: &mut impl Side, (groups, frame, reparents): (u32, u32, bool)) -> f64 {
    let group = |at: u32| 1 + (at * 7919 + frame) % groups * 21;
    let local = |at: u32| Transform::from_xyz(at as f32, frame as f32, 1.0);
    let set: Vec<_> = (0..groups / 12).map(|at| (group(at), local(at))).collect();
    let moves: Vec<_> = (0..groups / 6).map(|at| (group(at) + 1 + frame % 10, group(at + 77))).collect();
    let (set, moves) = if reparents { (&[][..], &*moves) } else { (&*set, &[][..]) };
    nanoseconds(|| (side.set_locals(set), side.reparent(moves), side.update()).2)
}
