//! Patches recorded from a scene's change feed, on random edits.

use fastrand::Rng;
use hedgerow::changes::ChangeReader;
use hedgerow::data::NodeIds;
use hedgerow::glam::DVec3;
use hedgerow::patch::{Entry, Field, Instance, Patch, PatchError, Recorder, Spot, Value};
use hedgerow::{
    Error, Keep, Layers, Node, NodeHandle, NodeRef, Place, Scene, SceneConfig, Transform, Tree, ViewRange, Visibility,
};
use hedgerow_testkit::drivers::patch::{bits, node, placed};

const TRACKED: SceneConfig = SceneConfig { changes: true, max_nodes: 16, ..SceneConfig::DEFAULT };

fn tracked(config: SceneConfig) -> Scene {
    Scene::with_config(config).unwrap()
}

fn recorder(scene: &mut Scene, root: NodeHandle) -> Recorder {
    scene.update();
    Recorder::new(scene, Instance::of(scene, root).unwrap()).unwrap()
}

/// Reads the recorder's tree from the scene.
fn now(scene: &Scene, recorder: &Recorder) -> Tree {
    recorder.instance().tree(scene).unwrap()
}

/// Makes a random edit of a random node, in the tree or detached.
fn edit(rng: &mut Rng, scene: &mut Scene, fixed: &[NodeHandle]) {
    let tops = scene.get(scene.root()).into_iter().chain(scene.detached());
    let nodes: Vec<_> = tops.flat_map(NodeRef::descendants).map(NodeRef::handle).collect();
    let any = |rng: &mut Rng| nodes[rng.usize(..nodes.len())];
    let (at, other) = (any(rng), any(rng));
    let place = match rng.u8(..6) {
        0 => Place::Detached,
        1 => Place::FirstChildOf(other),
        2 if scene.parent(other).is_some() => Place::After(other),
        3 if scene.parent(other).is_some() => Place::Before(other),
        _ => Place::LastChildOf(other),
    };
    let may_go = !fixed.iter().any(|&fixed| fixed == at || scene.get(fixed).unwrap().is_below(at));
    match rng.u8(..23) {
        0..3 => _ = scene.insert(place, node(rng)).unwrap(),
        3 => {
            let mut tree = Tree::new();
            (0..rng.usize(1..5)).for_each(|number| _ = tree.push(number.checked_sub(2), node(rng)));
            scene.insert_tree(place, &tree).unwrap();
        }
        4..8 if may_go => _ = scene.reparent(at, place, Keep::Local),
        8 if may_go => _ = scene.remove(at).unwrap(),
        9 if may_go => _ = scene.reparent_many(&[(at, other), (at, any(rng))], Keep::Local),
        10 if scene.local(at).is_some() => {
            let items: Vec<_> =
                [at, other].into_iter().map(|node| (node, Transform::from_xyz(rng.f32(), 1.0, 0.0))).collect();
            _ = scene.set_locals(items);
        }
        11 => _ = scene.edit(at).unwrap().sort_children_by(|a, b| b.name().cmp(&a.name())),
        12 => _ = scene.edit(at).unwrap().set_translation_f64(DVec3::splat(6e6 + rng.f64())),
        13 => _ = scene.set_local(at, Transform::from_xyz(rng.f32(), 0.0, -0.0)),
        14 => _ = scene.edit(at).unwrap().set_local(Some(Transform::from_xyz(rng.f32(), 0.0, 1.0).to_matrix().into())),
        15 => _ = scene.edit(at).unwrap().set_visibility([Visibility::Hidden, Visibility::Shown][rng.usize(..2)]),
        16 => _ = scene.edit(at).unwrap().set_layers(Layers::new(rng.u32(..3))).set_material(rng.u32(..3)),
        17 => _ = scene.edit(at).unwrap().set_user_data(rng.u32(..3)).set_name(["a", "b"][rng.usize(..2)]),
        18 => _ = scene.edit(at).unwrap().set_node(node(rng)).unwrap(),
        19 => _ = scene.edit(at).unwrap().set_local(None),
        // The edit is refused if the world transform is kept below a parent without an inverse.
        20 => drop(scene.edit(at).unwrap().set_anchored(rng.bool(), Keep::World)),
        21 => _ = scene.edit(at).unwrap().set_view_range(ViewRange::new(rng.f32(), f32::INFINITY).ok()),
        22 if may_go => _ = scene.reparent(at, place, Keep::World),
        _ => {}
    }
}

