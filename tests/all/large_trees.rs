//! Trees of usual and extreme shapes with many nodes, built and edited in slices of several sizes, compared with the
//! naive model. By default a slice has at most 4,096 nodes, so most trees have more.

use crate::trees::MODES;
use hedgerow::{Aabb, Drawable, Keep, Node, NodeHandle, Place, SceneConfig, Transform};
use hedgerow_experiments::workloads::{Content, Moves, Recipe, Topology};
use hedgerow_testkit::Dice;
use hedgerow_testkit::model::op::{End, Op, Target, Visit};
use hedgerow_testkit::model::oracle::Oracle;

/// A scene and its model, and random numbers.
struct Large {
    oracle: Oracle,
    dice: Dice,
}

/// Returns the default configuration, one with small slices, which are often split and joined, and one with tiny
/// slices. Each has another mode, which changes with `turn`.
fn configs(turn: usize) -> [SceneConfig; 3] {
    let mut modes = MODES.into_iter().cycle().skip(turn);
    [SceneConfig::DEFAULT.max_nodes, 100, 16].map(|max_nodes| {
        let (changes, bounds) = modes.next().expect("an endless cycle");
        SceneConfig { max_nodes, changes, bounds, ..SceneConfig::DEFAULT }
    })
}

impl Large {
    fn new(config: SceneConfig, seed: u64) -> Self {
        // The last of these histories is long.
        Self { oracle: Oracle::new(config, [0, 4, 0, 0, 0, 0, 0, 0]), dice: Dice::with_seed(seed) }
    }

    fn root(&self) -> NodeHandle {
        self.oracle.scene.root()
    }

    fn len(&self) -> usize {
        self.oracle.scene.len()
    }

    /// Returns a transform that does not scale.
    fn transform(&mut self) -> Transform {
        Transform { scale: hedgerow::glam::Vec3::ONE, ..self.dice.transform() }
    }

    /// Inserts a node that has a transform in two of three cases.
    fn insert(&mut self, place: impl Into<Place>) -> NodeHandle {
        let local = (!self.dice.one_of(3)).then(|| self.transform());
        self.insert_with(place, local)
    }

    /// Inserts a node, with a box in every second case if the scene keeps boxes.
    fn insert_with(&mut self, place: impl Into<Place>, local: Option<Transform>) -> NodeHandle {
        let node = local.map_or(Node::group(), Node::transform);
        let has_box = self.oracle.scene.config().bounds && self.dice.one_of(2);
        let node = Node { drawable: has_box.then(|| Drawable::new(7, Aabb::cube(0.25))), ..node };
        self.oracle.still = false;
        let index = self.oracle.insert(place.into(), node).unwrap().expect("there is room");
        self.oracle.tree.handle(index)
    }

    fn remove(&mut self, node: NodeHandle) -> usize {
        self.oracle.still = false;
        let before = self.oracle.tree.len();
        self.oracle.remove(node).unwrap().expect("a live node, and not the root");
        before - self.oracle.tree.len()
    }

    fn set_local(&mut self, node: NodeHandle, local: Transform) {
        self.oracle.play(&Op::SetLocal(Target::Bits(node.to_bits()), local)).unwrap();
    }

    /// Moves a node, and keeps its world transform half of the time. A move below the node itself is refused.
    fn reparent(&mut self, node: NodeHandle, place: impl Into<Place>) {
        let keep = if self.dice.one_of(2) { Keep::Local } else { Keep::World };
        self.move_to(node, place, keep);
    }

    fn move_to(&mut self, node: NodeHandle, place: impl Into<Place>, keep: Keep) {
        self.oracle.still = false;
        self.oracle.reparent(node, place.into(), keep).unwrap();
    }

    /// Returns a live node other than the root.
    fn any(&mut self) -> NodeHandle {
        let live = self.oracle.tree.live();
        self.oracle.tree.handle(live[1 + self.dice.index(live.len() - 1)])
    }

    fn children(&self, node: NodeHandle) -> Vec<NodeHandle> {
        self.oracle.scene.children(node).collect()
    }

    /// Returns a random child of a node that has children.
    fn child(&mut self, node: NodeHandle) -> NodeHandle {
        let of = &self.oracle.tree.at(self.oracle.tree.find(node).expect("a live node")).children;
        self.oracle.tree.handle(of[self.dice.index(of.len())])
    }

    /// Returns a place below a node or beside it.
    fn place(&mut self, node: NodeHandle) -> Place {
        [Place::LastChildOf, Place::FirstChildOf, Place::Before, Place::After][self.dice.index(4)](node)
    }

