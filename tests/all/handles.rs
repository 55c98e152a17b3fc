//! When handles stay valid, and when they become stale.

use hedgerow::{Error, Keep, Layers, Node, NodeHandle, Place, Scene, SceneConfig, Transform};
use hedgerow_testkit::model::dump::same_slice;
use std::collections::HashSet;
use std::time::Duration;

const TINY: SceneConfig = SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT };

/// Calls every query and edit that takes a handle; nothing may panic.
fn use_everywhere(scene: &mut Scene, node: NodeHandle) {
    let root = scene.root();
    let _ = (scene.parent(node), scene.world(node), scene.local(node), same_slice(scene, node, root));
    let _ = scene.get(root).unwrap().is_below(node);
    if let Some(node) = scene.get(node) {
        let _ = (node.first_child(), node.last_child(), node.next_sibling(), node.previous_sibling(), node.depth());
        let _ = (node.node(), node.fresh_world(), node.bounds(), node.layers(), node.material(), node.name());
        let _ = (node.find("a/b"), node.is_below(root));
        let walked = node.children().count()
            + node.siblings().count()
            + node.ancestors().count()
            + node.descendants().count()
            + node.post_order().count()
            + node.leaves().count()
            + node.edges().count();
        assert!(walked <= 12 * scene.len());
    }
    assert!(scene.children(node).count() < scene.len());
    let _ = scene.try_reserve(node, 3);
    let _ = scene.insert(node, Node::group());
    let _ = scene.insert(Place::Before(node), Node::group());
    let _ = scene.set_local(node, Transform::IDENTITY);
    let _ = scene.set_world(node, Transform::IDENTITY);
    let _ = scene.edit(node).map(|mut node| _ = node.set_layers(Layers::ALL));
    let _ = scene.edit(node).map(|mut node| _ = node.set_material(None));
    let _ = scene.edit(node).map(|mut node| _ = node.set_name("a"));
    let _ = scene.edit(node).map(|mut node| _ = node.sort_children_by(|a, b| b.handle().cmp(&a.handle())));
    let _ = scene.reparent(node, root, Keep::World);
    let _ = scene.remove(node);
    scene.validate().unwrap();
}

#[test]
fn a_handle_survives_everything_but_its_removal() {
    let mut scene = Scene::with_config(TINY).unwrap();
    let root = scene.root();
    let mut nodes = vec![root];
    for number in 0..40usize {
        let parent = nodes[number * 7 % nodes.len()];
        let node = Node::material(u32::try_from(number).unwrap());
        nodes.push(scene.insert(parent, node).unwrap());
    }
    let nodes = &nodes[1..];
    let unchanged = |scene: &Scene, after: &str| {
        scene.validate().unwrap();
        for (number, &node) in (0u32..).zip(nodes) {
            assert_eq!(scene.get(node).unwrap().own_material(), Some(number), "after {after}");
        }
    };
    scene.update();
    unchanged(&scene, "an update");
    scene.shrink_to_fit();
    unchanged(&scene, "shrinking");
    scene.reparent(nodes[3], Place::FirstChildOf(root), Keep::Local).unwrap();
    scene.reparent(nodes[11], Place::After(nodes[3]), Keep::World).unwrap();
    unchanged(&scene, "reparenting");
    scene.shrink_to_fit();
    scene.maintain(Duration::from_secs(1));
    scene.shrink_to_fit();
    unchanged(&scene, "maintenance");
    scene.edit(root).unwrap().sort_children_by(|a, b| b.handle().cmp(&a.handle()));
    for &node in nodes {
        scene.set_local(node, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        scene.edit(node).unwrap().set_local(None).unwrap();
    }
    unchanged(&scene, "sorting and attaching");
}

#[test]
fn a_removed_handle_never_names_a_later_node() {
    for config in [TINY, SceneConfig::DEFAULT] {
        let mut scene = Scene::with_config(config).unwrap();
        let mut seen = HashSet::from([scene.root()]);
        for _ in 0..200 {
            let node = scene.insert(scene.root(), Node::group()).unwrap();
            let child = scene.insert(node, Node::group()).unwrap();
            assert!(seen.insert(node) && seen.insert(child), "a handle was given twice");
            assert_eq!(scene.remove(node), Ok(2));
            assert_eq!(scene.remove(child), Err(Error::StaleHandle(child)));
        }
        let root = scene.root();
        assert_eq!(seen.iter().filter(|&&node| scene.contains(node)).collect::<Vec<_>>(), [&root]);
        scene.validate().unwrap();
    }
}

#[test]
fn a_handle_of_another_scene_does_no_harm() {
    let mut other = Scene::new();
    let mut foreign = vec![other.root()];
    for number in 0..300 {
        foreign.push(other.insert(foreign[number / 2], Node::group()).unwrap());
    }
    for config in [SceneConfig::DEFAULT, TINY, SceneConfig::DEFAULT] {
        let mut scene = Scene::with_config(config).unwrap();
        let top = scene.insert(scene.root(), Node::group()).unwrap();
        scene.insert(top, Node::group()).unwrap();
        for &node in &foreign {
            use_everywhere(&mut scene, node);
        }
    }
}

#[test]
fn random_bits_do_no_harm() {
    let mut scene = Scene::with_config(TINY).unwrap();
    for number in 0..20_usize {
        let parent = scene
            .get(scene.root())
            .unwrap()
            .descendants()
            .map(|node| node.handle())
            .nth(number / 2)
            .unwrap_or(scene.root());
        scene.insert(parent, Node::group()).unwrap();
    }
    let mut dice = fastrand::Rng::with_seed(1);
    let (mut live, mut stale) = (0, 0);
    for _ in 0..3000 {
        let state = dice.u64(..);
        // The bits are random, close to small records and generations, one or two bits from a live handle, or extreme.
        let turn = usize::try_from(state >> 40).unwrap() % scene.len();
        let some =
            scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).nth(turn).unwrap_or(scene.root());
        let near = some.to_bits() ^ (state & 0x0000_0100_1000_0001);
        for bits in [state, state & 0x0000_0F00_3000_0007, near, !0, 1, !0 << 28, state | 1 << 63] {
            if let Some(node) = NodeHandle::from_bits(bits) {
                if bits == near {
                    *if scene.contains(node) { &mut live } else { &mut stale } += 1;
                }
                use_everywhere(&mut scene, node);
            }
        }
        // The root is edited in each turn and gains children.
        while scene.len() > 60 {
            scene.remove(scene.get(scene.root()).unwrap().first_child().unwrap().handle()).unwrap();
        }
        if scene.len() < 10 {
            scene.insert(scene.root(), Node::group()).unwrap();
        }
    }
    assert!(live > 300 && stale > 300, "{live} words near handles named a node, and {stale} none");
}
