//! Each kind of edit alone.

use crate::trees::APART;
use hedgerow::Visibility;
use hedgerow::glam::{Affine3, Affine3A, Quat, Vec3};
use hedgerow::{
    Aabb, DrawList, Drawable, Error, Keep, Layers, Local, Mat34, Node, NodeHandle, NodeMut, Place, Scene, SceneConfig,
    Transform,
    edit::{Change, Edit, LocalForm},
};
use hedgerow_testkit::model::dump::{dump, same_slice};

const TURN: f32 = core::f32::consts::FRAC_PI_2;

fn named(scene: &mut Scene, place: impl Into<Place>, name: &str) -> NodeHandle {
    scene.insert(place, Node::group().named(name)).unwrap()
}

fn at(scene: &mut Scene, parent: NodeHandle, x: f32) -> NodeHandle {
    scene.insert(parent, Node::transform(Transform::from_xyz(x, 0.0, 0.0))).unwrap()
}

fn names_below(scene: &Scene, parent: NodeHandle) -> Vec<String> {
    scene
        .children(parent)
        .map(|child| scene.get(child).and_then(|node| node.name()).unwrap_or_default().to_owned())
        .collect()
}

fn near(a: &Mat34, b: &Mat34) -> bool {
    a.rows.iter().flatten().zip(b.rows.iter().flatten()).all(|(x, y)| (x - y).abs() < 1e-5)
}

#[test]
fn an_insert_takes_exactly_the_place_it_names() {
    let mut scene = Scene::new();
    let root = scene.root();
    let b = named(&mut scene, root, "b");
    named(&mut scene, Place::LastChildOf(root), "e");
    named(&mut scene, Place::FirstChildOf(root), "a");
    let d = named(&mut scene, Place::After(b), "d");
    named(&mut scene, Place::Before(d), "c");
    assert_eq!(names_below(&scene, root), ["a", "b", "c", "d", "e"]);
    scene.validate().unwrap();
}

#[test]
fn a_node_reads_back_as_it_was_described() {
    let mut scene = Scene::new();
    let drawable = Drawable::new(9, Aabb::cube(2.0));
    let whole = Node::transform(Transform::from_xyz(1.0, 2.0, 3.0))
        .with_material(4)
        .with_drawable(drawable)
        .with_layers(Layers::new(6))
        .named("whole");
    for node in [whole, Node::group(), Node::material(3), Node::drawable(drawable), Node::group().named("")] {
        let handle = scene.insert(scene.root(), node).unwrap();
        assert_eq!(scene.get(handle).unwrap().node(), node);
    }
    assert_eq!(scene.get(scene.root()).unwrap().node(), Node::group());
}

#[test]
fn removing_a_node_removes_all_below_it_and_nothing_else() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (car, tree) = (named(&mut scene, root, "car"), named(&mut scene, root, "tree"));
    let wheels = [(); 4].map(|()| named(&mut scene, car, "wheel"));
    let nut = named(&mut scene, wheels[2], "nut");
    assert_eq!(scene.remove(wheels[2]), Ok(2));
    assert_eq!(scene.children(car).collect::<Vec<_>>(), [wheels[0], wheels[1], wheels[3]]);
    assert_eq!(scene.remove(car), Ok(4));
    assert!([car, nut].into_iter().chain(wheels).all(|node| !scene.contains(node)));
    assert_eq!(scene.children(root).collect::<Vec<_>>(), [tree]);
    assert_eq!(scene.len(), 2);
    scene.validate().unwrap();
}

#[test]
fn a_leaf_is_removed_with_all_components_that_it_has() {
    let drawable = Drawable::new(9, Aabb::cube(2.0));
    for components in 0..32_u8 {
        let has = |bit: u8| components >> bit & 1 != 0;
        let mut scene = Scene::new();
        let root = scene.root();
        let parent = named(&mut scene, root, "parent");
        let [before, after] = ["before", "after"].map(|name| named(&mut scene, parent, name));
        let mut node = if has(0) { Node::transform(Transform::from_xyz(1.0, 2.0, 3.0)) } else { Node::group() };
        if has(1) {
            node = node.with_material(4);
        }
        if has(2) {
            node = node.with_drawable(drawable);
        }
        if has(3) {
            node = node.with_layers(Layers::new(6));
        }
        if has(4) {
            node = node.named("leaf");
        }
        for place in [Place::FirstChildOf(parent), Place::After(before), Place::LastChildOf(parent)] {
            let leaf = scene.insert(place, node).unwrap();
            assert_eq!(scene.remove(leaf), Ok(1));
            assert_eq!(scene.validate(), Ok(()), "components {components:05b}");
            assert_eq!(scene.children(parent).collect::<Vec<_>>(), [before, after]);
        }
        assert_eq!(scene.len(), 4);
    }
}

