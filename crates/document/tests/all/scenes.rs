//! What documents do to their scenes, and what others do there.

use crate::acts::{check, edit, library, patch, scene};
use crate::operations::{state, street};
use crate::random::seeds;
use fastrand::Rng;
use hedgerow::changes::{ChangeKinds, ChangeReader};
use hedgerow::motion::Smooth;
use hedgerow::{Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree};
use hedgerow_document::{Document, Field, Key, Library, Patch, Path, Spot, Value};

/// Two streets, each with the cars of `street`, and an overriding material at the bolt of the first car's left wheel.
fn open() -> (Scene, Document) {
    let mut library = street();
    let place = Value::Place(Some(Spot::below(0, 1.0)));
    state(&mut library, "street", vec![(6.into(), place), (6.into(), Value::Use(Some("car".into())))]).unwrap();
    let mut scene = scene();
    let root = scene.root();
    let document = Document::open(&mut scene, root, library, "street").unwrap();
    (scene, document)
}

/// Applies a patch, and returns the paths of the nodes that were edited in the scene.
fn edited(document: &mut Document, scene: &mut Scene, patch: &Patch) -> Vec<String> {
    let mut reader = ChangeReader::of(scene).with_kinds(ChangeKinds::EDITS);
    document.apply(scene, patch).unwrap();
    let changes = scene.changes(&mut reader).unwrap();
    assert!(!changes.is_whole() && changes.entered().is_empty() && changes.left().is_empty());
    let all = changes.edited().iter().map(|(node, _)| node).chain(changes.locals());
    let mut all: Vec<_> = all.map(|&node| document.path(scene, node).unwrap().to_string()).collect();
    all.sort();
    all
}

#[test]
fn a_node_below_the_root_of_a_use_follows_its_parents_id_when_the_use_changes() {
    let mut library = street();
    // The root of "nut" has the id of an inner node of "wheel".
    state(&mut library, "nut", vec![(1.into(), Value::Place(Some(Spot::ROOT)))]).unwrap();
    let own = |parent: &[u64]| Value::Place(Some(Spot { parent: Path::try_from(parent).ok(), order: 1.0.into() }));
    let uses = |name: &str| Value::Use(Some(name.into()));
    let stated = vec![(6.into(), own(&[0])), (6.into(), uses("nut")), (7.into(), own(&[6, 1]))];
    state(&mut library, "street", stated).unwrap();
    let mut scene = scene();
    let root = scene.root();
    let mut document = Document::open(&mut scene, root, library, "street").unwrap();
    let swap = document.library().state("street", 6, uses("wheel")).unwrap();
    document.apply(&mut scene, &swap).unwrap();
    check(&document, &scene, "below the tyre");
    document.undo(&mut scene).unwrap();
    check(&document, &scene, "below the nut");
}

#[test]
fn each_instance_has_what_its_definition_states_inside_of_another() {
    let mut library = Library::new();
    let mut tree = Tree::new();
    let root = tree.push(None, Node::group());
    for name in ["car", "street"] {
        library.apply(&library.define(name, &tree).unwrap()).unwrap();
    }
    tree.push(Some(root), Node::material(1));
    library.apply(&library.define("wheel", &tree).unwrap()).unwrap();
    for (name, uses, count) in [("car", "wheel", 2), ("street", "car", 5)] {
        for order in 0..count {
            let order = f64::from(order);
            let place = library.place(name, Spot::below(0, order), uses, Node::group()).unwrap();
            library.apply(&place).unwrap();
        }
    }
    state(&mut library, "car", vec![([1, 1].into(), Value::Material(Some(2)))]).unwrap();
    state(&mut library, "street", vec![([4, 2, 1].into(), Value::Material(Some(3)))]).unwrap();
    let tree = library.tree("street").unwrap();
    let tyres: Vec<u32> = tree.iter().filter_map(|(_, node)| node.material).collect();
    assert_eq!(tyres, [2, 1, 2, 1, 2, 1, 2, 3, 2, 1]);
}

#[test]
fn what_one_instance_used_before_a_patch_shows_in_no_other() {
    let mut library = Library::new();
    for (name, material) in [("round", 1), ("square", 2), ("door", 3), ("house", 4)] {
        let mut tree = Tree::new();
        tree.push(None, Node::material(material));
        library.apply(&library.define(name, &tree).unwrap()).unwrap();
    }
    let mut place = |name: &str, uses: &str| {
        let patch = library.place(name, Spot::below(0, 1.0), uses, Node::group()).unwrap();
        library.apply(&patch).unwrap();
    };
    place("door", "round");
    place("house", "door");
    place("house", "door");
    state(&mut library, "door", vec![(1.into(), Value::Material(Some(5)))]).unwrap();
    state(&mut library, "house", vec![([1, 1].into(), Value::Use(Some("square".into())))]).unwrap();
    let mut scene = scene();
    let root = scene.root();
    let mut document = Document::open(&mut scene, root, library, "house").unwrap();
    let library = document.library();
    let patch = library.unstate("house", &Path::from([1, 1]), &[Field::Use]);
    let patch = patch.then(&library.unstate("door", &Path::from(1), &[Field::Material])).unwrap();
    document.apply(&mut scene, &patch).unwrap();
    check(&document, &scene, "both have round knobs");
}

