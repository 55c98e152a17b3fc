//! One thread compared with two (feature `rayon`).
//!
//! Figures are nanoseconds per node. The first two cases use a random tree of transforms after an unlimited `maintain`:
//!
//! - `transform`: recomputes every world matrix.
//! - `moved`: updates after one node in a hundred got a new local transform; only the updates are timed.
//!
//! The other cases use a town of 250,000 drawables, in a scene that keeps world boxes:
//!
//! - `bounds`: recomputes every world matrix and every box.
//! - `cull`: lists the draws that one of 16 cameras at street level sees; each camera sees 1 to 4 % of the town.
//! - `list`: fills a list of all draws from scratch.
//! - `renew`: updates the same list after everything moved, which is not timed.
//!
//! The baseline is the same call in a pool of one thread. The lists of both are compared.

use super::cull::frusta;
use crate::agreement::agree;
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Trial};
use crate::sides::{Packed, Side, stepped};
use crate::workloads::{Moves, Recipe, Topology, Town};
use crate::{Case, Outcome, Unit};
use hedgerow::query::CullView;
use hedgerow::{DrawList, Layers, Scene};
use rayon::{ThreadPool, ThreadPoolBuilder};

const SIZES: Sizes<&[usize]> = Sizes { full: &[4096, 32_768, 262_144, 1_048_576], tiny: &[8192] };
/// The number of consecutive calls of one side.
const TURN: usize = 16;
const TURNS: usize = 6;
/// The number of parts in a house of the town.
const PARTS: Sizes<u32> = Sizes { full: 25, tiny: 2 };

/// Runs the experiment.
pub fn run(front: &mut Front) -> Outcome {
    let [two, one] = [2, 1].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
    let pools = [two?, one?];
    SIZES.at(front).iter().try_for_each(|&nodes| tree(front, nodes, &pools))?;
    town(front, &pools)
}

/// A call that runs in either pool and returns its nanoseconds.
struct InPools<'p, C> {
    pools: &'p [ThreadPool; 2],
    call: C,
}

impl<C: FnMut(&ThreadPool) -> f64> Trial<1> for InPools<'_, C> {
    fn play(&mut self, way: usize) -> [f64; 1] {
        [(self.call)(&self.pools[way])]
    }
}

/// Lets the pools take turns, and reports the time of a call in each pool.
fn compare(
    front: &mut Front,
    (name, nodes): (&str, usize),
    pools: &[ThreadPool; 2],
    call: impl FnMut(&ThreadPool) -> f64,
) -> Outcome {
    let pace = Pace { turn: TURN, alternates: true, ..Pace::fixed(TURN * TURNS) };
    let case = Case::new(name, nodes, Unit::Time, "one thread").against_itself();
    let case = Case { threads: Some([2, 1]), ..case };
    front.play([case], pace, &mut InPools { pools, call })
}

fn tree(front: &mut Front, nodes: usize, pools: &[ThreadPool; 2]) -> Outcome {
    let recipe = Recipe::transforms(Topology::Random, nodes, nodes as u64);
    let mut packed = Packed::build(&recipe);
    packed.pack();
    let mut moves = Moves::new(&recipe, 1);
    compare(front, ("transform", nodes), pools, |pool| pool.install(|| nanoseconds(|| packed.transform())))?;
    compare(front, ("moved", nodes), pools, |pool| {
        packed.set_locals(moves.next_frame(nodes / 100));
        pool.install(|| nanoseconds(|| packed.update()))
    })
}

fn town(front: &mut Front, pools: &[ThreadPool; 2]) -> Outcome {
    let town = Town::new(PARTS.at(front), 3);
    let frusta = frusta(&town.cameras(16, 4))?;
    let Town { mut scene, nodes, .. } = town;
    let (nodes, mut steps, mut turn) = (nodes.len(), 0, 0);
    let mut next = || {
        turn += 1;
        &frusta[turn % frusta.len()]
    };
    let mut move_all = |scene: &mut Scene| {
        scene.set_local(scene.root(), stepped(&mut steps)).expect("the root takes a finite transform");
    };
    compare(front, ("bounds", nodes), pools, |pool| {
        move_all(&mut scene);
        pool.install(|| nanoseconds(|| scene.update()))
    })?;
    let mut list = DrawList::new();
    compare(front, ("cull", nodes), pools, |pool| {
        let (scene, list, frustum) = (&scene, &mut list, next());
        pool.install(|| nanoseconds(|| scene.cull(&mut [CullView::new(frustum, list)]).unwrap_or_default()))
    })?;
    // All drawables are on all layers, so the draws stay the same; a change of layers still refills the list.
    let mut layers = 1;
    compare(front, ("list", nodes), pools, |pool| {
        layers = 3 - layers;
        list.set_layers(Layers::new(layers));
        let (scene, list) = (&scene, &mut list);
        pool.install(|| nanoseconds(|| scene.draw_list(list)))
    })?;
    compare(front, ("renew", nodes), pools, |pool| {
        move_all(&mut scene);
        scene.update();
        let (scene, list) = (&scene, &mut list);
        pool.install(|| nanoseconds(|| scene.draw_list(list)))
    })?;

    let [two, one] = pools.each_ref().map(|pool| {
        let (mut all, mut seen) = (DrawList::new(), DrawList::new());
        let answer = pool.install(|| {
            scene.draw_list(&mut all);
            scene.cull(&mut [CullView::new(&frusta[8], &mut seen)])
        });
        answer.map(|()| [all, seen].map(|list| (list.commands().to_vec(), list.matrices().to_vec())))
    });
    agree(two? == one?, "threads: the lists of two threads differ from those of one")
}
