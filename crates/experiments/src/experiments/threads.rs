//! One thread against two (feature `rayon`).
//!
//! Cases, in nanoseconds a node; the first two on the thesis's random tree, maintained once without a limit of time:
//!
//! - `transform`: every world matrix computed anew.
//! - `moved`: the update after one node in a hundred was given a new local transform, which is not timed.
//!
//! and these in a town of districts of 4096 nodes, all but one in 64 with a shape, in a scene that keeps world boxes:
//!
//! - `bounds`: every world matrix and every box computed anew.
//! - `cull`: what one of 16 frusta touches listed as draws; each sees a tenth of the town.
//! - `cull-nodes`: the same, listed as handles.
//! - `list`: all draws listed anew.
//! - `renew`: the same list brought up to date after everything moved, which is not timed.
//!
//! The baseline is the same call in a pool of one thread. What both list is compared.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Packed, Side};
use crate::workloads::{Moves, Recipe, Topology};
use crate::{Case, Outcome, Unit};
use hedgerow::glam::Vec4;
use hedgerow::{Aabb, DrawList, Node, Scene, SceneConfig, Shape, Transform, Visibility, query::Frustum};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::time::Duration;

const SIZES: Sizes<&[usize]> =
    Sizes { full: &[4096, 32_768, 262_144, 1_048_576], short: &[32_768, 262_144], tiny: &[8192] };
const WAYS: [&str; 2] = ["two threads", "one thread"];
/// So many calls of one side come after one another.
const TURN: usize = 16;
const TURNS: usize = 6;
const DISTRICT: usize = 4096;
const HOUSE: usize = 64;

/// Runs the experiment.
///
/// # Errors
/// Where one thread and two list something else, there are no threads, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let [two, one] = [2, 1].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build());
    let pools = [two?, one?];
    SIZES.at(front.scale()).iter().try_for_each(|&nodes| {
        tree(front, nodes, &pools)?;
        town(front, nodes, &pools)
    })
}

/// The same call in either pool, which returns the nanoseconds that it took.
struct InPools<'p, C> {
    pools: &'p [ThreadPool; 2],
    call: C,
}

impl<C: FnMut(&ThreadPool) -> f64> Trial<1> for InPools<'_, C> {
    fn play(&mut self, way: usize) -> [f64; 1] {
        [(self.call)(&self.pools[way])]
    }
}

/// Has the pools take turns, and reports what a call took in each.
pub(super) fn compare<F: Front>(
    front: &mut F,
    (name, nodes): (&str, usize),
    pools: &[ThreadPool; 2],
    call: impl FnMut(&ThreadPool) -> f64,
) -> Outcome {
    let pace = Pace { turn: TURN, alternates: true, ..Pace::fixed(TURN * TURNS) };
    let rounds = Rounds { nodes, per: nodes, parts: [name], ways: &WAYS, pace, lasts: None };
    if let Some(figures) = front.rounds(&rounds, &mut InPools { pools, call })? {
        let case = Case::new(name, nodes, Unit::Time, WAYS[1]).on_threads(2, 1).against_itself();
        front.report(&case, figures[0][0], figures[1][0])?;
    }
    Ok(())
}

fn tree<F: Front>(front: &mut F, nodes: usize, pools: &[ThreadPool; 2]) -> Outcome {
    let recipe = Recipe::transforms(Topology::Random, nodes, nodes as u64);
    let mut packed = Packed::build(&recipe);
    packed.scene_mut().maintain(Duration::MAX);
    packed.update();
    let mut moves = Moves::new(&recipe, 1);
    compare(front, ("transform", nodes), pools, |pool| {
        pool.install(|| nanoseconds(|| packed.scene_mut().update_all()))
    })?;
    compare(front, ("moved", nodes), pools, |pool| {
        packed.set_locals(moves.next_frame(nodes / 100));
        pool.install(|| nanoseconds(|| packed.update()))
    })
}

