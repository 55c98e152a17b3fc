//! Readers of some kinds of changes, compared with a reader of all kinds.

use fastrand::Rng;
use hedgerow::changes::{ChangeKinds, ChangeReader, Changed};
use hedgerow::{Aabb, Drawable, Error, Keep, Layers, Node, NodeHandle, Scene, SceneConfig, Transform, ViewRange};

const EACH: [ChangeKinds; 12] = [
    ChangeKinds::WORLD,
    ChangeKinds::VISIBILITY,
    ChangeKinds::LOCAL,
    ChangeKinds::OWN_VISIBILITY,
    ChangeKinds::OWN_MATERIAL,
    ChangeKinds::DRAWABLE,
    ChangeKinds::NAME,
    ChangeKinds::PARENT,
    ChangeKinds::ORDER,
    ChangeKinds::MATERIAL,
    ChangeKinds::USER_DATA,
    ChangeKinds::VIEW_RANGE,
];

/// What a reader reports for some kinds, sorted.
type Told = ([Vec<NodeHandle>; 6], Vec<(u64, String)>);

fn told(changed: &Changed<'_>, kinds: ChangeKinds) -> Told {
    let sorted = |list: &[NodeHandle], kind| {
        let mut list = if kinds.contains(kind) { list.to_vec() } else { Vec::new() };
        list.sort_unstable();
        list
    };
    let mut edited: Vec<_> = changed.edited().iter().map(|&(node, found)| (node.to_bits(), found.and(kinds))).collect();
    edited.retain(|(_, kinds)| !kinds.is_empty());
    edited.sort_unstable_by_key(|&(node, _)| node);
    let lists = [
        sorted(changed.moved(), ChangeKinds::WORLD),
        sorted(changed.visibility(), ChangeKinds::VISIBILITY),
        sorted(changed.locals(), ChangeKinds::LOCAL),
        sorted(changed.entered(), ChangeKinds::NONE),
        sorted(changed.left(), ChangeKinds::NONE),
        sorted(changed.removed(), ChangeKinds::NONE),
    ];
    (lists, edited.into_iter().map(|(node, kinds)| (node, format!("{kinds:?}"))).collect())
}

fn edit(scene: &mut Scene, nodes: &mut Vec<NodeHandle>, dice: &mut Rng) {
    let [node, other] = [(); 2].map(|()| nodes[dice.usize(..nodes.len())]);
    let number = dice.u32(..9);
    // Some edits are refused, for example a move of a node below itself.
    let _ = match dice.u8(..12) {
        0 | 1 => scene.insert(node, Node::transform(Transform::IDENTITY)).map(|node| nodes.push(node)),
        2 => scene.insert(node, Node::material(number)).map(|node| nodes.push(node)),
        3 => scene.set_local(node, Transform::from_xyz(number as f32, 0.0, 0.0)),
        4 => scene.edit(node).map(|mut node| _ = node.set_layers(Layers::new(number))),
        5 => scene.edit(node).map(|mut node| _ = node.set_material(number)),
        6 => {
            scene.edit(node).and_then(|mut node| node.set_drawable(Drawable::new(number, Aabb::cube(1.0))).map(|_| ()))
        }
        7 if number < 3 => scene.edit(node).map(|mut node| _ = node.set_user_data(number)),
        7 if number < 6 => scene.edit(node).map(|mut node| _ = node.set_view_range(ViewRange::new(0.0, 9.0).unwrap())),
        7 => scene.edit(node).map(|mut node| _ = node.set_name("name")),
        8 => scene.reparent(node, other, Keep::Local).map(drop),
        9 => scene.reparent(node, hedgerow::Place::Before(other), Keep::World).map(drop),
        10 => scene.edit(node).and_then(|mut node| node.set_local(None).map(|_| ())).map(drop),
        _ if dice.u8(..4) == 0 => scene.remove(node).map(drop),
        _ => scene.edit(node).map(|mut node| _ = node.set_material(None)),
    };
}

#[test]
fn a_reader_of_some_kinds_is_told_what_a_reader_of_all_is_told_of_them() {
    let config = SceneConfig { changes: true, max_nodes: 32, ..SceneConfig::DEFAULT };
    let mut seen = ChangeKinds::NONE;
    for seed in 0..20 {
        let mut dice = Rng::with_seed(seed);
        let mut scene = Scene::with_config(config).unwrap();
        let mut nodes = vec![scene.root()];
        (0..200).for_each(|_| edit(&mut scene, &mut nodes, &mut dice));
        scene.update();
        let mut all = ChangeReader::new();
        let mixed = EACH.into_iter().filter(|_| dice.bool()).fold(ChangeKinds::NONE, |all, kind| all | kind);
        let kinds: Vec<ChangeKinds> = EACH.into_iter().chain([ChangeKinds::NONE, ChangeKinds::EDITS, mixed]).collect();
        let mut some: Vec<ChangeReader> = kinds.iter().map(|&kinds| ChangeReader::new().with_kinds(kinds)).collect();
        for round in 0..12 {
            (0..dice.u32(..12)).for_each(|_| edit(&mut scene, &mut nodes, &mut dice));
            scene.update();
            let whole = scene.changes(&mut all).unwrap();
            for (&kinds, reader) in kinds.iter().zip(&mut some) {
                if round % 3 == 1 {
                    reader.shrink_to_fit();
                }
                let part = scene.changes(reader).unwrap();
                assert_eq!(part.is_whole(), whole.is_whole());
                assert_eq!(told(&part, ChangeKinds::ALL), told(&whole, kinds), "{kinds:?} with seed {seed}");
                seen |= if part.is_empty() { ChangeKinds::NONE } else { kinds };
            }
        }
    }
    assert_eq!(seen, ChangeKinds::ALL);
}

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
