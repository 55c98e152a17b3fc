//! Calls that fail change nothing: not the scene, the library or the history.

use crate::acts::{check, scene, single};
use crate::operations::street;
use hedgerow::{Keep, Node, Place, Scene, Tree};
use hedgerow_document::{Document, Error, Field, Library, Patch, PatchError, Path, Spot, Value};

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
fn refused<T, E: PartialEq>(
    document: &mut Document,
    scene: &mut Scene,
    call: impl FnOnce(&mut Document, &mut Scene) -> Result<T, E>,
) -> E {
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
    let document = Document::open(&mut scene, empty, street(), "street").unwrap();
    check(&document, &scene, "opened");
}

#[test]
fn refused_patches_change_nothing_in_a_document() {
    let (mut scene, mut document) = open();
    let library = document.library().clone();
    let state = |definition: &str, path: &[u64], value: Value| {
        single(&library, definition, &Path::of_ids(path).unwrap(), value.field(), Some(value))
    };
    let unstate = |definition: &str, id: u64| {
        let mut patch = Patch::between(&library, &Library::new());
        patch.retain(|entry| &*entry.key.definition == definition && entry.key.path == id.into());
        patch
    };
    let place = |parent: u64| Value::Place(Some(Spot::below(parent, 0.0)));
    let uses = |name: &str| Value::Use(Some(name.into()));
    let mut other = library.clone();
    other.apply(&state("wheel", &[1], Value::Material(Some(8)))).unwrap();
    let for_other = single(&other, "wheel", &1.into(), Field::Material, Some(Value::Material(Some(9))));
    let good = state("wheel", &[2], Value::Material(Some(5))).then(&state("street", &[7], place(0))).unwrap();
    let rename = library.rename("street", "road").unwrap();
    let largest = (1 << 48) - 1;
    for (bad, kind) in [
        (for_other, "State"),
        (
            unstate("street", 5)
                .then(&unstate("street", 5).inverse())
                .unwrap()
                .then(&unstate("car", 2))
                .unwrap()
                .inverse(),
            "State",
        ),
        (state("wheel", &[1], uses("car")), "Use"),
        (state("red", &[0], uses("street")), "Use"),
        (unstate("wheel", 0), "Invalid"),
        (unstate("street", 0), "Invalid"),
        (state("car", &[1], Value::Place(Some(Spot::ROOT))), "Invalid"),
        (state("car", &[1], Value::Place(None)), "Invalid"),
        (state("street", &[5, 1], Value::Place(Some(Spot::ROOT))), "Invalid"),
        (state("car", &[largest], place(0)), "Invalid"),
        (state("car", &[4], place(largest)), "Invalid"),
        (rename, "Invalid"),
    ] {
        for patch in [&bad, &good.then(&bad).unwrap_or_else(|_| bad.clone())] {
            let by_apply = refused(&mut document, &mut scene, |document, scene| document.apply(scene, patch));
            let by_follow = refused(&mut document, &mut scene, |document, scene| document.follow(scene, patch));
            assert!(by_apply == by_follow && format!("{by_apply:?}").starts_with(kind), "{by_apply:?}");
        }
    }
    document.apply(&mut scene, &good).unwrap();
    check(&document, &scene, "applied");
}

#[test]
fn a_step_whose_keys_others_stated_is_neither_undone_nor_made_again() {
    let (mut scene, mut document) = open();
    let follow = |document: &mut Document, scene: &mut Scene, value| {
        let patch =
            single(document.library(), "street", &[5, 1, 1].into(), Field::Material, Some(Value::Material(value)));
        document.follow(scene, &patch).unwrap();
        patch
    };
    let theirs = follow(&mut document, &mut scene, Some(99));
    let key = PatchError::State(theirs.entries()[0].key.clone());
    for call in [Document::undo, Document::redo] {
        assert_eq!(refused(&mut document, &mut scene, call), key);
    }
    document.follow(&mut scene, &theirs.inverse()).unwrap();
    assert!(document.redo(&mut scene).unwrap().is_some() && document.undo(&mut scene).unwrap().is_some());
    check(&document, &scene, "undone");
}

