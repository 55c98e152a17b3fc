//! Kept draw lists: filtered, grouped, and relative to a camera.

use core::cell::Cell;
use hedgerow::glam::{DVec3, Mat4, Quat, Vec3};
use hedgerow::{
    Aabb, DrawList, Drawable, Layers, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform,
    draw::{DrawGroups, RenderPass},
    query::{CullView, Frustum},
};

fn mesh(at: usize) -> u32 {
    u32::try_from(at).unwrap()
}

/// Returns many small slices: `count` drawables with transforms, each below an earlier one.
fn town(count: usize) -> (Scene, Vec<NodeHandle>) {
    town_of(SceneConfig::DEFAULT, count)
}

fn town_of(config: SceneConfig, count: usize) -> (Scene, Vec<NodeHandle>) {
    let config = SceneConfig { max_nodes: 16, ..config };
    let mut scene = Scene::with_config(config).unwrap();
    let mut nodes = vec![scene.root()];
    for at in 1..=count {
        let parent = nodes[at * 31 % at.min(nodes.len())];
        let turn = Quat::from_rotation_y(at as f32 * 0.7) * Quat::from_rotation_x(at as f32 * 0.3);
        let local = Transform::from_xyz(at as f32 * 0.1, 1.0, -0.5).with_rotation(turn);
        let node = Node::transform(local).with_drawable(Drawable::new(mesh(at) % 5, Aabb::cube(1.0)));
        nodes.push(scene.insert(parent, node).unwrap());
    }
    scene.update();
    (scene, nodes)
}

fn anew(scene: &Scene, layers: Layers) -> DrawList {
    let mut list = DrawList::new();
    scene.visit_slices(&mut RenderPass::new(&mut list).on_layers(layers));
    list
}

/// Returns a scene with one slice per count, and its drawables in the order of the slices. The mesh of a drawable is
/// the index of its slice.
fn slices_of(counts: &[usize]) -> (Scene, Vec<NodeHandle>) {
    // A slice has room for each count, but not for two of them.
    let max_nodes = (counts.iter().copied().max().map_or(0, mesh) * 2 + 2).max(8);
    let mut scene = Scene::with_config(SceneConfig { max_nodes, ..SceneConfig::DEFAULT }).unwrap();
    let mut nodes = Vec::new();
    for (number, &count) in counts.iter().enumerate() {
        let top = scene.insert(scene.root(), Node::group()).unwrap();
        let drawable = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(mesh(number), Aabb::cube(1.0)));
        nodes.extend((0..count).map(|_| scene.insert(top, drawable).unwrap()));
    }
    scene.update();
    assert_eq!(scene.stats().slices, 1 + counts.len());
    (scene, nodes)
}

/// Fills a kept list and checks that it equals one filled from scratch.
#[track_caller]
fn refill(scene: &Scene, list: &mut DrawList) {
    scene.draw_list(list);
    let expected = anew(scene, list.layers());
    assert_eq!(list.commands(), expected.commands());
    assert_eq!(list.matrices(), expected.matrices());
}

#[test]
fn groups_that_were_cleared_are_none_until_the_next_list() {
    let (scene, _) = town(100);
    let (mut list, mut groups) = (DrawList::new(), DrawGroups::new());
    scene.draw_list(&mut list);
    list.group(&mut groups);
    let (before, instances) = (groups.groups().to_vec(), groups.instances().to_vec());
    assert!(before.len() > 3);
    groups.clear();
    assert!(groups.groups().is_empty() && groups.instances().is_empty());
    list.group(&mut groups);
    assert_eq!((groups.groups(), groups.instances()), (&before[..], &instances[..]));
}