    fn update(&mut self) {
        self.oracle.update().unwrap();
    }

    fn check(&mut self) {
        self.oracle.check().unwrap();
    }

    /// Checks the scene, then again after complete maintenance.
    fn check_and_maintain(&mut self) {
        self.check();
        self.oracle.scene.maintain(usize::MAX);
        self.check();
    }

    /// Lets a visitor set some transforms, and compute some slices.
    fn visit(&mut self) {
        let computes = [255, 255, self.dice.below(8), 0][self.dice.index(4)];
        let ends = u8::try_from(self.dice.below(40)).expect("it is small");
        let end = [End::Never, End::Prunes(ends), End::Breaks(ends), End::Panics(ends)][self.dice.index(4)];
        let visit = Visit {
            transform: self.transform(),
            share: 1,
            seed: ends,
            computes: u8::try_from(computes).expect("it is small"),
            everything: self.dice.one_of(4),
            end,
        };
        self.oracle.visit_slices(visit).unwrap();
        if core::mem::take(&mut self.oracle.visited) {
            self.oracle.follow().unwrap();
        }
    }

    /// Makes edits of a kind, and checks everything after every hundredth. Visitors write between some edits.
    fn edit(&mut self, rounds: usize, mut edit: impl FnMut(&mut Self)) {
        self.check();
        for round in 0..rounds {
            for turn in 0..100 {
                edit(self);
                if turn == 50 && round % 2 == 1 {
                    self.visit();
                }
            }
            self.check();
            if round % 3 == 2 {
                self.oracle.scene.maintain([0, usize::MAX][round / 3 % 2]);
                self.check();
            }
        }
    }
}

#[test]
fn usual_shapes_are_built_and_moved() {
    const NODES: usize = 5_000;
    for config in configs(0) {
        for topology in [Topology::Random, Topology::EightAry, Topology::Humanoids, Topology::Flat, Topology::Chain] {
            let recipe = Recipe::transforms(topology, NODES, 11);
            let mut large = Large::new(config, 0);
            let mut nodes = vec![large.root()];
            for node in &recipe.nodes()[1..] {
                let Content::Transform(local) = node.content else { panic!("a transform node") };
                nodes.push(large.insert_with(nodes[node.parent as usize], Some(local)));
            }
            let mut moves = Moves::new(&recipe, 12);
            for count in [0, 1, NODES / 100, moves.most()] {
                for &(node, local) in moves.next_frame(count) {
                    large.set_local(nodes[node as usize], local);
                }
                large.check();
            }
            large.check_and_maintain();
        }
    }
}

#[test]
fn random_trees_grow_and_shrink_by_turns() {
    for config in configs(3) {
        let mut large = Large::new(config, 5);
        for turn in 0..3 {
            while large.len() < 6_000 {
                let above = large.root();
                let place = match large.dice.index(8) {
                    0 if turn % 2 == 0 => above.into(),
                    _ if large.len() == 1 => above.into(),
                    _ => {
                        let node = large.any();
                        large.place(node)
                    }
                };
                large.insert(place);
                disturb(&mut large);
            }
            large.check();
            while large.len() > 300 {
                let node = large.any();
                // Nodes with many children are rarely removed, or the tree would shrink in a few steps.
                if large.children(node).len() < 3 || large.dice.one_of(100) {
                    large.remove(node);
                }
                disturb(&mut large);
            }
            large.check_and_maintain();
        }
    }
}

/// Moves a node in one step of eight. Sometimes updates, maintains and checks the scene.
fn disturb(large: &mut Large) {
    match large.dice.index(4000) {
        ..500 if large.len() > 1 => {
            let (node, to) = (large.any(), large.any());
            let place = large.place(to);
            large.reparent(node, place);
        }
        500..550 => large.update(),
        // There is time for one slice only, so others are unchanged.
        550..600 => _ = large.oracle.scene.maintain(0),
        605 => large.check(),
        606..610 => large.visit(),
        _ => {}
    }
}

#[test]
fn siblings_go_among_their_own_and_among_others() {
    for config in configs(0) {
        let mut large = Large::new(config, 6);
        let parents = [(); 16].map(|()| large.insert(large.root()));
        for turn in 0..3200 {
            let child = large.insert(parents[turn % 16]);
            // Some children have a child of their own.
            if turn % 8 == 0 {
                large.insert(child);
            }
        }
        large.edit(12, |large| {
            let [from, to] = [(); 2].map(|()| parents[large.dice.index(16)]);
            let to = if large.dice.one_of(2) { from } else { to };
            let (node, beside) = (large.child(from), large.child(to));
            match large.dice.index(16) {
                0 => _ = large.insert(Place::Before(beside)),
                1 if large.children(from).len() > 1 => _ = large.remove(node),
                2 => large.update(),
                // A parent moves with all its children.
                3 => large.reparent(from, large.root()),
                other => large.reparent(
                    node,
                    [Place::FirstChildOf(to), to.into(), Place::Before(beside), Place::After(beside)][other % 4],
                ),
            }
        });
    }
}

