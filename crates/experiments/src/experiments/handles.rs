//! What it takes to set a local transform by a handle, by a cached handle, and through a pointer.
//!
//! Cases, each in nanoseconds a set, on rigs whose nodes are all set in each frame. Our side also checks that numbers
//! are finite and marks what the update has to compute; the pointer's update goes through all nodes whatever was set.
//!
//! - `ordered/plain`: `Scene::set_local`, against a write through a pointer to the naive graph's node;
//! - `ordered/cached`: `Scene::set_local_cached`, where nothing has come or gone since the handles were used last, so
//!   that what they remember holds, against the same write;
//! - `ordered/cached-plain`: the second against the first.
//!
//! With `+edits` behind them the top of each rig has lost a leaf and been given another one since the frame before, on
//! every side. Every slice has leaves that come and go so, and after that each cached handle in it is looked up again.
//!
//! `ordered` follows the rigs depth first, as they were built: handles, entries, slots and node objects lie in that
//! order. `random` is another order, the same in every frame. Each side keeps its handles or pointers in a list beside
//! the new transforms, in the order in which they are set, as a caller has them in its own records.
//!
//! A frame computes the world matrices of what the frame before has set, makes the edits, writes the list anew, and
//! sets. Only the sets are timed. Ways take turns frame by frame; figures are medians. The world matrices of all sides
//! are compared after the last frame.

use crate::agreement::same_worlds;
use crate::baselines::NodePtr;
use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Boxed, Packed, Side};
use crate::workloads::{Edits, Kind, Moves, RIG, Recipe, RecipeNode, Topology};
use crate::{Case, Outcome, Unit};
use hedgerow::edit::CachedHandle;
use hedgerow::{NodeHandle, Transform};
use std::collections::HashSet;
use std::time::Duration;

const SIZES: Sizes<&[usize]> = Sizes { full: &[4096, 262_144], short: &[4096, 262_144], tiny: &[600] };
const PACE: Pace = Pace { alternates: true, ..Pace::timed(15, 301, Duration::from_millis(1200)) };

const POINTER: &str = "a write through a pointer";
const WAYS: [&str; 3] = [Packed::NAME, "hedgerow, cached handles", POINTER];

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    for &nodes in SIZES.at(front.scale()) {
        for order in [Order::Ordered, Order::Random] {
            for is_edited in [false, true] {
                measure(front, nodes, order, is_edited)?;
            }
        }
    }
    Ok(())
}

fn measure<F: Front>(front: &mut F, nodes: usize, order: Order, is_edited: bool) -> Outcome {
    let name = order.name();
    let behind = if is_edited { "+edits" } else { "" };
    let rounds =
        Rounds { nodes, per: nodes, parts: [&*format!("{name}/set{behind}")], ways: &WAYS, pace: PACE, lasts: None };
    if let Some(figures) = front.rounds(&rounds, &mut Setting::new(nodes, order, is_edited))? {
        let [plain, cached, pointer] = [0, 1, 2].map(|way| figures[way][0]);
        for (what, ours, baseline) in [("plain", plain, pointer), ("cached", cached, pointer)] {
            let name = format!("{name}/{what}{behind}");
            front.report(&Case::new(&name, nodes, Unit::Edit, POINTER), ours, baseline)?;
        }
        let name = format!("{name}/cached-plain{behind}");
        let case = Case::new(&name, nodes, Unit::Edit, "plain handles").against_itself();
        front.report(&case, cached, plain)?;
    }
    Ok(())
}

/// In which order nodes are set.
#[derive(Clone, Copy, Debug)]
enum Order {
    Ordered,
    Random,
}

impl Order {
    const fn name(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::Random => "random",
        }
    }
}

/// A side, and what is set on it: its handles or pointers, each with a transform.
struct Listed<S, H> {
    side: S,
    items: Vec<(H, Transform)>,
}

impl<S: Side, H> Listed<S, H> {
    /// Leads the side to where a frame sets.
    fn prepare(&mut self, edits: &Edits, frame: u16) {
        self.side.update();
        self.side.edit(edits);
        self.items.iter_mut().for_each(|(_, local)| local.translation.x = f32::from(frame));
    }
}

/// The same rigs on all sides.
struct Setting {
    plain: Listed<Packed, NodeHandle>,
    cached: Listed<Packed, CachedHandle>,
    pointers: Listed<Boxed, NodePtr>,
    /// The leaves that each frame removes and makes again; none where nothing is edited.
    edits: Edits,
    kinds: Vec<Kind>,
    frame: u16,
}

