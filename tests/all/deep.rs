//! Extreme shapes: a chain a million nodes deep, a hundred thousand siblings, thousands of slices.

use crate::trees::APART;
use hedgerow::glam::Vec3;
use hedgerow::{
    DrawList, Drawable, Keep, Layers, Node, NodeHandle, NodeRef, Place, Scene, SceneConfig, Transform,
    visit::{Flow, Visitor},
};
use std::thread;

/// The call stack of a thread in bytes, too small for recursion by depth.
const STACK: usize = 64 * 1024;
const MILLION: usize = 1_000_000;
/// Deep enough too: less than a byte of stack is left for a node.
const DEPTH: usize = 100_000;

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(STACK).spawn(test).expect("a thread starts");
    thread.join().expect("the thread ends well");
}

/// Returns a node of the chain: every fourth moves a little, every fiftieth is drawn.
fn link(depth: usize) -> Node<'static> {
    let node =
        if depth.is_multiple_of(4) { Node::transform(Transform::from_xyz(0.5, 0.0, 0.0)) } else { Node::group() };
    let drawable = depth.is_multiple_of(50).then(|| Drawable::new(7, hedgerow::Aabb::cube(1.0)));
    Node { drawable, ..node }
}

/// Builds a chain below the root. Returns the handles from the top down.
fn chain(scene: &mut Scene, length: usize) -> Vec<NodeHandle> {
    let mut end = scene.root();
    let mut handles = Vec::with_capacity(length);
    for depth in 1..=length {
        end = scene.insert(end, link(depth)).expect("there is room");
        handles.push(end);
    }
    handles
}

#[derive(Default)]
struct Counter {
    entered: usize,
    left: usize,
    deepest: usize,
}

impl Visitor for Counter {
    fn enter(&mut self, _: &NodeRef<'_>) -> Flow {
        self.deepest = self.deepest.max(self.entered - self.left);
        self.entered += 1;
        Flow::Continue
    }

