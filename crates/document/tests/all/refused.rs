//! Calls that fail change nothing: not the scene, the library or the history.

use crate::acts::{check, scene};
use crate::operations::street;
use hedgerow::{Keep, Node, Place, Scene, Tree};
use hedgerow_document::{Document, Error, Library, Patch, Path, Spot, Value};

/// Opens a street with three steps in its history, of which one is undone.
fn open() -> (Scene, Document) {
    let mut scene = scene();
    let top = scene.root();
    let root = scene.insert(top, Node::group()).unwrap();
    let mut document = Document::open(&mut scene, root, street(), "street").unwrap();
    for number in 0..3 {
        let tyre = document.node(&scene, &[5, 1, 1].into()).unwrap();
        scene.edit(tyre).unwrap().set_material(number);
        scene.insert(tyre, Node::material(number)).unwrap();
        document.commit(&mut scene).unwrap();
    }
    document.undo(&mut scene).unwrap();
    (scene, document)
}

/// Returns the scene and the library as bytes, and those of all states that undo and redo reach.
fn states(document: &Document, scene: &Scene) -> Vec<Vec<u8>> {
    let (mut document, mut scene) = (document.clone(), scene.clone());
    let mut states = vec![scene.to_bytes(), document.library().to_bytes()];
    while let Ok(Some(_)) = document.undo(&mut scene) {
        states.push(document.library().to_bytes());
    }
    while let Ok(Some(_)) = document.redo(&mut scene) {
        states.push(document.library().to_bytes());
    }
    states
}

/// Returns why a call is refused, after which all is as before, and the next edit is a step.
#[track_caller]
fn refused<T>(
    document: &mut Document,
    scene: &mut Scene,
    call: impl FnOnce(&mut Document, &mut Scene) -> Result<T, Error>,
) -> Error {
    let before = states(document, scene);
    let Err(error) = call(document, scene) else { panic!("it was not refused") };
    assert!(states(document, scene) == before, "it changed something");
    let (mut document, mut scene) = (document.clone(), scene.clone());
    scene.edit(document.node(&scene, &[5, 2, 0, 1].into()).unwrap()).unwrap().set_user_data(77);
    assert_eq!(document.commit(&mut scene).unwrap().entries().len(), 1);
    check(&document, &scene, "the next step");
    error
}

#[test]
fn a_document_that_cannot_be_opened_leaves_the_scene_as_it_was() {
    let mut scene = scene();
    let [stale, full, empty] = [(); 3].map(|()| scene.insert(scene.root(), Node::group()).unwrap());
    scene.insert(full, Node::group()).unwrap();
    scene.remove(stale).unwrap();
    scene.update();
    let before = scene.to_bytes();
    let (gone, none) = (Error::Scene(hedgerow::Error::StaleHandle(stale)), Error::NoDefinition("park".into()));
    for (at, name, error) in [(stale, "street", &gone), (full, "street", &Error::NotEmpty), (empty, "park", &none)] {
        assert_eq!(Document::open(&mut scene, at, street(), name).err().as_ref(), Some(error));
    }
    for (at, name, error) in
        [(stale, "street", &gone), (empty, "park", &none), (empty, "car", &Error::Differs { number: 0 })]
    {
        assert_eq!(Document::bind(&mut scene, at, street(), name).err().as_ref(), Some(error));
    }
    assert_eq!(Document::of(&mut scene, stale, "street").err(), Some(gone));
    assert_eq!(scene.to_bytes(), before);
    let mut plain = Scene::new();
    let root = plain.root();
    let untracked = Document::open(&mut plain, root, street(), "street");
    assert_eq!(untracked.err(), Some(hedgerow::Error::NoChanges.into()));
    let document = Document::open(&mut scene, empty, street(), "street").unwrap();
    check(&document, &scene, "opened");
}