type Call = fn(&mut Document, &mut Scene) -> Result<(), PatchError>;

/// All calls that make a step of the edits first.
const CALLS: [Call; 7] = [
    |document, scene| Ok(document.commit(scene).map(drop)?),
    |document, scene| Ok(document.commit_in(scene, &5.into()).map(drop)?),
    |document, scene| Ok(document.revert(scene)?),
    |document, scene| document.apply(scene, &Patch::new()),
    |document, scene| document.follow(scene, &Patch::new()),
    |document, scene| document.undo(scene).map(drop),
    |document, scene| document.redo(scene).map(drop),
];

/// Checks that all calls are refused for a reason while there are edits, and that these become a step when it is gone.
fn check_edits(
    (mut scene, mut document): (Scene, Document),
    break_it: impl FnOnce(&mut Document, &mut Scene),
    error: Error,
    mend_it: impl FnOnce(&mut Document, &mut Scene),
) {
    let tyre = document.node(&scene, &[5, 1, 1].into()).unwrap();
    let [bolt, wheel] = [[5, 1, 2], [5, 2, 0]].map(|path| document.node(&scene, &path.into()).unwrap());
    scene.edit(tyre).unwrap().set_user_data(7);
    scene.insert(tyre, Node::material(7)).unwrap();
    scene.remove(bolt).unwrap();
    scene.reparent(wheel, scene.root(), Keep::Local).unwrap();
    break_it(&mut document, &mut scene);
    scene.update();
    let (bytes, library) = (scene.to_bytes(), document.library().clone());
    for call in CALLS {
        assert_eq!(call(&mut document, &mut scene), Err(PatchError::Document(error.clone())));
        assert!(scene.to_bytes() == bytes && document.library().to_bytes() == library.to_bytes());
    }
    mend_it(&mut document, &mut scene);
    let wanted = scene.tree(document.root()).unwrap();
    document.commit(&mut scene).unwrap();
    assert_eq!(scene.tree(document.root()).unwrap(), wanted);
    check(&document, &scene, "the edits are a step");
    document.undo(&mut scene).unwrap();
    assert_eq!(*document.library(), library);
    check(&document, &scene, "and are undone");
}

#[test]
fn edits_without_a_root_are_a_step_when_it_is_back() {
    let back = |document: &mut Document, scene: &mut Scene| {
        scene.reparent(document.root(), scene.root(), Keep::Local).unwrap();
    };
    let away = |document: &mut Document, scene: &mut Scene| {
        scene.reparent(document.root(), Place::Detached, Keep::Local).unwrap();
    };
    check_edits(open(), away, Error::NoRoot, back);
}

#[test]
fn edits_without_ids_are_a_step_of_another_writer() {
    let (mut scene, mut document) = open();
    let last =
        single(document.library(), "street", &[(1 << 48) - 3, 1].into(), Field::Material, Some(Value::Material(None)));
    document.apply(&mut scene, &last).unwrap();
    check_edits((scene, document), |_, _| {}, Error::NoIds, |document, _| document.set_writer(1));
}

#[test]
fn only_a_use_is_edited_in_place() {
    let (mut scene, mut document) = open();
    for path in [&[0][..], &[5, 3], &[5, 1, 1], &[5, 9], &[77]].map(|ids| Path::of_ids(ids).unwrap()) {
        let error = refused(&mut document, &mut scene, |document, scene| document.commit_in(scene, &path));
        assert!(matches!(error, Error::Step(why) if matches!(*why, PatchError::Invalid { .. })));
    }
}

#[test]
fn patches_that_make_very_many_nodes_are_refused() {
    let (mut scene, mut document) = open();
    let mut tree = Tree::new();
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
    let place = document.library().place("wheel", Spot::below(0, 0.0), "39", Node::group()).unwrap();
    let error = refused(&mut document, &mut scene, |document, scene| document.apply(scene, &place));
    assert_eq!(error, PatchError::Document(hedgerow::Error::CapacityOverflow.into()));
}