#[test]
fn a_node_without_components_is_removed_with_its_children() {
    let mut scene = Scene::new();
    let root = scene.root();
    let top = scene.insert(root, Node::group()).unwrap();
    let middle = scene.insert(top, Node::group()).unwrap();
    let lows = [(); 3].map(|()| scene.insert(middle, Node::group()).unwrap());
    assert_eq!(scene.remove(lows[1]), Ok(1));
    assert_eq!(scene.remove(top), Ok(4));
    assert_eq!((scene.len(), scene.validate()), (1, Ok(())));
}

#[test]
fn a_subtree_moves_to_every_place() {
    let mut scene = Scene::new();
    let root = scene.root();
    let [a, b, c] = ["a", "b", "c"].map(|name| named(&mut scene, root, name));
    let below = named(&mut scene, a, "below");
    let places = [
        (Place::LastChildOf(root), ["b", "c", "a"]),
        (Place::FirstChildOf(root), ["a", "b", "c"]),
        (Place::After(b), ["b", "a", "c"]),
        (Place::Before(b), ["a", "b", "c"]),
        (Place::After(c), ["b", "c", "a"]),
        (Place::Before(a), ["b", "c", "a"]),
        (Place::After(a), ["b", "c", "a"]),
    ];
    for (place, expected) in places {
        assert_eq!(scene.reparent(a, place, Keep::Local), Ok(None), "{place:?}");
        assert_eq!(names_below(&scene, root), expected, "{place:?}");
        assert_eq!(scene.parent(below), Some(a));
        scene.validate().unwrap();
    }
    scene.reparent(a, c, Keep::Local).unwrap();
    assert_eq!(names_below(&scene, c), ["a"]);
    assert_eq!(scene.get(below).unwrap().depth(), 3);
}

#[test]
fn keeping_the_local_transform_moves_a_node_with_its_new_parent() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (near, far) = (at(&mut scene, root, 1.0), at(&mut scene, root, 100.0));
    let node = at(&mut scene, near, 2.0);
    assert_eq!(scene.reparent(node, far, Keep::Local), Ok(Some(LocalForm::Transform)));
    scene.update();
    assert_eq!(scene.world(node).unwrap().translation().x, 102.0);
    assert_eq!(scene.local(node), Some(Local::Transform(Transform::from_xyz(2.0, 0.0, 0.0))));
}

#[test]
fn keeping_the_world_transform_leaves_a_node_where_it_was() {
    let mut scene = Scene::new();
    let root = scene.root();
    let near = at(&mut scene, root, 1.0);
    let turned =
        Transform::from_xyz(100.0, 5.0, 0.0).with_rotation(Quat::from_rotation_z(1.0)).with_scale(Vec3::splat(4.0));
    let far = scene.insert(root, Node::transform(turned)).unwrap();
    let node = at(&mut scene, near, 2.0);
    let below = at(&mut scene, node, 1.0);
    scene.update();
    let before = [node, below].map(|node| *scene.world(node).unwrap());
    assert_eq!(scene.reparent(node, far, Keep::World), Ok(Some(LocalForm::Transform)));
    scene.update();
    let after = [node, below].map(|node| *scene.world(node).unwrap());
    assert!(near_all(&before, &after), "{before:?} became {after:?}");
}

fn near_all(a: &[Mat34], b: &[Mat34]) -> bool {
    a.iter().zip(b).all(|(a, b)| near(a, b))
}

#[test]
fn a_world_transform_that_needs_shear_is_kept_as_a_matrix() {
    let mut scene = Scene::new();
    let root = scene.root();
    let stretched = Transform::from_scale(Vec3::new(3.0, 1.0, 1.0));
    let parent = scene.insert(root, Node::transform(stretched)).unwrap();
    let turned = Transform::from_rotation(Quat::from_rotation_z(0.5));
    let node = scene.insert(root, Node::transform(turned)).unwrap();
    let before = scene.get(node).unwrap().fresh_world();
    assert_eq!(scene.reparent(node, parent, Keep::World), Ok(Some(LocalForm::Matrix)));
    assert!(matches!(scene.local(node), Some(Local::Matrix(_))));
    assert!(near(&before, &scene.get(node).unwrap().fresh_world()));
    assert!(scene.get(node).unwrap().node().local.is_some_and(|local| local.transform().is_none()));

    // Below the root, the local transform is a rotation again.
    assert_eq!(scene.reparent(node, root, Keep::World), Ok(Some(LocalForm::Transform)));
    assert!(near(&before, &scene.get(node).unwrap().fresh_world()));
    scene.validate().unwrap();
}

#[test]
fn a_node_without_a_transform_is_given_one_to_stay_in_place() {
    let mut scene = Scene::new();
    let root = scene.root();
    let (one, two) = (at(&mut scene, root, 1.0), at(&mut scene, root, 2.0));
    let node = named(&mut scene, one, "node");
    assert_eq!(scene.reparent(node, two, Keep::World), Ok(Some(LocalForm::Transform)));
    assert_eq!(scene.get(node).unwrap().fresh_world().translation().x, 1.0);
    let group = named(&mut scene, one, "group");
    let other = named(&mut scene, one, "other");
    assert_eq!(scene.reparent(group, other, Keep::World), Ok(None), "the parents are in one place");
    assert_eq!(scene.local(group), None);
}

