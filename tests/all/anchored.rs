//! Nodes whose local transforms are relative to the world. The model tests also mix these with all other edits.

use hedgerow::changes::ChangeReader;
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::{Aabb, Drawable, Error, Keep, Node, NodeHandle, Place, Scene, SceneConfig, Transform};

const TRACKED: SceneConfig = SceneConfig { changes: true, bounds: true, max_nodes: 8, ..SceneConfig::DEFAULT };

fn at(x: f32) -> Node<'static> {
    Node::transform(Transform::from_xyz(x, 0.0, 0.0))
}

fn x(scene: &Scene, node: NodeHandle) -> f32 {
    scene.world(node).unwrap().translation().x
}

/// Returns a lorry at 5 with a barrel that is anchored at 1, a hoop below that at 1 + 1, and a wheel at 5 + 1.
fn lorry() -> (Scene, [NodeHandle; 4]) {
    let mut scene = Scene::with_config(TRACKED).unwrap();
    let lorry = scene.insert(scene.root(), at(5.0)).unwrap();
    let barrel = scene.insert(lorry, at(1.0).anchored()).unwrap();
    let drawn = at(1.0).with_drawable(Drawable::new(7, Aabb::cube(0.5)));
    let [hoop, wheel] = [barrel, lorry].map(|parent| scene.insert(parent, drawn).unwrap());
    scene.update();
    assert_eq!([lorry, barrel, hoop, wheel].map(|node| x(&scene, node)), [5.0, 1.0, 2.0, 6.0]);
    (scene, [lorry, barrel, hoop, wheel])
}

#[test]
fn what_is_anchored_is_carried_along_or_nothing_moves() {
    let (mut scene, [lorry, barrel, hoop, wheel]) = lorry();
    let group = scene.insert(wheel, Node::group().anchored()).unwrap();
    let [far, flat] = [at(1e7).with_translation_f64(DVec3::new(1e7 + 0.125, 0.0, 0.0)), at(2.0)]
        .map(|node| scene.insert(group, node).unwrap());
    scene.edit(lorry).unwrap().carry_to(Transform::from_xyz(105.0, 0.0, 0.0)).unwrap();
    let place = |scene: &Scene, node| scene.get(node).unwrap().world_f64().translation.x;
    let places = |scene: &Scene| [lorry, barrel, hoop, wheel, far, flat].map(|node| place(scene, node));
    assert_eq!(places(&scene), [105.0, 101.0, 102.0, 106.0, 1e7 + 100.125, 102.0]);
    assert_eq!(scene.local(group), Some(Transform::from_xyz(100.0, 0.0, 0.0).into()));

    let turned = Transform::from_rotation(hedgerow::glam::Quat::from_rotation_y(core::f32::consts::PI));
    scene.edit(lorry).unwrap().carry_to(turned).unwrap();
    let expected = [0.0, 4.0, 3.0, -1.0, 5.0 - 1e7, 3.0];
    places(&scene).iter().zip(expected).for_each(|(at, expected)| assert!((at - expected).abs() < 2.0, "{at}"));
    assert!((place(&scene, barrel) - 4.0).abs() < 1e-4 && (place(&scene, hoop) - 3.0).abs() < 1e-4);

    // Below an ancestor with a translation in double precision, the distance from the lorry is kept too.
    let planet = scene.insert(scene.root(), at(0.0).with_translation_f64(DVec3::new(6_371_000.1, 0.0, 0.0))).unwrap();
    scene.reparent(lorry, planet, Keep::Local).unwrap();
    scene.set_local(barrel, Transform::from_xyz(6_371_002.0, 0.0, 0.0)).unwrap();
    let before = place(&scene, barrel) - place(&scene, lorry);
    scene.edit(lorry).unwrap().carry_to(Transform::from_xyz(6_371_100.0, 0.0, 0.0)).unwrap();
    assert!((before - (place(&scene, lorry) - place(&scene, barrel))).abs() < 1e-3, "it was turned");

    // The barrel's place would exceed single precision, but the group's alone would not.
    let empty = scene.insert(lorry, Node::group().anchored()).unwrap();
    scene.set_local(barrel, Transform::from_xyz(3e38, 0.0, 0.0)).unwrap();
    let refused = |scene: &mut Scene, to: Transform| {
        let before = scene.to_bytes();
        let error = scene.edit(lorry).unwrap().carry_to(to).unwrap_err();
        assert_eq!((scene.to_bytes(), scene.local(empty)), (before, None));
        error
    };
    assert_eq!(refused(&mut scene, Transform::from_xyz(2e38, 0.0, 0.0)), Error::Overflow(barrel));
    scene.set_local(lorry, Transform::from_scale(Vec3::ZERO)).unwrap();
    assert_eq!(refused(&mut scene, turned), Error::Singular(lorry));
    // A node without a transform gets one.
    scene.edit(empty).unwrap().carry_to(turned).unwrap();
    assert_eq!(scene.local(empty), Some(turned.into()));
    scene.validate().unwrap();
}

