//! Culling of slices with many blocks, of views on several layers, and with bounds that were set.

use hedgerow::glam::{Vec3, Vec4};
use hedgerow::query::{CullView, Frustum, Sphere};
use hedgerow::{Aabb, DrawList, Drawable, Layers, Node, NodeHandle, Scene, SceneConfig, Transform};
use hedgerow_testkit::model::dump::same_slice;

/// Returns drawables in one slice, one metre apart along x. Each has its number as its mesh.
fn row_of(count: u16) -> (Scene, Vec<NodeHandle>) {
    let config = SceneConfig { bounds: true, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let top = scene.insert(scene.root(), Node::group()).unwrap();
    let mut nodes: Vec<NodeHandle> = Vec::new();
    for x in 0..count {
        let place = Node::transform(Transform::from_xyz(f32::from(x), 0.0, 0.0));
        nodes.push(scene.insert(top, place.with_drawable(Drawable::new(u32::from(x), Aabb::cube(0.25)))).unwrap());
        if x == 3000 {
            // The remaining nodes are few enough to stay in this slice.
            scene.update();
        }
    }
    scene.update();
    assert!(same_slice(&scene, nodes[0], nodes[nodes.len() - 1]));
    (scene, nodes)
}

/// Returns the half space beyond an x.
fn beyond(x: f32) -> Frustum {
    let (wall, any) = (Vec4::new(1.0, 0.0, 0.0, -x), Vec4::ZERO);
    Frustum::from_planes([wall, any, any, any, any, any]).unwrap()
}

#[test]
fn a_slice_is_searched_to_its_last_block() {
    // A slice holds at most 64 blocks of 64 drawables. The last block is not full.
    let (scene, nodes) = row_of(4093);
    let (mut list, mut found) = (DrawList::new(), Vec::new());
    // The box contains the whole slice, so no box in the slice is tested. A sphere tests every box.
    scene.query(&Aabb::cube(1e5), Layers::ALL, &mut found).unwrap();
    assert!(found == nodes, "{} in a box", found.len());
    scene.query(&Sphere::new(Vec3::ZERO, 1e5).unwrap(), Layers::ALL, &mut found).unwrap();
    assert!(found == nodes, "{} in a sphere", found.len());
    scene.query(&Aabb::cube(1e5), Layers::NONE, &mut found).unwrap();
    assert_eq!(found, [], "nothing is on no layer");
    for x in [10_u16, 4080] {
        scene.cull(&mut [CullView::new(&beyond(f32::from(x)), &mut list)]).unwrap();
        let listed = list.commands().iter().map(|command| (command.node, command.mesh));
        assert!(listed.eq(nodes.iter().copied().zip(0..).skip(usize::from(x))), "{} beyond {x}", list.len());
    }
}

#[test]
fn a_node_below_the_last_row_of_a_full_slice_gets_its_row_elsewhere() {
    let (mut scene, nodes) = row_of(4093);
    // This leaves room for one, but not behind the last row.
    scene.remove(nodes[0]).unwrap();
    scene.update();
    let last = scene.insert(nodes[4092], Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))).unwrap();
    scene.update();
    assert_eq!(scene.validate(), Ok(()));
    assert_eq!(scene.world(last).map(|world| world.translation()), Some(Vec3::new(4093.0, 0.0, 0.0)));
}
