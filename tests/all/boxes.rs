//! Boxes of nodes that no matrix transforms, or that overflow.

use hedgerow::glam::Vec3;
use hedgerow::{Aabb, Drawable, Node, Scene, Transform};

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
