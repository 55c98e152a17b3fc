//! glTF import: compares the shared models with another engine's results, moves nodes away and back, and breaks files
//! in every way.
//!
//! The environment variable `HEDGEROW_GLTF_DIR` names the folder of models: files in `models/`, expected results in
//! `expected/`.

use fastrand::Rng;
use hedgerow::glam::Vec3;
use hedgerow::{Aabb, Error, Keep, Mat34, Node, NodeHandle, Place, Scene, Transform};
use hedgerow_gltf::{BufferProblem, Import, ImportError, ImportErrorKind, ImportOptions};
pub(crate) use hedgerow_testkit::gltf::glb;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A model of the shared set, with the expected results.
pub(crate) struct Model {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    pub(crate) expected: Value,
}

/// Returns the shared models; if there are none, prints so and returns `None`.
pub(crate) fn models() -> Option<Vec<Model>> {
    let Some(folder) = std::env::var_os("HEDGEROW_GLTF_DIR").map(PathBuf::from) else {
        eprintln!("HEDGEROW_GLTF_DIR is not set: the shared glTF models are NOT tested");
        return None;
    };
    let mut files = Vec::new();
    walk(&folder.join("models"), &mut files);
    let mut expected = Vec::new();
    walk(&folder.join("expected"), &mut expected);
    expected.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    assert!(!expected.is_empty(), "nothing is expected in {}", folder.display());
    Some(expected.iter().map(|path| model(path, &files)).collect())
}

/// Reads one expected result and finds its file.
fn model(path: &Path, files: &[PathBuf]) -> Model {
    let expected: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let name = expected["file"].as_str().unwrap().to_owned();
    let mut found = files.iter().filter(|file| file.file_name().is_some_and(|it| it == name.as_str()));
    let file = found.next().unwrap_or_else(|| panic!("no model {name}")).clone();
    assert!(found.next().is_none(), "several models {name}");
    Model { name, file, expected }
}

/// Lists all files below a folder, in a fixed order.
pub(crate) fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() { walk(&entry, files) } else { files.push(entry) }
    }
}

/// Returns the numbers of a JSON array.
#[expect(clippy::cast_possible_truncation, reason = "they were single precision before")]
pub(crate) fn numbers(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
}

/// Returns a glTF index; `None` for anything else.
pub(crate) fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// Returns a box from two JSON arrays.
fn bounds(min: &Value, max: &Value) -> Aabb {
    Aabb::new(Vec3::from_slice(&numbers(min)), Vec3::from_slice(&numbers(max)))
}

/// Returns the largest difference of two matrices, relative to the largest element of the second.
pub(crate) fn distance(found: &Mat34, expected: &Mat34) -> f32 {
    let (found, expected) = (found.rows.as_flattened(), expected.rows.as_flattened());
    let largest = expected.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
    let difference = found.iter().zip(expected).fold(0.0_f32, |a, (b, c)| a.max((b - c).abs()));
    assert!(difference.is_finite() && largest > 0.0, "{found:?} {expected:?}");
    difference / largest
}

/// Returns the largest difference of two boxes, relative like `distance`.
pub(crate) fn box_distance(found: Aabb, expected: Aabb) -> f32 {
    let largest = expected.min.abs().max(expected.max.abs()).max_element();
    let difference = (found.min - expected.min).abs().max((found.max - expected.max).abs()).max_element();
    assert!(difference.is_finite(), "{found:?} {expected:?}");
    if difference == 0.0 { 0.0 } else { difference / largest }
}