#[test]
fn patches_of_random_edits_keep_a_replica_equal_and_go_back_and_join() {
    for seed in 0..150 {
        let mut rng = Rng::with_seed(seed);
        let history = if seed % 5 == 0 { 4 } else { 10_000 };
        let mut scene = tracked(SceneConfig { change_history: history, ..TRACKED });
        let base = if seed % 2 == 0 { scene.root() } else { scene.insert(scene.root(), Node::group()).unwrap() };
        let fixed = if seed % 2 == 0 { vec![base] } else { vec![scene.root(), base] };
        (0..20).for_each(|_| edit(&mut rng, &mut scene, &fixed));
        let mut recorder = recorder(&mut scene, base);
        // If the base is the root, the replica has the children of the root below its instance.
        let (mut replica, mut twin) = placed(&now(&scene, &recorder));
        let (mut slow, mut late) = placed(&now(&scene, &recorder));
        let mut missed = Patch::new();
        for round in 0..12 {
            let before = twin.tree(&replica).unwrap();
            for _ in 0..rng.usize(..4) {
                (0..rng.usize(..6)).for_each(|_| edit(&mut rng, &mut scene, &fixed));
                scene.update();
            }
            scene.update();
            // A client joins after edits that were not read.
            let saved = Tree::from_bytes(&recorder.tree().to_bytes()).unwrap();
            assert_eq!((bits(&saved), saved.next_id()), (bits(&before), recorder.instance().ids().next_id()));
            let mut joined = Scene::new();
            let root = joined.root();
            let mut young = Instance::insert_below(&mut joined, root, &saved).unwrap();
            let patch = recorder.read(&scene).unwrap();
            let sent = Patch::from_bytes(&patch.to_bytes()).unwrap();
            assert_eq!(sent.to_bytes(), patch.to_bytes());
            sent.apply(&mut replica, &mut twin).unwrap_or_else(|error| panic!("{seed} {round}: {error}\n{patch:?}"));
            sent.apply(&mut joined, &mut young).unwrap();
            let tree = now(&scene, &recorder);
            assert_eq!(bits(&young.tree(&joined).unwrap()), bits(&tree), "{seed} {round}");
            assert_eq!(bits(&twin.tree(&replica).unwrap()), bits(&tree), "{seed} {round} {patch:?}");
            let back = tree.patched(&patch.inverse()).unwrap();
            assert_eq!(bits(&back), bits(&before), "{seed} {round}");
            assert!(patch.entries().iter().all(|entry| entry.field() == Field::Place || entry.before != entry.after));
            missed = missed.then(&patch).unwrap();
            if rng.bool() {
                if rng.bool() {
                    missed = Patch::between(&late.tree(&slow).unwrap(), &recorder.tree()).unwrap();
                }
                missed.apply(&mut slow, &mut late).unwrap();
                let nodes: Vec<_> = slow.get(late.root()).unwrap().descendants().map(NodeRef::handle).collect();
                slow.insert(nodes[rng.usize(..nodes.len())], Node::group()).unwrap(); // the client's own node
                assert_eq!(bits(&late.tree(&slow).unwrap()), bits(&tree), "{seed} {round}");
                missed = Patch::new();
            }
            assert_eq!(recorder.read(&scene), Ok(Patch::new()), "nothing is read twice");
        }
    }
}

