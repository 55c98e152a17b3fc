//! An import returns an error, and leaks nothing, if the allocator refuses data of buffers or the memory of nodes.

use hedgerow::snapshot::SnapshotError;
use hedgerow::{Error, Node, Scene, Transform};
#[cfg(feature = "meshopt")]
use hedgerow_gltf::ItemKind;
use hedgerow_gltf::anim::skin::SkinOutput;
use hedgerow_gltf::{BufferProblem, Import, ImportErrorKind, ImportOptions};
use hedgerow_testkit::memory::{COUNTED, REMAINING, with_every_refusal};
#[cfg(feature = "meshopt")]
use std::cell::Cell;

fn scene() -> Scene {
    let mut scene = Scene::new();
    for number in 0..300_u16 {
        let node = Node::transform(Transform::from_xyz(f32::from(number), 0.0, 0.0));
        scene.insert(scene.root(), node.with_name("node")).expect("a plain insert");
    }
    scene
}

/// Returns a file with vertices, joints, weights, a target, an animation and two images, one of them in the JSON. Also
/// returns the length of the longest text in the JSON.
fn file(uri: impl Fn(usize) -> String) -> (Vec<u8>, usize) {
    const VERTICES: usize = 4000;
    let uri = uri(20_000);
    let mut data: Vec<u8> = (0..4000_u16).flat_map(|at| f32::from(at).to_le_bytes()).collect();
    let times = data.len();
    data.resize(times + 16 * VERTICES, 0);
    let length = data.len() - times;
    let mut json = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0, 1]}}],
        "nodes": [{{"mesh": 0, "skin": 0}}, {{}}], "skins": [{{"joints": [1], "inverseBindMatrices": 4}}],
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0, "NORMAL": 0, "JOINTS_0": 1, "WEIGHTS_0": 2,
            "TEXCOORD_0": 5, "COLOR_0": 2}}, "targets": [{{"POSITION": 0}}], "indices": 6}}]}}],
        "animations": [{{"samplers": [{{"input": 3, "output": 0}}],
            "channels": [{{"sampler": 0, "target": {{"node": 1, "path": "translation"}}}}]}}],
        "images": [{{"bufferView": 1, "mimeType": "image/png"}}, {{"uri": "{uri}"}}],
        "accessors": [
            {{"bufferView": 1, "componentType": 5126, "type": "VEC3", "count": {VERTICES}}},
            {{"bufferView": 1, "componentType": 5121, "type": "VEC4", "count": {VERTICES}}},
            {{"bufferView": 1, "componentType": 5126, "type": "VEC4", "count": {VERTICES}}},
            {{"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": {VERTICES}}},
            {{"bufferView": 1, "componentType": 5126, "type": "MAT4", "count": 1000}},
            {{"bufferView": 1, "componentType": 5126, "type": "VEC2", "count": {VERTICES}}},
            {{"bufferView": 1, "componentType": 5125, "type": "SCALAR", "count": {VERTICES}}}],
        "bufferViews": [{{"buffer": 0, "byteLength": {times}}},
            {{"buffer": 0, "byteOffset": {times}, "byteLength": {length}}}],
        "buffers": [{{"byteLength": {}}}]}}"#,
        data.len()
    );
    json.push_str(&" ".repeat(json.len().next_multiple_of(4) - json.len()));
    let word = |length: usize| u32::try_from(length).expect("a short file").to_le_bytes();
    let mut glb = [&b"glTF"[..], &2_u32.to_le_bytes(), &word(28 + json.len() + data.len())].concat();
    glb.extend([&word(json.len())[..], b"JSON", json.as_bytes(), &word(data.len()), b"BIN\0", &data].concat());
    (glb, uri.len())
}

/// Refuses the memory of the nodes, which the import probes before the first insert. Other lists are shorter.
#[test]
fn the_nodes_of_a_file_are_inserted_or_refused_with_an_error() {
    let nodes = ["{},"; 30_000].concat();
    let numbers: Vec<String> = (0..=30_000).map(|number| number.to_string()).collect();
    let file = format!(
        r#"{{"asset": {{"version": "2.0"}}, "nodes": [{nodes}{{}}], "scenes": [{{"nodes": [{}]}}]}}"#,
        numbers.join(",")
    );
    let mut scene = scene();
    let (root, content) = (scene.root(), scene.to_bytes());
    COUNTED.set((30_000 * 600, usize::MAX));
    REMAINING.set(1);
    let refused = ImportOptions::new().from_slice_into(&mut scene, root, file.as_bytes(), None);
    COUNTED.set((0, usize::MAX));
    assert_eq!(REMAINING.replace(0), 0, "so much is never asked for");
    let refused = refused.expect_err("there is no memory");
    assert_eq!(*refused.kind(), ImportErrorKind::Scene(Error::AllocationFailed));
    assert!(scene.to_bytes() == content, "a refused file changes the scene");
    let imported =
        ImportOptions::new().from_slice_into(&mut scene, root, file.as_bytes(), None).expect("there is memory");
    assert_eq!(imported.node(30_000).and_then(|node| scene.parent(node)), Some(imported.scenes[0].group));
}

