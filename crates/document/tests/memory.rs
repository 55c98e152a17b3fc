//! What documents, and reading libraries, take of memory. A program of its own, since it counts allocations.

#[path = "all/random.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod random;

use fastrand::Rng;
use hedgerow::{Keep, Node, Place, Scene, SceneConfig, Transform, Tree, Visibility};
use hedgerow_document::{Document, Entry, Key, Library, Patch, Path, Spot, Value};
use hedgerow_math::internal::file_header::{Format, Kind};
use hedgerow_testkit::{checksum::HEADER, drivers, forged, memory};
use std::sync::Arc;

#[global_allocator]
static HEAP: memory::Heap = memory::Heap;

fn scene() -> Scene {
    Scene::with_config(SceneConfig { changes: true, change_history: 100, ..SceneConfig::DEFAULT }).unwrap()
}

/// Returns a plant of nested definitions, and the number of its instances.
fn plant(levels: &[(&str, usize)]) -> (Library, usize) {
    let (mut library, mut instances, mut tree) = (Library::new(), 0, Tree::new());
    let root = tree.push(None, Node::transform(Transform::IDENTITY).with_name("part"));
    tree.push(Some(root), Node::material(1));
    for (number, &(name, uses)) in levels.iter().enumerate() {
        library.apply(&library.define(name, &tree).unwrap()).unwrap();
        for order in 0..uses {
            let at = Spot::below(0, order as f64);
            library.apply(&library.place(name, at, levels[number - 1].0, Node::group()).unwrap()).unwrap();
        }
        instances = uses * (instances + 1);
    }
    (library, instances)
}

#[test]
fn a_document_takes_8_bytes_a_node_and_16_an_instance_and_an_eighth() {
    for levels in [&[("bolt", 0), ("flange", 8), ("deck", 12), ("plant", 20)][..], &[("bolt", 0), ("plant", 3000)]] {
        let (library, instances) = plant(levels);
        let tree = library.tree("plant").unwrap();
        let (mut plain, mut scene) = (scene(), scene());
        let before = memory::IN_USE.get();
        plain.insert_tree(plain.root(), &tree).unwrap();
        plain.update();
        let (plain_bytes, root) = (memory::IN_USE.get() - before, scene.root());
        let before = memory::IN_USE.get();
        let document = Document::open(&mut scene, root, library, "plant").unwrap();
        let beyond = (memory::IN_USE.get() - before).saturating_sub(plain_bytes);
        let promised = (8 * tree.len() + 16 * instances) * 9 / 8;
        assert!(beyond <= promised + 4096, "{beyond} bytes, and {promised} are promised");
        drop(document);
    }
}

/// Returns levels, each with a part and the next level, in which it states a material and places a node; the outermost
/// also states one of the innermost part.
fn nested(levels: usize) -> Library {
    let name = |level: usize| -> Arc<str> { level.to_string().into() };
    let mut entries = Vec::new();
    for level in 0..levels {
        let mut state = |path: Path, value: Value| {
            let key = Key::new(name(level), path, value.field());
            entries.push(Entry { key, before: None, after: Some(value) });
        };
        state(0.into(), Value::Place(Some(Spot::ROOT)));
        (1..3).for_each(|id| state(id.into(), Value::Place(Some(Spot::below(0, id as f64)))));
        if level + 1 < levels {
            state(1.into(), Value::Use(Some(name(level + 1))));
            state([1, 2].into(), Value::Material(Some(1)));
            state(3.into(), Value::Place(Some(Spot::below([1, 2], 0.0))));
        }
        if level == 0 {
            let innermost = [vec![1; levels - 1], vec![2]].concat();
            state(Path::of(&innermost).unwrap(), Value::UserData(5));
        }
    }
    let mut library = Library::new();
    library.apply(&Patch::from_entries(entries).unwrap()).unwrap();
    library
}

