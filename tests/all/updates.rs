//! What passes and reads see before an update, and after it.

use crate::renderers::looking;
use crate::trees::{group, whole, with};
use hedgerow::edit::{EditQueue, Outcome};
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::query::{CullView, Ray, Sphere};
use hedgerow::{
    Aabb, DrawList, Drawable, Keep, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree,
};

/// A way to add two nodes below a parent, one below the other. Returns the upper one.
type Make = fn(&mut Scene, NodeHandle) -> NodeHandle;

const WAYS: [(&str, Make); 7] = [
    ("inserts", |scene, parent| {
        let top = scene.insert(parent, whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        top
    }),
    ("a queue", |scene, parent| {
        let mut queue = EditQueue::new();
        let top = queue.insert(parent, whole());
        queue.insert(top, whole());
        match queue.apply(scene)[0] {
            Ok(Outcome::Inserted(node)) => node,
            ref other => panic!("{other:?}"),
        }
    }),
    ("a tree", |scene, parent| {
        let mut tree = Tree::new();
        let top = tree.push(None, whole());
        tree.push(Some(top), whole());
        scene.insert_tree(parent, &tree).unwrap()[0]
    }),
    ("a copy", |scene, parent| {
        let top = scene.insert(parent, whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        let tree = scene.copy_tree(top).unwrap();
        let copy = scene.insert_tree(parent, &tree).unwrap()[0];
        scene.remove(top).unwrap();
        copy
    }),
    ("attached ones", |scene, parent| {
        let top = scene.insert(Place::Detached, whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        scene.reparent(top, parent, Keep::Local).unwrap();
        top
    }),
    ("moved ones", |scene, parent| {
        let top = scene.insert(scene.root(), whole()).unwrap();
        scene.insert(top, whole()).unwrap();
        scene.reparent(top, parent, Keep::Local).unwrap();
        top
    }),
    ("a tree that was read", |scene, parent| {
        let mut other = Scene::new();
        let top = other.insert(other.root(), whole()).unwrap();
        other.insert(top, whole()).unwrap();
        let read = Tree::from_bytes(&other.copy_tree(top).unwrap().to_bytes()).unwrap();
        scene.insert_tree(parent, &read).unwrap()[0]
    }),
];

/// Slices of eight nodes, boxes and changes.
const TOLD: SceneConfig = SceneConfig { max_nodes: 8, bounds: true, changes: true, ..SceneConfig::DEFAULT };

/// Counts how often each pass finds a node.
fn found(scene: &Scene, node: NodeHandle) -> [usize; 9] {
    let (camera, mut list) = (DVec3::new(0.0, 0.0, 9.0), DrawList::new());
    let frustum = looking(camera.as_vec3(), Vec3::ZERO);
    let around = looking(Vec3::ZERO, Vec3::NEG_Z);
    let all = Layers::ALL;
    let drawn = |list: &DrawList| list.commands().iter().filter(|command| command.node == node).count();
    let among = |nodes: &[NodeHandle]| nodes.iter().filter(|&&other| other == node).count();
    scene.draw_list(&mut list);
    let listed = drawn(&list);
    list.set_eye(camera);
    scene.draw_list(&mut list);
    let relative = drawn(&list);
    list.set_eye(None);
    scene.cull(&mut [CullView::new(&frustum, &mut list)]).unwrap();
    let culled = drawn(&list);
    list.set_eye(camera);
    scene.cull(&mut [CullView::new(&around, &mut list)]).unwrap();
    let near = drawn(&list);
    let (mut nodes, mut on_ray) = (Vec::new(), Vec::new());
    scene.query(&frustum, all, &mut nodes).unwrap();
    let culled_nodes = among(&nodes);
    scene.query(&Aabb::cube(2.0), all, &mut nodes).unwrap();
    let in_box = among(&nodes);
    scene.query(&Sphere::new(Vec3::ZERO, 2.0).unwrap(), all, &mut nodes).unwrap();
    let in_sphere = among(&nodes);
    scene.cast_ray(&Ray::new(Vec3::Z * 9.0, Vec3::NEG_Z).unwrap(), all, &mut on_ray).unwrap();
    let hit_by_ray = on_ray.iter().filter(|hit| hit.node == node).count();
    let rows = scene.slices().flat_map(|slice| slice.rows().nodes()).filter(|&other| other == node).count();
    [listed, relative, culled, near, culled_nodes, in_box, in_sphere, hit_by_ray, rows]
}

#[test]
fn what_was_inserted_since_the_update_is_seen_by_no_pass_and_what_was_removed_by_none_either() {
    for (way, make) in WAYS {
        for config in [TOLD, SceneConfig { bounds: true, ..SceneConfig::DEFAULT }] {
            let mut scene = with(config);
            let root = scene.root();
            let mut parent = scene.insert(root, Node::transform(Transform::from_xyz(-1.0, 0.0, 0.0))).unwrap();
            for _ in 0..20 {
                parent = group(&mut scene, parent);
            }
            scene.update();
            let node = make(&mut scene, parent);
            assert_eq!(found(&scene, node), [0; 9], "{way}");
            assert_eq!(
                (scene.get(node).and_then(|node| node.matrix_slot()), scene.get(node).and_then(|node| node.bounds())),
                (None, None),
                "{way}"
            );
            assert_eq!(scene.world(node), Some(&Mat34::IDENTITY), "{way}");
            assert_eq!(
                scene.get(node).and_then(|node| node.previous_world()),
                config.changes.then_some(&Mat34::IDENTITY),
                "{way}"
            );
            assert_eq!(scene.get(node).unwrap().fresh_world(), Mat34::IDENTITY, "it is as of now, {way}");
            scene.update();
            assert_eq!(found(&scene, node), [1; 9], "{way}, updated");
            assert!(
                scene.get(node).and_then(|node| node.matrix_slot()).is_some()
                    && scene.get(node).and_then(|node| node.bounds()).is_some()
            );
            scene.remove(node).unwrap();
            assert_eq!(found(&scene, node), [0; 9], "{way}, removed");
            assert_eq!(scene.validate(), Ok(()));
        }
    }
}

#[test]
fn a_drawable_and_user_data_that_are_set_show_with_the_update() {
    let mut scene = with(TOLD);
    let node = scene.insert(scene.root(), whole()).unwrap();
    scene.update();
    let drawn = |scene: &Scene| {
        let mut list = DrawList::new();
        scene.draw_list(&mut list);
        let draw = list.commands()[0];
        (draw.mesh, draw.material(), draw.user_data)
    };
    assert_eq!(drawn(&scene), (2, Some(1), 0));
    scene.edit(node).unwrap().set_drawable(Drawable::new(7, Aabb::cube(3.0))).unwrap();
    scene.edit(node).unwrap().set_material(8);
    scene.edit(node).unwrap().set_user_data(9);
    assert_eq!(drawn(&scene), (2, Some(1), 0));
    assert_eq!(
        (scene.get(node).unwrap().drawable().unwrap().mesh, scene.get(node).and_then(|node| node.material())),
        (7, Some(8)),
        "reads are as of now"
    );
    scene.update();
    assert_eq!(drawn(&scene), (7, Some(8), 9));
}
