//! User-defined inherited properties. The model has some with random edits.

use hedgerow::data::Inherited;
use hedgerow::{Node, NodeHandle, Scene, SceneConfig};
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
fn the_local_of_a_node_that_no_update_ever_placed_goes_with_it() {
    let mut scene = Scene::new();
    let mut sum: Inherited<u32> = Inherited::new(0, |above, own| above + own);
    run(&mut sum, &mut scene);
    let node = scene.insert(scene.root(), Node::group()).unwrap();
    sum.set(node, 1);
    sum.run(&scene);
    assert_eq!((sum.get(node), sum.local(node)), (None, Some(&1)));
    scene.remove(node).unwrap();
    sum.run(&scene);
    assert_eq!(sum.local(node), None);
}
