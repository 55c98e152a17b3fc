//! Random acts on a document, each compared with the model.

use crate::model::Model;
use crate::operations;
use crate::random::{seeds, value};
use fastrand::Rng;
use hedgerow::checkpoints::Checkpoints;
use hedgerow::{Keep, Node, NodeHandle, Place, Scene, SceneConfig};
use hedgerow_document::{Document, Entry, Error, Field, Key, Library, Order, Patch, Path, Spot, Value};
use hedgerow_testkit::drivers;
use std::collections::BTreeMap;

pub(crate) fn scene() -> Scene {
    Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap()
}

pub(crate) fn open(library: Library, definition: &str) -> (Scene, Document) {
    let mut scene = scene();
    let root = scene.root();
    let document = Document::open(&mut scene, root, library, definition).unwrap();
    (scene, document)
}

pub(crate) const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A random library: each definition uses only later ones.
pub(crate) fn library(dice: &mut Rng, wild: bool) -> Library {
    let mut library = Library::new();
    for (number, name) in NAMES.iter().enumerate().rev() {
        let later = &NAMES[number + 1..];
        let mut entries = Vec::new();
        let mut state = |path: Path, value: Value| {
            entries.push(Entry { key: Key::new(*name, path, value.field()), before: None, after: Some(value) });
        };
        for id in 0..dice.u64(2..6) {
            let spot = if id == 0 { Spot::ROOT } else { Spot::below(dice.u64(0..id), order(dice)) };
            state(id.into(), Value::Place(Some(spot)));
            let uses = !later.is_empty() && dice.u8(0..10) < if id == 0 { 3 } else { 5 };
            if uses {
                state(id.into(), Value::Use(Some(later[dice.usize(0..later.len())].into())));
            }
            if !uses || dice.u8(0..3) == 0 {
                components(dice).into_iter().for_each(|value| state(id.into(), value));
            }
        }
        library.apply(&Patch::from_entries(entries).unwrap()).unwrap();
        override_some(dice, &mut library, name, wild);
    }
    library
}

/// States random overrides; wild ones may lead nowhere, out of their instances, or in circles.
fn override_some(dice: &mut Rng, library: &mut Library, name: &str, wild: bool) {
    let paths = Model::of(library).tree(name).1;
    let inner: Vec<&Path> = paths.iter().filter(|path| path.ids().len() > 1).collect();
    for _ in 0..dice.usize(0..6) {
        let Some(&path) = dice.choice(&inner) else { return };
        let mut path = path.clone();
        if wild && dice.u8(0..5) == 0 {
            let ids = [&path.ids()[..path.ids().len() - 1], &[dice.u64(0..7)]].concat();
            path = Path::of(&ids).unwrap();
        }
        let value = match dice.u8(0..4) {
            0 => Value::Place(None),
            1 => {
                let parent = if wild && dice.u8(0..4) == 0 {
                    Path::from([dice.u64(0..7), dice.u64(0..7)])
                } else {
                    dice.choice(&paths).unwrap().clone()
                };
                let spot = Spot::below(parent, order(dice));
                let stays = spot.parent.as_ref().unwrap().ids().starts_with(&path.ids()[..path.ids().len() - 1]);
                if !wild && !stays {
                    continue;
                }
                Value::Place(Some(spot))
            }
            _ => {
                let field = Field::COMPONENTS[dice.usize(0..Field::COMPONENTS.len())];
                value(dice, field)
            }
        };
        library.apply(&library.state(name, path, value).unwrap()).unwrap();
    }
}

/// A random statement of a definition, or what is no longer stated. Roots keep their places.
pub(crate) fn statement(dice: &mut Rng, library: &Library, number: usize, paths: &[Path]) -> (Path, Option<Value>) {
    let [path, other] = [(); 2].map(|()| dice.choice(paths).unwrap().clone());
    let (own, is_root, later) = (path.ids().len() == 1, path == paths[0], &NAMES[number + 1..]);
    let place = |parent: Path, order| Some(Value::Place(Some(Spot::below(parent, order))));
    match dice.u8(0..16) {
        0..2 => (library.next_id(NAMES[number]).into(), place(path, order(dice))),
        2..4 if !is_root => (path, place(other, order(dice))),
        4 if !own => {
            let instance = Path::of(&path.ids()[..path.ids().len() - 1]).unwrap();
            (path, place(instance, order(dice)))
        }
        5 if !own => (path, Some(Value::Place(None))),
        6 if !own => (path.join(&(1 << 40).into()), Some(Value::Material(Some(1)))),
        7 => (path, Some(Value::Own(3, Some([dice.u8(1..9)].into())))),
        8 | 9 if !later.is_empty() => {
            (path, Some(Value::Use(dice.choice(later).filter(|_| dice.bool()).map(|&name| name.into()))))
        }
        10 if own && !is_root => (path, None),
        _ => {
            let field = Field::COMPONENTS[dice.usize(0..Field::COMPONENTS.len())];
            (path, Some(value(dice, field)))
        }
    }
}

