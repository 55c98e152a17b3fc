//! Detached subtrees: outside the tree, otherwise like any other subtree.

use crate::trees::APART;
use fastrand::Rng;
use hedgerow::{
    Aabb, DrawList, Drawable, Error, Keep, Layers, Node, NodeHandle, NodeRef, Place, Scene, SceneConfig, Transform,
    edit::{Edit, EditQueue, Outcome, QueuedPlace},
};
use std::collections::HashMap;
use std::time::Duration;

fn moved(x: usize) -> Transform {
    Transform::from_xyz(x as f32, 1.0, -2.0)
}

fn node(number: usize) -> Node<'static> {
    let node = if number.is_multiple_of(3) { Node::group() } else { Node::transform(moved(number % 100)) };
    match number % 7 {
        0 => node.with_material(u32::try_from(number).unwrap()),
        1 => node.with_layers(Layers::new(0b0110 << (number % 3))),
        2 | 3 => node.with_drawable(Drawable::new(1, Aabb::cube(1.0))),
        4 => node.named("four"),
        _ => node,
    }
}

/// Two scenes with the same edits. One detaches subtrees; the other moves them below a node without components.
struct Pair {
    scene: Scene,
    parked: Scene,
    park: NodeHandle,
    /// A map from handles of `scene` to handles of `parked`.
    counterpart: HashMap<NodeHandle, NodeHandle>,
    nodes: Vec<NodeHandle>,
}

impl Pair {
    fn new(config: SceneConfig) -> Self {
        let scene = Scene::with_config(config).unwrap();
        let mut parked = Scene::with_config(config).unwrap();
        let park = parked.insert(parked.root(), Node::group()).unwrap();
        let counterpart = HashMap::from([(scene.root(), parked.root())]);
        Self { nodes: vec![scene.root()], scene, parked, park, counterpart }
    }

    fn pick(&self, dice: &mut Rng) -> NodeHandle {
        self.nodes[dice.usize(..self.nodes.len())]
    }

    fn step(&mut self, dice: &mut Rng) {
        let (a, b) = (self.pick(dice), self.pick(dice));
        let (other_a, other_b) = (self.counterpart[&a], self.counterpart[&b]);
        let keep = if dice.usize(..2) == 0 { Keep::World } else { Keep::Local };
        match dice.usize(..20) {
            0..=7 => {
                let node = node(dice.usize(..1000));
                let new = self.scene.insert(a, node).unwrap();
                self.counterpart.insert(new, self.parked.insert(other_a, node).unwrap());
                self.nodes.push(new);
            }
            8 | 9 => {
                let done = self.scene.reparent(a, Place::Detached, Keep::Local);
                assert_eq!(done.is_err(), a == self.scene.root());
                let is_root = self.parked.parent(other_a) == Some(self.park);
                if done.is_ok() && !is_root {
                    self.parked.reparent(other_a, self.park, Keep::Local).unwrap();
                }
            }
            10..=12 => {
                let tops: Vec<_> = self.scene.detached().map(NodeRef::handle).collect();
                let back: Vec<_> = self.scene.detached().rev().map(NodeRef::handle).collect();
                assert!(back.iter().rev().eq(&tops));
                let Some(&root) = tops.get(dice.usize(..tops.len().max(1))) else { return };
                let done = self.scene.reparent(root, b, keep);
                let expected = self.parked.reparent(self.counterpart[&root], other_b, keep);
                assert_eq!(done.is_ok(), expected.is_ok(), "{done:?} {expected:?}");
            }
            13 | 14 => {
                let done = self.scene.reparent(a, b, keep);
                let expected = if a == self.scene.root() {
                    Err(Error::RootIsFixed)
                } else {
                    self.parked.reparent(other_a, other_b, keep)
                };
                assert_eq!(done.is_ok(), expected.is_ok(), "{done:?} {expected:?}");
            }
            15 if self.nodes.len() > 30 => {
                let removed = self.scene.remove(a);
                if a == self.scene.root() {
                    assert_eq!(removed, Err(Error::RootIsFixed));
                    return;
                }
                assert_eq!(removed, self.parked.remove(other_a));
                self.nodes.retain(|&node| self.scene.contains(node));
            }
            16 => {
                let x = dice.usize(..50);
                assert_eq!(self.scene.set_local(a, moved(x)).is_ok(), self.parked.set_local(other_a, moved(x)).is_ok());
            }
            17 => {
                self.scene.set_local(a, moved(5)).unwrap();
                self.parked.set_local(other_a, moved(5)).unwrap();
            }
            18 => {
                let budget = [Duration::ZERO, Duration::MAX][dice.usize(..2)];
                self.scene.maintain(budget);
            }
            _ => {
                self.scene.update();
                self.parked.update();
            }
        }
    }

