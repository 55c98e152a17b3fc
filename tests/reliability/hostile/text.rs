//! Kinds of text, and documents, which are written as bytes and as text.

use super::kinds::scene;
use hedgerow::data::NodeMap;
use hedgerow::{Scene, SceneConfig, Tree};
use hedgerow_document::{Library, Patch};
use hedgerow_testkit::checksum::set_checksum;
use hedgerow_testkit::hostile::{Kind, bend};
use hedgerow_testkit::memory::end;
use hedgerow_testkit::{drivers, json};
use serde::Serialize;

pub(crate) const READABLE: &[Kind] = &[
    Kind {
        name: "scene as text",
        sealed: false,
        change: change_json,
        // A node takes three bytes of JSON, and some hundred bytes in the list that is read before the scene.
        multiple: 300.0,
        spare: 1 << 18,
        files: scenes,
        read: read_scene,
    },
    Kind {
        name: "tree as text",
        sealed: false,
        change: change_json,
        // A node takes 15 bytes of JSON, and some hundred bytes in the list that is read before the tree.
        multiple: 60.0,
        spare: 1 << 12,
        files: trees,
        read: read_tree,
    },
    Kind {
        name: "map as text",
        sealed: false,
        change: change_json,
        // Two entries of 43 bytes may take a group of blocks, 32 KB. The list of groups grows to 4 MB.
        multiple: 800.0,
        spare: 1 << 22,
        files: maps,
        read: read_map,
    },
    Kind {
        name: "library as text",
        sealed: false,
        change: change_json,
        // An override takes nine bytes of JSON, and some hundred bytes in the list that is read before the library.
        multiple: 50.0,
        spare: 1 << 12,
        files: library_texts,
        read: read_library_text,
    },
    Kind {
        name: "patch as text",
        sealed: false,
        change: change_json,
        multiple: 40.0,
        spare: 1 << 12,
        files: || patches().iter().map(written).collect(),
        read: read_patch_text,
    },
    Kind {
        name: "library as bytes",
        sealed: true,
        change: change_document,
        // A statement takes two bytes of the file, and 280 bytes in the lists that become the library.
        multiple: 160.0,
        spare: 1 << 12,
        files: || libraries().iter().map(Library::to_bytes).collect(),
        read: read_library,
    },
    Kind {
        name: "patch as bytes",
        sealed: true,
        change: change_document,
        multiple: 160.0,
        spare: 1 << 12,
        files: || patches().iter().map(Patch::to_bytes).collect(),
        read: read_patch,
    },
];

fn written(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("it has a form in text")
}

/// Returns a scene, and two whose configuration gives many slices with boxes and changes.
fn scenes() -> Vec<Vec<u8>> {
    let small = SceneConfig { max_nodes: 32, bounds: true, changes: true, ..SceneConfig::DEFAULT };
    let written = [SceneConfig::DEFAULT, small].map(|config| written(&scene(config)));
    let greedy = format!(
        r#"{{"config": {{"max_nodes": 8, "bounds": true, "changes": true}}, "nodes": [{{}}{}]}}"#,
        r#", {"parent": 0, "material": 1}"#.repeat(200)
    );
    written.into_iter().chain([greedy.into_bytes()]).collect()
}

fn read_scene(bytes: &[u8]) -> bool {
    let read = serde_json::from_slice::<Scene>(bytes);
    end();
    let Ok(scene) = read else { return false };
    drivers::text::live_on(scene);
    true
}

/// Changes JSON. Three of four variants are still JSON.
fn change_json(files: &[Vec<u8>], number: usize, variant: u64, sealed: bool) -> Vec<u8> {
    if variant % 4 == 3 {
        return bend::bytes(files, number, variant, sealed);
    }
    let mut dice = bend::dice(number, variant);
    let mut document = serde_json::from_slice(&files[number]).expect("the file is JSON");
    for _ in 0..bend::changes(variant, &mut dice) {
        json::change(&mut document, &core::array::from_fn(|_| dice.u8(..)));
    }
    document.to_string().into_bytes()
}

