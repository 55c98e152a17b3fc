//! Readers of changes that miss updates while nodes change parents.

use hedgerow::changes::ChangeReader;
use hedgerow::{Keep, Node, NodeHandle, Scene, SceneConfig, Transform};

const TOLD: SceneConfig = SceneConfig { changes: true, ..SceneConfig::DEFAULT };

fn at(x: f32) -> Transform {
    Transform::from_xyz(x, 0.0, 0.0)
}

/// Returns a scene with cars at these places and a seat in the first, and a reader that has read its update.
fn cars<const N: usize>(places: [f32; N]) -> (Scene, [NodeHandle; N], NodeHandle, ChangeReader) {
    let mut scene = Scene::with_config(TOLD).unwrap();
    let root = scene.root();
    let cars = places.map(|x| scene.insert(root, Node::transform(at(x))).unwrap());
    let seat = scene.insert(cars[0], Node::group()).unwrap();
    scene.update();
    let reader = ChangeReader::of(&scene);
    (scene, cars, seat, reader)
}

fn moved(scene: &Scene, reader: &mut ChangeReader) -> Vec<NodeHandle> {
    let changed = scene.changes(reader).unwrap();
    assert!(!changed.is_whole(), "the history is long enough");
    sorted(changed.moved())
}

fn sorted(nodes: &[NodeHandle]) -> Vec<NodeHandle> {
    let mut nodes = nodes.to_vec();
    nodes.sort_unstable();
    nodes
}

#[test]
fn what_moved_with_a_parent_that_it_joined_and_left_again_is_told() {
    let (mut scene, [_, bus, tram], seat, _) = cars([1.0, 2.0, 5.0]);
    scene.set_local(bus, at(1.0)).unwrap();
    scene.update();
    let [mut early, mut late] = [(); 2].map(|()| ChangeReader::of(&scene));
    // Neither change of the parent moves the seat, but the bus moves in between.
    scene.reparent(seat, bus, Keep::Local).unwrap();
    scene.update();
    scene.set_local(bus, at(5.0)).unwrap();
    scene.update();
    assert_eq!(moved(&scene, &mut early), sorted(&[bus, seat]));
    scene.reparent(seat, tram, Keep::Local).unwrap();
    scene.update();
    assert_eq!(moved(&scene, &mut late), sorted(&[bus, seat]));
    assert_eq!(moved(&scene, &mut early), []);
}

#[test]
fn what_changed_parents_and_stayed_where_it_was_has_not_moved() {
    // The bus reaches the place of the first car when the seat changes parents.
    let (mut scene, [_, bus, tram], seat, mut reader) = cars([1.0, 2.0, 1.0]);
    scene.set_local(bus, at(1.0)).unwrap();
    scene.reparent(seat, bus, Keep::Local).unwrap();
    scene.update();
    scene.reparent(seat, tram, Keep::Local).unwrap();
    scene.update();
    assert_eq!(moved(&scene, &mut reader), [bus]);
    // The bus reaches that place one update earlier.
    let (mut scene, [_, bus], seat, mut reader) = cars([1.0, 2.0]);
    scene.set_local(bus, at(1.0)).unwrap();
    scene.update();
    scene.reparent(seat, bus, Keep::Local).unwrap();
    scene.update();
    assert_eq!(moved(&scene, &mut reader), [bus]);
    // The first car carries the seat to the place of the bus.
    let (mut scene, [car, bus], seat, mut reader) = cars([1.0, 2.0]);
    scene.set_local(car, at(2.0)).unwrap();
    scene.update();
    scene.reparent(seat, bus, Keep::Local).unwrap();
    scene.update();
    assert_eq!(moved(&scene, &mut reader), sorted(&[car, seat]));
}
