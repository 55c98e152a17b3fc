//! What maintenance changes, and what it leaves alone.

use crate::trees::{APART, groups, whole, with};
use hedgerow::{Aabb, DrawList, Drawable, Keep, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform};
use std::collections::BTreeMap;

/// Small slices, boxes and changes.
const TOLD: SceneConfig = SceneConfig { max_nodes: 64, bounds: true, changes: true, ..SceneConfig::DEFAULT };

/// Returns a scene after most of its nodes were removed, mostly in one frame.
fn thinned(left: usize) -> Scene {
    let mut scene = with(TOLD);
    let mut nodes = vec![scene.root()];
    for number in 0..2000 {
        nodes.push(scene.insert(nodes[number / 3], whole()).unwrap());
    }
    scene.update();
    let mut dice = fastrand::Rng::with_seed(5);
    while nodes.len() > left {
        let at = dice.usize(1..nodes.len());
        if scene.get(nodes[at]).and_then(|node| node.first_child()).is_none() {
            scene.remove(nodes.swap_remove(at)).unwrap();
            if nodes.len() == left + 20 {
                scene.update();
            }
        }
    }
    scene.update();
    scene
}

/// Returns a scene that grew at random between updates and was thinned out, with some subtrees detached.
fn sparse(config: SceneConfig) -> Scene {
    let mut scene = with(config);
    let mut dice = fastrand::Rng::with_seed(7);
    let mut nodes = vec![scene.root()];
    for number in 0..3000_u32 {
        let parent = nodes[dice.usize(..nodes.len())];
        let node = Node::transform(Transform::from_xyz(number as f32, 1.0, 0.0));
        let node = if number % 3 == 0 { node.with_drawable(Drawable::new(number, Aabb::cube(1.0))) } else { node };
        nodes.push(scene.insert(parent, if number % 5 == 0 { Node::group() } else { node }).unwrap());
        if number % 97 == 0 {
            scene.update();
        }
    }
    for round in 0..40 {
        // An update joins few slices. The last round therefore leaves more to join.
        let share = if round == 39 { 2 } else { 14 };
        for &node in nodes.iter().skip(1).filter(|_| dice.u32(..share) == 0) {
            if scene.contains(node) && scene.get(node).and_then(|node| node.first_child()).is_none() {
                scene.remove(node).unwrap();
            }
        }
        if round % 9 == 0 {
            scene.reparent(nodes[dice.usize(1..20)], Place::Detached, Keep::Local).ok();
        }
        scene.update();
    }
    scene
}

/// Maintains a scene in small steps. Returns the numbers of joined and of reconstituted slices.
fn maintain(scene: &mut Scene) -> [usize; 2] {
    let mut all = [0; 2];
    loop {
        let done = scene.maintain(0);
        all = [all[0] + done.merged, all[1] + done.reconstituted];
        assert!(done.merged + done.reconstituted > 0 || done.remaining == 0, "a call does at least a step");
        assert_eq!(done.nodes > 0, done.merged + done.reconstituted > 0, "{done:?}");
        assert_eq!(scene.validate(), Ok(()));
        if done.remaining == 0 {
            return all;
        }
    }
}

/// What a pass reads of a node.
type Seen = (Option<Mat34>, Option<Mat34>, Option<Aabb>, Option<String>);

fn seen(scene: &Scene) -> BTreeMap<NodeHandle, Seen> {
    let mut list = DrawList::new();
    scene.draw_list(&mut list);
    let drawn = list.commands().iter().zip(list.matrices());
    let drawn: BTreeMap<_, _> = drawn.map(|(draw, matrix)| (draw.node, format!("{draw:?} {matrix:?}"))).collect();
    let of = |node| {
        let before = scene.get(node).and_then(|node| node.previous_world()).copied();
        (
            node,
            (
                scene.world(node).copied(),
                before,
                scene.get(node).and_then(|node| node.bounds()),
                drawn.get(&node).cloned(),
            ),
        )
    };
    scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).map(of).collect()
}

#[test]
fn small_slices_are_joined_and_sparse_ones_packed_until_nothing_is_left_to_do() {
    // One run leaves a twelfth of the nodes, the other two thirds.
    for (left, small) in [(150, true), (1300, false)] {
        let mut scene = thinned(left);
        let (slices, before) = (scene.slices().count(), scene.stats());
        let [merged, reconstituted] = maintain(&mut scene);
        assert!(scene.stats().reconstitutions >= before.reconstitutions + reconstituted as u64);
        if small {
            assert!(merged > 10 && scene.slices().count() * 2 < slices, "{merged} of {slices} are joined");
        } else {
            assert!(reconstituted > 10 && scene.stats().holes * 4 < before.holes * 3, "{reconstituted} packed");
        }
        let done = scene.maintain(usize::MAX);
        assert_eq!(scene.maintain(usize::MAX), Default::default(), "after {done:?} the scene is at rest");
    }
}

#[test]
fn a_call_stops_after_so_many_nodes() {
    let mut scene = thinned(900);
    let done = scene.maintain(100);
    assert!((100..164).contains(&done.nodes) && done.remaining > 0, "{done:?}");
}