#[test]
fn groups_are_made_again_only_when_commands_change() {
    let (mut scene, nodes) = town(60);
    let (mut list, mut groups) = (DrawList::new(), DrawGroups::new());
    let mut regrouped = |scene: &mut Scene| {
        scene.update();
        scene.draw_list(&mut list);
        let regrouped = list.group(&mut groups);
        assert_eq!(groups.instances().len(), list.len());
        for (group, instances) in groups.iter() {
            assert!(!instances.is_empty() && instances.is_sorted());
            for &at in instances {
                let command = list.commands()[at as usize];
                let key = (command.material(), command.mesh, command.is_mirrored());
                assert_eq!(key, (group.material, group.mesh, group.mirrored));
            }
        }
        assert!(groups.groups().is_sorted_by_key(|group| (group.material, group.mesh, group.mirrored)));
        regrouped
    };
    assert!(regrouped(&mut scene));
    assert!(!regrouped(&mut scene));
    scene.set_local(nodes[5], Transform::from_xyz(1.0, 2.0, 3.0)).unwrap();
    assert!(!regrouped(&mut scene), "what only moves stays in its group");
    scene.set_local(nodes[5], Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0))).unwrap();
    assert!(regrouped(&mut scene), "what is mirrored goes to another");
    scene.edit(nodes[7]).unwrap().set_drawable(Drawable::new(99, Aabb::cube(1.0))).unwrap();
    assert!(regrouped(&mut scene));
    scene.edit(nodes[7]).unwrap().set_material(3);
    assert!(regrouped(&mut scene));
    assert!(!regrouped(&mut scene));
}

#[test]
fn matrices_that_changed_are_those_of_what_moved_since() {
    let (mut scene, nodes) = slices_of(&[100, 100]);
    let mut list = DrawList::new();
    refill(&scene, &mut list);
    for node in [nodes[70], nodes[130]] {
        scene.set_local(node, Transform::from_xyz(1.0, 2.0, 0.0)).unwrap();
        scene.update();
        refill(&scene, &mut list);
        let at = list.commands().iter().position(|command| command.node == node).unwrap();
        assert_eq!(list.changed_commands().count(), 0);
        assert_eq!(list.changed_matrices().map(|range| (range.start, range.end)).collect::<Vec<_>>(), [(at, at + 1)]);
    }
}

#[test]
fn keys_are_asked_for_what_was_listed_again_and_nothing_else() {
    let (mut scene, nodes) = slices_of(&[40, 60, 30]);
    let (mut list, mut groups, asked) = (DrawList::new(), DrawGroups::new(), Cell::new(0));
    let mut regroup = |scene: &Scene| {
        asked.set(0);
        scene.draw_list(&mut list);
        let made = list.group_by_key(&mut groups, |command| {
            asked.set(asked.get() + 1);
            (command.mesh != 1).then_some(command.mesh + 5)
        });
        let sizes: Vec<_> = groups.groups().iter().map(|group| (group.key, group.count)).collect();
        (made, asked.get(), sizes)
    };
    assert_eq!(regroup(&scene), (true, 130, vec![(5, 40), (7, 30)]));
    assert_eq!(regroup(&scene), (false, 0, vec![(5, 40), (7, 30)]));
    let drawable = scene.get(nodes[115]).unwrap().drawable().unwrap();
    scene.edit(nodes[115]).unwrap().set_drawable(Drawable { mesh: 9, ..drawable }).unwrap();
    scene.update();
    assert_eq!(regroup(&scene), (true, 30, vec![(5, 40), (7, 29), (14, 1)]));
    // The other drawables move in the list, and their keys are not asked for again.
    scene.remove(scene.parent(nodes[0]).unwrap()).unwrap();
    assert_eq!(regroup(&scene), (true, 0, vec![(7, 29), (14, 1)]));
}