#[test]
fn an_anchored_node_without_a_transform_is_carried_with_all_that_it_and_the_nodes_below_it_draw() {
    let (mut scene, [lorry, ..]) = lorry();
    let drawn = || Node::drawable(Drawable::new(1, Aabb::cube(1.0)));
    let flag = scene.insert(lorry, drawn().anchored()).unwrap();
    let [below, pin] = [at(2.0), drawn()].map(|node| scene.insert(flag, node).unwrap());
    let apart = scene.insert(pin, at(3.0).anchored()).unwrap();
    scene.update();
    let mut reader = ChangeReader::of(&scene);
    scene.edit(lorry).unwrap().carry_to(Transform::from_xyz(55.0, 0.0, 0.0)).unwrap();
    scene.update();
    assert_eq!([flag, below, pin, apart].map(|node| x(&scene, node)), [50.0, 52.0, 50.0, 53.0]);
    assert_eq!(scene.get(pin).unwrap().bounds().unwrap().min.x, 49.0);
    assert_eq!(scene.validate(), Ok(()));
    let changed = scene.changes(&mut reader).unwrap();
    assert!([flag, below, pin, apart].iter().all(|node| changed.moved().contains(node)));
    assert!(scene.local(flag).is_some() && changed.locals().contains(&flag), "what carries it is listed");
}

#[test]
fn a_release_that_is_refused_changes_nothing() {
    let (mut scene, [lorry, barrel, ..]) = lorry();
    scene.set_local(lorry, Transform::from_scale(Vec3::new(1.0, 0.0, 1.0))).unwrap();
    let before = scene.to_bytes();
    let refused = scene.edit(barrel).unwrap().set_anchored(false, Keep::World).map(drop);
    assert_eq!(refused, Err(Error::Singular(lorry)));
    assert_eq!(scene.to_bytes(), before);
}

#[test]
fn no_parent_is_asked_for_the_world_of_an_anchored_node() {
    let (mut scene, [lorry, barrel, _, wheel]) = lorry();
    scene.set_local(lorry, Transform::from_scale(Vec3::ZERO)).unwrap();
    let pose = Transform::from_xyz(2.0, 0.0, 0.0);
    scene.set_world(barrel, pose).unwrap();
    assert_eq!(scene.local(barrel).unwrap().transform(), Some(pose));
    scene.set_worlds(&[(barrel, Transform::from_xyz(3.0, 0.0, 0.0))]).unwrap();
    scene.edit(barrel).unwrap().look_at(Vec3::new(3.0, 0.0, -9.0), Vec3::Y).unwrap();
    for place in [wheel.into(), Place::Detached, scene.root().into()] {
        let local = scene.local(barrel);
        scene.reparent(barrel, place, Keep::World).unwrap();
        assert_eq!(scene.local(barrel), local);
        assert_eq!(scene.get(barrel).unwrap().world_f64().translation, DVec3::new(3.0, 0.0, 0.0));
    }
}

#[test]
#[cfg(feature = "serde")]
fn text_and_bytes_have_the_mark() {
    let (scene, [lorry, ..]) = lorry();
    let tree = scene.copy_tree(lorry).unwrap();
    let text = serde_json::to_string(&tree).unwrap();
    assert_eq!(text.matches(r#""anchored":true"#).count(), 1, "{text}");
    assert_eq!(serde_json::from_str::<hedgerow::Tree>(&text).unwrap(), tree);
    assert_eq!(hedgerow::Tree::from_bytes(&tree.to_bytes()).unwrap(), tree);
    assert_eq!(tree.iter().filter(|(_, node)| node.anchored).count(), 1);
}
