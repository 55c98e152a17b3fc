//! Boxes of nodes, and queries by them, between edits and updates.

use crate::regressions::{all_nodes, drawn, turned};
use hedgerow::glam::Vec3;
use hedgerow::{
    Aabb, Drawable, Keep, Layers, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree,
    visit::{Flow, SliceViewMut, SliceVisitorMut, TransformPass},
};

/// Returns the nodes in a box around everything.
fn found(scene: &Scene) -> Vec<NodeHandle> {
    let mut nodes = Vec::new();
    scene.query(&Aabb::new(Vec3::splat(-1e6), Vec3::splat(1e6)), Layers::ALL, &mut nodes).unwrap();
    nodes.sort_unstable();
    nodes
}

fn shaped(scene: &Scene) -> Vec<NodeHandle> {
    let mut nodes: Vec<_> = all_nodes(scene)
        .into_iter()
        .filter(|&node| scene.get(node).and_then(|node| node.drawable()).is_some())
        .collect();
    nodes.sort_unstable();
    nodes
}

#[test]
fn drawables_that_are_built_or_copied_are_found_after_an_update_and_not_before() {
    let config = SceneConfig { bounds: true, max_nodes: 32, ..SceneConfig::DEFAULT };
    let mut tree = Tree::new();
    tree.push(None, Node::group());
    for number in 1..100 {
        let moved = if number % 3 == 0 { Node::transform(turned(number as f32, 1.0)) } else { Node::group() };
        tree.push(Some(number / 5), Node { drawable: drawn(1).drawable, ..moved });
    }
    let mut scene = Scene::with_config(config).unwrap();
    let root = scene.root();
    let built = scene.insert_tree(root, &tree).unwrap();
    for copies in 1..4 {
        scene.validate().unwrap();
        assert_eq!(found(&scene).len(), (copies - 1) * 99);
        for _ in 0..2 {
            scene.update();
            scene.validate().unwrap();
            assert_eq!((found(&scene), found(&scene).len()), (shaped(&scene), copies * 99));
        }
        let copy = scene.tree(built[0]).unwrap();
        scene.insert_tree(root, &copy).unwrap();
    }
}

#[test]
fn a_box_is_that_of_the_draw_list_between_detaching_and_the_next_update() {
    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).unwrap();
    let far = scene.insert(scene.root(), Node::transform(Transform::from_xyz(50.0, 0.0, 0.0))).unwrap();
    let node = scene.insert(far, drawn(1)).unwrap();
    scene.update();
    scene.reparent(node, Place::Detached, Keep::Local).unwrap();
    scene.reparent(node, far, Keep::Local).unwrap();
    for updated in [false, true] {
        let world = scene.get(node).unwrap().bounds().unwrap();
        let mut nodes = Vec::new();
        scene.query(&world, Layers::ALL, &mut nodes).unwrap();
        assert_eq!(nodes, [node], "updated: {updated}");
        scene.query(&Aabb::new(world.max + 1.0, world.max + 99.0), Layers::ALL, &mut nodes).unwrap();
        assert_eq!(nodes, [], "updated: {updated}");
        scene.validate().unwrap();
        scene.update();
    }
    assert_eq!(
        scene.get(node).unwrap().bounds(),
        Some(Aabb::new(Vec3::new(49.0, -1.0, -1.0), Vec3::new(51.0, 1.0, 1.0)))
    );
}

#[test]
fn a_visit_with_the_pass_ends_with_an_update() {
    let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }).unwrap();
    let top = scene.insert(scene.root(), Node::transform(turned(1.0, 0.0))).unwrap();
    let node = scene.insert(top, drawn(1)).unwrap();
    let below = scene.insert(node, drawn(2)).unwrap();
    scene.update();
    for turn in 1..8 {
        let before = scene.get(node).unwrap().bounds().unwrap();
        let place = |scene: &Scene| scene.world(node).unwrap().translation();
        let stood = place(&scene);
        scene.set_local(top, Transform::from_xyz(turn as f32 * 20.0, 0.0, 0.0)).unwrap();
        let mut pass = [TransformPass::dirty(), TransformPass::everything()][turn % 2];
        let _ = scene.visit_slices_mut(&mut |slice: SliceViewMut<'_>| pass.slice_mut(slice));
        scene.validate().unwrap();
        assert_ne!(place(&scene), stood);
        for (area, expected) in [(before, &[][..]), (scene.get(node).unwrap().bounds().unwrap(), &[node, below])] {
            let mut nodes = Vec::new();
            scene.query(&area, Layers::ALL, &mut nodes).unwrap();
            assert_eq!(nodes, expected, "turn {turn}");
        }
        // A visitor that sets only leaves all as it is until the next update.
        scene.set_local(top, Transform::IDENTITY).unwrap();
        let stood = place(&scene);
        let _ = scene.visit_slices_mut(&mut |_: SliceViewMut<'_>| Flow::Continue);
        assert_eq!(place(&scene), stood);
    }
}

#[test]
fn worlds_that_overflow_have_infinite_bounds_and_are_counted() {
    let mut scene = Scene::new();
    let huge = Transform::from_xyz(1.0, 0.0, 0.0).with_scale(Vec3::splat(1e30));
    let top = scene.insert(scene.root(), Node::transform(huge)).unwrap();
    let node = Node::transform(huge).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
    let low = scene.insert(top, node).unwrap();
    let mut drawables = Vec::new();
    for bounds in [Aabb::INFINITE, Aabb::EMPTY] {
        drawables.push(scene.insert(low, Node::drawable(Drawable::new(2, bounds))).unwrap());
    }
    scene.update();
    scene.validate().unwrap();
    assert_eq!(scene.get(low).unwrap().bounds(), Some(Aabb::INFINITE));
    assert_eq!(scene.get(drawables[0]).unwrap().bounds(), Some(Aabb::INFINITE));
    assert_eq!(scene.get(drawables[1]).unwrap().bounds(), Some(Aabb::EMPTY));
    assert!(scene.stats().overflowed > 0);

    scene.set_local(top, Transform::IDENTITY).unwrap();
    scene.update();
    assert_eq!(scene.stats().overflowed, 0);
    assert!(scene.get(low).unwrap().bounds().unwrap().is_finite());
    scene.validate().unwrap();
}

#[test]
fn special_bounds_bypass_every_matrix() {
    let mut scene = Scene::new();
    for scale in [0.0, -1.0, 1e-30] {
        let odd = Transform::from_xyz(1.0, 2.0, 3.0).with_scale(Vec3::splat(scale));
        for bounds in [Aabb::INFINITE, Aabb::EMPTY] {
            let node = Node::transform(odd).with_drawable(Drawable::new(1, bounds));
            let node = scene.insert(scene.root(), node).unwrap();
            scene.update();
            assert_eq!(scene.get(node).unwrap().bounds(), Some(bounds));
        }
    }
    let inverted = Drawable::new(1, Aabb::new(Vec3::ONE, Vec3::ZERO));
    let node = scene.insert(scene.root(), Node::drawable(inverted)).unwrap();
    assert_eq!(scene.get(node).and_then(|node| node.drawable()).map(|drawable| drawable.bounds), Some(Aabb::EMPTY));
}