#[test]
fn refused_patches_change_nothing_in_a_document() {
    let (mut scene, mut document) = open();
    let library = document.library().clone();
    let state = |definition: &str, path: &[u64], value: Value| {
        library.state(definition, Path::of(path).unwrap(), value).unwrap()
    };
    let unstate = |definition: &str, id: u64| {
        let mut patch = Patch::between(&library, &Library::new());
        patch.retain(|entry| &*entry.key.definition == definition && entry.key.path == id.into());
        patch
    };
    let place = |parent: u64| Value::Place(Some(Spot::below(parent, 0.0)));
    let uses = |name: &str| Value::Use(Some(name.into()));
    let good = state("wheel", &[2], Value::Material(Some(5))).then(&state("street", &[7], place(0))).unwrap();
    let largest = (1 << 48) - 1;
    for (bad, kind) in [
        (state("wheel", &[1], Value::Material(Some(5))).inverse(), "State"),
        (state("wheel", &[1], uses("car")), "Use"),
        (state("red", &[0], uses("street")), "Use"),
        (unstate("wheel", 0), "Invalid"),
        (unstate("street", 0), "Invalid"),
        (state("car", &[1], Value::Place(Some(Spot::ROOT))), "Invalid"),
        (state("car", &[1], Value::Place(None)), "Invalid"),
        (state("street", &[5, 1], Value::Place(Some(Spot::ROOT))), "Invalid"),
        (state("car", &[largest], place(0)), "Invalid"),
        (state("car", &[4], place(largest)), "Invalid"),
        (library.rename("street", "road").unwrap(), "Invalid"),
    ] {
        for patch in [&bad, &good.then(&bad).unwrap_or_else(|_| bad.clone())] {
            let by_apply = refused(&mut document, &mut scene, |document, scene| document.apply(scene, patch));
            let by_follow = refused(&mut document, &mut scene, |document, scene| document.follow(scene, patch));
            assert!(by_apply == by_follow && format!("{by_apply:?}").starts_with(kind), "{by_apply:?}");
        }
    }
    document.apply(&mut scene, &good).unwrap();
    check(&document, &scene, "applied");
    // Few ids are left before those that may be chosen, and none of these is given.
    document.apply(&mut scene, &state("street", &[(1 << 47) - 3, 1], Value::Use(None))).unwrap();
    let place = document.library().place("street", Spot::below(0, 0.0), "wheel", Node::group()).unwrap();
    let paste =
        document.library().paste("street", Spot::below(0, 0.0), &library.copy("street", &[[5, 1].into(), 5.into()]));
    for patch in [place, paste.unwrap()] {
        assert!(matches!(document.apply(&mut scene, &patch), Err(Error::Invalid { .. })));
        check(&document, &scene, "no id is left");
    }
}

type Call = fn(&mut Document, &mut Scene) -> Result<(), Error>;

/// All calls that make a step of the edits first.
const CALLS: [Call; 7] = [
    |document, scene| document.commit(scene).map(drop),
    |document, scene| document.commit_in(scene, &5.into()).map(drop),
    |document, scene| document.revert(scene),
    |document, scene| document.apply(scene, &Patch::new()).map(drop),
    |document, scene| document.follow(scene, &Patch::new()).map(drop),
    |document, scene| document.undo(scene).map(drop),
    |document, scene| document.redo(scene).map(drop),
];