#[test]
fn steps_of_random_edits_are_undone_and_redone_in_the_scene_itself() {
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let mut scene = tracked(TRACKED);
        let root = scene.root();
        (0..20).for_each(|_| edit(&mut rng, &mut scene, &[root]));
        let mut recorder = recorder(&mut scene, root);
        let mut states = vec![now(&scene, &recorder)];
        let mut steps = Vec::new();
        for _ in 0..10 {
            (0..4).for_each(|_| edit(&mut rng, &mut scene, &[root]));
            scene.update();
            steps.push(recorder.read(&scene).unwrap());
            states.push(now(&scene, &recorder));
        }
        let undo = steps.iter().zip(&states).rev().map(|(step, state)| (step.inverse(), state));
        let redo = steps.iter().zip(&states[1..]).map(|(step, state)| (step.clone(), state));
        for (step, state) in undo.chain(redo) {
            if rng.bool() {
                (0..4).for_each(|_| edit(&mut rng, &mut scene, &[root]));
                recorder.revert(&mut scene).unwrap();
                assert_eq!(recorder.read(&scene), Ok(Patch::new()), "{seed}");
            }
            let read = recorder.apply(&mut scene, &step).unwrap();
            let said = |patch: &Patch| patch.entries().iter().filter(|entry| entry.field() != Field::Place).count();
            assert_eq!(said(&read), said(&step), "{seed}");
            assert_eq!(bits(&now(&scene, &recorder)), bits(state), "{seed}");
        }
        assert_eq!(scene.validate(), Ok(()));
    }
}

#[test]
fn a_recorder_goes_on_with_its_ids_after_a_restart() {
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let mut scene = tracked(TRACKED);
        let root = scene.root();
        (0..30).for_each(|_| edit(&mut rng, &mut scene, &[root]));
        let before = recorder(&mut scene, root);
        let (mut replica, mut twin) = placed(&before.tree());
        let ids = before.instance().ids();
        let mut saved = NodeIds::new();
        assert!(ids.iter().all(|(id, node)| saved.insert(node, id)) && saved.insert(root, ids.next_id()));
        let mut scene = Scene::from_bytes(&scene.to_bytes()).unwrap();
        let mut again = Recorder::new(&scene, Instance::with_ids(root, saved)).unwrap();
        assert_eq!((bits(&again.tree()), again.instance().id(root)), (bits(&before.tree()), None));
        (0..10).for_each(|_| edit(&mut rng, &mut scene, &[root]));
        scene.update();
        again.read(&scene).unwrap().apply(&mut replica, &mut twin).unwrap();
        assert_eq!(bits(&twin.tree(&replica).unwrap()), bits(&again.tree()), "{seed}");
    }
}

#[test]
fn what_was_taken_back_is_no_change() {
    let mut scene = tracked(TRACKED);
    let root = scene.root();
    let [a, b, c] = [1, 2, 3].map(|material| scene.insert(root, Node::material(material)).unwrap());
    let mut recorder = recorder(&mut scene, root);
    for place in [Place::Detached, Place::FirstChildOf(root), Place::LastChildOf(c), Place::After(a)] {
        scene.reparent(b, place, Keep::Local).unwrap();
        scene.update();
    }
    for node in [a, b, c] {
        scene.reparent(node, Place::LastChildOf(root), Keep::Local).unwrap();
    }
    scene.edit(a).unwrap().set_material(9);
    scene.update();
    scene.edit(a).unwrap().set_material(1);
    let gone = scene.insert(root, Node::group()).unwrap();
    scene.update();
    scene.remove(gone).unwrap();
    scene.update();
    assert_eq!(recorder.read(&scene), Ok(Patch::new()));
}

#[test]
fn nodes_that_move_one_behind_the_other_both_move() {
    let mut scene = tracked(TRACKED);
    let root = scene.root();
    let [_, b, c] = [1, 2, 3].map(|material| scene.insert(root, Node::material(material)).unwrap());
    let mut recorder = recorder(&mut scene, root);
    let before = now(&scene, &recorder);
    scene.reparent(b, Place::FirstChildOf(root), Keep::Local).unwrap();
    scene.reparent(c, Place::After(b), Keep::Local).unwrap();
    scene.update();
    let patch = recorder.read(&scene).unwrap();
    assert_eq!(patch.entries().len(), 2);
    assert_eq!(bits(&before.patched(&patch).unwrap()), bits(&now(&scene, &recorder)));
}