#[test]
fn there_and_back_keeping_locals_changes_no_bit() {
    let mut scene = Scene::new();
    let root = scene.root();
    let one = at(&mut scene, root, 0.1);
    let scaled = Transform::from_scale(Vec3::new(0.3, -2.0, 1.1));
    let two = scene.insert(one, Node::transform(scaled)).unwrap();
    let node = at(&mut scene, two, 0.7);
    scene.update();
    let before = *scene.world(node).unwrap();
    for place in [Place::FirstChildOf(root), Place::After(one), Place::Before(two), Place::LastChildOf(two)] {
        scene.reparent(node, place, Keep::Local).unwrap();
        scene.update();
    }
    assert_eq!(scene.world(node), Some(&before));
}

#[test]
fn a_set_local_reaches_all_below_with_the_next_update() {
    let mut scene = Scene::new();
    let root = scene.root();
    let top = at(&mut scene, root, 1.0);
    let middle = named(&mut scene, top, "middle");
    let low = at(&mut scene, middle, 1.0);
    scene.update();
    scene.set_local(top, Transform::from_xyz(10.0, 0.0, 0.0)).unwrap();
    assert_eq!(scene.world(low).unwrap().translation().x, 2.0, "as of the last update");
    assert_eq!(scene.get(low).unwrap().fresh_world().translation().x, 11.0);
    scene.update();
    assert_eq!(scene.world(low).unwrap().translation().x, 11.0);
    assert_eq!(scene.world(middle).unwrap().translation().x, 10.0);
}

#[test]
fn a_sheared_node_that_is_set_with_its_parent_takes_all_below_along() {
    let mut scene = Scene::new();
    let root = scene.root();
    let branch = named(&mut scene, root, "branch");
    // In a large slice, an update computes single nodes.
    let others: Vec<_> = (0..60_u8).map(|x| at(&mut scene, branch, f32::from(x))).collect();
    let sheared = |x| Mat34 { rows: [[1.0, 0.5, 0.0, x], [0.0, 1.0, 0.0, 5.0], [0.0, 0.0, 1.0, 6.0]] };
    let parent = at(&mut scene, branch, 1.0);
    let middle = scene.insert(parent, Node::group().with_matrix(sheared(4.0))).unwrap();
    let low = at(&mut scene, middle, 2.0);
    scene.update();
    for (of_parent, of_middle) in [(true, true), (true, false), (false, true)] {
        let x = |node| scene.world(node).unwrap().translation().x;
        let (mut above, mut between) = (x(parent), x(middle) - x(parent));
        if of_parent {
            above += 10.0;
            scene.set_local(parent, Transform::from_xyz(above, 0.0, 0.0)).unwrap();
        }
        if of_middle {
            between += 100.0;
            scene.set_local(middle, sheared(between)).unwrap();
        }
        scene.update();
        let expected = Transform::from_xyz(above, 0.0, 0.0).to_matrix() * sheared(between);
        assert_eq!(scene.world(middle), Some(&expected), "{of_parent} {of_middle}");
        let expected = expected * Transform::from_xyz(2.0, 0.0, 0.0).to_matrix();
        assert_eq!(scene.world(low), Some(&expected), "{of_parent} {of_middle}");
        assert_eq!(scene.world(others[7]).unwrap().translation().x, 7.0);
    }
    for (node, x) in others.into_iter().zip(100_u8..) {
        scene.set_local(node, Transform::from_xyz(f32::from(x), 0.0, 0.0)).unwrap();
        scene.update();
        assert_eq!(scene.world(node).unwrap().translation().x, f32::from(x), "set alone");
    }
}

#[test]
fn a_rotation_is_normalised_when_it_is_set() {
    let mut scene = Scene::new();
    let root = scene.root();
    let node = at(&mut scene, root, 0.0);
    for size in [1e-30_f32, 0.1, 7.0, 1e30] {
        let long = Quat::from_rotation_x(1.0) * size;
        scene.set_local(node, Transform::from_rotation(long)).unwrap();
        let kept = scene.local(node).and_then(Local::transform).unwrap().rotation;
        assert!((kept.length() - 1.0).abs() < 1e-6, "{kept:?}");
        assert!((kept.dot(Quat::from_rotation_x(1.0)) - 1.0).abs() < 1e-6, "{kept:?}");
    }
}

