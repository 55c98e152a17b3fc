//! What documents do to their scenes, and what others do there.

use crate::acts::{self, check, check_handles, paths};
use crate::merge::read;
use crate::operations::{state, street};
use hedgerow::changes::{ChangeKinds, ChangeReader};
use hedgerow::{Node, Place, Scene, SceneConfig, Transform};
use hedgerow_document::{Document, Field, Key, Patch, Path, Spot, Value};

/// Two streets, each with the cars of `street`, and an overriding material at the bolt of the first car's left wheel.
fn open() -> (Scene, Document) {
    let mut library = street();
    let place = Value::Place(Some(Spot::below(0, 1.0)));
    state(&mut library, "street", vec![(6.into(), place), (6.into(), Value::Use(Some("car".into())))]).unwrap();
    acts::open(library, "street")
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

/// Opens definition `a` of a library, follows it to another and back, and checks that nodes whose paths stay keep their
/// handles.
fn follows(before: &str, after: &str) {
    let [before, after] = [before, after].map(read);
    let patch = Patch::between(&before, &after);
    let (mut scene, mut document) = acts::open(before, "a");
    check(&document, &scene, "opened");
    document.apply(&mut scene, &patch).unwrap();
    for context in ["applied", "undone", "redone"] {
        assert!(context != "applied" || *document.library() == after);
        check(&document, &scene, context);
        assert_eq!(scene.detached().count(), 0, "{context}");
        let had = paths(&document, &scene);
        _ = if context == "applied" { document.undo(&mut scene) } else { document.redo(&mut scene) };
        check_handles(&document, &scene, had, context);
    }
}

#[test]
fn the_scene_follows_a_patch_of_several_definitions() {
    let wheel = r#""wheel": {"nodes": [{"id": 0}, {"id": 1, "parent": 0, "material": 1}, {"id": 2, "parent": 0}]}"#;
    let a =
        |nodes: &str, overrides: &str| format!(r#""a": {{"nodes": [{{"id": 0}}{nodes}], "overrides": [{overrides}]}}"#);
    let cases = |all: &[&str]| all.join(", ");

    // The root of "nut" has the id of an inner node of "wheel"; a node below follows its parent's id.
    let uses = |name: &str| {
        let nodes = format!(r#", {{"id": 6, "parent": 0, "use": "{name}"}}, {{"id": 7, "parent": [6, 1]}}"#);
        cases(&[wheel, r#""nut": {"nodes": [{"id": 1}]}"#, &a(&nodes, "")])
    };
    follows(&uses("nut"), &uses("wheel"));

    // A definition states something inside of its second use, and an outer one inside of one of its five instances.
    let car = r#""car": {"nodes": [{"id": 0}, {"id": 1, "parent": 0, "use": "wheel"},
        {"id": 2, "parent": 0, "use": "wheel"}], "overrides": [{"at": [1, 1], "material": 2}]}"#;
    let cars: String = (1..6).map(|id| format!(r#", {{"id": {id}, "parent": 0, "use": "car"}}"#)).collect();
    let street = |overrides: &str| cases(&[wheel, car, &a(&cars, overrides)]);
    follows(&street(r#"{"at": [4, 2, 1], "material": 3}"#), &street(""));

    // What one instance used before the patch shows in no other.
    let house = |material: &str, overrides: &str| {
        let door = format!(r#""door": {{"nodes": [{{"id": 0}}, {{"id": 1, "parent": 0, "use": "round"{material}}}]}}"#);
        let knobs =
            r#""round": {"nodes": [{"id": 0, "material": 1}]}, "square": {"nodes": [{"id": 0, "material": 2}]}"#;
        let doors = r#", {"id": 1, "parent": 0, "use": "door"}, {"id": 2, "parent": 0, "use": "door"}"#;
        cases(&[knobs, &door, &a(doors, overrides)])
    };
    follows(&house(r#", "material": 5"#, r#"{"at": [1, 1], "use": "square"}"#), &house("", ""));

    // A house has two doors, and one of them another knob, a variant of a variant of what the patch sets.
    for at in [1, 2] {
        for stale in [false, true] {
            let [inner, knob] = if stale { ["base", "base"] } else { ["knob", "variant"] };
            let own = if stale { r#", "material": 3"# } else { "" };
            let overridden = if stale { r#""use": "knob""# } else { r#""material": 5"# };
            let overridden = format!(r#"{{"at": [{at}, 1], {overridden}}}"#);
            let house = |base: &str, overrides: &str| {
                let doors = r#", {"id": 1, "parent": 0, "use": "door"}, {"id": 2, "parent": 0, "use": "door"}"#;
                let rest = format!(
                    r#""base": {{"nodes": [{{"id": 0{base}}}]}}, "variant": {{"nodes": [{{"id": 0, "use": "base"}}]}},
                    "knob": {{"nodes": [{{"id": 0, "use": "{knob}"{own}}}]}},
                    "door": {{"nodes": [{{"id": 0}}, {{"id": 1, "parent": 0, "use": "{inner}"}}]}}"#
                );
                cases(&[&rest, &a(doors, overrides)])
            };
            let after = if stale { "" } else { &overridden };
            follows(&house("", &overridden), &house(r#", "material": 9"#, after));
        }
    }

    // Two uses of one definition, the second below the root of the first; and the definition goes.
    let users = r#""a": {"nodes": [{"id": 1, "use": "b"}, {"id": 3, "parent": [1, 2], "use": "b", "order": 1}]}"#;
    follows(&cases(&[users, r#""b": {"nodes": [{"id": 2}]}"#]), users);
    // Of two chains, one hangs on a definition that comes or goes, and another one gets another root.
    let chains = |b: &str| {
        let nodes = r#"{"id": 1}, {"id": 2, "parent": 1}, {"id": 3, "parent": 2, "use": "b"}, {"id": 4, "parent": [3, 5]},
            {"id": 6, "parent": 2, "use": "wheel"}"#;
        cases(&[wheel, &format!(r#""a": {{"nodes": [{nodes}]}}{b}"#)])
    };
    let b = |nodes: &str| chains(&format!(r#", "b": {{"nodes": [{nodes}]}}"#));
    follows(&chains(""), &b(r#"{"id": 0}, {"id": 5, "parent": 0}"#));
    follows(
        &chains(""),
        &chains("").replace(r#"{"id": 1}, {"id": 2, "parent": 1}"#, r#"{"id": 1, "parent": 2}, {"id": 2}"#),
    );
    follows(&b(r#"{"id": 0}, {"id": 5, "parent": 0}"#), &b(r#"{"id": 5}, {"id": 0, "parent": 5}"#));

    // A node moves inside a use that changes with the same patch, and has the same path in both.
    let uses = |name: &str, overrides: &str| {
        let disc = wheel.replace("wheel", "disc");
        cases(&[wheel, &disc, &a(&format!(r#", {{"id": 1, "parent": 0, "use": "{name}"}}"#), overrides)])
    };
    follows(&uses("wheel", ""), &uses("disc", r#"{"at": [1, 2], "parent": [1, 1]}"#));

    // A node moves into a use that comes with the same patch, or whose node does.
    let car = r#", {"id": 5, "parent": 0, "use": "car"}"#;
    let moved = |car: &str, parent: &str| {
        let nodes = format!(r#"{car}, {{"id": 8, "parent": {parent}}}, {{"id": 9, "parent": 8}}"#);
        cases(&[wheel, r#""car": {"nodes": [{"id": 0}, {"id": 1, "parent": 0, "use": "wheel"}]}"#, &a(&nodes, "")])
    };
    follows(&moved("", "0"), &moved(car, "[5, 1, 1]"));
    follows(&moved(r#", {"id": 5, "parent": 0}"#, "5"), &moved(car, "[5, 1, 1]"));

    // A chain is turned round, and hangs below a node that comes back.
    let chain = |parents: &[u64]| {
        let node = |(id, parent)| format!(r#", {{"id": {id}, "parent": {parent}}}"#);
        a(&(1..).zip(parents).map(node).collect::<String>(), "")
    };
    follows(&chain(&[0, 1, 2, 3, 4]), &chain(&[2, 3, 4, 5, 0]));
    follows(&chain(&[0, 77, 2, 3, 4]), &chain(&[2, 3, 4, 5, 0]));
    // Its parent comes with a node that comes back.
    follows(&chain(&[2, 77, 0, 0]), &chain(&[2, 3, 0, 1]));
    // A circle leaves, and a node that its parent takes along.
    follows(&chain(&[0, 1, 2, 3]), &chain(&[2, 1, 2, 0]));
    // Each of three cars has a circle with a node that gets another use; or one has, by an override.
    let cars = |parent: &str, uses: &str, overrides: &str| {
        let nodes = format!(r#"{{"id": 0}}, {{"id": 1, "parent": {parent}{uses}}}, {{"id": 2, "parent": 1}}"#);
        let cars: String = (1..4).map(|id| format!(r#", {{"id": {id}, "parent": 0, "use": "car"}}"#)).collect();
        cases(&[wheel, &format!(r#""car": {{"nodes": [{nodes}]}}"#), &a(&cars, overrides)])
    };
    let uses = r#", "use": "wheel""#;
    follows(&cars("0", uses, ""), &cars("2", "", ""));
    follows(&cars("0", "", ""), &cars("2", uses, ""));
    follows(&cars("0", uses, ""), &cars("0", uses, r#"{"at": [1, 1], "use": null, "parent": [1, 2]}"#));
}

#[test]
fn an_entry_edits_each_instance_that_shows_it_and_no_other_node() {
    let (mut scene, mut document) = open();
    let mut made = |document: &mut Document, definition: &str, path: &[u64], value: Value| {
        let patch = document.library().state(definition, Path::of(path).unwrap(), value).unwrap();
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
fn public_types_go_to_other_threads() {
    fn sends<T: Send + Sync>() {}
    use hedgerow_document::*;
    sends::<(Conflict, Document, Entry, Error, Field, Key, Library, LocalValue)>();
    sends::<(Merged, Note, Order, Patch, Error, Path, Renumbered, Spot, Value)>();
}
