//! Hostile glTF files: bits and bytes changed, ends cut off, pieces moved, copied or taken from other files. Each is
//! refused or gives a working scene: no panic, no hang, and memory of at most a stated multiple of the file.
//!
//! The short form tests a few hundred variants of each model of this crate, and fewer of models in `HEDGEROW_GLTF_DIR`.
//! In the long form, the environment variable `HEDGEROW_HOSTILE` sets the number of variants of each model:
//!
//! ```text
//! HEDGEROW_HOSTILE=100000 HEDGEROW_GLTF_DIR=... cargo test --release -p hedgerow-gltf --test reliability -- hostile:: --nocapture
//! ```
//!
//! To run a part, set `HEDGEROW_HOSTILE_FROM`, the number of the first variant (default 0), and
//! `HEDGEROW_HOSTILE_ONLY`, a part of the path of one model.

use hedgerow::DrawList;
use hedgerow_gltf::{ImportErrorKind, ImportOptions, Parts};
use hedgerow_testkit::gltf::{GltfFile, saved};
use hedgerow_testkit::hostile::{Kind, bend, is_asked_for, run, variants};
use hedgerow_testkit::memory::{self, end};
use std::path::{Path, PathBuf};

/// The memory limit of imports: 256 MiB, or 64 times the file; see `ImportOptions::with_max_bytes`.
const GLTF: Kind = Kind {
    name: "glTF",
    sealed: false,
    change: bend::bytes,
    multiple: 100.0,
    spare: 5 << 26,
    files: Vec::new,
    read: read_gltf,
};

fn read_gltf(bytes: &[u8]) -> bool {
    // Half of the variants also get what options add.
    let options = match bytes.iter().fold(0, |all, byte| all ^ byte) % 2 {
        0 => ImportOptions::new(),
        _ => ImportOptions::new().with_normals().with_tangents().with_accessors(),
    };
    let import = options.from_slice(bytes, None);
    end();
    let Ok(import) = import else { return false };
    let (mut scene, imported) = (import.scene, import.imported);
    scene.update();
    assert_eq!(scene.validate(), Ok(()));
    scene.draw_list(&mut DrawList::new());
    for animation in 0..imported.animations.len() {
        if let Ok(mut player) = imported.play(animation) {
            for step in [0.1, 2.0, -0.7] {
                player.advance(step);
                // Poses that are not finite are refused.
                let _ = player.apply(&mut scene);
            }
        }
    }
    // A clip or a mesh that cannot be compiled is refused.
    let _ = saved(&imported);
    scene.update();
    assert_eq!(scene.validate(), Ok(()));
    true
}

/// Lists all glTF files in a folder and below, in order.
fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "glb" || extension == "gltf") {
            found.push(path);
        }
    }
}