#[test]
fn edits_without_a_root_or_ids_are_a_step_when_there_are_some() {
    let keep = Keep::Local;
    for without_ids in [false, true] {
        let (mut scene, mut document) = open();
        let root = document.root();
        let mut error = Error::NoRoot;
        if without_ids {
            error = Error::NoIds;
            let last = document.library().state("street", [(1 << 47) - 3, 1], Value::Use(None)).unwrap();
            document.apply(&mut scene, &last).unwrap();
        }
        let [tyre, bolt, wheel] =
            [&[5, 1, 1][..], &[5, 1, 2], &[5, 2]].map(|ids| document.node(&scene, &Path::of(ids).unwrap()).unwrap());
        scene.edit(tyre).unwrap().set_user_data(7);
        scene.insert(tyre, Node::material(7)).unwrap();
        scene.remove(bolt).unwrap();
        scene.reparent(wheel, root, keep).unwrap();
        if !without_ids {
            scene.reparent(root, Place::Detached, keep).unwrap();
        }
        scene.update();
        let (bytes, library) = (scene.to_bytes(), document.library().clone());
        for call in CALLS {
            assert_eq!(call(&mut document, &mut scene), Err(error.clone()));
            assert!(scene.to_bytes() == bytes && document.library().to_bytes() == library.to_bytes());
        }
        if without_ids {
            document.set_writer(1);
        } else {
            _ = scene.reparent(root, scene.root(), keep).unwrap();
        }
        let wanted = scene.copy_tree(root).unwrap();
        document.commit(&mut scene).unwrap();
        assert_eq!(scene.copy_tree(root).unwrap(), wanted);
        check(&document, &scene, "the edits are a step");
        document.undo(&mut scene).unwrap();
        assert_eq!(*document.library(), library);
    }
}

#[test]
fn only_a_use_is_edited_in_place() {
    let (mut scene, mut document) = open();
    for path in [&[0][..], &[5, 3], &[5, 1, 1], &[5, 9], &[77]].map(|ids| Path::of(ids).unwrap()) {
        let error = refused(&mut document, &mut scene, |document, scene| document.commit_in(scene, &path));
        assert!(matches!(error, Error::Invalid { .. }));
    }
}

#[test]
fn few_definitions_of_very_many_nodes_are_refused_before_they_are_expanded() {
    let ((mut scene, mut document), mut tree) = (open(), Tree::new());
    tree.push(None, Node::group());
    for number in 0..40 {
        let name = number.to_string();
        let patch = document.library().define(&name, &tree).unwrap();
        document.apply(&mut scene, &patch).unwrap();
        for _ in 0..if number == 0 { 0 } else { 2 } {
            let used = (number - 1).to_string();
            let patch = document.library().place(&name, Spot::below(0, 0.0), &used, Node::group()).unwrap();
            document.apply(&mut scene, &patch).unwrap();
        }
    }
    // Each has a root and two nodes that are the roots of what they use.
    let library = document.library().clone();
    assert_eq!(library.tree("3").unwrap().len(), 15);
    assert!(library.tree("39").is_err() && library.notes("39").is_empty());
    let place = library.place("wheel", Spot::below(0, 0.0), "39", Node::group()).unwrap();
    let error = refused(&mut document, &mut scene, |document, scene| document.apply(scene, &place));
    assert_eq!(error, hedgerow::Error::CapacityOverflow.into());
    let top = scene.insert(scene.root(), Node::group()).unwrap();
    assert!(Document::open(&mut scene, top, library, "39").is_err());
}

#[test]
fn a_scene_holds_the_document_that_was_opened_last() {
    for opened in [true, false] {
        let (mut scene, mut document) = open();
        let [car, tyre] = [&[5][..], &[5, 1, 1]].map(|ids| document.node(&scene, &Path::of(ids).unwrap()).unwrap());
        // Nodes of it, or a copy that goes on.
        let mut other = if opened { Document::of(&mut scene, car, "first").unwrap() } else { document.clone() };
        scene.edit(tyre).unwrap().set_material(70);
        assert_eq!(other.commit(&mut scene).unwrap().entries().len(), 1);
        scene.remove(tyre).unwrap();
        let before = states(&document, &scene);
        CALLS.iter().for_each(|call| assert_eq!(call(&mut document, &mut scene), Err(Error::Taken)));
        assert!(states(&document, &scene) == before);
        let [path, inner] = [Path::from(5), [5, 1].into()];
        assert!(document.path(&scene, car).is_none() && document.node(&scene, &path).is_none());
        assert!(document.find(&scene, &inner).is_none() && other.path(&scene, car).is_some());
        other.commit(&mut scene).unwrap();
        check(&other, &scene, "the other goes on");
    }
}
