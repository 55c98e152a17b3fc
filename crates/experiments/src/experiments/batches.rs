//! Batches of edits in random places of the thesis's tree, against the same edits one by one on a scene of the same
//! kind.
//!
//! Cases, each in nanoseconds an edit, in batches of a tenth of the nodes:
//!
//! - `remove`: leaves, the thesis's removals of a frame;
//! - `insert`: its inserts, each below a random leaf, after those removals;
//! - `set`: the local transforms of transform nodes in random order;
//! - `move`: what was inserted, each node below another random leaf, and not timed back again.
//!
//! Both scenes see the same frames by turns; a figure is the median over the frames. An update follows each, and is not
//! timed, nor is making the lists that the calls take. Both keep the handles that inserts return.

use crate::agreement::{same_draws, same_worlds};
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Packed, Side, describe};
use crate::workloads::{Churn, Edits, Kind, Recipe};
use crate::{Case, Outcome, Unit};
use hedgerow::{Keep, Node, NodeHandle, Scene, Transform};

const SIZES: Sizes<&[usize]> = Sizes { full: &[262_144, 1_048_576], short: &[32_768, 262_144], tiny: &[300] };
const FRAMES: usize = 12;
const CASES: [&str; 4] = ["insert", "remove", "set", "move"];
const BASELINE: &str = "one by one";

/// Runs the experiment.
///
/// # Errors
/// Where both ways do not come to the same, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    SIZES.at(front.scale()).iter().try_for_each(|&nodes| measure(front, nodes))
}

fn measure<F: Front>(front: &mut F, nodes: usize) -> Outcome {
    let mut frames = Frames::new(Recipe::random(nodes, nodes as u64));
    let rounds = Rounds {
        nodes,
        // A frame has as many edits of each kind.
        per: nodes / 10,
        parts: CASES,
        ways: &[Packed::NAME, BASELINE],
        pace: Pace { alternates: true, ..Pace::fixed(FRAMES) },
        lasts: None,
    };
    if let Some(figures) = front.rounds(&rounds, &mut frames)? {
        for (part, name) in CASES.into_iter().enumerate() {
            let case = Case::new(name, nodes, Unit::Time, BASELINE).against_itself();
            front.report(&case, figures[0][part], figures[1][part])?;
        }
    }
    Ok(())
}

/// The same tree twice, and the edits of its frames.
struct Frames {
    recipe: Recipe,
    sides: [Packed; 2],
    churn: Churn,
    number: usize,
    /// The recipe ids of the nodes that are given new local transforms.
    moved: Vec<u32>,
}

impl Frames {
    fn new(recipe: Recipe) -> Self {
        let (sides, churn) = ([Packed::build(&recipe), Packed::build(&recipe)], Churn::new(&recipe, 1));
        Self { recipe, sides, churn, number: 0, moved: Vec::new() }
    }
}

impl Trial<4> for Frames {
    fn renew(&mut self, _: usize) -> Outcome {
        *self = Self::new(self.recipe.clone());
        Ok(())
    }

    fn begin(&mut self) {
        let count = self.churn.next_frame().removed.len();
        self.moved = transform_nodes(self.churn.kinds(), self.number, count);
        self.number += 1;
    }

    fn play(&mut self, way: usize) -> [f64; 4] {
        let packed = &mut self.sides[way];
        let times = [Way::Batched, Way::OneByOne][way].play(packed, self.churn.edits(), &self.moved);
        packed.transform();
        packed.render();
        times
    }

    fn check(&mut self) -> Outcome {
        same_draws(&self.sides[0], &self.sides[1], "batches")
    }

    fn check_last(&mut self) -> Outcome {
        same_worlds(&self.sides[0], &self.sides[1], self.churn.kinds(), "batches")
    }
}

/// So many transform nodes by recipe id, in an order that follows no other.
fn transform_nodes(kinds: &[Kind], number: usize, count: usize) -> Vec<u32> {
    // Steps of a prime meet each place once.
    let places = (1..kinds.len()).map(|step| (step * 1_000_003 + number * 77_777) % kinds.len());
    let places = places.filter(|&id| kinds[id] == Kind::Transform);
    places.take(count).map(|id| u32::try_from(id).expect("recipe ids have 32 bits")).collect()
}

/// How a frame's edits are made.
#[derive(Clone, Copy)]
enum Way {
    Batched,
    OneByOne,
}

impl Way {
    /// Makes the edits, and returns the nanoseconds of each kind.
    fn play(self, packed: &mut Packed, edits: &Edits, moved: &[u32]) -> [f64; 4] {
        let (scene, nodes) = packed.parts_mut();
        let removed: Vec<NodeHandle> = edits.removed.iter().map(|&id| nodes[id as usize]).collect();
        let items = edits.inserted.iter().map(|(_, node)| (nodes[node.parent as usize], describe(node.content)));
        let items: Vec<(NodeHandle, Node<'static>)> = items.collect();
        let mut handles = Vec::with_capacity(items.len());
        let remove = nanoseconds(|| self.remove(scene, &removed));
        let insert = nanoseconds(|| self.insert(scene, &items, &mut handles));
        for ((id, _), &handle) in edits.inserted.iter().zip(&handles) {
            nodes[*id as usize] = handle;
        }
        let local = |id: u32| Transform::from_xyz(id as f32, 1.0, 2.0);
        let transforms: Vec<_> = moved.iter().map(|&id| (nodes[id as usize], local(id))).collect();
        let set = nanoseconds(|| self.set(scene, &transforms));
        let parent = |at: usize| items[at % items.len()].0;
        // Steps of a prime lead each node to a parent far from its own.
        let there: Vec<_> = (0..).zip(&handles).map(|(at, &node)| (node, parent(at * 1_000_003 + 77_777))).collect();
        let back: Vec<_> = (0..).zip(&handles).map(|(at, &node)| (node, parent(at))).collect();
        let shift = nanoseconds(|| self.shift(scene, &there));
        self.shift(scene, &back);
        [insert, remove, set, shift]
    }

    fn insert(self, scene: &mut Scene, items: &[(NodeHandle, Node<'_>)], handles: &mut Vec<NodeHandle>) {
        match self {
            Self::Batched => scene.insert_many(items, handles).expect("live parents take finite nodes"),
            Self::OneByOne => handles.extend(
                items
                    .iter()
                    .map(|&(parent, node)| scene.insert(parent, node).expect("a live parent takes a finite node")),
            ),
        }
    }

    fn remove(self, scene: &mut Scene, nodes: &[NodeHandle]) {
        match self {
            Self::Batched => {
                scene.remove_many(nodes).expect("the nodes were there");
            }
            Self::OneByOne => nodes.iter().for_each(|&node| {
                scene.remove(node).expect("the node was there");
            }),
        }
    }

    fn set(self, scene: &mut Scene, items: &[(NodeHandle, Transform)]) {
        match self {
            Self::Batched => scene.set_transforms(items).expect("the nodes have transforms"),
            Self::OneByOne => items.iter().for_each(|&(node, transform)| {
                scene.set_local(node, transform).expect("the node has a transform");
            }),
        }
    }

    fn shift(self, scene: &mut Scene, items: &[(NodeHandle, NodeHandle)]) {
        match self {
            Self::Batched => scene.reparent_many(items, Keep::Local).expect("leaves close no cycle"),
            Self::OneByOne => items.iter().for_each(|&(node, parent)| {
                scene.reparent(node, parent, Keep::Local).expect("a leaf closes no cycle");
            }),
        }
    }
}