fn order(dice: &mut Rng) -> Order {
    Order::from(f64::from(dice.i32(-3..6)) / 2.0)
}

fn components(dice: &mut Rng) -> Vec<Value> {
    dice.choose_multiple(Field::COMPONENTS, 3).into_iter().map(|field| value(dice, field)).collect()
}

fn node(components: &[Value]) -> Node<'_> {
    let mut node = Node::group();
    components.iter().for_each(|value| value.put(&mut node));
    node
}

/// Edits a scene at random below the root of a document.
pub(crate) fn edit(dice: &mut Rng, scene: &mut Scene, root: NodeHandle, count: usize) {
    for _ in 0..count {
        let nodes: Vec<NodeHandle> = scene.get(root).unwrap().descendants().map(|node| node.handle()).collect();
        let at = *dice.choice(&nodes).unwrap();
        let other = *dice.choice(&nodes).unwrap();
        let components = components(dice);
        let place = |at: NodeHandle, beside: NodeHandle, kind: u8, children: usize| match kind {
            0 => Place::FirstChildOf(at),
            1 => Place::Child(at, children / 2),
            2 if beside != root => Place::Before(beside),
            3 if beside != root => Place::After(beside),
            _ => Place::LastChildOf(at),
        };
        let place = place(at, other, dice.u8(0..6), scene.children(at).count());
        match dice.u8(0..10) {
            0..3 => {
                let found = scene.get(at).unwrap();
                let name = found.name().map(str::to_string);
                let mut node = Node { name: name.as_deref(), ..found.to_node() };
                components[0].put(&mut node);
                scene.edit(at).unwrap().set_node(node).unwrap();
            }
            3..5 => _ = scene.insert(place, node(&components)).unwrap(),
            5 => {
                let tree = scene.copy_tree(at).unwrap();
                if tree.len() < 20 {
                    scene.insert_tree(place, &tree).unwrap();
                }
            }
            6 if at != root => _ = scene.remove(at).unwrap(),
            7..9 if at != root => {
                let nodes = scene.get(at).unwrap();
                let inside =
                    place.anchor().is_some_and(|to| to == at || scene.get(to).unwrap().is_below(nodes.handle()));
                if !inside {
                    scene.reparent(at, place, Keep::Local).unwrap();
                }
                if dice.u8(0..6) == 0 {
                    scene.update();
                }
            }
            9 if at != root => {
                let back = scene.get(at).unwrap().place().unwrap();
                scene.reparent(at, Place::Detached, Keep::Local).unwrap();
                if dice.bool() {
                    scene.update();
                }
                // Edits while it is away; what leaves it comes back before it does.
                let below: Vec<NodeHandle> = scene.get(at).unwrap().descendants().map(|node| node.handle()).collect();
                let inner = *dice.choice(&below).unwrap();
                match dice.u8(0..5) {
                    0 => _ = scene.edit(inner).unwrap().set_node(node(&components)).unwrap(),
                    1 => _ = scene.insert(inner, node(&components)).unwrap(),
                    2 if inner != at => _ = scene.remove(inner).unwrap(),
                    3 if inner != at => _ = scene.reparent(inner, root, Keep::Local).unwrap(),
                    _ => {}
                }
                if dice.u8(0..3) > 0 {
                    scene.reparent(at, back, Keep::Local).unwrap();
                }
            }
            _ => {
                scene.edit(at).unwrap().sort_children_by(|a, b| b.own_material().cmp(&a.own_material()));
            }
        }
    }
}

/// Compares a document with the model, its scene and its paths.
pub(crate) fn check(document: &Document, scene: &Scene, context: &str) {
    let name = document.definition();
    let (tree, paths) = Model::of(document.library()).tree(name);
    assert_eq!(document.library().tree(name).unwrap(), tree, "{context}: the library's tree");
    assert_eq!(scene.copy_tree(document.root()).unwrap(), tree, "{context}: the scene");
    let nodes = scene.get(document.root()).unwrap().descendants();
    for (node, path) in nodes.zip(&paths) {
        assert_eq!(document.path(scene, node.handle()).as_ref(), Some(path), "{context}");
        assert_eq!(document.node(scene, path), Some(node.handle()), "{context}: {path}");
    }
}

/// Returns the paths of all nodes of a document.
pub(crate) fn paths(document: &Document, scene: &Scene) -> Vec<(NodeHandle, Path)> {
    let nodes = scene.get(document.root()).unwrap().descendants().map(|node| node.handle());
    nodes.map(|node| (node, document.path(scene, node).unwrap())).collect()
}

