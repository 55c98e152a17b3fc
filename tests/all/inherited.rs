//! User-defined inherited properties and columns.

use crate::trees::APART;
use hedgerow::data::{Column, Inherited};
use hedgerow::{Error, Keep, Node, NodeHandle, Place, Scene, SceneConfig, Transform};
use std::cell::Cell;

/// Updates the scene, and computes the results.
fn run<F: FnMut(&T, &T) -> T, T: Clone + PartialEq>(property: &mut Inherited<T, F>, scene: &mut Scene) -> usize {
    scene.update();
    property.run(scene)
}

fn chain(scene: &mut Scene, length: usize) -> Vec<NodeHandle> {
    let mut nodes = vec![scene.root()];
    for _ in 0..length {
        nodes.push(scene.insert(nodes[nodes.len() - 1], Node::group()).unwrap());
    }
    nodes
}

#[test]
fn a_run_computes_what_changed_and_no_more() {
    let calls = Cell::new(0);
    let mut scene = Scene::new();
    let mut nodes = chain(&mut scene, 5000);
    let mut property = Inherited::new(1_u64, |above: &u64, own: &u64| {
        calls.set(calls.get() + 1);
        (above * 3 + own) % 1_000_003
    });
    for &node in &nodes {
        property.set(node, 1);
    }
    run(&mut property, &mut scene);
    assert_eq!(calls.replace(0), 5001);
    assert_eq!(run(&mut property, &mut scene), 0);
    assert_eq!(calls.get(), 0);
    property.set(nodes[4990], 2);
    run(&mut property, &mut scene);
    assert_eq!(calls.replace(0), 11, "the node and the ten below it");
    property.set(nodes[4990], 2);
    run(&mut property, &mut scene);
    assert_eq!(calls.replace(0), 1, "a local that is what it was changes nothing below");
    for &node in nodes.iter().rev() {
        property.set(node, 7);
    }
    run(&mut property, &mut scene);
    let all = calls.replace(0);
    assert!(all < 4 * 5001, "{all} calls for 5001 nodes");
    nodes.push(scene.insert(nodes[5000], Node::group()).unwrap());
    assert_eq!(run(&mut property, &mut scene), 1);
    assert!(calls.replace(0) <= 4096, "one slice");
}

