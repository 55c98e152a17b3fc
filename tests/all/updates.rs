//! What passes and reads see before an update, and after it.

use crate::renderers::looking;
use crate::trees::{TOLD, WAYS, group, with};
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::query::{CullView, Ray, Sphere};
use hedgerow::{Aabb, DrawList, Keep, Layers, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform};

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
fn what_moves_before_it_has_a_row_is_not_moved_by_a_later_update() {
    for reused in [false, true] {
        let mut scene = Scene::new();
        let mut place = scene.root();
        let chain = [(); 3].map(|()| {
            place = scene.insert(place, Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))).unwrap();
            place
        });
        scene.reparent(chain[2], chain[0], Keep::Local).unwrap();
        scene.update();
        scene.validate().unwrap();
        scene.remove(chain[2]).unwrap();
        let last = reused.then(|| scene.insert(chain[1], Node::transform(Transform::IDENTITY)).unwrap());
        scene.update();
        scene.validate().unwrap();
        assert_eq!(last.map(|last| scene.world(last).unwrap().translation().x), last.map(|_| 2.0));
    }
}