/// Files of many small items of one kind: the text before, one element, and the text after.
const ITEMS: &[(&str, &str, &str)] = &[
    (r#""nodes": ["#, "{}", "]"),
    (r#""nodes": ["#, r#"{"extensions":{"a":{"b":0}}}"#, "]"),
    (r#""materials": ["#, "{}", "]"),
    (r#""textures": ["#, "{}", "]"),
    (r#""images": ["#, "{}", "]"),
    (r#""samplers": ["#, "{}", "]"),
    (r#""buffers": ["#, r#"{"byteLength":0}"#, "]"),
    (r#""accessors": ["#, r#"{"count":0,"componentType":5126,"type":"VEC3"}"#, "]"),
    (r#""meshes": ["#, r#"{"primitives":[]}"#, "]"),
    (r#""meshes": [{"primitives": ["#, r#"{"attributes":{}}"#, "]}]"),
    (r#""animations": ["#, r#"{"channels":[],"samplers":[]}"#, "]"),
    (r#""nodes": [{}], "scenes": ["#, r#"{"nodes":[0]}"#, "]"),
    (
        r#""meshes": [{"primitives": [{"attributes":{}, "targets":[{}]}], "weights": [ZEROS0]}], "nodes": ["#,
        r#"{"mesh":0}"#,
        "]",
    ),
    (r#""scenes": ["#, "{}", "]"),
    (
        r#""accessors": [{"count":3,"componentType":5126,"type":"VEC3"},{"count":3,"componentType":5126,"type":"VEC4"},
            {"count":3,"componentType":5121,"type":"VEC4"}], "skins": [{"joints":[0]}], "meshes": [{"primitives":
            [{"attributes":{"POSITION":0,"WEIGHTS_0":1,"JOINTS_0":2}, "targets":[{"POSITION":0}]}]}], "nodes": [{},"#,
        r#"{"mesh":0,"skin":0,"weights":[1]}"#,
        "]",
    ),
    (
        r#""accessors": [{"count":3,"componentType":5126,"type":"VEC3"}],
            "meshes": [{"primitives": [{"attributes":{"POSITION":0,"#,
        r#""a":0"#,
        "}}]}]",
    ),
    (r#""extensions": {"a": ["#, r#"{"":0}"#, "]}"),
    (r#""extensions": {"a": ["#, "[0]", "]}"),
    (
        r#""bufferViews": ["#,
        r#"{"buffer":0,"byteLength":0,"extensions":{"a":{"b":0}}}"#,
        r#"],"buffers":[{"byteLength":0}]"#,
    ),
    (r#""samplers": ["#, r#"{"extensions":{"a":{"b":0}}}"#, "]"),
    (r#""unknown": ["#, r#"{"extensions":{"a":{}}}"#, "]"),
    (r#""LONG": ["#, r#"{"extensions":{"a":{}}}"#, "]"),
    (r#""extensions": {"KHR_lights_punctual": {"lights": ["#, r#"{"type":"point"}"#, "]}}"),
];

/// Checks the estimate at sizes at which a list has just grown.
#[test]
fn no_file_of_small_items_takes_more_memory_than_is_estimated() {
    for (before, item, behind) in ITEMS {
        let items = vec![*item; (1 << 12) + 1].join(",");
        let text = format!(r#"{{"asset": {{"version": "2.0"}}, {before}{items}{behind}}}"#);
        let text = text.replace("ZEROS", &"0,".repeat(99_999)).replace("LONG", &"k".repeat(20_000));
        let begun = memory::begin();
        let import = hedgerow_gltf::from_slice(text.as_bytes(), None).expect("it is a file");
        let used = memory::peak_since(begun) as u64;
        drop(import);
        // Allows for the first nodes of a new scene and for copies of text.
        let most = used.saturating_sub(4 * text.len() as u64 + (1 << 18));
        let refused = ImportOptions::new().with_max_bytes(most).from_slice(text.as_bytes(), None).map(drop);
        let Err(refused) = refused else { panic!("{item} takes {used} bytes, and is taken with {most}") };
        assert!(matches!(refused.kind(), ImportErrorKind::TooManyBytes { .. }), "{item}: {refused}");
    }
}

/// Returns a file of triangles, each with vertices of its own or all with the same few. A morph target moves some.
fn triangles(count: u32, vertices: u32, target: bool) -> Vec<u8> {
    let mut file = GltfFile::new(serde_json::json!({
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
        "materials": [{"normalTexture": {"index": 0}}], "textures": [{}]
    }));
    let mut dice = fastrand::Rng::with_seed(u64::from(vertices));
    let mut numbers = |count| (0..count).map(|_| dice.f32()).collect::<Vec<f32>>();
    let (positions, texcoords) = (numbers(3 * vertices), numbers(2 * vertices));
    file.floats("VEC3", &positions);
    file.floats("VEC2", &texcoords);
    let indices: Vec<u8> = (0..3 * count).flat_map(|corner| (corner % vertices).to_le_bytes()).collect();
    file.numbers(5125, "SCALAR", &indices);
    if target {
        file.put("/meshes/0/primitives/0/targets", serde_json::json!([{"POSITION": 0}, {"POSITION": 0}]));
    }
    file.glb()
}

#[test]
fn nothing_that_an_option_adds_takes_more_memory_than_is_estimated() {
    let options = ImportOptions::new();
    // Lists of as many triangles have just grown.
    for (name, options, count) in [
        ("normals", options.with_normals(), 16_600),
        ("tangents", options.with_tangents(), 4_200),
        ("accessors", options.with_parts(Parts::NODES).with_accessors(), 66_000),
    ] {
        for (vertices, target) in [(3 * count, false), (100, false), (100, true)] {
            let file = triangles(count, vertices, target);
            let begun = memory::begin();
            let import = options.from_slice(&file, None).expect("it is a file");
            let used = memory::peak_since(begun) as u64;
            drop(import);
            // Allows for the first nodes of a new scene, whose memory is reserved.
            let most = used.saturating_sub((1 << 20) + (1 << 18));
            let refused = options.with_max_bytes(most).from_slice(&file, None).map(drop);
            let Err(refused) = refused else { panic!("{name} of {vertices} vertices: taken with {most} of {used}") };
            assert!(matches!(refused.kind(), ImportErrorKind::TooManyBytes { .. }), "{refused}");
        }
    }
}

/// A node that many scenes list is inserted for each: this file of 4 MB would take 600 MB.
#[test]
fn a_node_in_many_scenes_is_refused_before_it_is_made() {
    let scenes = vec![r#"{"nodes":[0]}"#; 300_000].join(",");
    let text = format!(r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{}}], "scenes": [{scenes}]}}"#);
    let begun = memory::begin();
    let refused = hedgerow_gltf::from_slice(text.as_bytes(), None).map(drop).expect_err("it is too much");
    assert!(matches!(refused.kind(), ImportErrorKind::TooManyBytes { .. }), "{refused}");
    assert!(memory::peak_since(begun) < 100 * text.len());
}

#[test]
fn gltf_files_that_were_changed_are_refused_or_work() {
    let mut paths = Vec::new();
    models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models"), &mut paths);
    assert!(!paths.is_empty(), "the models of this crate are not there");
    let shipped = paths.len();
    if let Some(folder) = std::env::var_os("HEDGEROW_GLTF_DIR") {
        models(&Path::new(&folder).join("models"), &mut paths);
    }
    let long = std::env::var_os("HEDGEROW_HOSTILE").is_some();
    // The short form leaves out large models.
    let read = |path: PathBuf| (std::fs::read(&path).expect("a model"), path);
    let (files, paths): (Vec<Vec<u8>>, Vec<PathBuf>) =
        paths.into_iter().map(read).filter(|(bytes, _)| long || bytes.len() < 100_000).unzip();
    let (mut models, mut taken, mut refused, mut most) = (0, 0, 0, 0);
    for (number, path) in paths.iter().enumerate() {
        if !is_asked_for(&path.to_string_lossy()) {
            continue;
        }
        let share = if number < shipped { 1 } else { 15 };
        let result = run(&GLTF, &files, number, variants(share));
        (models, taken, refused) = (models + 1, taken + result.taken, refused + result.refused);
        most = most.max(result.most);
    }
    println!("{models} models: {taken} taken, {refused} refused, {most} B at most");
    assert!(models == 0 || taken > 0 && refused > 0);
}