#[test]
fn a_local_matrix_is_kept_as_a_matrix_only_where_it_shears() {
    let mut scene = Scene::new();
    let root = scene.root();
    let node = at(&mut scene, root, 0.0);
    let mirrored = Transform::from_xyz(1.0, 2.0, 3.0)
        .with_scale(Vec3::new(2.0, -1.0, 0.5))
        .with_rotation(Quat::from_rotation_y(0.3));
    scene.set_local(node, mirrored.to_matrix()).unwrap();
    assert!(matches!(scene.local(node), Some(Local::Transform(_))));
    assert!(near(&scene.local(node).unwrap().to_matrix(), &mirrored.to_matrix()));

    let sheared = Mat34 { rows: [[1.0, 0.5, 0.0, 4.0], [0.0, 1.0, 0.0, 5.0], [0.0, 0.0, 1.0, 6.0]] };
    scene.set_local(node, sheared).unwrap();
    assert_eq!(scene.local(node), Some(Local::Matrix(sheared)));
    scene.update();
    assert_eq!(scene.world(node), Some(&sheared));
    let flat = Mat34 { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };
    scene.set_local(node, flat).unwrap();
    assert_eq!(scene.local(node), Some(Local::Matrix(flat)));
    assert_eq!(scene.modify_local(node, |local| local.translation.x = 1.0), Err(Error::Sheared(node)));
    scene.set_local(node, Transform::IDENTITY).unwrap();
    assert_eq!(scene.local(node), Some(Local::Transform(Transform::IDENTITY)));
    scene.validate().unwrap();
}

#[test]
fn a_world_transform_is_set_below_any_parent_that_has_an_inverse() {
    let mut scene = Scene::new();
    let root = scene.root();
    let odd = Transform::from_xyz(3.0, 1.0, 0.0)
        .with_rotation(Quat::from_rotation_z(TURN))
        .with_scale(Vec3::new(2.0, 1.0, -1.0));
    let parent = scene.insert(root, Node::transform(odd)).unwrap();
    let node = at(&mut scene, parent, 1.0);
    let wanted = Transform::from_xyz(-4.0, 2.0, 1.0).with_rotation(Quat::from_rotation_x(0.4));
    scene.set_world(node, wanted).unwrap();
    scene.update();
    assert!(near(scene.world(node).unwrap(), &wanted.to_matrix()));
    let turned = Transform::from_rotation(Quat::from_rotation_z(0.4));
    assert_eq!(scene.set_world(node, turned.to_matrix()), Ok(LocalForm::Matrix));
    assert!(near(&scene.get(node).unwrap().fresh_world(), &turned.to_matrix()));
}

#[test]
fn a_node_that_looks_at_a_point_has_its_back_to_positive_z() {
    let mut scene = Scene::new();
    let root = scene.root();
    let turned = Transform::from_xyz(5.0, 0.0, 0.0).with_rotation(Quat::from_rotation_y(1.0));
    let parent = scene.insert(root, Node::transform(turned)).unwrap();
    let eye = at(&mut scene, parent, 1.0);
    let place = scene.get(eye).unwrap().fresh_world().translation();
    let target = Vec3::new(-3.0, 4.0, 7.0);
    scene.edit(eye).unwrap().look_at(target, Vec3::Y).unwrap();
    let world = scene.get(eye).unwrap().fresh_world();
    assert!((world.translation() - place).length() < 1e-5, "it stays where it is");
    let ahead = world.transform_vector(Vec3::NEG_Z);
    assert!((ahead - (target - place).normalize()).length() < 1e-5, "{ahead}");
    let right = world.transform_vector(Vec3::X);
    assert!(right.y.abs() < 1e-5, "its x axis is level: {right}");
    assert!(world.transform_vector(Vec3::Y).y > 0.0, "it is not upside down");
    assert_eq!(scene.edit(eye).and_then(|mut node| node.look_at(place, Vec3::Y).map(|_| ())), Err(Error::NotRotation));
}

#[test]
fn a_transform_added_to_an_inner_node_moves_all_below_it() {
    let mut scene = Scene::new();
    let root = scene.root();
    let top = named(&mut scene, root, "top");
    let inner = named(&mut scene, top, "inner");
    let leaf = at(&mut scene, inner, 1.0);
    scene.update();
    for shift in [10.0, 20.0] {
        scene.set_local(top, Transform::from_xyz(shift, 0.0, 0.0)).unwrap();
        scene.update();
        scene.validate().unwrap();
        assert_eq!(scene.world(leaf).unwrap().translation().x, shift + 1.0);
        assert_eq!(scene.world(inner), scene.world(top));
    }
    for _ in 0..2 {
        scene.edit(top).unwrap().set_local(None).unwrap();
        assert_eq!(scene.local(top), None);
    }
    scene.update();
    scene.validate().unwrap();
    assert_eq!(scene.world(leaf).unwrap().translation().x, 1.0);
}

#[test]
fn the_root_takes_components_like_any_node() {
    let mut scene = Scene::new();
    let root = scene.root();
    let child = at(&mut scene, root, 1.0);
    scene.set_local(root, Transform::from_xyz(0.0, 2.0, 0.0)).unwrap();
    scene.edit(root).unwrap().set_material(5);
    scene.edit(root).unwrap().set_layers(Layers::new(12));
    scene.edit(root).unwrap().set_name("world");
    scene.update();
    scene.validate().unwrap();
    assert_eq!(scene.world(child).unwrap().translation(), Vec3::new(1.0, 2.0, 0.0));
    assert_eq!(scene.get(child).unwrap().material(), Some(5));
    assert_eq!(scene.get(child).unwrap().layers(), Layers::new(12));
    assert_eq!(scene.get(root).unwrap().name(), Some("world"));
}