/// Refuses allocations larger than the JSON, except the one long text: data of buffers, and memory of nodes. The JSON
/// parser and lists as long as the JSON abort as usual.
#[test]
fn what_is_made_of_the_buffers_of_a_file_is_read_or_refused_with_an_error() {
    let base64 = |length: usize| format!("data:;base64,{}", "A".repeat(length / 3 * 4));
    let percent = |length: usize| format!("data:,{}", "%00".repeat(length));
    for (file, text) in [file(base64), file(percent)] {
        let (imported, allocations) = with_every_refusal(|| {
            let before = REMAINING.replace(0);
            let mut scene = scene();
            let (root, content) = (scene.root(), scene.to_bytes());
            REMAINING.set(before);
            COUNTED.set((15_000, text));
            let result = ImportOptions::new().from_slice_into(&mut scene, root, &file, None);
            COUNTED.set((0, usize::MAX));
            let before = REMAINING.replace(0);
            assert!(result.is_ok() || scene.to_bytes() == content, "a refused file changes the scene");
            REMAINING.set(before);
            result.map_err(|error| match error.kind() {
                ImportErrorKind::AllocationFailed(_)
                | ImportErrorKind::Buffer { problem: BufferProblem::AllocationFailed, .. }
                | ImportErrorKind::Scene(Error::AllocationFailed) => SnapshotError::AllocationFailed,
                other => panic!("{other}"),
            })
        });
        assert!(allocations > 12, "{allocations}");
        assert!(imported.images.iter().all(|image| image.bytes.len() > 15_000));
        assert_eq!(imported.vertices(0).expect("it has positions").joints.len(), 16_000);
        assert_eq!(imported.clips.len(), 1);
    }
}

/// Plays a skinned and morphed character after its buffers and the scene's have grown.
#[test]
fn frames_of_what_is_deformed_allocate_nothing() {
    let Import { mut scene, imported, .. } = hedgerow_gltf::load("tests/models/man.glb").expect("a model");
    let mut player = imported.play(1).expect("it smiles");
    let body = imported.deformed(&imported.scenes[0].drawables[0]).expect("sound vertices");
    let mut body = body.expect("it has a skin");
    let mut positions = vec![[0.0_f32; 3]; body.mesh().len()];
    for frame in 0..10 {
        REMAINING.set(if frame > 1 { usize::MAX } else { 0 });
        player.advance(0.07);
        player.apply(&mut scene).expect("its nodes are there");
        body.follow(&player, &mut scene).expect("its node is there");
        body.skin(SkinOutput::new(&mut positions[..])).expect("a place for each vertex");
        let left = REMAINING.replace(0);
        assert!(frame < 2 || left == usize::MAX, "frame {frame}: {}", usize::MAX - left);
        scene.update();
    }
}

/// Refuses the decoded bytes of a view.
#[cfg(feature = "meshopt")]
#[test]
fn what_a_compressed_view_has_is_decoded_or_refused_with_an_error() {
    // For each block of 256 positions, a byte for each of three numbers says: no change. The first position follows.
    let stream = [&[0xa1][..], &[0b10_10_10_10; 3 * 16], &[0; 24]].concat();
    let uri: String = stream.iter().map(|byte| format!("%{byte:02X}")).collect();
    let file = format!(
        r#"{{"asset": {{"version": "2.0"}}, "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4000}}],
        "bufferViews": [{{"buffer": 1, "byteLength": 48000, "extensions": {{"KHR_meshopt_compression": {{
            "buffer": 0, "byteLength": {length}, "byteStride": 12, "count": 4000, "mode": "ATTRIBUTES"}}}}}}],
        "buffers": [{{"byteLength": {length}, "uri": "data:,{uri}"}}, {{"byteLength": 48000}}]}}"#,
        length = stream.len()
    );
    let refused_views = Cell::new(0);
    let (imported, _) = with_every_refusal(|| {
        let before = REMAINING.replace(0);
        let mut scene = scene();
        let root = scene.root();
        REMAINING.set(before);
        COUNTED.set((48_000, usize::MAX));
        let result = ImportOptions::new().from_slice_into(&mut scene, root, file.as_bytes(), None);
        COUNTED.set((0, usize::MAX));
        result.map_err(|error| match error.kind() {
            ImportErrorKind::AllocationFailed(item) => {
                refused_views.set(refused_views.get() + usize::from(item.kind == ItemKind::BufferView));
                SnapshotError::AllocationFailed
            }
            ImportErrorKind::Scene(Error::AllocationFailed) => SnapshotError::AllocationFailed,
            other => panic!("{other}"),
        })
    });
    assert_eq!(refused_views.get(), 1);
    assert_eq!(imported.vertices(0).expect("it has positions").positions, [[0.0; 3]; 4000]);
}