#[test]
fn nested_levels_take_allocations_and_memory_in_proportion_to_their_number() {
    let [few, many] = [500, 1000].map(|levels| {
        let (library, mut scene) = (nested(levels), scene());
        let root = scene.root();
        let (allocations, before) = (memory::ALLOCATIONS.get(), memory::begin());
        let mut document = Document::open(&mut scene, root, library, "0").unwrap();
        assert!(document.library().notes("0").is_empty());
        let innermost = document.path(&scene, scene.get(root).unwrap().descendants().nth(levels).unwrap().handle());
        assert_eq!(innermost.unwrap().ids().len(), levels, "the last node of the first branch");
        for number in 0..2 {
            let edit = document.library().state("2", 2, Value::Material(Some(number))).unwrap();
            document.apply(&mut scene, &edit).unwrap();
        }
        memory::end();
        [memory::ALLOCATIONS.get() - allocations, memory::peak_since(before)]
    });
    assert!(many[0] < few[0] * 5 / 2 && many[1] < few[1] * 5 / 2, "{few:?} for half of the levels, {many:?} for all");
}

#[test]
fn a_document_of_steady_size_takes_no_more_memory_after_1_000_rounds() {
    let (library, _) = plant(&[("bolt", 0), ("flange", 3), ("plant", 3)]);
    let mut scene = scene();
    let root = scene.root();
    let mut document = Document::open(&mut scene, root, library, "plant").unwrap();
    let (path, inner) = (Path::from([2, 2]), Path::from([3, 2, 1]));
    let mut held = [0; 2];
    for round in 0..1000_u32 {
        let [flange, bolt] = [&path, &inner].map(|path| document.node(&scene, path).unwrap());
        scene.edit(bolt).unwrap().set_material(round);
        let new = scene.insert(flange, Node::material(round)).unwrap();
        document.commit(&mut scene).unwrap();
        // A part leaves its instance, and comes back by undo.
        scene.reparent(bolt, new, Keep::Local).unwrap();
        document.undo(&mut scene).unwrap().unwrap();
        let edit = document.library().state("bolt", 0, Value::UserData(round)).unwrap();
        document.apply(&mut scene, &edit).unwrap();
        let place = document.library().place("flange", Spot::below(0, 9.0), "bolt", Node::group()).unwrap();
        document.apply(&mut scene, &place).unwrap();
        for call in [Document::undo, Document::undo, Document::redo, Document::redo, Document::undo] {
            assert!(call(&mut document, &mut scene).unwrap().is_some());
        }
        // A part is edited in place, and what was inserted is removed, so that the plant is as large as before.
        let parts: Vec<_> = scene.children(flange).collect();
        scene.edit(parts[0]).unwrap().set_visibility(if round % 2 == 0 {
            Visibility::Hidden
        } else {
            Visibility::Shown
        });
        document.commit_in(&mut scene, &2.into()).unwrap();
        scene.remove(new).unwrap();
        document.commit(&mut scene).unwrap();
        document.forget(4);
        let part = usize::from(round >= 900);
        if (100..200).contains(&round) || round >= 900 {
            held[part] = held[part].max(memory::IN_USE.get());
        }
    }
    assert!(held[1] <= held[0] + 1024, "{held:?} bytes");
}