#[test]
fn a_material_holds_until_another_is_said_below() {
    let mut scene = Scene::new();
    let root = scene.root();
    let top = scene.insert(root, Node::material(1)).unwrap();
    let inner = named(&mut scene, top, "inner");
    let leaf = named(&mut scene, inner, "leaf");
    scene.update();
    assert_eq!(
        (scene.get(leaf).and_then(|node| node.material()), scene.get(leaf).and_then(|node| node.own_material())),
        (Some(1), None)
    );
    scene.edit(inner).unwrap().set_material(2);
    scene.update();
    assert_eq!(scene.get(leaf).unwrap().material(), Some(2));
    scene.edit(inner).unwrap().set_material(3);
    scene.update();
    assert_eq!(scene.get(leaf).unwrap().material(), Some(3));
    for node in [inner, top] {
        assert!(scene.get(node).unwrap().own_material().is_some());
        scene.edit(node).unwrap().set_material(None);
        assert_eq!(scene.get(node).unwrap().own_material(), None);
    }
    scene.update();
    assert_eq!(scene.get(leaf).and_then(|node| node.material()), None);
}

#[test]
fn layers_are_what_all_masks_on_the_way_down_share() {
    let mut scene = Scene::new();
    let root = scene.root();
    let top = scene.insert(root, Node::group().with_layers(Layers::new(0b0110))).unwrap();
    let inner = named(&mut scene, top, "inner");
    let leaf = scene.insert(inner, Node::group().with_layers(Layers::new(0b0011))).unwrap();
    assert_eq!(scene.get(leaf).unwrap().layers(), Layers::new(0b0010));
    assert_eq!(scene.get(inner).unwrap().layers(), Layers::new(0b0110));
    assert_eq!(scene.get(inner).and_then(|node| node.own_layers()), None);
    scene.edit(inner).unwrap().set_layers(Layers::NONE);
    assert_eq!(scene.get(leaf).unwrap().layers(), Layers::NONE);
    scene.edit(inner).unwrap().set_layers(None).set_layers(None);
    assert_eq!(scene.get(inner).unwrap().own_layers(), None);
    assert_eq!(scene.get(leaf).unwrap().layers(), Layers::new(0b0010));
}

#[test]
fn what_is_shown_below_a_hidden_parent_is_drawn_on_its_own_layers() {
    let mut scene = Scene::new();
    let drawn = |mesh| Node::drawable(Drawable::new(mesh, Aabb::cube(1.0)));
    let top = scene.insert(scene.root(), drawn(1).with_layers(Layers::new(6))).unwrap();
    let inner = scene.insert(top, drawn(2)).unwrap();
    let leaf = scene.insert(inner, drawn(3).with_layers(Layers::new(3)).with_visibility(Visibility::Shown)).unwrap();
    let mut list = DrawList::new();
    let mut drawn = |scene: &mut Scene| {
        scene.update();
        scene.draw_list(&mut list);
        list.commands().iter().map(|draw| draw.mesh).collect::<Vec<_>>()
    };
    assert_eq!(drawn(&mut scene), [1, 2, 3]);
    scene.edit(top).unwrap().set_visibility(Visibility::Hidden);
    assert_eq!(drawn(&mut scene), [3]);
    let layers = |scene: &Scene| [top, inner, leaf].map(|node| scene.get(node).unwrap().layers().mask());
    assert_eq!(layers(&scene), [0, 0, 2]);
    scene.edit(inner).unwrap().set_visibility(Visibility::Hidden);
    scene.edit(leaf).unwrap().set_visibility(Visibility::Inherited);
    assert_eq!((drawn(&mut scene), layers(&scene)), (vec![], [0; 3]));
    // A hidden node keeps its layers.
    scene.edit(top).unwrap().set_visibility(Visibility::Inherited);
    scene.edit(inner).unwrap().set_visibility(Visibility::Shown);
    assert_eq!((drawn(&mut scene), layers(&scene)), (vec![1, 2, 3], [6, 6, 2]));
}

#[test]
fn a_drawable_is_added_replaced_and_removed() {
    let mut scene = Scene::new();
    let root = scene.root();
    let node = at(&mut scene, root, 2.0);
    assert_eq!(scene.get(node).and_then(|node| node.drawable()), None);
    let (one, two) = (Drawable::new(1, Aabb::cube(1.0)), Drawable::new(2, Aabb::cube(0.5)));
    scene.edit(node).unwrap().set_drawable(one).unwrap();
    scene.edit(node).unwrap().set_drawable(two).unwrap();
    scene.update();
    assert_eq!(scene.get(node).unwrap().drawable(), Some(two));
    let bounds = Aabb::new(Vec3::new(1.5, -0.5, -0.5), Vec3::new(2.5, 0.5, 0.5));
    assert_eq!(scene.get(node).unwrap().bounds(), Some(bounds));
    for _ in 0..2 {
        scene.edit(node).unwrap().set_drawable(None).unwrap();
        assert_eq!(scene.get(node).unwrap().drawable(), None);
    }
    scene.update();
    assert_eq!(scene.get(node).and_then(|node| node.bounds()), None);
}