#[test]
fn every_shared_model_has_the_expected_nodes_worlds_and_bounds() {
    let Some(models) = models() else { return };
    let (mut nodes, mut worst_world, mut worst_box) = (0, 0.0_f32, 0.0_f32);
    for Model { name, file, expected } in &models {
        let Import { mut scene, imported, .. } =
            hedgerow_gltf::load(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        scene.validate().unwrap_or_else(|violation| panic!("{name}: {violation}"));
        scene.update();
        let expected_nodes = expected["nodes"].as_array().unwrap();
        nodes += expected_nodes.len();

        let listed: usize = imported.scenes.iter().map(|scene| scene.nodes().len()).sum();
        let in_scenes = expected_nodes.iter().filter(|node| node["scene"].as_i64() != Some(-1)).count();
        assert_eq!(listed, in_scenes, "{name}");
        let children = imported.scenes.iter().flat_map(|scene| &scene.drawables);
        let children = children.filter(|drawable| imported.node(drawable.node) != Some(drawable.handle)).count();
        assert_eq!(scene.len(), 1 + imported.scenes.len() + listed + children, "{name}");
        let shown = imported.default_scene.unwrap_or(0);
        assert_eq!(shown, index(&expected["defaultScene"]).unwrap_or(0), "{name}");
        for (imported, roots) in imported.scenes.iter().zip(expected["sceneRoots"].as_array().unwrap()) {
            let roots = roots.as_array().unwrap().iter().map(|root| index(root).unwrap());
            // Skinned drawables come after the roots.
            let skinned = imported.drawables.iter().filter(|it| it.skin.is_some()).map(|it| it.handle);
            let skinned = skinned.filter(|&node| scene.parent(node) == Some(imported.group));
            let expected = roots.map(|root| imported.node(root).unwrap()).chain(skinned);
            assert!(scene.children(imported.group).eq(expected), "{name}");
        }

        for json in expected_nodes.iter().filter(|node| node["scene"].as_i64() != Some(-1)) {
            let number = index(&json["i"]).unwrap();
            let handle = imported.node(number).unwrap();
            if json["parent"].is_number() {
                let expected = index(&json["parent"]).and_then(|parent| imported.node(parent));
                let group = imported.scenes[index(&json["scene"]).unwrap()].group;
                assert_eq!(scene.parent(handle), Some(expected.unwrap_or(group)), "{name}: node {number}");
            }
            if let Some(expected) = json["name"].as_str() {
                assert_eq!(scene.get(handle).unwrap().name(), Some(expected), "{name}: node {number}");
            }
            let m = numbers(&json["world"]);
            let expected = Mat34 { rows: [0, 1, 2].map(|r| [r, 4 + r, 8 + r, 12 + r].map(|at| m[at])) };
            let found = *scene.world(handle).unwrap();
            worst_world = worst_world.max(distance(&found, &expected));
            assert!(distance(&found, &expected) <= 1e-5, "{name}: node {number}: {found:?}, expected {expected:?}");
            assert_eq!(scene.get(handle).unwrap().fresh_world(), found, "{name}: node {number}");
        }

        for mesh in expected["meshes"].as_array().unwrap() {
            for (primitive, json) in mesh["primitives"].as_array().unwrap().iter().enumerate() {
                let id = imported.mesh_ids.id(index(&mesh["mesh"]).unwrap(), primitive).unwrap();
                let mut drawn = imported.scenes.iter().flat_map(|scene| &scene.drawables);
                let Some(drawable) = drawn.find(|drawable| drawable.id == id) else { continue };
                let found = scene.get(drawable.handle).unwrap().drawable().unwrap();
                assert_eq!(found.mesh, id, "{name}");
                // `rest.rs` tests the boxes of what a skin or weights deform.
                let of_mesh = imported.primitive(id).unwrap().bounds.unwrap();
                let is_rigid = drawable.skin.is_none() && imported.morph(drawable.node).is_none();
                assert!(found.bounds == of_mesh || !is_rigid, "{name}: mesh {id}");
                let stated = bounds(&json["accessorMin"], &json["accessorMax"]);
                assert!(of_mesh == stated || of_mesh.contains_box(&stated), "{name}: mesh {id}");
                let measured = bounds(&json["min"], &json["max"]);
                assert!(box_distance(of_mesh, measured) <= 1e-6, "{name}: mesh {id}");
                let vertices = imported.vertices(id).unwrap();
                let points = vertices.positions.iter().map(|&position| Vec3::from(position));
                let of_vertices = points.fold(Aabb::EMPTY, |all, point| all.merge(&Aabb::new(point, point)));
                assert!(box_distance(of_vertices, measured) <= 1e-6, "{name}: vertices of mesh {id}");
                for list in [vertices.normals.len(), vertices.tangents.len()] {
                    assert!(list == 0 || list == vertices.positions.len(), "{name}: mesh {id}");
                }
            }
        }
        for json in expected["meshNodes"].as_array().unwrap() {
            let node = index(&json["node"]).unwrap();
            let drawables: Vec<_> = imported.scenes.iter().flat_map(|scene| scene.drawables_of(node)).collect();
            let boxes = json["worldAabb"].as_array().unwrap();
            assert_eq!(drawables.len(), boxes.len(), "{name}: node {node}");
            for (drawable, json) in drawables.iter().zip(boxes) {
                // Skins and weights change the box of the drawable, but not the other engine's box.
                let found = imported.primitive(drawable.id).unwrap().bounds.unwrap();
                let found = found.transformed(scene.world(imported.node(node).unwrap()).unwrap());
                let apart = box_distance(found, bounds(&json["min"], &json["max"]));
                worst_box = worst_box.max(apart);
                assert!(apart <= 1e-5, "{name}: node {node}: {found:?}, expected {json}");
            }
        }
    }
    let count = models.len();
    eprintln!("{count} models, {nodes} nodes: worlds within {worst_world:.1e}, boxes within {worst_box:.1e}");
}

/// Moves a thousand random nodes below random parents and back. Returns how many moves were refused because a world
/// transform has no inverse.
fn move_there_and_back(scene: &mut Scene, keep: Keep) -> usize {
    let nodes: Vec<NodeHandle> =
        scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).skip(1).collect();
    let (mut dice, mut done, mut refused) = (Rng::with_seed(7), 0, 0);
    while done < 1000 {
        let node = nodes[dice.usize(..nodes.len())];
        let target = [scene.root(), nodes[dice.usize(..nodes.len())]][usize::from(dice.usize(..8) > 0)];
        let home = match scene.get(node).and_then(|node| node.previous_sibling()).map(|node| node.handle()) {
            Some(sibling) => Place::After(sibling),
            None => Place::FirstChildOf(scene.parent(node).unwrap()),
        };
        if target == node || scene.get(target).is_some_and(|below| below.is_below(node)) {
            assert!(matches!(scene.reparent(node, target, keep), Err(Error::WouldCycle { .. })));
            done += 1;
            continue;
        }
        let parent = scene.get(scene.parent(node).unwrap()).unwrap().fresh_world();
        if keep == Keep::World && parent.inverse().is_none() {
            refused += 1;
            done += 1;
            continue;
        }
        match scene.reparent(node, target, keep) {
            Ok(_) => assert!(scene.reparent(node, home, keep).is_ok()),
            Err(Error::Singular(_)) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        if dice.usize(..64) == 0 {
            scene.update();
        }
        done += 1;
    }
    scene.validate().unwrap();
    scene.update();
    refused
}

#[test]
fn a_thousand_moves_there_and_back_with_the_locals_kept_change_no_bit() {
    let Some(models) = models() else { return };
    for Model { name, file, .. } in &models {
        let mut scene = hedgerow_gltf::load(file).unwrap().scene;
        scene.update();
        let before = worlds(&scene);
        move_there_and_back(&mut scene, Keep::Local);
        let order = worlds(&scene).into_iter().map(|(node, _)| node);
        assert!(order.eq(before.iter().map(|&(node, _)| node)), "{name}: order");
        for (node, world) in before {
            let bits = |matrix: &Mat34| matrix.rows.map(|row| row.map(f32::to_bits));
            assert_eq!(bits(scene.world(node).unwrap()), bits(&world), "{name}: {node:?}");
        }
    }
}

/// Returns the nodes of a scene in depth-first order, with their world matrices.
fn worlds(scene: &Scene) -> Vec<(NodeHandle, Mat34)> {
    let nodes = scene.get(scene.root()).unwrap().descendants();
    nodes.map(|node| (node.handle(), *node.world())).collect()
}

#[test]
fn a_thousand_moves_there_and_back_with_the_worlds_kept_stay_close() {
    let Some(models) = models() else { return };
    let (mut worst, mut at, mut refused) = (0.0, String::new(), 0);
    for Model { name, file, .. } in &models {
        let mut scene = hedgerow_gltf::load(file).unwrap().scene;
        scene.update();
        let before = worlds(&scene);
        refused += move_there_and_back(&mut scene, Keep::World);
        let order = worlds(&scene).into_iter().map(|(node, _)| node);
        assert!(order.eq(before.iter().map(|&(node, _)| node)), "{name}: order");
        for (node, world) in before {
            let apart = distance(scene.world(node).unwrap(), &world);
            if apart > worst {
                (worst, at) = (apart, format!("{name} {:?}", scene.get(node).and_then(|node| node.name())));
            }
            assert!(apart <= 1e-4, "{name}: {node:?} {:?}: {apart}", scene.get(node).and_then(|node| node.name()));
        }
    }
    eprintln!("{} models: worlds within {worst:.1e} ({at}), {refused} moves refused", models.len());
}

/// Returns a glTF with these top-level properties.
fn text(properties: &str) -> Vec<u8> {
    format!(r#"{{"asset": {{"version": "2.0"}}, {properties}}}"#).into_bytes()
}

/// Returns a small valid GLB: two nodes and a triangle whose bounds follow only from the data.
fn small_glb(corners: [[f32; 3]; 3]) -> Vec<u8> {
    let json = text(
        r#""scenes": [{"nodes": [0]}], "nodes": [{"name": "a", "children": [1]}, {"name": "b", "mesh": 0}],
        "meshes": [{"name": "triangle", "primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36}]"#,
    );
    glb(&json, &corners.as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
}

/// Imports into a scene that is not empty. After an error the scene must be unchanged, after success it must be valid.
fn import_into_scene(bytes: &[u8], base_dir: Option<&Path>) -> Result<Scene, ImportError> {
    let mut scene = Scene::new();
    let shelf = scene.insert(scene.root(), Node::group().with_name("shelf")).unwrap();
    scene.insert(shelf, Node::transform(Transform::from_xyz(1.0, 2.0, 3.0))).unwrap();
    let before = (scene.to_bytes(), scene.len());
    let result = ImportOptions::new().from_slice_into(&mut scene, shelf, bytes, base_dir);
    scene.validate().unwrap();
    match result {
        Ok(_) => Ok(scene),
        Err(error) => {
            assert!((scene.to_bytes(), scene.len()) == before, "a refused file changed the scene");
            Err(error)
        }
    }
}

/// Returns the error for these bytes.
fn refusal(bytes: &[u8]) -> ImportErrorKind {
    import_into_scene(bytes, None).expect_err("the file is broken").kind().clone()
}

#[test]
fn a_glb_cut_off_anywhere_is_refused() {
    let whole = small_glb([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let scene = import_into_scene(&whole, None).unwrap();
    let b = scene
        .get(scene.root())
        .and_then(|node| node.find("shelf"))
        .map(|node| node.handle())
        .and_then(|shelf| scene.get(shelf).and_then(|node| node.last_child()).map(|node| node.handle()))
        .unwrap();
    let b = scene.get(b).unwrap().find("a/b").unwrap().handle();
    assert_eq!(scene.get(b).unwrap().drawable().unwrap().bounds, Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0)));
    for length in 0..whole.len() {
        let error = refusal(&whole[..length]);
        assert!(matches!(error, ImportErrorKind::Truncated { .. }) || length < 4, "{length}: {error:?}");
        // A shortened file whose header matches its length.
        let mut shorter = whole[..length].to_vec();
        if length >= 12 {
            shorter[8..12].copy_from_slice(&u32::try_from(length).unwrap().to_le_bytes());
            assert!(import_into_scene(&shorter, None).is_err(), "{length}");
        }
    }
}

#[test]
fn a_glb_with_any_byte_changed_never_panics() {
    let whole = small_glb([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let (mut sound, mut refused) = (0, 0);
    for at in 0..whole.len() {
        for value in [0, 1, b'0', b'9', b'"', b'-', 0x7F, 0xFF, whole[at] ^ 1, whole[at] ^ 0x80] {
            let mut changed = whole.clone();
            changed[at] = value;
            if import_into_scene(&changed, None).is_ok() { sound += 1 } else { refused += 1 }
        }
    }
    assert!(sound > 100 && refused > 1000, "{sound} {refused}");
}

/// Broken files without their `asset`, each followed by a line with the expected error.
const BROKEN: &str = r#"
"nodes": [{"name": "a", "mesh": 0}]
node 0 "a": mesh is 0, but the file has 0 of these
"nodes": [{"skin": 4}]
node 0: skin is 4, but the file has 0 of these
"nodes": [{"camera": 9}]
node 0: camera is 9, but the file has 0 of these
"nodes": [{}, {"children": [0, 2]}]
node 1: children[1] is 2, but the file has 2 of these
"scenes": [{"name": "s", "nodes": [0]}]
scene 0 "s": nodes[0] is 0, but the file has 0 of these
"nodes": [{"children": [2]}, {"name": "b", "children": [2]}, {"name": "c"}]
node 2 "c" is listed by node 0 and by node 1 "b", but a node can have only one parent
"nodes": [{"name": "a", "children": [0]}]
node 0 "a" lies below itself
"scenes": [{"nodes": [0]}], "nodes": [{"children": [1]}, {"children": [0]}]
node 0 lies below itself
"nodes": [{"children": [1]}, {"children": [2]}, {"children": [1]}]
node 1 lies below itself
"nodes": [{}, {"translation": [0, 1e39, 0]}]
node 1: translation must be finite
"nodes": [{"rotation": [0, 0, 0, -1e39]}]
node 0: rotation must be finite
"nodes": [{"name": "a", "scale": [1, 1, 1e300]}]
node 0 "a": scale must be finite
"nodes": [{"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1e39, 0, 0, 1]}]
node 0: matrix must be finite
"nodes": [{"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.5, 0, 0, 0, 1]}]
node 0: matrix: its last row must be 0, 0, 0, 1
"extensionsRequired": ["MSFT_lod"]
the file requires the extension MSFT_lod, which is not supported; name it in ImportOptions::with_extensions if your program handles it, or look for a download without it
"#;

#[test]
fn everything_broken_is_refused_by_name() {
    let lines: Vec<_> = BROKEN.trim().lines().collect();
    for case in lines.chunks(2) {
        assert_eq!(refusal(&text(case[0])).to_string(), case[1], "{}", case[0]);
    }
    for version in ["1.0", "3.0", "", "two"] {
        let asset = format!(r#"{{"asset": {{"version": "{version}"}}}}"#);
        assert_eq!(refusal(asset.as_bytes()), ImportErrorKind::Version(version.to_owned()));
    }
    let too_large = String::from_utf8(text(r#""nodes": [{"scale": [1e999, 0, 0]}]"#)).unwrap();
    for no_json in ["{", "[]", &too_large] {
        assert!(matches!(refusal(no_json.as_bytes()), ImportErrorKind::Json(_)), "{no_json}");
    }
}

#[test]
fn a_buffer_in_a_file_of_its_own_is_found_or_named() {
    let folder = std::env::temp_dir().join(format!("hedgerow-gltf-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let json = text(
        r#""scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], "buffers": [{"byteLength": 12, "uri": "a%20b.bin"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "bufferViews": [{"buffer": 0, "byteLength": 12}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1}]"#,
    );
    let problem = |base_dir| match import_into_scene(&json, base_dir).err().unwrap().kind() {
        ImportErrorKind::Buffer { problem, .. } => problem.clone(),
        other => panic!("{other}"),
    };
    let (file, reason) = (folder.join("a b.bin"), std::io::ErrorKind::NotFound);
    assert_eq!(problem(None), BufferProblem::NoFolder);
    assert_eq!(problem(Some(&folder)), BufferProblem::Read { path: file.clone(), reason });
    fs::write(&file, [0; 11]).unwrap();
    let error = import_into_scene(&json, Some(&folder)).err().unwrap().to_string();
    assert_eq!(error, "buffer 0: it has 11 bytes where the file states 12; download or export it again");
    fs::write(&file, [1.0_f32, 2.0, 3.0].map(f32::to_le_bytes).as_flattened()).unwrap();
    fs::write(folder.join("a.gltf"), &json).unwrap();
    let import = hedgerow_gltf::load(folder.join("a.gltf")).unwrap();
    let point = Vec3::new(1.0, 2.0, 3.0);
    let node = import.imported.node(0).unwrap();
    assert_eq!(import.scene.get(node).unwrap().drawable().unwrap().bounds, Aabb::new(point, point));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_stale_parent_is_refused_before_the_file_is_read() {
    let mut scene = Scene::new();
    let gone = scene.insert(scene.root(), Node::group()).unwrap();
    scene.remove(gone).unwrap();
    let result = ImportOptions::new().from_slice_into(&mut scene, gone, b"no glTF", None);
    assert_eq!(result.unwrap_err(), Error::StaleHandle(gone).into());
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_needs_no_call_stack() {
    const DEPTH: usize = 100_000;
    let nodes: Vec<_> = (1..DEPTH).map(|child| format!(r#"{{"children": [{child}]}}"#)).collect();
    let nodes = nodes.join(",");
    let json = text(&format!(r#""scenes": [{{"nodes": [0]}}], "nodes": [{nodes}, {{"translation": [1, 2, 3]}}]"#));
    let Import { scene, imported, .. } = hedgerow_gltf::from_slice(&json, None).unwrap();
    assert_eq!(scene.get(imported.node(DEPTH - 1).unwrap()).unwrap().depth(), DEPTH + 1);
    // The same chain closed to a cycle.
    let json = text(&format!(r#""scenes": [{{"nodes": [0]}}], "nodes": [{nodes}, {{"children": [0]}}]"#));
    assert!(matches!(refusal(&json), ImportErrorKind::Cycle(_)));
}

/// Returns a file whose scenes all list one root; all other nodes are below the root.
fn shared(scenes: usize, nodes: usize, name: &str) -> Vec<u8> {
    let children: Vec<usize> = (1..nodes).collect();
    let mut all = vec![json!({"name": name, "children": children})];
    all.extend(vec![json!({}); nodes - 1]);
    let file = json!({"asset": {"version": "2.0"}, "scenes": vec![json!({"nodes": [0]}); scenes], "nodes": all});
    serde_json::to_vec(&file).unwrap()
}

#[test]
fn scenes_that_share_roots_make_no_more_nodes_than_the_file_is_a_measure_of() {
    let kind = |bytes: &[u8], options: ImportOptions| match options.from_slice(bytes, None) {
        Err(error) => error.kind().clone(),
        other => panic!("{:?}", other.map(|import| import.scene.len())),
    };
    // 16 million nodes, described in some 100 kB.
    let bytes = shared(4000, 4000, "knot");
    let most = bytes.len() as u64;
    assert!(most < 135_000);
    assert_eq!(kind(&bytes, ImportOptions::new()), ImportErrorKind::TooManyNodes { nodes: 4000 * 4001, most });
    // The limit is exact, also if drawables are separate nodes.
    let small = shared(5, 4, "");
    for (most, passes) in [(25, true), (24, false)] {
        let result = ImportOptions::new().with_max_nodes(most).from_slice(&small, None);
        assert_eq!(result.map(|import| import.scene.len()).ok(), passes.then_some(26));
    }
    let mesh = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}, {"nodes": [0]}],
        "nodes": [{"mesh": 0, "children": [1]}, {"mesh": 1}], "meshes": [
        {"primitives": [{"attributes": {"POSITION": 0}}, {"attributes": {}}, {"attributes": {"POSITION": 0}}]},
        {"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [1, 1, 0]}]}"#;
    for (most, passes) in [(10, true), (9, false)] {
        let result = ImportOptions::new().with_max_nodes(most).from_slice(mesh, None);
        assert_eq!(result.map(|import| import.scene.len()).ok(), passes.then_some(11));
    }
    // The limit of a small file does not depend on its size.
    let import = hedgerow_gltf::from_slice(&shared(100, 400, ""), None).unwrap();
    assert_eq!(import.scene.len(), 1 + 100 * 401);
    // A limit below the default is enforced too, and the scene is unchanged.
    let mut scene = Scene::new();
    let (root, before) = (scene.root(), scene.to_bytes());
    assert!(ImportOptions::new().with_max_nodes(0).from_slice_into(&mut scene, root, &small, None).is_err());
    assert!(scene.to_bytes() == before);
}

#[test]
fn names_that_are_copied_with_shared_nodes_are_bounded_too() {
    // One name of 5 MB at a root shared by 5000 scenes would take 25 GB.
    let bytes = shared(5000, 1, &"n".repeat(5_000_000));
    let Err(error) = hedgerow_gltf::from_slice(&bytes, None) else { panic!("it is imported") };
    let expected = ImportErrorKind::NamesTooLong { bytes: 25_000_000_000, most: 64 * bytes.len() as u64 };
    assert_eq!(error.kind(), &expected);
    assert!(error.to_string().contains("raise ImportOptions::with_max_nodes"), "{error}");
    // A long name at a node that is inserted once is accepted, whatever the limit.
    let once = shared(1, 1, &"n".repeat(100_000));
    assert_eq!(ImportOptions::new().with_max_nodes(2).from_slice(&once, None).unwrap().scene.len(), 3);
}