    fn leave(&mut self, _: &NodeRef<'_>) {
        self.left += 1;
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs threads")]
fn a_chain_a_million_deep_needs_no_call_stack() {
    on_a_small_stack(|| {
        let mut scene = Scene::new();
        let links = chain(&mut scene, MILLION);
        let (top, end) = (links[0], links[MILLION - 1]);
        scene.update();
        scene.validate().unwrap();
        assert_eq!(scene.len(), MILLION + 1);
        assert_eq!(scene.get(end).unwrap().depth(), MILLION);
        assert_eq!(scene.world(end).unwrap().translation(), Vec3::new(125_000.0, 0.0, 0.0));
        assert_eq!(scene.get(end).map(|node| node.fresh_world()), scene.world(end).copied());
        assert!(
            scene.get(end).is_some_and(|node| node.is_below(top))
                && !scene.get(top).is_some_and(|node| node.is_below(end))
        );

        let mut counter = Counter::default();
        assert_eq!(scene.visit(scene.root(), &mut counter), Flow::Continue);
        let Counter { entered, left, deepest } = counter;
        assert_eq!((entered, left, deepest), (MILLION + 1, MILLION + 1, MILLION));
        assert_eq!(scene.get(top).unwrap().descendants().count(), MILLION);
        assert_eq!(scene.get(top).unwrap().post_order().map(|node| node.handle()).next(), Some(end));
        assert_eq!(scene.get(top).unwrap().edges().count(), 2 * MILLION);
        assert_eq!(scene.get(scene.root()).unwrap().leaves().map(|node| node.handle()).collect::<Vec<_>>(), [end]);
        assert_eq!(scene.get(end).unwrap().ancestors().count(), MILLION);

        let mut list = DrawList::new();
        scene.draw_list(&mut list);
        assert_eq!(list.len(), MILLION / 50);
        scene.shrink_to_fit();
        scene.update();
        scene.validate().unwrap();
        assert_eq!(scene.world(end).unwrap().translation(), Vec3::new(125_000.0, 0.0, 0.0));

        // The top gets components, which all nodes below inherit, and loses them.
        let raised = Some(Transform::from_xyz(0.0, 1.0, 0.0).into());
        for (local, layers, material, y) in [(raised, Some(Layers::NONE), Some(7), 1.0), (None, None, None, 0.0)] {
            scene.edit(top).unwrap().set_layers(layers).set_material(material).set_local(local).unwrap();
            scene.update();
            let node = scene.get(end).unwrap();
            assert_eq!((node.material(), node.layers()), (material, layers.unwrap_or(Layers::ALL)));
            assert_eq!(node.world().translation(), Vec3::new(125_000.0, y, 0.0));
        }
        scene.validate().unwrap();
    });
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs threads")]
fn a_deep_chain_is_moved_and_removed_without_a_call_stack() {
    on_a_small_stack(|| {
        let mut scene = Scene::new();
        let links = chain(&mut scene, DEPTH);
        let (top, middle, end) = (links[0], links[DEPTH / 2], links[DEPTH - 1]);
        let place = Node::transform(Transform::from_xyz(0.0, 3.0, 0.0));
        let other = scene.insert(scene.root(), place).unwrap();

        let refused = scene.reparent(top, end, Keep::Local);
        assert_eq!(refused, Err(hedgerow::Error::WouldCycle { node: top, parent: end }));
        scene.reparent(middle, other, Keep::Local).unwrap();
        scene.update();
        scene.validate().unwrap();
        assert_eq!(scene.get(end).unwrap().depth(), DEPTH / 2 + 1);
        assert_eq!(scene.world(end).unwrap().translation(), Vec3::new(6250.0, 3.0, 0.0));
        scene.validate().unwrap();
        assert_eq!(scene.remove(middle), Ok(DEPTH / 2));
        assert_eq!(scene.remove(top), Ok(DEPTH / 2));
        assert_eq!(scene.len(), 2);
        assert!(!scene.contains(end) && !scene.contains(top));
        scene.validate().unwrap();

        chain(&mut scene, DEPTH);
        scene.clear();
        assert_eq!(scene.len(), 1);
        scene.validate().unwrap();
        // Dropping the scene drops a chain of this depth too.
        chain(&mut scene, DEPTH);
    });
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs threads")]
fn a_deep_chain_is_validated_between_its_detachment_and_the_update() {
    on_a_small_stack(|| {
        let apart = SceneConfig { changes: true, ..APART };
        for config in [SceneConfig::DEFAULT, apart] {
            let mut scene = Scene::with_config(config).unwrap();
            let links = chain(&mut scene, DEPTH);
            scene.update();
            for &node in &links {
                scene.edit(node).unwrap().set_material(3);
            }
            scene.reparent(links[0], Place::Detached, Keep::Local).unwrap();
            // All rows are still in slices of the tree, since only an ancestor was moved.
            scene.validate().unwrap();
            scene.update();
            scene.validate().unwrap();
            assert_eq!((scene.len(), scene.stats().detached), (1, DEPTH));
        }
    });
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs threads")]
fn ten_thousand_slices_below_each_other_need_no_call_stack() {
    on_a_small_stack(|| {
        let mut scene = Scene::with_config(APART).unwrap();
        let links = chain(&mut scene, 60_000);
        let (top, middle, end) = (links[3], links[23_999], links[59_999]);
        scene.update();
        assert!(scene.stats().slices >= 10_000, "{} slices", scene.stats().slices);
        scene.validate().unwrap();
        assert_eq!(scene.world(end).unwrap().translation(), Vec3::new(7500.0, 0.0, 0.0));
        scene.set_local(top, Transform::from_xyz(1.5, 0.0, 0.0)).unwrap();
        scene.update();
        assert_eq!(scene.world(end).unwrap().translation(), Vec3::new(7501.0, 0.0, 0.0));

        let mut counter = Counter::default();
        scene.visit(scene.root(), &mut counter);
        assert_eq!(counter.entered, 60_001);
        scene.reparent(middle, scene.root(), Keep::World).unwrap();
        scene.update();
        scene.validate().unwrap();
        assert_eq!(scene.world(end).unwrap().translation(), Vec3::new(7501.0, 0.0, 0.0));
        let nodes = scene.get(middle).unwrap().descendants().count();
        assert_eq!(scene.remove(middle), Ok(nodes));
        scene.validate().unwrap();
    });
}

/// Edits among very many siblings and compares with the expected list: 1000 inserts and 500 removals.
fn crowd(scene: &mut Scene, parent: NodeHandle, count: usize) {
    let mut order: Vec<NodeHandle> =
        (0..count).map(|number| scene.insert(parent, link(number)).expect("there is room")).collect();
    for turn in 0..2000 {
        if turn % 50 == 0 {
            scene.update();
        }
        let at = (turn * 7919 + count / 2) % order.len();
        let anchor = order[at];
        match turn % 4 {
            0 => order.insert(at, scene.insert(Place::Before(anchor), Node::group()).unwrap()),
            1 => order.insert(at + 1, scene.insert(Place::After(anchor), link(turn)).unwrap()),
            2 => {
                assert_eq!(scene.remove(anchor), Ok(1));
                order.remove(at);
            }
            _ => {
                let moved = order.remove(at);
                let to = (at * 31) % order.len();
                scene.reparent(moved, Place::Before(order[to]), Keep::Local).unwrap();
                order.insert(to, moved);
            }
        }
    }
    scene.update();
    scene.validate().unwrap();
    assert!(scene.children(parent).eq(order.iter().copied()), "the siblings are in another order");
    assert!(scene.children(parent).rev().eq(order.iter().rev().copied()), "they are, read backwards");
}

#[test]
fn a_hundred_thousand_siblings_are_edited_in_the_middle() {
    let mut scene = Scene::new();
    let parent = scene.insert(scene.root(), Node::group()).unwrap();
    crowd(&mut scene, parent, 100_000);
    assert_eq!(scene.len(), 2 + 100_000 + 500);
}

#[test]
fn a_hundred_thousand_children_of_the_root_are_edited_in_the_middle() {
    let mut scene = Scene::new();
    let root = scene.root();
    crowd(&mut scene, root, 100_000);
    assert_eq!(scene.len(), 1 + 100_000 + 500);
}

#[test]
fn children_of_the_root_in_thousands_of_slices_are_edited_in_the_middle() {
    let mut scene = Scene::with_config(APART).unwrap();
    let root = scene.root();
    crowd(&mut scene, root, 20_000);
    assert!(scene.stats().slices > 20_500 / 8, "{} slices", scene.stats().slices);
}

#[test]
fn a_hundred_thousand_siblings_are_sorted_and_stay_in_order() {
    let mut scene = Scene::new();
    let parent = scene.insert(scene.root(), Node::group()).unwrap();
    let mut order: Vec<NodeHandle> = (0..100_000u32)
        .map(|number| scene.insert(parent, Node::material(number.wrapping_mul(40_503) % 1000)).unwrap())
        .collect();
    scene.edit(parent).unwrap().sort_children_by(|a, b| a.own_material().cmp(&b.own_material()));
    order.sort_by_key(|&node| scene.get(node).and_then(|node| node.own_material()));
    scene.validate().unwrap();
    assert!(scene.children(parent).eq(order.iter().copied()), "the sort is not stable, or no sort");
    assert!(scene.children(parent).rev().eq(order.into_iter().rev()));
}
