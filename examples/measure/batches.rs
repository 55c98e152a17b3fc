//! Batches of edits in random places of the thesis's tree, against the same edits one by one on a scene of the same kind.
//!
//! Cases, each in nanoseconds an edit, in batches of a tenth of the nodes:
//!
//! - `remove`: leaves, the thesis's removals of a frame;
//! - `insert`: its inserts, each below a random leaf, after those removals;
//! - `set`: the local transforms of transform nodes in random order;
//! - `move`: what was inserted, each node below another random leaf, and not timed back again.
//!
//! Both scenes see the same frames by turns; a figure is the median over the frames. An update follows each, and is not
//! timed, nor is making the lists that the calls take. Both keep the handles that inserts answer.

use crate::report::{Case, Report, Unit};
use crate::timing::{median, nanoseconds, same_draws, same_worlds};
use hedgerow::{Keep, Node, NodeHandle, Scene, Transform};
use hedgerow_naive::{Churn, Edits, Kind, Packed, Recipe, Side, describe};
use std::error::Error;

const SIZES: [usize; 2] = [262_144, 1_048_576];
const FRAMES: usize = 12;
const CASES: [&str; 4] = ["insert", "remove", "set", "move"];

/// Runs the experiment.
pub(crate) fn run(report: &mut Report) -> Result<(), Box<dyn Error>> {
    SIZES.into_iter().try_for_each(|nodes| measure(report, nodes))
}

fn measure(report: &mut Report, nodes: usize) -> Result<(), Box<dyn Error>> {
    let recipe = Recipe::random(nodes, nodes as u64);
    let mut churn = Churn::new(&recipe, 1);
    let mut sides = [Way::Batched, Way::OneByOne].map(|way| (way, Packed::build(&recipe), Vec::new()));
    for number in 0..FRAMES {
        let edits = churn.next_frame().clone();
        let moved = transform_nodes(churn.kinds(), number, edits.removed.len());
        sides.rotate_left(1);
        for (way, packed, times) in &mut sides {
            times.push(way.play(packed, &edits, &moved));
            packed.transform();
            packed.render();
        }
        same_draws(&sides[0].1, &sides[1].1, "batches")?;
    }
    same_worlds(&sides[0].1, &sides[1].1, churn.kinds(), "batches")?;

    sides.sort_by_key(|&(way, ..)| way);
    let of = |times: &[[f64; 4]], case: usize| median(&mut times.iter().map(|times| times[case]).collect::<Vec<_>>());
    for (case, name) in CASES.into_iter().enumerate() {
        let [ours, baseline_figure] = [0, 1].map(|side| of(&sides[side].2, case));
        report.case(&Case { name, nodes, unit: Unit::Time, ours, baseline: "one by one", baseline_figure })?;
    }
    Ok(())
}

/// So many transform nodes by recipe id, in an order that follows no other.
fn transform_nodes(kinds: &[Kind], number: usize, count: usize) -> Vec<u32> {
    // Steps of a prime meet each place once.
    let places = (1..kinds.len()).map(|step| (step * 1_000_003 + number * 77_777) % kinds.len());
    let places = places.filter(|&id| kinds[id] == Kind::Transform);
    places.take(count).map(|id| u32::try_from(id).expect("recipe ids have 32 bits")).collect()
}

/// How a frame's edits are made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Batched,
    OneByOne,
}

impl Way {
    /// Makes the edits, and answers the nanoseconds of each kind an edit.
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
        [insert, remove, set, shift].map(|time| time / edits.removed.len() as f64)
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
