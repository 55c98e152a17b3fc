//! When handles stay valid, and when they become stale.

use hedgerow::{Keep, Node, Place, Scene, SceneConfig, Transform};

const TINY: SceneConfig = SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT };

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
    scene.maintain(1_000_000);
    scene.shrink_to_fit();
    unchanged(&scene, "maintenance");
    scene.edit(root).unwrap().sort_children_by(|a, b| b.handle().cmp(&a.handle()));
    for &node in nodes {
        scene.set_local(node, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        scene.edit(node).unwrap().set_local(None).unwrap();
    }
    unchanged(&scene, "sorting and attaching");
}