#[test]
fn all_possible_work_is_done_after_calls_with_a_limit() {
    let mut scene = thinned(1750);
    let mut other = scene.clone();
    while scene.maintain(usize::MAX - 1).remaining > 0 {}
    assert!(scene.stats().holes > 0, "what a limit leaves");
    assert!(scene.maintain(usize::MAX).reconstituted > 0);
    other.maintain(usize::MAX);
    assert_eq!((scene.stats().holes, scene.validate()), (other.stats().holes, Ok(())));
}

#[test]
fn small_steps_change_nothing_that_passes_read() {
    for (max_nodes, bounds, changes) in [(64, true, true), (256, false, true), (4096, true, false)] {
        let mut scene = sparse(SceneConfig { max_nodes, bounds, changes, ..SceneConfig::DEFAULT });
        let (before, slices, holes) = (seen(&scene), scene.stats().slices, scene.stats().holes);
        let [merged, _] = maintain(&mut scene);
        assert!(seen(&scene) == before);
        assert!(scene.stats().holes <= holes && scene.stats().slices <= slices);
        assert!(merged > 0 || max_nodes > 64, "{merged} of {slices} slices are joined");
        assert_eq!(scene.maintain(0), Default::default(), "a scene at rest");
        scene.update();
        assert!(seen(&scene).keys().eq(before.keys()));
        assert!(before.iter().all(|(&node, seen)| scene.world(node).copied() == seen.0));
        assert_eq!(scene.validate(), Ok(()));
    }
}

#[test]
fn shrinking_leaves_nothing_unused_and_gives_the_same_handles() {
    let mut scene = sparse(SceneConfig { bounds: true, ..SceneConfig::DEFAULT });
    scene.try_reserve(scene.root(), 50_000).unwrap();
    let (mut other, before) = (scene.clone(), seen(&scene));
    let with_room = scene.stats().allocated_bytes();
    scene.shrink_to_fit();
    assert!(seen(&scene) == before);
    assert_eq!(scene.validate(), Ok(()));
    assert!(scene.stats().allocated_bytes() < with_room / 2);
    for _ in 0..3000 {
        let node = Node::transform(Transform::IDENTITY);
        assert_eq!(scene.insert(scene.root(), node), other.insert(other.root(), node));
    }
    scene.update();
    assert_eq!(scene.validate(), Ok(()));
    scene.clear();
    scene.update();
    scene.shrink_to_fit();
    assert_eq!((scene.validate(), scene.stats().slices), (Ok(()), 2));
}

/// Slices that were merged away may still be noted as sources of others.
#[test]
fn updates_go_on_after_the_last_slices_were_freed() {
    for seed in 0..8 {
        let mut scene = with(SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT });
        let mut dice = fastrand::Rng::with_seed(seed);
        let mut nodes = vec![scene.root()];
        for _ in 0..40 {
            for _ in 0..100 {
                let parent = nodes[dice.usize(..nodes.len())];
                nodes.push(scene.insert(parent, whole()).unwrap());
            }
            scene.update();
            let share = dice.usize(20..80);
            for &node in nodes.iter().skip(1).filter(|_| dice.usize(..100) < share) {
                scene.remove(node).ok();
            }
            scene.update();
            scene.shrink_to_fit();
            nodes.retain(|&node| scene.contains(node));
            for &node in &nodes[1..] {
                scene.set_local(node, Transform::from_xyz(0.0, dice.f32(), 2.0)).unwrap();
            }
            scene.update();
            scene.validate().unwrap();
        }
    }
}

#[test]
fn nothing_is_done_while_an_edit_waits_and_all_is_left_for_later() {
    let mut scene = thinned(150);
    scene.set_local(scene.root(), Transform::IDENTITY).unwrap();
    let done = scene.maintain(usize::MAX);
    assert_eq!((done.merged, done.reconstituted, done.nodes), (0, 0, 0));
    assert!(done.remaining > 0);
    scene.update();
    let done = scene.maintain(usize::MAX);
    assert!(done.merged + done.reconstituted > 0 && done.remaining == 0, "{done:?}");
}

#[test]
fn what_is_detached_is_maintained_apart_from_the_tree() {
    let mut scene = with(APART);
    let root = scene.root();
    let branches = groups(&mut scene, root, 30);
    for &branch in &branches {
        groups(&mut scene, branch, 4);
    }
    scene.update();
    for &branch in branches.iter().step_by(2) {
        scene.reparent(branch, Place::Detached, Keep::Local).unwrap();
        scene.update();
        scene.maintain(0);
        assert_eq!(scene.validate(), Ok(()));
    }
    scene.maintain(usize::MAX);
    assert_eq!(scene.validate(), Ok(()));
    let nodes: Vec<NodeHandle> = scene.slices().flat_map(|slice| slice.rows().nodes()).collect();
    assert_eq!(nodes.len(), scene.len());
    assert!(nodes.iter().all(|&node| !scene.get(node).is_some_and(|node| node.is_detached())));
    assert_eq!(scene.stats().detached, 15 * 5, "{} slices", scene.stats().slices);
}