#[test]
fn what_moves_without_being_drawn_makes_no_groups_again() {
    for drawables in [0, 1] {
        let (mut scene, _) = slices_of(&[drawables]);
        let node = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        scene.update();
        let (mut list, mut groups) = (DrawList::new(), DrawGroups::new());
        scene.draw_list(&mut list);
        list.group(&mut groups);
        scene.set_local(node, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        scene.update();
        scene.draw_list(&mut list);
        assert!(!list.group(&mut groups), "beside {drawables} drawables");
    }
}

/// Fills a kept list with motion, and checks each previous matrix. Returns how many differ from the current ones.
#[track_caller]
fn refill_moving(scene: &Scene, list: &mut DrawList) -> usize {
    refill(scene, list);
    moving(scene, list)
}

#[track_caller]
fn moving(scene: &Scene, list: &DrawList) -> usize {
    let previous = list.previous_matrices().expect("a scene that tells changes");
    let expected: Vec<Mat34> =
        list.commands().iter().map(|command| *scene.get(command.node).unwrap().previous_world().unwrap()).collect();
    assert_eq!(previous, expected);
    previous.iter().zip(list.matrices()).filter(|(previous, now)| previous != now).count()
}

const REMEMBERS: SceneConfig = SceneConfig { changes: true, bounds: true, ..SceneConfig::DEFAULT };

#[test]
fn previous_matrices_are_known_where_a_scene_filled_a_list_that_asks_and_it_remembers() {
    let (mut scene, nodes) = town_of(REMEMBERS, 60);
    let (forgetful, _) = town(61);
    scene.set_local(nodes[1], Transform::from_xyz(0.0, 0.5, 0.0)).unwrap();
    scene.update();
    let mut list = DrawList::new();
    refill(&scene, &mut list);
    assert!(list.previous_matrices().is_none(), "nobody asked");
    let mut list = list.with_motion();
    assert!(list.previous_matrices().is_none(), "not filled since");
    assert!(refill_moving(&scene, &mut list) > 0);
    refill(&forgetful, &mut list);
    assert!(list.previous_matrices().is_none(), "the scene remembers nothing");
    assert!(refill_moving(&scene, &mut list) > 0);
    scene.visit_slices(&mut RenderPass::new(&mut list));
    assert!(list.previous_matrices().is_none(), "a pass does not know them");
    let everywhere = Frustum::from_view_projection(&Mat4::from_scale(Vec3::splat(1e-4))).unwrap();
    scene.cull(&mut [CullView::new(&everywhere, &mut list)]).unwrap();
    assert!(!list.is_empty() && moving(&scene, &list) > 0, "culling does");
    assert!(refill_moving(&scene, &mut list) > 0);
    list.clear();
    assert!(list.previous_matrices().is_none());
    list.set_eye(DVec3::ZERO);
    scene.draw_list(&mut list);
    assert!(moving(&scene, &list) > 0);
}

#[test]
fn a_parent_is_drawn_before_its_children_whatever_drawables_are_free() {
    let leaf = |mesh| Node::drawable(Drawable::new(mesh, Aabb::cube(1.0)));
    for groups in 0..3 {
        let mut scene = Scene::new();
        let leaves: Vec<NodeHandle> = (0..10).map(|_| scene.insert(scene.root(), leaf(0)).unwrap()).collect();
        scene.update();
        scene.remove(leaves[2]).unwrap();
        scene.update();
        let parent = scene.insert(scene.root(), leaf(1)).unwrap();
        scene.update();
        scene.remove_many(&[leaves[3], leaves[8]]).unwrap();
        scene.update();
        let above = (0..groups).fold(parent, |above, _| scene.insert(above, Node::group()).unwrap());
        let child = scene.insert(above, leaf(2)).unwrap();
        scene.update();
        let mut list = DrawList::new();
        scene.draw_list(&mut list);
        let place = |node| list.commands().iter().position(|draw| draw.node == node).unwrap();
        assert!(place(parent) < place(child), "{} and {}, {groups} groups apart", place(parent), place(child));
        assert_eq!(scene.validate(), Ok(()));
    }
}

#[test]
fn a_kept_list_has_what_is_on_its_layers_when_only_these_change() {
    let (mut scene, nodes) = town(60);
    for (at, &node) in nodes.iter().enumerate().skip(1) {
        scene.edit(node).unwrap().set_layers(Layers::new(1 << (at % 3) | 8));
    }
    scene.update();
    let mut list = DrawList::new();
    for (layers, listed) in [(1, 20), (8, 60), (0, 0), (6, 40)] {
        list.set_layers(Layers::new(layers));
        refill(&scene, &mut list);
        assert_eq!(list.len(), listed, "on the layers {layers}");
    }
}