#[test]
fn names_are_set_replaced_and_taken_away() {
    let mut scene = Scene::new();
    let root = scene.root();
    let node = named(&mut scene, root, "first");
    let root = scene.root();
    let other = named(&mut scene, root, "first");
    scene.edit(node).unwrap().set_name("second");
    assert_eq!(
        (scene.get(node).and_then(|node| node.name()), scene.get(other).and_then(|node| node.name())),
        (Some("second"), Some("first"))
    );
    scene.edit(node).unwrap().set_name("");
    assert_eq!(scene.get(node).unwrap().name(), Some(""));
    scene.edit(node).unwrap().set_name(None);
    assert_eq!(scene.get(node).and_then(|node| node.name()), None);
}

#[test]
fn children_are_sorted_stably() {
    let mut scene = Scene::new();
    let root = scene.root();
    for (material, name) in [(3, "c"), (1, "a"), (2, "x"), (1, "b"), (3, "d"), (2, "y")] {
        scene.insert(root, Node::material(material).named(name)).unwrap();
    }
    scene.edit(root).unwrap().sort_children_by(|a, b| a.own_material().cmp(&b.own_material()));
    assert_eq!(names_below(&scene, root), ["a", "b", "x", "y", "c", "d"]);
    scene.edit(root).unwrap().sort_children_by(|a, b| b.name().cmp(&a.name()));
    assert_eq!(names_below(&scene, root), ["y", "x", "d", "c", "b", "a"]);
    scene.validate().unwrap();
}

#[test]
fn clearing_leaves_the_root_and_what_it_has() {
    let mut scene = Scene::new();
    let root = scene.root();
    scene.edit(root).unwrap().set_name("world");
    let top = at(&mut scene, root, 1.0);
    let low = at(&mut scene, top, 1.0);
    scene.clear();
    assert_eq!((scene.len(), scene.root()), (1, root));
    assert_eq!(scene.get(root).unwrap().name(), Some("world"));
    assert!(!scene.contains(top) && !scene.contains(low));
    scene.validate().unwrap();
    let again = at(&mut scene, root, 1.0);
    assert!(again != top && again != low);
}

#[test]
fn a_clone_is_a_scene_of_its_own() {
    let mut scene = Scene::new();
    let root = scene.root();
    let top = at(&mut scene, root, 1.0);
    let low = named(&mut scene, top, "low");
    scene.update();
    let mut copy = scene.clone();
    assert_eq!((dump(&copy), copy.stats().nodes), (dump(&scene), 3));
    copy.set_local(top, Transform::from_xyz(9.0, 0.0, 0.0)).unwrap();
    copy.update();
    copy.remove(low).unwrap();
    assert!(scene.contains(low) && !copy.contains(low));
    assert_eq!(scene.get(low).unwrap().fresh_world().translation().x, 1.0);
    assert_eq!(copy.world(top).unwrap().translation().x, 9.0);
    scene.validate().unwrap();
    copy.validate().unwrap();
}

#[test]
fn setting_gives_or_replaces() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), Node::group()).unwrap();
    let below = scene.insert(node, Node::group()).unwrap();
    for x in [1.0, 2.0] {
        scene.set_local(node, Transform::from_xyz(x, 0.0, 0.0)).unwrap();
        scene.update();
        assert_eq!(scene.world(below).unwrap().translation().x, x);
    }
    for number in [3, 4] {
        scene.edit(node).unwrap().set_material(number);
        scene.edit(node).unwrap().set_drawable(Drawable::new(number, Aabb::cube(1.0))).unwrap();
        scene.edit(node).unwrap().set_layers(Layers::new(number));
        assert_eq!(
            (scene.get(below).and_then(|node| node.material()), scene.get(below).map(|node| node.layers())),
            (Some(number), Some(Layers::new(number)))
        );
    }
    let drawable = scene.get(node).unwrap().drawable().unwrap();
    scene.edit(node).unwrap().set_drawable(Drawable { mesh: 9, ..drawable }).unwrap();
    assert_eq!(scene.get(node).unwrap().drawable(), Some(Drawable::new(9, Aabb::cube(1.0))));
    let mut list = DrawList::new();
    scene.update();
    scene.draw_list(&mut list);
    assert_eq!(list.commands()[0].mesh, 9);
    let drawable = scene.get(node).unwrap().drawable().unwrap();
    scene.edit(node).unwrap().set_drawable(Drawable { mesh: 10, ..drawable }).unwrap();
    scene.update();
    scene.draw_list(&mut list);
    assert_eq!(list.commands()[0].mesh, 10, "a list that is kept sees the new mesh");
    scene.validate().unwrap();
}