impl Setting {
    fn new(nodes: usize, order: Order, is_edited: bool) -> Self {
        let rigs = Recipe::transforms(Topology::Humanoids, nodes + 1, nodes as u64);
        let mut moves = Moves::new(&rigs, 1);
        let mut moved = moves.next_frame(nodes).to_vec();
        if matches!(order, Order::Ordered) {
            moved.sort_unstable_by_key(|&(id, _)| id);
        }
        let (recipe, mut edits) = with_leaves(rigs);
        if !is_edited {
            edits = Edits::default();
        }
        let kinds = recipe.nodes().iter().map(|node| node.content.kind()).collect();
        let (plain, cached) = (Listed::new(&recipe, &moved), Listed::new(&recipe, &moved));
        let mut boxed = Boxed::build(&recipe);
        let pointers = boxed.parts_mut().1;
        let items = moved.iter().map(|&(id, local)| (pointers[id as usize], local)).collect();
        Self { plain, cached, pointers: Listed { side: boxed, items }, edits, kinds, frame: 0 }
    }

    /// Fails unless every slice with nodes that are set has one that is edited.
    fn check_slices(&self) -> Outcome {
        let edited: HashSet<u32> = self.edits.inserted.iter().map(|(_, leaf)| leaf.parent).collect();
        if edited.is_empty() {
            return Ok(());
        }
        let scene = self.plain.side.scene();
        let edited: HashSet<NodeHandle> = edited.iter().map(|&id| self.plain.side.nodes()[id as usize]).collect();
        // The root's own slice has no node that is set.
        let mut slices = scene.slices().filter(|slice| slice.parent().is_some());
        if slices.all(|slice| slice.rows().nodes().any(|node| edited.contains(&node))) {
            Ok(())
        } else {
            Err("there is a slice that no edit has been made in".into())
        }
    }
}

impl<H: From<NodeHandle>> Listed<Packed, H> {
    fn new(recipe: &Recipe, moved: &[(u32, Transform)]) -> Self {
        let mut side = Packed::build(recipe);
        side.scene_mut().maintain(Duration::MAX);
        let items = moved.iter().map(|&(id, local)| (side.nodes()[id as usize].into(), local)).collect();
        Self { side, items }
    }
}

/// The same rigs with a leaf more at the top of each, and the edits that make all these leaves anew.
fn with_leaves(recipe: Recipe) -> (Recipe, Edits) {
    let mut nodes = recipe.nodes().to_vec();
    let end = u32::try_from(nodes.len()).expect("recipe ids have 32 bits");
    let tops = (1..end).step_by(RIG as usize);
    let leaves = tops.map(|parent| RecipeNode { parent, content: nodes[parent as usize].content });
    let inserted: Vec<(u32, RecipeNode)> = (end..).zip(leaves).collect();
    nodes.extend(inserted.iter().map(|(_, leaf)| *leaf));
    let removed = inserted.iter().map(|&(id, _)| id).collect();
    (Recipe::from_nodes(nodes), Edits { removed, inserted })
}

impl Trial<1> for Setting {
    fn begin(&mut self) {
        self.frame = (self.frame + 1) % 1000;
    }

    fn prepare(&mut self, way: usize) {
        let Self { plain, cached, pointers, edits, frame, .. } = self;
        match way {
            0 => plain.prepare(edits, *frame),
            1 => cached.prepare(edits, *frame),
            _ => pointers.prepare(edits, *frame),
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let live = "a live node takes a finite transform";
        [match way {
            0 => {
                let Listed { side, items } = &mut self.plain;
                let scene = side.scene_mut();
                nanoseconds(|| {
                    for &(node, local) in &*items {
                        scene.set_local(node, local).expect(live);
                    }
                })
            }
            1 => {
                let Listed { side, items } = &mut self.cached;
                let scene = side.scene_mut();
                nanoseconds(|| {
                    for (node, local) in items {
                        scene.set_local_cached(node, *local).expect(live);
                    }
                })
            }
            _ => {
                let Listed { side, items } = &mut self.pointers;
                let (graph, _) = side.parts_mut();
                nanoseconds(|| {
                    for &(node, local) in &*items {
                        // SAFETY: the list holds transform nodes of this graph, none of which the edits remove.
                        unsafe { graph.write_local(node, local) };
                    }
                })
            }
        }]
    }

    fn check_last(&mut self) -> Outcome {
        let Self { plain, cached, pointers, kinds, .. } = self;
        plain.side.update();
        cached.side.update();
        pointers.side.update();
        same_worlds(&plain.side, &pointers.side, kinds, "handles")?;
        same_worlds(&cached.side, &pointers.side, kinds, "cached handles")?;
        self.check_slices()
    }
}