#[test]
fn a_patch_through_several_uses_reaches_each_instance_by_its_own_statements() {
    // A house has two doors, and one of the doors another knob. A knob is a variant of a variant of what the patch sets.
    for at in [1_u64, 2] {
        for stale in [false, true] {
            let mut library = Library::new();
            for name in ["base", "variant", "knob", "door", "house"] {
                let mut tree = Tree::new();
                tree.push(None, Node::group());
                library.apply(&library.define(name, &tree).unwrap()).unwrap();
            }
            let uses = |name: &str| Value::Use(Some(name.into()));
            state(&mut library, "variant", vec![(0.into(), uses("base"))]).unwrap();
            state(&mut library, "knob", vec![(0.into(), uses(if stale { "base" } else { "variant" }))]).unwrap();
            let mut place = |name: &str, uses: &str| {
                let patch = library.place(name, Spot::below(0, 1.0), uses, Node::group()).unwrap();
                library.apply(&patch).unwrap();
            };
            place("door", if stale { "base" } else { "knob" });
            place("house", "door");
            place("house", "door");
            let (inner, mut patch) = (Path::from([at, 1]), Vec::new());
            if stale {
                state(&mut library, "knob", vec![(0.into(), Value::Material(Some(3)))]).unwrap();
                state(&mut library, "house", vec![(inner.clone(), uses("knob"))]).unwrap();
                patch.push(library.unstate("house", &inner, &[Field::Use]));
            } else {
                state(&mut library, "house", vec![(inner, Value::Material(Some(5)))]).unwrap();
            }
            let mut scene = scene();
            let root = scene.root();
            let mut document = Document::open(&mut scene, root, library, "house").unwrap();
            let mut changed = document.library().clone();
            state(&mut changed, "base", vec![(0.into(), Value::Material(Some(9)))]).unwrap();
            patch.push(Patch::between(document.library(), &changed));
            let patch = patch.into_iter().reduce(|all, next| all.then(&next).unwrap()).unwrap();
            document.apply(&mut scene, &patch).unwrap();
            check(&document, &scene, &format!("the knob of door {at}, {stale}"));
        }
    }
}

#[test]
fn a_definition_goes_where_paths_lead_through_its_root() {
    let below = |parent: &[u64]| Value::Place(Some(Spot { parent: Path::try_from(parent).ok(), order: 1.0.into() }));
    let uses = || Value::Use(Some("b".into()));
    let (mut without, root) = (Library::new(), || Value::Place(Some(Spot::ROOT)));
    // Two uses of one definition, the second below the root of the first.
    let stated = vec![(1.into(), root()), (1.into(), uses()), (3.into(), below(&[1, 2])), (3.into(), uses())];
    state(&mut without, "a", stated).unwrap();
    let mut library = without.clone();
    state(&mut library, "b", vec![(2.into(), root())]).unwrap();
    let patch = Patch::between(&library, &without);
    let mut scene = scene();
    let root = scene.root();
    let mut document = Document::open(&mut scene, root, library, "a").unwrap();
    document.apply(&mut scene, &patch).unwrap();
    check(&document, &scene, "without the definition");
    document.undo(&mut scene).unwrap();
    check(&document, &scene, "with the definition");
}

#[test]
fn a_node_keeps_its_handle_if_it_moves_into_a_use_that_comes_with_it() {
    let (mut scene, mut document) = open();
    let root = document.root();
    let [moved, below] = [root, root].map(|parent| scene.insert(parent, Node::material(5)).unwrap());
    document.commit(&mut scene).unwrap();
    scene.reparent(below, moved, hedgerow::Keep::Local).unwrap();
    document.commit(&mut scene).unwrap();
    let [path, inner] = [moved, below].map(|node| document.path(&scene, node).unwrap());
    // A car comes, and a node goes below its left wheel's tyre, with the one below it; all in one patch.
    let mut later = document.library().clone();
    let placed = later.place("street", Spot::below(0, 9.0), "car", Node::group()).unwrap();
    later.apply(&placed).unwrap();
    let car = placed.entries()[0].key.path.clone();
    let tyre = car.join(&Path::from([1, 1]));
    let spot = Value::Place(Some(Spot { parent: Some(tyre), order: 0.0.into() }));
    let move_ = later.state("street", path.clone(), spot).unwrap();
    document.apply(&mut scene, &placed.then(&move_).unwrap()).unwrap();
    check(&document, &scene, "applied");
    assert_eq!([&path, &inner].map(|path| document.node(&scene, path)), [Some(moved), Some(below)]);
    document.undo(&mut scene).unwrap();
    check(&document, &scene, "undone");
    assert_eq!([&path, &inner].map(|path| document.node(&scene, path)), [Some(moved), Some(below)]);
    document.redo(&mut scene).unwrap();
    check(&document, &scene, "redone");
    assert_eq!([&path, &inner].map(|path| document.node(&scene, path)), [Some(moved), Some(below)]);
}