#[test]
fn a_description_restores_what_a_node_had() {
    let mut scene = Scene::new();
    let root = scene.root();
    let full = Node::transform(Transform::from_xyz(1.0, 2.0, 3.0))
        .with_drawable(Drawable::new(1, Aabb::cube(1.0)))
        .with_material(2)
        .with_layers(Layers::new(6))
        .named("full");
    let sheared = Mat34 { rows: [[1.0, 0.5, 0.0, 4.0], [0.0, 1.0, 0.0, 5.0], [0.0, 0.0, 1.0, 6.0]] };
    let descriptions =
        [Node::group(), full, Node::group().with_matrix(sheared), Node::drawable(Drawable::new(3, Aabb::EMPTY))];
    let node = scene.insert(root, Node::group()).unwrap();
    for from in descriptions {
        for to in descriptions {
            for description in [from, to] {
                scene.edit(node).unwrap().set_node(description).unwrap();
                assert_eq!(scene.get(node).unwrap().node(), description);
                scene.validate().unwrap();
            }
        }
    }
    let bad = full.with_transform(Transform::from_xyz(f32::NAN, 0.0, 0.0));
    scene.edit(node).unwrap().set_node(full).unwrap();
    assert!(matches!(
        scene.edit(node).and_then(|mut node| node.set_node(bad.with_material(9)).map(|_| ())),
        Err(Error::NotFinite(_))
    ));
    assert_eq!(scene.get(node).unwrap().node(), full, "what is refused changes nothing");
    scene.edit(root).unwrap().set_node(full).unwrap();
    assert_eq!(scene.get(root).unwrap().node(), full, "the root, too");
}

#[test]
fn a_scene_is_printed_in_one_line_whatever_its_size() {
    let mut scene = Scene::new();
    let root = scene.root();
    for _ in 0..10_000 {
        scene.insert(root, Node::group()).unwrap();
    }
    scene.insert(Place::Detached, Node::group().named("spare")).unwrap();
    assert!(format!("{scene:?}").starts_with("Scene { nodes: 10001, detached: 1, slices: "));
    let prints = [
        format!("{scene:#?}"),
        format!("{:?}", scene.children(root)),
        format!("{:?}", scene.get(root).unwrap().edges()),
        format!("{:?}", scene.slices().next().unwrap()),
        format!("{:?}", scene.slices().next().unwrap().transforms()),
    ];
    for print in prints {
        assert!(print.len() < 400, "{print}");
    }
}

#[test]
fn a_node_that_stays_below_its_parent_keeps_its_local_transform_to_the_bit() {
    let mut scene = Scene::new();
    let odd = |x: f32| {
        let turned = Transform::from_rotation(Quat::from_rotation_x(x) * Quat::from_rotation_z(1.0 + x));
        Transform { translation: Vec3::new(x, 0.1, 1e3 * x), scale: Vec3::splat(0.3 + x), ..turned }
    };
    let parent = scene.insert(scene.root(), Node::transform(odd(0.7))).unwrap();
    let nodes = [0.1, 0.2, 0.3].map(|x| scene.insert(parent, Node::transform(odd(x))).unwrap());
    scene.update();
    for place in [Place::FirstChildOf(parent), Place::LastChildOf(parent), Place::After(nodes[0])] {
        let local = scene.local(nodes[1]);
        scene.reparent(nodes[1], place, Keep::World).unwrap();
        assert_eq!(scene.local(nodes[1]), local, "{place:?}");
    }
}

#[test]
fn a_node_stays_below_its_parent_even_where_no_number_tells_its_world() {
    let mut scene = Scene::new();
    let mut parent = scene.root();
    for _ in 0..20 {
        let vast = Transform::from_scale(Vec3::splat(1e30));
        parent = scene.insert(parent, Node::transform(vast)).unwrap();
    }
    let [first, second] = [1.0, 2.0].map(|x| at(&mut scene, parent, x));
    let before = scene.local(second);
    assert!(scene.reparent(second, Place::Before(first), Keep::World).is_ok());
    assert!(scene.children(parent).eq([second, first]));
    assert_eq!(scene.local(second), before);
}

/// Returns two children of the root in different slices.
fn two_slices() -> (Scene, [NodeHandle; 2]) {
    let mut scene = Scene::with_config(APART).unwrap();
    let root = scene.root();
    let parents = ["from", "to"].map(|name| named(&mut scene, root, name));
    for parent in parents {
        (0..3).for_each(|_| _ = named(&mut scene, parent, "beside"));
    }
    scene.update();
    assert!(!same_slice(&scene, parents[0], parents[1]));
    (scene, parents)
}