    fn compare(&mut self) {
        self.scene.validate().unwrap();
        let detached = self.scene.detached().flat_map(NodeRef::descendants).count();
        assert_eq!(self.scene.stats().detached, detached);
        assert_eq!(
            detached,
            self.parked.get(self.park).unwrap().descendants().map(|node| node.handle()).skip(1).count()
        );
        assert_eq!(self.scene.len(), self.scene.get(self.scene.root()).unwrap().descendants().count());
        assert_eq!(self.scene.len() + detached, self.nodes.len());
        let stats = self.scene.stats();
        assert_eq!((stats.nodes, stats.detached), (self.scene.len(), detached));
        self.scene.update();
        self.parked.update();
        self.scene.validate().unwrap();
        for &node in &self.nodes {
            let counterpart = self.counterpart[&node];
            assert_eq!(
                self.scene.get(node).is_some_and(|node| node.is_detached()),
                self.parked.get(counterpart).is_some_and(|node| node.is_below(self.park))
            );
            let parent = self.parked.parent(counterpart).filter(|&parent| parent != self.park);
            assert_eq!(self.scene.parent(node).map(|parent| self.counterpart[&parent]), parent);
            let children: Vec<_> = self.scene.children(node).map(|child| self.counterpart[&child]).collect();
            assert!(self.parked.children(counterpart).filter(|&child| child != self.park).eq(children));
            assert_eq!(
                self.scene.get(node).map(|node| node.node()),
                self.parked.get(counterpart).map(|node| node.node())
            );
            assert_eq!(self.scene.world(node), self.parked.world(counterpart));
            assert_eq!(
                self.scene.get(node).map(|node| node.fresh_world()),
                self.parked.get(counterpart).map(|node| node.fresh_world())
            );
            // A node is detached exactly if its topmost ancestor is not the root.
            assert_eq!(
                self.scene.get(node).is_some_and(|node| node.is_detached()),
                self.scene.get(node).unwrap().ancestors().map(|node| node.handle()).last() != Some(self.scene.root())
                    && node != self.scene.root()
            );
            assert_eq!(
                self.scene.get(node).map(|node| node.layers()),
                self.parked.get(counterpart).map(|node| node.layers())
            );
            assert_eq!(
                self.scene.get(node).and_then(|node| node.material()),
                self.parked.get(counterpart).and_then(|node| node.material())
            );
        }
    }
}

#[test]
fn a_detached_subtree_is_what_it_is_below_a_node_that_gives_it_nothing() {
    let configs = [APART, SceneConfig { max_nodes: 24, ..APART }, SceneConfig::DEFAULT];
    for (seed, config) in (1..).zip(configs.into_iter().cycle().take(16)) {
        let mut dice = Rng::with_seed(seed);
        let mut pair = Pair::new(config);
        for step in 0..1200 {
            // The root has no components, so parked subtrees inherit nothing.
            let before = pair.nodes[0];
            pair.step(&mut dice);
            assert_eq!(before, pair.scene.root());
            if pair.scene.get(before).and_then(|node| node.own_material()).is_some()
                || pair.scene.local(before).is_some()
            {
                pair.scene.edit(before).unwrap().set_local(None).unwrap();
                pair.parked.edit(pair.parked.root()).unwrap().set_local(None).unwrap();
            }
            if step % 10 == 0 {
                pair.compare();
            }
        }
        pair.compare();
    }
}

#[test]
fn places_beside_the_root_of_a_detached_subtree_are_refused() {
    let mut scene = Scene::new();
    let a = scene.insert(scene.root(), Node::group()).unwrap();
    let b = scene.insert(a, Node::group()).unwrap();
    scene.reparent(a, Place::Detached, Keep::Local).unwrap();
    let refused = Error::BesideDetached(a);
    for place in [Place::Before(a), Place::After(a)] {
        assert_eq!(scene.insert(place, Node::group()), Err(refused));
        assert_eq!(scene.reparent(b, place, Keep::Local), Err(refused));
        assert_eq!(scene.reparent(a, place, Keep::Local), Err(refused));
    }
    assert_eq!(scene.reparent(a, b, Keep::Local), Err(Error::WouldCycle { node: a, parent: b }));
    assert_eq!(scene.reparent(scene.root(), Place::Detached, Keep::Local), Err(Error::RootIsFixed));
    assert_eq!(scene.reparent(a, Place::Detached, Keep::Local), Ok(None), "detaching again does nothing");
    assert_eq!((scene.len(), scene.stats().detached), (1, 2));
    scene.validate().unwrap();
}

