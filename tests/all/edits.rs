//! Each kind of edit alone.

use hedgerow::glam::{Affine3, Affine3A, Quat, Vec3};
use hedgerow::{
    Error, Keep, Local, Mat34, Node, NodeHandle, NodeMut, Place, Scene, Transform,
    edit::{Change, Edit, LocalForm},
};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn at(scene: &mut Scene, parent: NodeHandle, x: f32) -> NodeHandle {
    scene.insert(parent, Node::transform(Transform::from_xyz(x, 0.0, 0.0))).unwrap()
}

#[test]
fn a_scene_is_printed_in_one_line_whatever_its_size() {
    let mut scene = Scene::new();
    let root = scene.root();
    for _ in 0..10_000 {
        scene.insert(root, Node::group()).unwrap();
    }
    scene.insert(Place::Detached, Node::group().with_name("spare")).unwrap();
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

#[test]
fn a_node_looks_at_what_single_precision_tells_from_its_own_place() {
    let look = |from: f32, to: f32| {
        let mut scene = Scene::new();
        let eye = scene.insert(scene.root(), Node::transform(Transform::from_xyz(from, 0.0, 0.0))).unwrap();
        scene.edit(eye).and_then(|mut node| node.look_at(Vec3::new(to, 0.0, 0.0), Vec3::Y).map(|_| ())).map(|()| {
            let Some(Local::Transform(local)) = scene.local(eye) else { panic!("it was a transform") };
            (local.rotation * Vec3::NEG_Z).x.round()
        })
    };
    // The eye is near the origin, or far away, where numbers are 1/16 apart.
    assert_eq!(look(0.0, 1e-4), Ok(1.0));
    assert_eq!(look(1e6, 1e6 - 100.0), Ok(-1.0));
    assert_eq!(look(1e6, 1e6 + 0.5), Err(Error::NotRotation));
    assert_eq!(look(0.0, 0.0), Err(Error::NotRotation));
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

fn named(scene: &mut Scene, place: impl Into<Place>, name: &str) -> NodeHandle {
    scene.insert(place, Node::group().with_name(name)).unwrap()
}

fn near(a: &Mat34, b: &Mat34) -> bool {
    a.rows.iter().flatten().zip(b.rows.iter().flatten()).all(|(x, y)| (x - y).abs() < 1e-5)
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
    assert!(scene.get(node).unwrap().to_node().local.is_some_and(|local| local.transform().is_none()));

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
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn a_comparison_without_order_leaves_all_children() {
    let mut scene = Scene::new();
    let root = scene.root();
    let mut all: Vec<_> = (0..50).map(|_| scene.insert(root, Node::group()).unwrap()).collect();
    let mut turn = 0;
    let sort = AssertUnwindSafe(|| {
        scene.edit(root).unwrap().sort_children_by(|_, _| {
            turn += 1;
            [core::cmp::Ordering::Less, core::cmp::Ordering::Greater][turn % 3 % 2]
        });
    });
    // The standard sort may panic if it detects that there is no total order.
    let _ = catch_unwind(sort);
    scene.validate().unwrap();
    let mut children: Vec<_> = scene.children(root).collect();
    children.sort_unstable();
    all.sort_unstable();
    assert_eq!(children, all);
}
