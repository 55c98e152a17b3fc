//! Local transforms set to one of a few values, so that many sets change nothing.

use hedgerow::glam::{DVec3, Quat};
use hedgerow::visit::{Flow, TransformPass};
use hedgerow::{Aabb, DrawList, Drawable, Keep, Local, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform};

fn local(dice: &mut fastrand::Rng) -> Local {
    let mut shear = Mat34::IDENTITY;
    shear.rows[0][1] = 0.5;
    let turned = Transform::from_xyz(1.0, 0.0, 0.0).with_rotation(Quat::from_rotation_y(1.0));
    let locals = [Transform::IDENTITY.into(), turned.into(), shear.into()];
    locals[usize::from(dice.u8(0..40) / 19)]
}

fn edit(scene: &mut Scene, nodes: &mut Vec<NodeHandle>, dice: &mut fastrand::Rng) {
    let [node, other] = [0; 2].map(|_| nodes[dice.usize(..nodes.len())]);
    match dice.u8(0..40) {
        0 => nodes.push(scene.insert(other, Node::drawable(Drawable::new(1, Aabb::cube(1.0)))).unwrap()),
        // The move is refused below the node itself.
        1 => drop(scene.reparent(node, other, Keep::Local)),
        2 if nodes.len() > 50 && scene.children(node).next().is_none() => {
            scene.remove(node).unwrap();
            nodes.retain(|&kept| kept != node);
        }
        3 => drop(scene.edit(node).unwrap().set_local(None)),
        4..8 => {
            let at = DVec3::splat(1e6 + f64::from(dice.u8(0..2)) * 1e-3);
            // The edit is refused for a node without a transform.
            drop(scene.edit(node).unwrap().set_translation_f64(at));
        }
        8 => drop(scene.visit_slices_mut(&mut TransformPass::dirty())),
        _ => scene.set_local(node, local(dice)).unwrap(),
    }
}

#[test]
fn what_is_set_to_what_it_was_is_where_it_was() {
    for (seed, max_nodes, sets) in [(1, 8, 20), (2, 64, 8), (3, 256, 3), (4, 256, 120)] {
        let mut dice = fastrand::Rng::with_seed(seed);
        let mut scene = Scene::with_config(SceneConfig { max_nodes, ..SceneConfig::DEFAULT }).unwrap();
        let mut nodes = vec![scene.insert(scene.root(), Node::group()).unwrap()];
        for _ in 0..300 {
            let parent = nodes[dice.usize(..nodes.len())];
            let node = Node::drawable(Drawable::new(1, Aabb::cube(1.0)));
            nodes.push(scene.insert(parent, node).unwrap());
        }
        let mut kept = DrawList::new();
        kept.set_eye(DVec3::splat(1e6));
        for _ in 0..150 {
            (0..sets).for_each(|_| edit(&mut scene, &mut nodes, &mut dice));
            scene.update();
            scene.validate().unwrap();
            for node in scene.get(scene.root()).unwrap().descendants() {
                let world = scene.world(node.handle()).unwrap();
                assert_eq!(world.to_bits(), node.fresh_world().to_bits(), "{node:?}");
            }
            let mut anew = DrawList::new();
            anew.set_eye(DVec3::splat(1e6));
            scene.draw_list(&mut kept);
            scene.draw_list(&mut anew);
            assert_eq!(kept.relative_matrices(), anew.relative_matrices());
        }
    }
}

#[test]
fn a_leaf_of_a_new_tree_can_be_set_to_the_identity() {
    let mut scene = Scene::new();
    let at = Node::transform(Transform::from_xyz(1.0, 0.0, 0.0));
    let nodes: Vec<NodeHandle> = (0..100).map(|_| scene.insert(scene.root(), at).unwrap()).collect();
    scene.update();
    scene.set_local(nodes[5], Transform::IDENTITY).unwrap();
    scene.update();
    assert_eq!(scene.world(nodes[5]), Some(&Mat34::IDENTITY));
}

#[test]
fn what_an_update_computed_is_listed_after_a_visit_that_computes_more() {
    let mut scene = Scene::new();
    let node = Node::drawable(Drawable::new(1, Aabb::cube(1.0))).with_transform(Transform::IDENTITY);
    let nodes: Vec<NodeHandle> = (0..100).map(|_| scene.insert(scene.root(), node).unwrap()).collect();
    let mut list = DrawList::new();
    list.set_eye(DVec3::ZERO);
    for (x, &node) in (1_u8..).zip(&nodes[..3]) {
        scene.update();
        if x < 3 {
            scene.draw_list(&mut list);
        }
        scene.set_local(node, Transform::from_xyz(f32::from(x), 0.0, 0.0)).unwrap();
    }
    assert_eq!(scene.visit_slices_mut(&mut TransformPass::dirty()), Flow::Continue);
    scene.draw_list(&mut list);
    assert_eq!(list.relative_matrices(), list.matrices());
}