#[test]
fn a_detached_subtree_is_neither_drawn_nor_walked_and_clear_removes_it() {
    let mut scene = Scene::new();
    let drawable = Node::drawable(Drawable::new(3, Aabb::cube(1.0)));
    let top = scene.insert(scene.root(), drawable).unwrap();
    let child = scene.insert(top, drawable).unwrap();
    scene.update();
    let mut list = DrawList::new();
    scene.draw_list(&mut list);
    assert_eq!(list.commands().len(), 2);
    scene.reparent(child, Place::Detached, Keep::Local).unwrap();
    scene.update();
    scene.draw_list(&mut list);
    assert_eq!(list.commands().len(), 1);
    scene.reparent(child, Place::FirstChildOf(top), Keep::World).unwrap();
    scene.update();
    scene.draw_list(&mut list);
    assert_eq!(list.commands().len(), 2);
    scene.reparent(child, Place::Detached, Keep::Local).unwrap();
    scene.clear();
    assert_eq!((scene.len(), scene.stats().detached, scene.contains(child)), (1, 0, false));
    scene.validate().unwrap();
}

#[test]
fn keeping_the_world_transform_on_attach_undoes_the_new_parents() {
    let mut scene = Scene::new();
    let parent = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 2.0, 3.0))).unwrap();
    let node = scene.insert(parent, Node::transform(Transform::from_xyz(5.0, 5.0, 5.0))).unwrap();
    scene.reparent(node, Place::Detached, Keep::Local).unwrap();
    scene.update();
    assert_eq!(scene.world(node).unwrap().translation().to_array(), [5.0; 3]);
    scene.reparent(node, parent, Keep::World).unwrap();
    scene.update();
    assert_eq!(scene.world(node).unwrap().translation().to_array(), [5.0; 3]);
    assert_eq!(scene.local(node).unwrap().to_matrix().translation().to_array(), [4.0, 3.0, 2.0]);
}

#[test]
fn a_queue_detaches_moves_back_and_removes() {
    let mut scene = Scene::new();
    let root = scene.root();
    let mut queue = EditQueue::new();
    let a = queue.insert(root, Node::transform(moved(1)));
    let b = queue.insert(a, Node::group());
    queue.push(Edit::reparent(a, QueuedPlace::Detached, Keep::Local));
    queue.push(Edit::reparent(a, root, Keep::Local));
    queue.push(Edit::remove(b));
    let results = queue.apply(&mut scene).to_vec();
    assert!(matches!(results[2..4], [Ok(Outcome::Moved(Some(_))), Ok(Outcome::Moved(Some(_)))]));
    assert_eq!(results[4], Ok(Outcome::Removed(1)));
    assert_eq!((scene.len(), scene.stats().detached), (2, 0));
}

#[test]
fn a_detached_subtree_that_waits_for_an_update_is_placed_by_the_one_it_goes_below() {
    let mut scene = Scene::with_config(SceneConfig { max_nodes: 64, ..SceneConfig::DEFAULT }).unwrap();
    let above = scene.insert(Place::Detached, Node::transform(moved(10))).unwrap();
    scene.update();
    let below = scene.insert(Place::Detached, Node::transform(moved(1))).unwrap();
    (0..5).for_each(|_| assert!(scene.insert(below, Node::group()).is_ok()));
    scene.reparent(below, above, Keep::Local).unwrap();
    scene.update();
    assert_eq!(scene.world(below).unwrap().translation().x, 11.0);
    scene.validate().unwrap();
}

#[test]
fn a_detached_subtree_grows_to_several_slices() {
    let mut scene = Scene::with_config(APART).unwrap();
    let mut nodes = vec![scene.insert(Place::Detached, Node::transform(moved(1))).unwrap()];
    for number in 0..300 {
        nodes.push(scene.insert(nodes[number / 3], Node::group()).unwrap());
        if number % 7 == 0 {
            scene.update();
        }
        scene.validate().unwrap();
    }
    scene.update();
    assert!(scene.stats().slices > 301 / 8 && scene.slices().count() == 1, "{} slices", scene.stats().slices);
    assert!(nodes.iter().all(|&node| scene.world(node) == scene.world(nodes[0])));
    assert_eq!((scene.stats().detached, scene.len()), (301, 1));
    assert!(nodes.iter().all(|&node| scene.get(node).is_some_and(|node| node.is_detached())));
}