fn town<F: Front>(front: &mut F, nodes: usize, pools: &[ThreadPool; 2]) -> Outcome {
    let mut scene = build(nodes)?;
    compare(front, ("bounds", nodes), pools, |pool| pool.install(|| nanoseconds(|| scene.update_all())))?;

    let width = (nodes / HOUSE) as f32;
    let frusta: Vec<Frustum> = (0..16).map(|place| tenth(width, place as f32 / 16.0)).collect::<Result<_, _>>()?;
    let mut turn = 0;
    let mut next = || {
        turn += 1;
        &frusta[turn % frusta.len()]
    };
    let mut found = Vec::new();
    compare(front, ("cull-nodes", nodes), pools, |pool| {
        let (scene, found, frustum) = (&scene, &mut found, next());
        pool.install(|| nanoseconds(|| scene.cull_nodes(frustum, Visibility::VISIBLE, found).unwrap_or_default()))
    })?;
    let mut list = DrawList::new();
    compare(front, ("cull", nodes), pools, |pool| {
        let (scene, list, frustum) = (&scene, &mut list, next());
        pool.install(|| nanoseconds(|| scene.cull(frustum, Visibility::VISIBLE, list).unwrap_or_default()))
    })?;
    // What is visible is so on all layers. A list of other ones is filled anew all the same.
    let mut layers = 1;
    compare(front, ("list", nodes), pools, |pool| {
        layers = 3 - layers;
        list.set_layers(Visibility::layers(layers));
        let (scene, list) = (&scene, &mut list);
        pool.install(|| nanoseconds(|| scene.draw_list(list)))
    })?;
    compare(front, ("renew", nodes), pools, |pool| {
        scene.update_all();
        let (scene, list) = (&scene, &mut list);
        pool.install(|| nanoseconds(|| scene.draw_list(list)))
    })?;

    let [two, one] = pools.each_ref().map(|pool| {
        let (mut all, mut seen, mut nodes) = (DrawList::new(), DrawList::new(), Vec::new());
        let answer = pool.install(|| {
            scene.draw_list(&mut all);
            scene.cull(&frusta[8], Visibility::VISIBLE, &mut seen)?;
            scene.cull_nodes(&frusta[8], Visibility::VISIBLE, &mut nodes)
        });
        let draws = [all, seen].map(|list| (list.commands().to_vec(), list.matrices().to_vec()));
        answer.map(|()| (draws, nodes))
    });
    if two? != one? {
        return Err(format!("threads, {nodes}: the lists of two threads differ from those of one").into());
    }
    Ok(())
}

/// A row of districts of houses, a metre a house.
fn build(nodes: usize) -> Result<Scene, hedgerow::Error> {
    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    for first in (0..nodes / HOUSE).step_by(DISTRICT / HOUSE) {
        let district = scene.insert(scene.root(), Node::transform(Transform::from_xyz(first as f32, 0.0, 0.0)))?;
        for house in 0..DISTRICT / HOUSE {
            let house = scene.insert(district, Node::transform(Transform::from_xyz(house as f32, 0.0, 0.0)))?;
            for part in 1..HOUSE {
                let place = Transform::from_xyz(part as f32 / 100.0, (part % 7) as f32, (part % 5) as f32);
                scene.insert(house, Node::transform(place).with_shape(Shape::new(7, Aabb::cube(0.1))))?;
            }
        }
    }
    scene.reconstitute_all();
    scene.update();
    Ok(scene)
}

/// The space that a tenth of a town of this width lies in, from this part of the other nine tenths on.
fn tenth(width: f32, from: f32) -> Result<Frustum, hedgerow::math::Error> {
    let left = 0.9 * from * width;
    let planes = [Vec4::new(1.0, 0.0, 0.0, -left), Vec4::new(-1.0, 0.0, 0.0, left + 0.1 * width)];
    let any = Vec4::ZERO;
    Frustum::from_planes([planes[0], planes[1], any, any, any, any])
}
