//! Readers of some kinds of changes, compared with a reader of all kinds.

use hedgerow::changes::{ChangeKinds, ChangeReader};
use hedgerow::{Error, Layers, Node, Scene, SceneConfig, Transform};

#[test]
fn a_reader_of_a_scene_is_told_what_comes_after_alone() {
    let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
    let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    scene.update();
    let (mut new, mut of) = (ChangeReader::new(), ChangeReader::of(&scene));
    assert!(scene.changes(&mut new).unwrap().is_whole(), "the first read is of everything");
    assert!(scene.changes(&mut of).unwrap().is_empty());
    for turn in [1.0, 2.0] {
        scene.set_local(car, Transform::from_xyz(turn, 0.0, 0.0)).unwrap();
        scene.update();
        if turn < 2.0 {
            of = ChangeReader::of(&scene);
        }
        let moved = scene.changes(&mut of).unwrap().moved();
        assert_eq!(moved, if turn < 2.0 { vec![] } else { vec![car] });
        assert_eq!(scene.changes(&mut new).unwrap().moved(), [car]);
    }
    assert!(scene.clone().changes(&mut of).unwrap().is_whole(), "it is another scene");
    let untold = Scene::new();
    assert!(matches!(untold.changes(&mut ChangeReader::of(&untold)), Err(Error::NoChanges)));
}

#[test]
fn what_is_set_above_nodes_is_told_of_them_though_their_slice_is_written_again() {
    use ChangeKinds as Kinds;
    for (kind, written_again) in
        [Kinds::MATERIAL, Kinds::VISIBILITY].into_iter().flat_map(|kind| [(kind, false), (kind, true)])
    {
        let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
        let top = scene.insert(scene.root(), Node::material(1)).unwrap();
        let [first, second] = [(); 2].map(|()| scene.insert(top, Node::group()).unwrap());
        scene.update();
        let mut reader = ChangeReader::of(&scene).with_kinds(kind);
        if written_again {
            scene.set_local(first, Transform::IDENTITY).unwrap();
        }
        if kind == Kinds::MATERIAL {
            scene.edit(top).unwrap().set_material(2);
        } else {
            scene.edit(top).unwrap().set_layers(Layers::new(2));
        }
        scene.update();
        let changed = scene.changes(&mut reader).unwrap();
        let mut told: Vec<_> =
            changed.edited().iter().map(|&(node, _)| node).chain(changed.visibility().to_vec()).collect();
        told.sort_unstable();
        assert_eq!(told, [top, first, second], "{kind:?}, {written_again}");
    }
}

#[test]
fn a_move_is_told_of_a_node_that_lost_its_transform_since() {
    let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
    let top = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))).unwrap();
    let below = scene.insert(top, Node::transform(Transform::from_xyz(5.0, 0.0, 0.0))).unwrap();
    scene.update();
    let mut reader = ChangeReader::of(&scene);
    scene.set_local(below, Transform::IDENTITY).unwrap();
    scene.update();
    // From now on it has the matrix of the node above, which did not move.
    scene.edit(below).unwrap().set_local(None).unwrap();
    scene.update();
    assert_eq!(scene.changes(&mut reader).unwrap().moved(), [below]);
}