#[test]
fn a_local_transform_of_equal_bits_is_listed_as_set_and_is_no_change() {
    let mut scene = tracked(TRACKED);
    let node = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0))).unwrap();
    scene.insert(node, Node::transform(Transform::IDENTITY)).unwrap();
    let root = scene.root();
    let mut recorder = recorder(&mut scene, root);
    let mut reader = ChangeReader::of(&scene);
    scene.set_local(node, Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
    scene.update();
    let changed = scene.changes(&mut reader).unwrap();
    assert_eq!((changed.locals(), changed.moved()), (&[node][..], &[][..]));
    assert_eq!(recorder.read(&scene), Ok(Patch::new()));
    scene.set_local(node, Transform::from_xyz(1.0, -0.0, 0.0)).unwrap();
    scene.update();
    assert_eq!(recorder.read(&scene).unwrap().entries().len(), 1, "zeros have signs");
}

#[test]
fn a_refused_read_counts_as_none() {
    let mut scene = Scene::new();
    let root = scene.root();
    scene.insert(root, Node::group()).unwrap(); // no update has seen the node either
    let instance = Instance::of(&scene, root).unwrap();
    assert_eq!(Recorder::new(&scene, instance).unwrap_err(), Error::NoChanges);
    let mut scene = tracked(TRACKED);
    let root = scene.insert(scene.root(), Node::group()).unwrap();
    let mut instance = Instance::of(&scene, root).unwrap();
    assert_eq!(Recorder::new(&scene, instance.clone()).unwrap_err(), Error::NotUpdated);
    let mut recorder = recorder(&mut scene, root);
    instance.begin_ids_at(u64::MAX - 2);
    let mut poor = Recorder::new(&scene, instance).unwrap();
    scene.insert(root, Node::group()).unwrap();
    assert_eq!(recorder.read(&scene), Err(Error::NotUpdated));
    // After a refused read, the next read reports the edits.
    let place = Value::Place(Some(Spot { parent: None, after: None }));
    let insert = |id| vec![Entry { id, before: Value::Place(None), after: place.clone() }];
    let [first, last] = [0, u64::MAX - 1].map(|id| Patch::from_entries(insert(id)).unwrap());
    assert_eq!(recorder.apply(&mut scene, &first.inverse()), Err(PatchError::Gone { id: 0 }));
    let none = PatchError::Read(Error::NoIds { next: u64::MAX });
    assert_eq!((recorder.apply(&mut scene, &last), scene.len()), (Err(none), 3));
    assert_eq!(poor.revert(&mut scene), Err(PatchError::Read(Error::NoIds { next: u64::MAX - 2 })));
    assert_eq!(poor.read(&scene), Err(Error::NoIds { next: u64::MAX - 2 }));
    assert_eq!(recorder.apply(&mut scene, &Patch::new()), Ok(first), "what was not read is returned, too");
    assert_eq!(recorder.read(&scene), Ok(Patch::new()));
    scene.remove(root).unwrap();
    scene.update();
    assert_eq!(recorder.read(&scene), Err(Error::StaleHandle(root)));
}

#[cfg(feature = "serde")]
#[test]
fn the_tree_of_a_recorder_is_written_as_text_and_its_scene_with_ids_is_not() {
    let mut scene = tracked(TRACKED);
    let root = scene.root();
    scene.insert(root, Node::group().named("lamp")).unwrap();
    let recorder = recorder(&mut scene, root);
    let with_ids = hedgerow::text::WithIds { scene: &scene, ids: recorder.instance().ids() };
    let refused = serde_json::to_string(&with_ids).unwrap_err().to_string();
    assert!(refused.contains("has no id") && refused.contains("Recorder::tree"), "{refused}");
    let text = serde_json::to_string(&recorder.tree()).unwrap();
    assert_eq!(bits(&serde_json::from_str(&text).unwrap()), bits(&now(&scene, &recorder)));
}