/// Changes bytes of documents, and makes the checksums of the trees in them valid as well.
fn change_document(files: &[Vec<u8>], number: usize, variant: u64, sealed: bool) -> Vec<u8> {
    let mut bytes = bend::bytes(files, number, variant, sealed);
    if variant % 4 != 3 {
        drivers::library::seal_inner(&mut bytes);
        set_checksum(&mut bytes);
    }
    bytes
}

/// Returns a tree with all components, and one of many nodes with few.
fn trees() -> Vec<Vec<u8>> {
    let many = format!(r#"{{"nodes": [{{}}{}]}}"#, r#", {"parent": 0}"#.repeat(200));
    vec![include_bytes!("../../formats/tree.1.json").to_vec(), many.into_bytes()]
}

fn read_tree(bytes: &[u8]) -> bool {
    let read = serde_json::from_slice::<Tree>(bytes);
    end();
    read.map(|tree| drivers::text::live_on_tree(&tree)).is_ok()
}

/// Returns the numbers of a scene's nodes, and a map of records that are as far apart as can be.
fn maps() -> Vec<Vec<u8>> {
    let scene = scene(SceneConfig::DEFAULT);
    let nodes = scene.get(scene.root()).expect("it lives").descendants().map(|node| node.handle());
    let ends = (0..150_u64).flat_map(|group| [group << 48 | 0xFFFF << 32 | 1, group << 48 | 1]);
    let far: Vec<String> = ends.map(|bits| format!(r#""{bits}":1"#)).collect();
    vec![written(&NodeMap::from_iter(nodes.zip(0_u32..))), format!("{{{}}}", far.join(",")).into_bytes()]
}

fn read_map(bytes: &[u8]) -> bool {
    let read = serde_json::from_slice::<NodeMap<u32>>(bytes);
    end();
    read.map(|map| drivers::text::live_on_map(&map)).is_ok()
}

/// Returns a library with all fields, and one of what is shortest: own data without bytes, and overrides of nothing.
fn library_texts() -> Vec<Vec<u8>> {
    let own = (0..128).map(|number| format!(r#""{number}":null"#)).collect::<Vec<_>>().join(",");
    let stated = (1..4).map(|id| format!(r#"{{"at":{id},"own":{{{own}}}}},"#)).collect::<String>();
    let nothing = vec![r#"{"at":9}"#; 150].join(",");
    let many = format!(r#"{{"definitions":{{"":{{"nodes":[{{"id":0}}],"overrides":[{stated}{nothing}]}}}}}}"#);
    vec![include_bytes!("../../formats/library.1.json").to_vec(), many.into_bytes()]
}

fn libraries() -> Vec<Library> {
    library_texts().iter().map(|text| serde_json::from_slice(text).expect("a library")).collect()
}

/// Returns a patch with all fields, and those that make and remove libraries.
fn patches() -> Vec<Patch> {
    let made = libraries().into_iter().map(|library| Patch::between(&Library::new(), &library));
    let saved = include_str!("../../formats/patch.1.json");
    [serde_json::from_str(saved).expect("a patch")].into_iter().chain(made).collect()
}

fn read_library(bytes: &[u8]) -> bool {
    let read = Library::from_bytes(bytes);
    end();
    read.map(|library| drivers::library::hold(&library)).is_ok()
}

fn read_patch(bytes: &[u8]) -> bool {
    let read = Patch::from_bytes(bytes);
    end();
    read.map(|patch| drivers::library::hold_patch(&patch)).is_ok()
}

fn read_library_text(bytes: &[u8]) -> bool {
    let read = serde_json::from_slice::<Library>(bytes);
    end();
    read.map(|library| drivers::library::hold(&library)).is_ok()
}

fn read_patch_text(bytes: &[u8]) -> bool {
    let read = serde_json::from_slice::<Patch>(bytes);
    end();
    read.map(|patch| drivers::library::hold_patch(&patch)).is_ok()
}