#[test]
fn an_entry_edits_each_instance_that_shows_it_and_no_other_node() {
    let (mut scene, mut document) = open();
    let mut made = |document: &mut Document, definition: &str, path: &[u64], value: Value| {
        let patch = document.library().state(definition, Path::try_from(path).unwrap(), value).unwrap();
        edited(document, &mut scene, &patch)
    };
    let material = |number| Value::Material(Some(number));
    // Of four wheels, the street states the bolt of one.
    let bolts = made(&mut document, "wheel", &[2], material(20));
    assert_eq!(bolts, &["5/2/0/2", "6/1/2", "6/2/0/2"]);
    // The red wheel states its tyre.
    let tyres = made(&mut document, "wheel", &[1], material(21));
    assert_eq!(tyres, &["5/1/1", "6/1/1"]);
    let tyres = made(&mut document, "red", &[0, 1], material(22));
    assert_eq!(tyres, &["5/2/0/1", "6/2/0/1"]);
    // Roots of what nodes use; the variant has a name of its own.
    let local = Value::of(&Node::transform(Transform::from_xyz(0.0, 7.0, 0.0)), Field::Local).unwrap();
    let wheels = made(&mut document, "wheel", &[0], local);
    assert_eq!(wheels, &["5/1", "5/2", "6/1", "6/2"]);
    let names = made(&mut document, "wheel", &[0], Value::Name(Some("rim".into())));
    assert_eq!(names, &["5/1", "6/1"]);
    // Data of one's own, and what no instance shows.
    for (definition, path, value) in [
        ("wheel", &[1][..], Value::Own(1, None)),
        ("street", &[5, 77], material(1)),
        ("wheel", &[99], material(1)),
        ("bench", &[0], Value::Place(Some(Spot::ROOT))),
        ("bench", &[0], material(1)),
        ("bench", &[1], Value::Place(Some(Spot::below(0, 0.0)))),
    ] {
        assert!(made(&mut document, definition, path, value).is_empty());
    }
    check(&document, &scene, "edited");
}

#[test]
fn a_document_and_its_scene_are_cloned_and_go_on_apart() {
    for seed in seeds(4) {
        let mut dice = Rng::with_seed(seed);
        let mut scene = scene();
        let root = scene.root();
        let start = library(&mut dice, false);
        let mut document = Document::open(&mut scene, root, start.clone(), "a").unwrap();
        edit(&mut dice, &mut scene, root, 5);
        document.commit(&mut scene).unwrap();
        // Edits that are not committed are cloned, too.
        edit(&mut dice, &mut scene, root, 3);
        let mut pair = [(document.clone(), scene.clone()), (document, scene)];
        for round in 0..6 {
            for (number, (document, scene)) in pair.iter_mut().enumerate() {
                match dice.u8(0..4) {
                    0 => _ = document.undo(scene).unwrap(),
                    1 => {
                        document.commit(scene).unwrap();
                        let patch = patch(&mut dice, document.library());
                        document.apply(scene, &patch).unwrap();
                    }
                    _ => {
                        edit(&mut dice, scene, root, 3);
                        document.commit(scene).unwrap();
                    }
                }
                check(document, scene, &format!("seed {seed}, round {round}, {number}"));
            }
        }
        let [(mut document, mut scene), (other, _)] = pair;
        let patch = Patch::between(document.library(), other.library());
        document.apply(&mut scene, &patch).unwrap();
        assert_eq!(document.library(), other.library(), "seed {seed}");
        check(&document, &scene, &format!("seed {seed}, the same"));
        while document.undo(&mut scene).unwrap().is_some() {}
        assert_eq!(*document.library(), start, "seed {seed}");
    }
}