#[test]
fn a_leaf_that_moves_to_another_slice_keeps_its_name_and_its_shear() {
    let sheared = Mat34 { rows: [[1.0, 0.5, 0.0, 0.0], [0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 1.0, 0.0]] };
    let placed = Node::transform(Transform::from_xyz(1.0, 0.0, 0.0));
    for shears_beside in [false, true] {
        for description in [
            placed.named("leaf"),
            placed.with_layers(Layers::new(4)),
            Node::group().with_matrix(sheared),
            Node::group().with_matrix(sheared).named("leaf").with_layers(Layers::new(4)),
        ] {
            let (mut scene, [from, to]) = two_slices();
            if shears_beside {
                scene.insert(from, Node::group().with_matrix(sheared)).unwrap();
            }
            let leaf = scene.insert(from, description).unwrap();
            scene.update();
            let before = *scene.world(leaf).unwrap();
            scene.reparent(leaf, to, Keep::Local).unwrap();
            scene.update();
            assert!(same_slice(&scene, leaf, to));
            assert_eq!(
                (scene.get(leaf).map(|node| node.node()), scene.world(leaf)),
                (Some(description), Some(&before))
            );
            scene.validate().unwrap();
            assert_eq!(scene.remove(leaf), Ok(1));
            scene.validate().unwrap();
            scene.update();
            scene.validate().unwrap();
        }
    }
}

#[test]
fn a_leaf_moves_to_a_slice_without_room_for_what_it_has() {
    let drawable = Drawable::new(1, Aabb::cube(1.0));
    let place = Node::transform(Transform::from_xyz(1.0, 0.0, 0.0));
    for description in [place, Node::group().with_material(7), Node::drawable(drawable), place.with_material(7)] {
        // Fill the slice node by node until it has no free slot.
        for filled in 0..10 {
            let (mut scene, [from, to]) = two_slices();
            let leaf = scene.insert(from, description).unwrap();
            for _ in 0..filled {
                scene.insert(to, description).unwrap();
            }
            scene.update();
            scene.reparent(leaf, to, Keep::Local).unwrap();
            scene.update();
            assert_eq!((scene.get(leaf).map(|node| node.node()), scene.parent(leaf)), (Some(description), Some(to)));
            assert_eq!(scene.world(leaf).copied(), scene.get(leaf).map(|node| node.fresh_world()));
            scene.validate().unwrap();
        }
    }
}

#[test]
fn children_in_many_slices_are_sorted() {
    let config = SceneConfig { max_nodes: 16, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let top = scene.insert(scene.root(), Node::group()).unwrap();
    for below in [scene.root(), top] {
        let children: Vec<NodeHandle> =
            (0..150).map(|number| scene.insert(below, Node::material(number * 37 % 150)).unwrap()).collect();
        scene.edit(below).unwrap().sort_children_by(|a, b| a.own_material().cmp(&b.own_material()));
        assert_eq!(scene.validate(), Ok(()));
        let sorted: Vec<u32> =
            scene.children(below).filter_map(|child| scene.get(child).and_then(|node| node.own_material())).collect();
        assert!(sorted.into_iter().eq(0..150));
        assert!(children.iter().all(|&child| scene.parent(child) == Some(below)));
    }
}

#[test]
fn a_local_transform_is_set_from_every_form_and_removed_by_none() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), Node::group()).unwrap();
    let place = Transform::from_xyz(1.0, 2.0, 3.0).with_scale(Vec3::splat(2.0));
    let (matrix, wide) = (place.to_matrix(), Affine3A::from(place.to_matrix()));
    type Set<'s> = &'s dyn Fn(&mut NodeMut<'_>) -> Result<(), Error>;
    let forms: [Set<'_>; 6] = [
        &|node| node.set_local(place).map(drop),
        &|node| node.set_local(matrix).map(drop),
        &|node| node.set_local(wide).map(drop),
        &|node| node.set_local(Affine3::from(wide)).map(drop),
        &|node| node.set_local(Local::from(&place)).map(drop),
        &|node| node.set_local(Some(Local::from(place))).map(drop),
    ];
    for (form, set) in forms.into_iter().enumerate() {
        set(&mut scene.edit(node).unwrap()).unwrap();
        assert_eq!(scene.local(node).and_then(Local::transform), Some(place), "form {form}");
        scene.edit(node).unwrap().set_local(None).unwrap();
        assert_eq!(scene.local(node), None, "form {form}");
    }
    assert_eq!(Edit::set_local(node, None), Edit::change(node, Change::Local(None)));
    assert_eq!(Edit::set_local(node, wide), Edit::change(node, Change::Local(Some(matrix.into()))));

    scene.set_local(node, wide).unwrap();
    scene.set_world(node, Affine3::from(wide)).unwrap();
    scene.edit(node).unwrap().carry_to(wide).unwrap();
    scene.set_worlds(&[(node, wide)]).unwrap();
    let saved = scene.local(node).unwrap();
    scene.set_locals([(node, Transform::IDENTITY)]).unwrap();
    scene.set_locals([(node, saved)]).unwrap();
    scene.set_locals([(node, wide)]).unwrap();
    scene.set_locals([node].into_iter().zip(&[place])).unwrap();
    assert_eq!(scene.local(node).and_then(Local::transform), Some(place));
}
