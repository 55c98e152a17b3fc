//! Each kind of edit alone.

use hedgerow::glam::{Affine3, Affine3A, Vec3};
use hedgerow::{
    Error, Keep, Local, Node, NodeHandle, NodeMut, Place, Scene, Transform,
    edit::{Change, Edit},
};

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