/// Checks that nodes whose paths stay keep their handles; the document's root keeps its own in any case.
pub(crate) fn check_handles(document: &Document, scene: &Scene, before: Vec<(NodeHandle, Path)>, context: &str) {
    let now: BTreeMap<Path, NodeHandle> = paths(document, scene).into_iter().map(|(node, path)| (path, node)).collect();
    for (node, path) in before {
        let stays = |now: &NodeHandle| *now == node || [*now, node].contains(&document.root());
        assert!(now.get(&path).is_none_or(stays), "{context}: {path}");
    }
}

/// One random patch of the library: a whole task, or any statements of any definition.
pub(crate) fn patch(dice: &mut Rng, library: &Library) -> Patch {
    let number = dice.usize(0..NAMES.len());
    let name = NAMES[number];
    if dice.u8(0..3) == 0
        && let Some(task) = operations::task(dice, library, name)
    {
        return task;
    }
    let (mut changed, paths) = (library.clone(), Model::of(library).tree(name).1);
    for _ in 0..dice.usize(1..4) {
        let (path, mut after) = statement(dice, &changed, number, &paths);
        let mut field = after.as_ref().map_or(Field::Place, Value::field);
        let stated: Vec<Field> = library.stated_of(name, &path).map(Value::field).collect();
        // Something that is stated goes.
        if let (0, Some(&stated)) = (dice.u8(0..4), dice.choice(&stated))
            && (stated != Field::Place || path != paths[0])
        {
            (field, after) = (stated, None);
        }
        let key = Key::new(name, path, field);
        let before = changed.get(&key).cloned();
        changed.apply(&Patch::from_entries(vec![Entry { key, before, after }]).unwrap()).unwrap();
    }
    Patch::between(library, &changed)
}

#[test]
fn after_any_acts_the_scene_is_what_the_library_says() {
    for seed in seeds(24) {
        let mut dice = Rng::with_seed(seed);
        let start = library(&mut dice, seed % 2 == 0);
        // The history of changes is long enough, or never is.
        let change_history = if seed % 3 == 0 { 1 } else { 1 << 16 };
        let mut scene =
            Scene::with_config(SceneConfig { changes: true, change_history, ..SceneConfig::DEFAULT }).unwrap();
        let top = scene.root();
        let root = if seed % 2 == 0 { top } else { scene.insert(top, Node::group()).unwrap() };
        let mut document = Document::open(&mut scene, root, start.clone(), "a").unwrap();
        if seed % 5 == 0 {
            document = Document::bind(&mut scene, root, start.clone(), "a").unwrap();
        }
        let (mut follower, others) = (start.clone(), seed % 4 > 1);
        for act in 0..30 {
            let context = format!("seed {seed}, act {act}");
            let act = dice.u8(0..if others { 16 } else { 11 });
            // Others must follow edits that wait, too.
            let waits = matches!(act, 4 | 6..9 | 11..) && dice.u8(0..4) == 0;
            let had = if waits || act < 3 || act == 9 { Vec::new() } else { paths(&document, &scene) };
            if waits {
                edit(&mut dice, &mut scene, root, 2);
            }
            let step = match act {
                10 => {
                    let number = dice.usize(0..=document.history().done().len());
                    document.undo_step(&mut scene, number).unwrap().unwrap_or_default()
                }
                9 => {
                    let paths = Model::of(document.library()).tree("a").1;
                    let library = document.library();
                    // A use of a definition that is missing is its node alone.
                    let uses = paths.iter().filter(|path| {
                        let used = library.value("a", path, Field::Use);
                        used.is_some_and(|(used, _)| {
                            library.definitions().any(|name| used == Value::Use(Some(name.into())))
                        })
                    });
                    let uses: Vec<&Path> = uses.collect();
                    let Some(&at) = dice.choice(&uses) else { continue };
                    let top = document.node(&scene, at).unwrap();
                    let count = dice.usize(1..4);
                    edit(&mut dice, &mut scene, top, count);
                    document.commit_in(&mut scene, at).unwrap()
                }
                0 | 1 => {
                    let count = dice.usize(1..4);
                    edit(&mut dice, &mut scene, root, count);
                    let wanted = scene.copy_tree(root).unwrap();
                    let patch = document.commit(&mut scene).unwrap().clone();
                    assert!(patch.entries().iter().all(|entry| &*entry.key.definition == "a"), "{context}");
                    assert_eq!(scene.copy_tree(root).unwrap(), wanted, "{context}: a commit changes no node");
                    assert!(document.commit(&mut scene).unwrap().is_empty(), "{context}: committed twice");
                    patch
                }
                2 => {
                    let wanted = document.library().clone();
                    edit(&mut dice, &mut scene, root, 2);
                    document.revert(&mut scene).unwrap();
                    assert_eq!(*document.library(), wanted, "{context}: reverted");
                    Patch::new()
                }
                3 => document.undo(&mut scene).unwrap().unwrap_or_default(),
                4 => document.redo(&mut scene).unwrap().unwrap_or_default(),
                // A definition would contain itself.
                5 => {
                    let mut entries = patch(&mut dice, document.library()).entries().to_vec();
                    let key = Key::new(*dice.choice(&NAMES).unwrap(), 0, Field::Use);
                    entries.retain(|entry| entry.key != key);
                    let (before, after) =
                        (document.library().get(&key).cloned(), Value::Use(Some(key.definition.clone())));
                    entries.push(Entry { key, before, after: Some(after) });
                    let wanted = document.library().clone();
                    document.apply(&mut scene, &Patch::from_entries(entries).unwrap()).unwrap_err();
                    assert_eq!(*document.library(), wanted, "{context}: refused");
                    Patch::new()
                }
                _ => {
                    let patch = patch(&mut dice, document.library());
                    // The edits may change what the patch does; then they alone are a step.
                    let before = document.library().clone();
                    let made = if act > 10 {
                        document.follow(&mut scene, &patch).and_then(|edits| edits.then(&patch))
                    } else {
                        document.apply(&mut scene, &patch)
                    };
                    made.unwrap_or_else(|error| {
                        let crossed = matches!(error, Error::State(_) | Error::Use { .. } | Error::Invalid { .. });
                        assert!(waits && crossed, "{context}: {error}");
                        Patch::between(&before, document.library())
                    })
                }
            };
            check(&document, &scene, &context);
            check_handles(&document, &scene, had, &context);
            drivers::library::follow(&mut follower, &step, document.library());
        }
        let mut states = vec![document.library().clone()];
        while document.undo(&mut scene).unwrap().is_some() {
            check(&document, &scene, &format!("seed {seed}: undone"));
            states.push(document.library().clone());
        }
        assert!(others || *document.library() == start, "seed {seed}: all undone");
        while let Some(after) = states.pop() {
            assert_eq!(*document.library(), after, "seed {seed}: redone");
            check(&document, &scene, &format!("seed {seed}: redone"));
            document.redo(&mut scene).unwrap();
        }
    }
}