#[test]
fn a_property_notices_other_scenes_and_clones() {
    let mut scene = Scene::new();
    let nodes = chain(&mut scene, 20);
    let mut property: Inherited<u32> = Inherited::new(0, |above, own| above + own);
    property.set(nodes[2], 1);
    run(&mut property, &mut scene);
    let mut clone = scene.clone();
    clone.remove(nodes[10]).unwrap();
    let more = scene.insert(nodes[20], Node::group()).unwrap();
    run(&mut property, &mut clone);
    assert_eq!((property.results().len(), property.get(nodes[10])), (10, None));
    run(&mut property, &mut scene);
    assert_eq!((property.results().len(), property.get(more)), (22, Some(&1)));
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs threads")]
fn a_deep_chain_is_walked_on_a_constant_call_stack() {
    let work = || {
        let mut scene = Scene::with_config(SceneConfig::DEFAULT).unwrap();
        let nodes = chain(&mut scene, 200_000);
        let mut property: Inherited<u32> = Inherited::new(0, |above, own| above + own);
        property.set(nodes[1], 1);
        property.set(nodes[100_000], 1);
        assert_eq!(run(&mut property, &mut scene), 200_001);
        property.set(nodes[199_999], 1);
        property.set(nodes[150_000], 1);
        assert_eq!(run(&mut property, &mut scene), 50_001);
        assert_eq!(property.get(nodes[200_000]), Some(&4));
    };
    std::thread::Builder::new().stack_size(64 * 1024).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_local_that_is_set_while_its_node_is_detached_counts_when_that_is_back_where_it_was() {
    let mut scene = Scene::with_config(APART).unwrap();
    let nodes = chain(&mut scene, 20);
    let mut property: Inherited<u32> = Inherited::new(0, |above, own| above + own);
    run(&mut property, &mut scene);
    scene.reparent(nodes[2], Place::Detached, Keep::Local).unwrap();
    run(&mut property, &mut scene);
    property.set(nodes[18], 5);
    run(&mut property, &mut scene);
    assert_eq!(property.get(nodes[18]), Some(&0));
    scene.reparent(nodes[2], nodes[1], Keep::Local).unwrap();
    run(&mut property, &mut scene);
    assert_eq!([17, 18, 20].map(|at| property.results()[nodes[at]]), [0, 5, 5]);
}

#[test]
fn a_local_in_a_detached_subtree_goes_with_its_node_though_no_run_came_there() {
    let mut scene = Scene::new();
    let loose = scene.insert(scene.root(), Node::group()).unwrap();
    let nodes: Vec<_> = (0..10).map(|_| scene.insert(loose, Node::group()).unwrap()).collect();
    scene.reparent(loose, Place::Detached, Keep::Local).unwrap();
    let mut property: Inherited<u32> = Inherited::new(0, |above, own| above + own);
    run(&mut property, &mut scene);
    for &node in &nodes {
        property.set(node, 1);
    }
    run(&mut property, &mut scene);
    assert_eq!((property.results().len(), property.locals().len()), (1, 10));
    scene.remove(nodes[3]).unwrap();
    run(&mut property, &mut scene);
    assert_eq!((property.results().len(), property.locals().len()), (1, 9));
    scene.remove(loose).unwrap();
    run(&mut property, &mut scene);
    assert_eq!((property.results().len(), property.locals().len()), (1, 0));
}

#[test]
fn a_local_in_a_detached_subtree_goes_with_its_node_after_runs_on_other_scenes() {
    let mut scene = Scene::new();
    let loose = scene.insert(scene.root(), Node::group()).unwrap();
    let leaf = scene.insert(loose, Node::group()).unwrap();
    scene.reparent(loose, Place::Detached, Keep::Local).unwrap();
    let mut property: Inherited<u32> = Inherited::new(0, |above, own| above + own);
    property.set(leaf, 1);
    run(&mut property, &mut scene);
    let mut clone = scene.clone();
    run(&mut property, &mut clone);
    assert_eq!(property.local(leaf), Some(&1), "the clone has it too");
    clone.remove(leaf).unwrap();
    run(&mut property, &mut clone);
    assert_eq!(property.local(leaf), None);
}

#[test]
fn a_node_that_changed_slices_while_detached_leaves_nothing_behind_when_it_goes() {
    for run_between in [false, true] {
        let mut scene = Scene::with_config(APART).unwrap();
        let loose = scene.insert(scene.root(), Node::group()).unwrap();
        let mover = scene.insert(loose, Node::group()).unwrap();
        let below = scene.insert(mover, Node::group()).unwrap();
        let others = 20;
        (0..others).for_each(|_| assert!(scene.insert(loose, Node::group()).is_ok()));
        let mut property: Inherited<u32> = Inherited::new(0, |above, own| above + own);
        property.set(mover, 1);
        property.set(below, 1);
        run(&mut property, &mut scene);
        scene.reparent(loose, Place::Detached, Keep::Local).unwrap();
        if run_between {
            run(&mut property, &mut scene);
        }
        scene.reparent(mover, Place::Detached, Keep::Local).unwrap();
        scene.reparent(mover, loose, Keep::Local).unwrap();
        run(&mut property, &mut scene);
        assert_eq!((property.results().len(), property.locals().len()), (others + 4, 2));
        scene.remove(below).unwrap();
        run(&mut property, &mut scene);
        assert_eq!((property.results().len(), property.locals().len()), (others + 3, 1));
        scene.remove(mover).unwrap();
        run(&mut property, &mut scene);
        assert_eq!((property.results().len(), property.locals().len()), (others + 2, 0));
    }
}

#[test]
fn a_run_on_another_scene_drops_the_locals_of_nodes_that_it_does_not_have() {
    let mut one = Scene::new();
    let gone = one.insert(one.root(), Node::group()).unwrap();
    one.remove(gone).unwrap();
    let later = one.insert(one.root(), Node::group()).unwrap();
    let mut two = Scene::new();
    let earlier = two.insert(two.root(), Node::group()).unwrap();

    let mut sum: Inherited<u32> = Inherited::new(0, |above, own| above + own);
    sum.set(gone, 4);
    assert_eq!(sum.set(later, 5), None, "the value of a removed node is displaced");
    assert_eq!(sum.local(gone), None);
    assert_eq!(sum.set(later, 6), Some(5));
    assert_eq!(sum.set(earlier, 7), None);
    assert_eq!(sum.local(earlier), None, "the later generation wins");
    run(&mut sum, &mut one);
    assert_eq!((sum.get(later), sum.local(later)), (Some(&6), Some(&6)));
    run(&mut sum, &mut two);
    assert_eq!((sum.local(later), sum.get(earlier)), (None, Some(&0)));
    assert_eq!(sum.set(earlier, 7), None);
    assert_eq!(sum.set(earlier, 8), Some(7));
    run(&mut sum, &mut two);
    assert_eq!(sum.get(earlier), Some(&8));
}

#[test]
fn values_follow_nodes_through_slices_and_wait_for_those_without_a_place() {
    let plain = Node::transform(Transform::IDENTITY);
    let mut scene = Scene::with_config(SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT }).unwrap();
    let mut nodes = vec![scene.root()];
    let mut column = Column::new(0);
    for at in 0..60 {
        nodes.push(scene.insert(nodes[at], if at % 3 == 2 { Node::group() } else { plain }).unwrap());
    }
    let has = |at: usize| !at.is_multiple_of(3);
    column.update(&scene);
    assert_eq!((column.get(&scene, nodes[1]), column.get(&scene, nodes[3])), (Some(&0), None));
    (0..60).filter(|&at| has(at)).for_each(|at| column.set(&scene, nodes[at], at).unwrap());
    assert_eq!(column.set(&scene, nodes[3], 1), Err(Error::NoTransform(nodes[3])));
    for round in 0..4 {
        column.update(&scene);
        for (at, &node) in nodes.iter().enumerate().take(60) {
            let expected = (has(at) && scene.contains(node)).then_some(&at);
            assert_eq!(column.get(&scene, node), expected, "node {at} in round {round}");
        }
        match round {
            1 => {
                scene.reparent(nodes[20], nodes[0], Keep::Local).unwrap();
                scene.remove(nodes[50]).unwrap();
            }
            _ => scene.update(),
        }
    }
    column.sweep(&scene, |above, value| *value = above + 1);
    let above = |at: usize| (if at < 20 { 0..=at } else { 20..=at }).filter(|&at| has(at)).count();
    for at in (0..50).filter(|&at| has(at)) {
        assert_eq!(column.get(&scene, nodes[at]), Some(&above(at)), "node {at}");
        let slot = scene.get(nodes[at]).and_then(|node| node.matrix_slot());
        assert_eq!(slot.and_then(|slot| column.at(slot)), Some(&above(at)), "the slot of node {at}");
    }
}