#[test]
fn thousands_of_leaves_go_up_and_down_among_each_other() {
    for config in configs(1) {
        let mut large = Large::new(config, 7);
        let top = large.insert(large.root());
        (0..5_000).for_each(|_| _ = large.insert(top));
        large.edit(6, |large| {
            let (leaf, other) = (large.child(top), large.child(top));
            let near = large.children(top)[2_000 + large.dice.index(20)];
            match large.dice.index(16) {
                0 => _ = large.insert(Place::After(other)),
                1 => _ = large.remove(leaf),
                2 => large.update(),
                3 => large.reparent(leaf, Place::FirstChildOf(top)),
                4 => large.reparent(leaf, top),
                5..8 => large.reparent(leaf, Place::Before(other)),
                8..10 => large.reparent(leaf, Place::After(other)),
                // A leaf goes below the root, and another node there comes back.
                10 => large.reparent(leaf, Place::Before(top)),
                11 => {
                    let node = large.child(large.root());
                    large.reparent(node, Place::After(other));
                }
                // All go to the same few places.
                _ => large.reparent(leaf, Place::Before(near)),
            }
        });
    }
}

#[test]
fn a_chain_is_turned_while_leaves_go_up_and_down_on_it() {
    const DEPTH: usize = 1500;
    for config in configs(2) {
        let mut large = Large::new(config, 8);
        let mut links = vec![large.root()];
        (0..DEPTH).for_each(|end| links.push(large.insert(links[end])));
        let leaves: Vec<NodeHandle> = (0..500).map(|at| large.insert(Place::FirstChildOf(links[1 + at * 3]))).collect();
        large.edit(9, |large| {
            // Links keep their cyclic order, so the link before the top is the end.
            let (at, leaf) = (1 + large.dice.index(DEPTH), leaves[large.dice.index(500)]);
            match large.dice.index(10) {
                0 => {
                    let top = (1..=DEPTH).find(|&at| large.oracle.scene.parent(links[at]) == Some(links[0]));
                    let top = top.expect("the chain hangs from the root");
                    if top != at {
                        large.reparent(links[at], links[0]);
                        large.reparent(links[top], links[if top == 1 { DEPTH } else { top - 1 }]);
                    }
                }
                1 => {
                    let local = large.transform();
                    large.set_local(links[at], local);
                }
                2 => large.update(),
                3 => large.reparent(leaf, Place::Before(links[at])),
                _ => large.reparent(leaf, Place::FirstChildOf(links[at])),
            }
        });
    }
}

#[test]
fn a_large_subtree_goes_to_and_fro_while_it_is_edited() {
    for max_nodes in [40, 64] {
        let mut large = Large::new(SceneConfig { max_nodes, bounds: true, ..SceneConfig::DEFAULT }, 9);
        // The slices of both parents have room for the nodes that come and go.
        let parents = [(); 2].map(|()| {
            let local = large.transform();
            let parent = large.insert_with(large.root(), Some(local));
            (0..max_nodes / 2).for_each(|_| _ = large.insert_with(parent, None));
            large.update();
            parent
        });
        let top = large.insert_with(parents[0], None);
        let mut nodes: Vec<_> = (0..4).map(|_| large.insert_with(top, None)).collect();
        for turn in 0..400 {
            let above = nodes[if turn < 8 { turn / 2 } else { large.dice.index(nodes.len()) }];
            // Most matrices are the parent's.
            let local = (turn % 16 == 0).then(|| large.transform());
            nodes.push(large.insert_with(above, local));
        }
        large.check();
        for turn in 1..=24 {
            large.move_to(top, parents[turn % 2], Keep::Local);
            // Slices that have no other nodes are kept, and some of them are reconstituted in the same update.
            for _ in 0..3 {
                let node = Target::Bits(nodes[large.dice.index(nodes.len())].to_bits());
                let local = large.transform();
                let op = if large.dice.one_of(2) { Op::SetLocal(node, local) } else { Op::RemoveTransform(node) };
                large.oracle.play(&op).unwrap();
            }
            large.check();
        }
    }
}