#[test]
fn a_commit_after_too_many_changes_is_what_it_is_with_a_longer_history() {
    for seed in seeds(12) {
        let [mut long, mut short] = [1 << 16, 1].map(|change_history| {
            let mut dice = Rng::with_seed(seed);
            let config = SceneConfig { changes: true, change_history, ..SceneConfig::DEFAULT };
            let mut scene = Scene::with_config(config).unwrap();
            let root = scene.root();
            let document = Document::open(&mut scene, root, library(&mut dice, seed % 2 == 0), "a").unwrap();
            (scene, document, dice)
        });
        for round in 0..4 {
            let [one, other] = [&mut long, &mut short].map(|(scene, document, dice)| {
                for _ in 0..3 {
                    edit(dice, scene, document.root(), 2);
                    scene.update();
                }
                // Siblings may get other orders.
                let entries = document.commit(scene).unwrap().entries().iter();
                let entries = entries.filter(|entry| entry.key.field != Field::Place).cloned();
                (entries.collect::<Vec<_>>(), document.library().tree("a").unwrap())
            });
            assert_eq!(one, other, "seed {seed}, round {round}");
            check(&short.1, &short.0, &format!("seed {seed}, round {round}"));
        }
    }
}

#[test]
fn a_node_between_equal_orders_moves_few_siblings_whatever_the_history() {
    for change_history in [1 << 16, 1] {
        let config = SceneConfig { changes: true, change_history, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).unwrap();
        let (root, mut library) = (scene.root(), street());
        let place = |id: u64| Value::Place(Some(Spot::below(0, (id / 2) as f64)));
        let parts = (10..90).map(|id| (id.into(), place(id))).collect();
        state(&mut library, "street", parts).unwrap();
        let mut document = Document::open(&mut scene, root, library, "street").unwrap();
        for (id, round) in [(90_u64, 0_u64), (91, 1)] {
            let before = document.node(&scene, &(51 + 2 * round).into()).unwrap();
            let new = scene.insert(Place::Before(before), Node::group()).unwrap();
            for number in 0..3 {
                scene.edit(new).unwrap().set_user_data(number);
                scene.update();
            }
            let patch = document.commit(&mut scene).unwrap();
            let placed = patch.entries().iter().filter(|entry| entry.key.field == Field::Place).count();
            assert!(patch.get(&Key::new("street", id, Field::Place)).is_some() && placed <= 4, "{placed} places");
            check(&document, &scene, "between");
        }
    }
}

#[test]
fn what_is_shown_between_steps_is_blended_over_commits_and_undo() {
    let (mut scene, mut document) = open();
    let mut smooth = Smooth::new(&scene).unwrap();
    let wheel = document.node(&scene, &[6, 1].into()).unwrap();
    let x = |scene: &Scene, node: NodeHandle| scene.world(node).unwrap().translation().x;
    let shown = |smooth: &mut Smooth, scene: &mut Scene, alpha| {
        smooth.step(scene).unwrap();
        let shown = smooth.blend(scene, alpha);
        (shown.world(wheel).unwrap().translation().x, shown.len())
    };
    let mut at = x(&scene, wheel);
    let acts: [fn(&mut Document, &mut Scene, NodeHandle); 5] = [
        |document, scene, wheel| {
            scene.set_local(wheel, Transform::from_xyz(5.0, 0.0, 0.0)).unwrap();
            scene.remove(document.node(scene, &[5, 1].into()).unwrap()).unwrap();
            document.commit(scene).unwrap();
        },
        |document, scene, _| _ = document.undo(scene).unwrap().unwrap(),
        |document, scene, _| _ = document.redo(scene).unwrap().unwrap(),
        |document, scene, wheel| {
            scene.set_local(wheel, Transform::from_xyz(7.0, 0.0, 0.0)).unwrap();
            document.revert(scene).unwrap();
        },
        |document, scene, _| {
            let local = document.library().unstate("street", &[6, 1].into(), &[Field::Local]);
            document.apply(scene, &local).unwrap();
        },
    ];
    for (number, act) in acts.into_iter().enumerate() {
        act(&mut document, &mut scene, wheel);
        let after = x(&scene, wheel);
        assert_eq!(shown(&mut smooth, &mut scene, 0.5), ((at + after) / 2.0, scene.len()), "act {number}");
        // What is shown is no edit.
        assert!(document.commit(&mut scene).unwrap().is_empty(), "act {number}");
        check(&document, &scene, &format!("act {number}"));
        at = after;
    }
}

#[test]
fn public_types_go_to_other_threads() {
    fn sends<T: Send + Sync>() {}
    use hedgerow_document::*;
    sends::<(Conflict, Document, Entry, Error, Field, Key, Library, LocalValue)>();
    sends::<(Merged, Note, Order, Patch, PatchError, Path, Renumbered, Spot, Value)>();
}