#[test]
fn stale_moved_and_foreign_nodes_have_no_path() {
    let mut scene = scene();
    let top = scene.root();
    let root = scene.insert(top, Node::group()).unwrap();
    let mut document = Document::open(&mut scene, root, library(&mut Rng::with_seed(3), false), "a").unwrap();
    let nodes: Vec<NodeHandle> = scene.children(root).collect();
    let (first, path) = (nodes[0], document.path(&scene, nodes[0]).unwrap());
    let place = scene.get(first).unwrap().place().unwrap();
    for away in [Place::Detached, Place::LastChildOf(top)] {
        scene.reparent(first, away, Keep::Local).unwrap();
        assert_eq!((document.path(&scene, first), document.node(&scene, &path)), (None, None), "{away:?}");
        scene.reparent(first, place, Keep::Local).unwrap();
        assert_eq!(document.node(&scene, &path), Some(first));
        assert!(document.commit(&mut scene).unwrap().is_empty(), "it came back");
    }
    scene.remove(first).unwrap();
    // It has the record of the removed node.
    let new = scene.insert(root, Node::group()).unwrap();
    for node in [first, new, top] {
        assert_eq!(document.path(&scene, node), None);
    }
    assert_eq!(document.node(&scene, &path), None);
    document.commit(&mut scene).unwrap();
    assert!(document.path(&scene, new).is_some_and(|new| new != path), "an id is never given again");
    document.undo(&mut scene).unwrap();
    let back = document.node(&scene, &path).unwrap();
    assert!(back != first && document.path(&scene, new).is_none(), "handles of removed nodes stay stale");
}

#[test]
fn what_a_restore_changes_is_a_step() {
    for seed in seeds(16) {
        let mut dice = Rng::with_seed(seed);
        let (mut scene, mut document) = open(library(&mut dice, seed % 2 == 0), "a");
        let root = document.root();
        let mut checkpoints = Checkpoints::new(&mut scene, 4).unwrap();
        for frame in 0..12 {
            checkpoints.save(&mut scene, frame).unwrap();
            let count = dice.usize(0..5);
            edit(&mut dice, &mut scene, root, count);
            if dice.bool() {
                document.commit(&mut scene).unwrap();
            }
            if dice.bool() {
                let frames: Vec<u64> = checkpoints.frames().collect();
                let back = *dice.choice(&frames).unwrap();
                checkpoints.restore(&mut scene, back).unwrap();
                for later in back + 1..=frame {
                    checkpoints.save(&mut scene, later).unwrap();
                }
            }
            document.commit(&mut scene).unwrap();
            check(&document, &scene, &format!("seed {seed}, frame {frame}"));
        }
    }
}