#[test]
fn a_patch_whose_nodes_find_no_room_leaves_the_document_and_no_other_nodes() {
    let (mut library, mut tree) = (Library::new(), Tree::new());
    let root = tree.push(None, Node::group());
    for id in 1..60 {
        tree.push(Some(root), Node::material(id));
        if id == 2 {
            library.apply(&library.define("few", &tree).unwrap()).unwrap();
            library.apply(&library.define("level", &tree).unwrap()).unwrap();
        }
    }
    let many = library.define("many", &tree).unwrap();
    let uses = |library: &Library, id: u64, name: &str| library.state("level", id, Value::Use(Some(name.into())));
    library.apply(&uses(&library, 1, "few").unwrap()).unwrap();
    library.apply(&library.place("level", Spot::below([1, 1], 0.0), "few", Node::group()).unwrap()).unwrap();
    let mut swapped = library.clone();
    let moved = |path: Path| library.state("level", path, Value::Place(Some(Spot::below([1, 1], 1.0)))).unwrap();
    for patch in [many.clone(), uses(&library, 1, "many").unwrap(), moved([1, 2].into()), moved(2.into())] {
        swapped.apply(&patch).unwrap();
    }
    let swap = Patch::between(&library, &swapped);
    // The other one gives a definition in use its root: then all nodes are made again.
    let mut missing = library.clone();
    missing.apply(&uses(&library, 2, "many").unwrap()).unwrap();
    for (library, patch) in [(library, swap), (missing, many)] {
        let mut scene = scene();
        let root = scene.insert(scene.root(), Node::group()).unwrap();
        let mut document = Document::open(&mut scene, root, library.clone(), "level").unwrap();
        let aside = scene.insert(Place::Detached, Node::group()).unwrap();
        // A page has 512 records.
        while scene.len() < 500 {
            scene.insert(scene.root(), Node::group()).unwrap();
        }
        let before = scene.copy_tree(root).unwrap();
        memory::COUNTED.set((40_000, usize::MAX));
        memory::REMAINING.set(1);
        let refused = document.apply(&mut scene, &patch);
        assert_eq!(memory::REMAINING.replace(0), 0, "a page is asked for");
        assert_eq!(refused, Err(hedgerow::Error::AllocationFailed.into()));
        assert!(*document.library() == library && document.history().done().is_empty());
        assert!(scene.copy_tree(root).unwrap() == before && scene.detached().map(|node| node.handle()).eq([aside]));
        assert_eq!((scene.len(), scene.validate()), (500, Ok(())));
        document.apply(&mut scene, &patch).unwrap();
        assert_eq!(scene.copy_tree(root).unwrap(), document.library().tree("level").unwrap());
        assert!(scene.detached().map(|node| node.handle()).eq([aside]));
    }
}

/// Reads bytes, and checks that this takes little memory whatever they say.
fn check_peak<'b, T, E>(bytes: &'b [u8], read: fn(&'b [u8]) -> Result<T, E>) {
    let before = memory::begin();
    drop(read(bytes));
    memory::end();
    let peak = memory::peak_since(before);
    assert!(peak <= (32 << 10) + 32 * bytes.len(), "{peak} bytes for {}", bytes.len());
}

#[test]
fn forged_files_are_safe_and_take_memory_in_proportion_to_their_size() {
    for seed in random::seeds(40) {
        let rng = &mut Rng::with_seed(seed);
        let library = random::library(rng);
        let patch = random::edits(rng, &library, 12, true);
        for (kind, bytes) in [(Kind::Library, library.to_bytes()), (Kind::LibraryPatch, patch.to_bytes())] {
            let mut body = bytes[HEADER..].to_vec();
            for _ in 0..4 {
                let cut = body[..rng.usize(..=body.len())].to_vec();
                // A count of any size, in any place.
                let (mut counted, at) = (body.clone(), rng.usize(..=body.len()));
                counted.splice(
                    at..at,
                    [&[0xff; 9][..], &[0xff; 4], &[0x80; 4]][rng.usize(..3)].iter().copied().chain([1]),
                );
                forged::bend(&mut body, core::array::from_fn(|_| rng.u8(..)));
                for body in [&body, &cut, &counted] {
                    let mut bytes = [&[0; HEADER][..], body].concat();
                    Format::new(kind, 1, 1).write_header(&mut bytes);
                    check_peak(&bytes, Library::from_bytes);
                    check_peak(&bytes, Patch::from_bytes);
                }
                drivers::library::bytes(&body);
            }
        }
        for mut text in [serde_json::to_vec(&library).unwrap(), serde_json::to_vec(&patch).unwrap()] {
            for _ in 0..4 {
                forged::bend(&mut text, core::array::from_fn(|_| rng.u8(..)));
                check_peak(&text, serde_json::from_slice::<Library>);
                check_peak(&text, serde_json::from_slice::<Patch>);
                drivers::library::text(&text);
            }
        }
    }
}
