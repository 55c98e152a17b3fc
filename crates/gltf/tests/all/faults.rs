//! Faults of real files. A file is valid, or is repaired with a warning; a strict import refuses invalid files.

use core::f32::consts::FRAC_PI_4;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Aabb, Transform};
use hedgerow_gltf::anim::Pose;
use hedgerow_gltf::anim::skin::{Skin, SkinOutput};
use hedgerow_gltf::material::{AlphaMode, Sampler, Wrap};
use hedgerow_gltf::{
    BufferProblem, Import, ImportErrorKind, ImportOptions, Imported, ItemKind, OtherFile, Parts, Skipped, WarningKind,
};
use hedgerow_testkit::gltf::{GltfFile, glb, man, saved};
use serde_json::{Value, json};

/// Returns a node `n` with a triangle.
pub(crate) fn triangle() -> GltfFile {
    let mut file = GltfFile::new(json!({
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "n", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]
    }));
    file.floats("VEC3", CORNERS.as_flattened());
    file.put("/accessors/0/min", json!([0, 0, 0]));
    file.put("/accessors/0/max", json!([1, 1, 0]));
    file
}

pub(crate) const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// Imports a valid file, also strictly.
pub(crate) fn valid(bytes: &[u8]) -> Import {
    let strict = ImportOptions::new().strict().from_slice(bytes, None).expect("it is valid");
    assert_eq!(strict.imported.warnings, []);
    strict
}

/// Imports a file with these faults; a strict import refuses the first one.
pub(crate) fn faulty(bytes: &[u8], faults: &[WarningKind]) -> Import {
    let import = hedgerow_gltf::from_slice(bytes, None).expect("what is meant is plain");
    let found: Vec<WarningKind> = import.imported.warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(found, faults);
    let refused = ImportOptions::new().strict().from_slice(bytes, None).map(drop).expect_err("it is strict");
    let ImportErrorKind::Strict(warning) = refused.kind() else { panic!("{refused}") };
    assert_eq!(*warning, import.imported.warnings[0]);
    assert!(refused.to_string().contains(&warning.item.to_string()), "{refused}");
    import
}

pub(crate) fn corners(import: &Import) -> &[[f32; 3]] {
    &import.imported.vertices(0).expect("it has positions").positions
}

fn name(import: &Import) -> String {
    let node = import.imported.node(0).expect("it is in a scene");
    import.scene.get(node).unwrap().name().unwrap().to_owned()
}

#[test]
fn integers_may_be_written_as_floats() {
    let text = triangle().json_text();
    for (from, to) in [
        (r#""count":3"#, r#""count":3.0"#),
        (r#""mesh":0"#, r#""mesh":0.0"#),
        (r#""componentType":5126"#, r#""componentType":5126.0"#),
        (r#""byteLength":36"#, r#""byteLength":3.6e1"#),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        let import = valid(&triangle().glb_of(&changed));
        assert_eq!((name(&import), corners(&import)), ("n".to_owned(), &CORNERS[..]));
    }
    // The text of extras is unchanged.
    let extras = text.replace(r#""mesh":0"#, r#""mesh":0.0,"extras":{"a": [1.0, 2e0]}"#);
    assert_eq!(valid(&triangle().glb_of(&extras)).imported.nodes[0].extras.text(), Some(r#"{"a": [1.0, 2e0]}"#));
}

#[test]
fn a_byte_order_mark_and_broken_text_are_read() {
    let text = triangle().json_text();
    faulty(&triangle().glb_of(&format!("\u{FEFF}{text}")), &[WarningKind::ByteOrderMark]);
    let plain = "\u{FEFF}{\"asset\": {\"version\": \"2.0\"}}";
    faulty(plain.as_bytes(), &[WarningKind::ByteOrderMark]);
    let half = text.replace(r#""n""#, r#""n\ud83d""#);
    assert_eq!(name(&faulty(&triangle().glb_of(&half), &[WarningKind::Text])), "n\u{FFFD}");
    // A byte of another encoding is not UTF-8.
    let mut latin = triangle().glb_of(&text.replace(r#""n""#, r#""nX""#));
    let at = latin.windows(4).position(|bytes| bytes == b"\"nX\"").unwrap();
    latin[at + 2] = 0xE9;
    assert_eq!(name(&faulty(&latin, &[WarningKind::Text])), "n\u{FFFD}");
}

#[test]
fn chunks_of_other_types_are_skipped() {
    let other = [&8_u32.to_le_bytes()[..], b"XTRA", b"hallo!!!"].concat();
    let file = triangle();
    let plain = file.glb();
    let json_end = 20 + plain[12..16].iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    let with = |parts: &[&[u8]]| {
        let mut all = parts.concat();
        let length = u32::try_from(all.len()).unwrap();
        all[8..12].copy_from_slice(&length.to_le_bytes());
        all
    };
    for bytes in [
        with(&[&plain[..json_end], &other, &plain[json_end..]]),
        with(&[&plain, &other]),
        with(&[&glb(br#"{"asset":{"version":"2.0"}}"#, &[])[..12], &plain[12..json_end], &other, &plain[json_end..]]),
    ] {
        assert_eq!(corners(&valid(&bytes)), CORNERS);
    }
    let error = hedgerow_gltf::from_slice(&with(&[&plain[..12], &other, &plain[12..]]), None).unwrap_err();
    assert_eq!(error.to_string(), "the file is not a binary glTF: its first chunk is not JSON");
}

#[test]
fn buffers_without_data_may_be_there_but_not_read() {
    let mut file = triangle();
    file.json["buffers"].as_array_mut().unwrap().push(json!({"byteLength": 100}));
    assert_eq!(corners(&valid(&file.glb())), CORNERS);
    file.json["bufferViews"][0] = json!({"buffer": 1, "byteLength": 36});
    let error = hedgerow_gltf::from_slice(&file.glb(), None).unwrap_err();
    let ImportErrorKind::Buffer { item, problem: BufferProblem::NoData } = error.kind() else { panic!("{error}") };
    assert_eq!((item.kind, item.index), (ItemKind::Buffer, 1));
}

#[test]
fn what_nothing_reads_may_be_missing() {
    let mut file = triangle();
    let view = json!({"buffer": 0, "byteOffset": 36, "byteLength": 99});
    file.json["bufferViews"].as_array_mut().unwrap().push(view);
    assert_eq!(corners(&faulty(&file.glb(), &[WarningKind::Length])), CORNERS);
    // A view may end after the last byte that is read, and the buffer may lack the rest.
    file.put("/bufferViews/0/byteLength", json!(40));
    let short = file.json_text().replace(r#""byteLength":36}]"#, r#""byteLength":200}]"#);
    assert_eq!(corners(&faulty(&file.glb_of(&short), &[WarningKind::Length; 3])), CORNERS);
    file.accessor(json!({"bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 3}));
    let import = hedgerow_gltf::from_slice(&file.glb(), None).unwrap();
    assert_eq!((corners(&import), import.imported.warnings[2].kind), (&CORNERS[..], WarningKind::LeftOut));
    assert!(ImportOptions::new().strict().from_slice(&file.glb(), None).is_err());
    for (at, value) in [("/images", json!([{"bufferView": 1}])), ("/accessors/0/bufferView", json!(1))] {
        let mut file = file.clone();
        file.put(at, value);
        let error = hedgerow_gltf::from_slice(&file.glb(), None).map(drop).unwrap_err().to_string();
        assert_eq!(error, "buffer view 1 needs 135 bytes of its buffer, which has 36");
    }
}

/// A JSON pointer, the value to put there, its meaning (`None` if left out or listed twice), and a check of the import.
type Bent = (&'static str, &'static str, Option<&'static str>, fn(&Import, &Imported) -> bool);

fn rests(import: &Import, _: &Imported) -> bool {
    assert_near(&at_rest(import), [[0.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 3.0, -0.5]]);
    true
}

/// Returns whether the first animation turns the head by `angle` in a second.
fn nods(file: &Imported, angle: f32) -> bool {
    let track = file.clips[0].clip.rotation(file.rigs[0].joint_of(3).unwrap()).unwrap();
    (track.sample(1.0).angle_between(Quat::IDENTITY) - angle).abs() < 1e-3
}

const POINTER: &str =
    r#"{"node": 2, "path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/3/rotation"}}}"#;
const WEIGHTS_MEANT: &str = "one weight for each target, 0 if missing";

const BENT: [Bent; 28] = [
    ("/nodes/3/rotation", "[0, 0, 0, 0]", Some("the identity"), rests),
    ("/nodes/2/children", "[3, 3]", Some("twice"), |it, of| it.scene.children(of.node(2).unwrap()).count() == 1),
    ("/animations/0/channels/1/target/node", "3", Some("twice"), |_, of| nods(of, 0.0)),
    ("/scene", "7", None, |_, of| of.default_scene.is_none()),
    ("/asset/version", "2.0", Some("text"), rests),
    ("/asset/minVersion", "2e0", Some("text"), rests),
    ("/meshes/0/primitives/0/attributes/JOINTS_1", "2", None, rests),
    ("/meshes/0/primitives/0/attributes/WEIGHTS_1", "3", None, rests),
    ("/meshes/0/primitives/0/attributes", r#"{"POSITION": 0, "JOINTS_0": 2}"#, None, |_, of| {
        of.scenes[0].drawables[0].skin.is_none() && of.node(4) == Some(of.scenes[0].drawables[0].handle)
    }),
    ("/nodes/4/extensions", r#"{"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}}"#, None, |_, of| {
        of.scenes[0].drawables.len() == 1 && of.nodes[4].instances.is_empty()
    }),
    ("/skins/0/joints", "[]", None, |_, of| {
        saved(of).is_ok() && of.nodes[4].skin.is_none() && of.nodes[0].skin == Some(1)
    }),
    ("/meshes/0/primitives/0/attributes/JOINTS_0", "14", Some("integers"), rests),
    ("/accessors/2/componentType", "5120", Some("integers"), rests),
    ("/accessors/3/normalized", "false", Some("normalised"), |_, of| of.vertices(0).unwrap().weights[0] == 1.0),
    ("/accessors/7/normalized", "false", Some("normalised"), |_, of| nods(of, FRAC_PI_4)),
    ("/animations/0/samplers/0/interpolation", "\"CURVED\"", Some("LINEAR"), |_, of| nods(of, FRAC_PI_4)),
    ("/animations/0/samplers/0/interpolation", "0", Some("LINEAR"), |_, of| nods(of, FRAC_PI_4)),
    ("/animations/0/channels/0/target", POINTER, Some("the node of the pointer"), |_, of| nods(of, FRAC_PI_4)),
    ("/skins/0/joints", "[2, 2]", Some("another joint at the same node"), |_, of| of.skins[0].skin.joints() == [1, 1]),
    ("/materials/0/normalTexture", r#"{"index": 1}"#, None, |_, of| of.materials[0].normal_texture.is_none()),
    ("/textures/0/sampler", "1", Some("the default"), |_, of| of.textures[0].sampler == Sampler::default()),
    ("/materials/0/alphaMode", "1", Some("OPAQUE"), |_, of| of.materials[0].alpha_mode == AlphaMode::Opaque),
    ("/samplers/0/wrapS", "\"REPEAT\"", Some("the default"), |_, of| of.textures[0].sampler.wrap_u == Wrap::Repeat),
    ("/materials/0/alphaMode", "\"GLASS\"", Some("OPAQUE"), |_, of| of.materials[0].alpha_mode == AlphaMode::Opaque),
    ("/samplers/0/minFilter", "5", Some("the default"), |_, of| of.textures[0].sampler.min_filter.is_none()),
    ("/samplers/0/wrapT", "5", Some("the default"), |_, of| of.textures[0].sampler.wrap_v == Wrap::Repeat),
    ("/nodes/1/matrix/4", "0.001", Some("the nearest transform"), |_, of| {
        of.rigs[0].skeleton.rest(0).rotation.z < -2e-4
    }),
    ("/nodes/4/weights", "[1]", Some(WEIGHTS_MEANT), |_, of| of.morph(4).unwrap().weights == [1.0, 0.0]),
];

#[test]
fn values_that_gltf_does_not_allow_are_read_as_they_are_meant() {
    let mut file = man();
    file.floats("VEC4", &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    (file.json["materials"], file.json["samplers"]) = (json!([{}]), json!([{}]));
    file.json["textures"] = json!([{"sampler": 0}]);
    file.json["skins"] = json!([file.json["skins"][0], file.json["skins"][0]]);
    file.put("/nodes/0/skin", json!(1));
    let still = file.floats("VEC4", &[0.0, 0.0, 0.0, 1.0].repeat(2));
    file.put("/animations/0/samplers/1", json!({"input": 6, "output": still}));
    file.put("/animations/0/channels/1/target/path", json!("rotation"));
    file.put("/nodes/1/matrix", json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]));
    valid(&file.glb());
    for (at, value, meant, is_right) in BENT {
        let fault = match meant {
            None => WarningKind::LeftOut,
            Some("twice") => WarningKind::Twice,
            Some(meant) => WarningKind::Invalid { meant },
        };
        let mut file = file.clone();
        file.put(at, serde_json::from_str(value).unwrap());
        let import = faulty(&file.glb(), &[fault]);
        assert!(is_right(&import, &import.imported), "{at}");
        let named = [("/normalized", "normalized"), ("/children", "children[1]")];
        assert!(
            named.iter().all(|(end, field)| !at.ends_with(end) || import.imported.warnings[0].field == *field),
            "{at}"
        );
    }
}

#[test]
fn white_space_in_base64_and_backslashes_in_paths_are_read() {
    let text = r#"{"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri": "URI"}]}"#;
    let data = "data:application/octet-stream;base64,AAAAAAAAAAAAAAAA\\nAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    let import = faulty(text.replace("URI", data).as_bytes(), &[WarningKind::WhiteSpace]);
    assert_eq!(corners(&import), CORNERS);

    let folder = std::env::temp_dir().join(format!("hedgerow-gltf-faults-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("a dir")).unwrap();
    std::fs::write(
        folder.join("a dir/x.bin"),
        CORNERS.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(),
    )
    .unwrap();
    let text = text.replace("URI", "a dir\\\\x.bin");
    let import = hedgerow_gltf::from_slice(text.as_bytes(), Some(&folder)).unwrap();
    assert_eq!(corners(&import), CORNERS);
    let [warning] = &import.imported.warnings[..] else { panic!("{:?}", import.imported.warnings) };
    assert_eq!((warning.kind, warning.field.as_str()), (WarningKind::Backslash, "uri"));
    assert!(ImportOptions::new().strict().from_slice(text.as_bytes(), Some(&folder)).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_scene_has_each_node_once_and_a_child_without_its_parent_is_a_root() {
    let mut nested = triangle();
    nested.json["nodes"] = json!([
        {"name": "tmpParent", "children": [1], "translation": [4, 0, 0]},
        {"name": "ship", "mesh": 0, "translation": [1, 0, 0]}
    ]);
    nested.json["scenes"] = json!([{"nodes": [1]}]);
    let mut import = faulty(&nested.glb(), &[WarningKind::ListsChild]);
    import.scene.update();
    let ship = import.imported.node(1).expect("it is in the scene");
    assert_eq!(import.scene.world(ship).unwrap().translation(), Vec3::X);
    assert_eq!(import.scene.parent(ship), Some(import.imported.scenes[0].group));
    assert_eq!(import.imported.skipped, [Skipped::Node { node: 0 }]);

    // A list with all nodes of a tree does not change the tree.
    nested.json["scenes"] = json!([{"nodes": [1, 0, 1, 0]}]);
    let again = WarningKind::ListedAgain;
    let mut import = faulty(&nested.glb(), &[again, again, again]);
    import.scene.update();
    let [parent, ship] = [0, 1].map(|node| import.imported.node(node).unwrap());
    assert_eq!((import.scene.parent(ship), import.scene.len()), (Some(parent), 4));
    assert_eq!(import.scene.world(ship).unwrap().translation(), 5.0 * Vec3::X);

    let mut twice = triangle();
    twice.json["scenes"] = json!([{"nodes": [0, 0]}]);
    let import = faulty(&twice.glb(), &[again]);
    assert_eq!(import.scene.len(), 3);
    assert_eq!(import.imported.warnings[0].to_string(), "scene 0: nodes[1]: duplicate; inserted once");
}

#[test]
fn no_more_than_a_thousand_warnings_are_listed() {
    let mut file = triangle();
    file.json["scenes"] = json!([{"nodes": vec![0; 5001]}]);
    let imported = hedgerow_gltf::from_slice(&file.glb(), None).unwrap().imported;
    assert_eq!(imported.warnings.len(), 1001);
    assert_eq!(imported.warnings[1000].kind, WarningKind::More { count: 4000 });
    // Fewer warnings are listed if the item has a long name.
    file.put("/scenes/0/name", json!("s".repeat(600_000)));
    let imported = hedgerow_gltf::from_slice(&file.glb(), None).unwrap().imported;
    assert_eq!((imported.warnings.len(), imported.warnings[2].kind), (3, WarningKind::More { count: 4998 }));
}

/// Returns a triangle that follows two joints: the first is 1 above the scene, the second 2 above the first and
/// rotated.
pub(crate) fn skinned(weights: [[f32; 4]; 3], second: Value) -> GltfFile {
    let mut file = triangle();
    file.json["nodes"] = json!([
        {"name": "m", "mesh": 0, "skin": 0, "translation": [9, 9, 9]},
        {"name": "j0", "translation": [0, 1, 0], "children": [2]}, second
    ]);
    file.json["scenes"] = json!([{"nodes": [0, 1]}]);
    file.json["skins"] = json!([{"joints": [1, 2]}]);
    file.numbers(5121, "VEC4", &[0, 1, 0, 0].repeat(3));
    file.floats("VEC4", weights.as_flattened());
    file.json["meshes"][0]["primitives"][0]["attributes"] = json!({"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2});
    file
}

pub(crate) const WEIGHTS: [[f32; 4]; 3] = [[1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]];

fn turned() -> Value {
    json!({"name": "j1", "translation": [0, 2, 0], "rotation": [0, 0, 0.707_106_77, 0.707_106_77]})
}

/// Returns the vertices of the first mesh at rest, skinned.
fn at_rest(import: &Import) -> Vec<Vec3> {
    let mut body = import.imported.deformed(&import.imported.scenes[0].drawables[0]).unwrap().unwrap();
    let mut skinned = vec![[0.0_f32; 3]; body.mesh().len()];
    body.skin(SkinOutput::new(&mut skinned)).unwrap();
    let mut by_vertex = vec![Vec3::NAN; skinned.len()];
    let order = body.mesh().permutation();
    order.iter().zip(skinned).for_each(|(&vertex, place)| by_vertex[vertex as usize] = place.into());
    by_vertex
}

fn assert_near(found: &[Vec3], expected: [[f32; 3]; 3]) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((*found - Vec3::from_array(expected)).length() < 1e-5, "{found} {expected:?}");
    }
}

#[test]
fn weights_that_are_no_weights_are_zero() {
    let import = valid(&skinned(WEIGHTS, turned()).glb());
    assert_near(&at_rest(&import), [[0.0, 1.0, 0.0], [0.5, 2.5, 0.0], [-1.0, 3.0, 0.0]]);

    let mut weights = WEIGHTS;
    weights[0][1] = -1e-9;
    let import = faulty(&skinned(weights, turned()).glb(), &[WarningKind::Weights { count: 1 }]);
    assert_near(&at_rest(&import), [[0.0, 1.0, 0.0], [0.5, 2.5, 0.0], [-1.0, 3.0, 0.0]]);

    // Without weights, a vertex follows its first joint.
    for (bad, faults) in [
        (f32::NAN, &[WarningKind::Weights { count: 4 }, WarningKind::NoWeights { count: 1 }][..]),
        (0.0, &[WarningKind::NoWeights { count: 1 }]),
    ] {
        weights = [WEIGHTS[0], [bad; 4], WEIGHTS[2]];
        let import = faulty(&skinned(weights, turned()).glb(), faults);
        assert_near(&at_rest(&import), [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 3.0, 0.0]]);
    }
}

#[test]
fn eight_influences_are_kept_if_asked_for() {
    let mut file = skinned(WEIGHTS, turned());
    file.json["nodes"] = json!([{"mesh": 0, "skin": 0}, {"children": [2, 3, 4, 5, 6]}, {"translation": [1, 0, 0]},
        {"translation": [2, 0, 0]}, {"translation": [4, 0, 0]}, {"translation": [8, 0, 0]}, {"translation": [16, 0, 0]}]);
    file.json["skins"] = json!([{"joints": [1, 2, 3, 4, 5, 6]}]);
    let first = file.numbers(5121, "VEC4", &[0, 1, 2, 3].repeat(3));
    let second = file.numbers(5121, "VEC4", &[4, 5, 0, 0].repeat(3));
    let most = file.floats("VEC4", &[0.2, 0.2, 0.15, 0.15].repeat(3));
    let least = file.floats("VEC4", &[0.15, 0.15, 0.0, 0.0].repeat(3));
    file.json["meshes"][0]["primitives"][0]["attributes"] =
        json!({"POSITION": 0, "JOINTS_0": first, "WEIGHTS_0": most, "JOINTS_1": second, "WEIGHTS_1": least});
    let four = valid(&file.glb());
    assert!((at_rest(&four)[0].x - 1.1 / 0.7).abs() < 1e-5);
    let eight = ImportOptions::new().with_eight_influences().from_slice(&file.glb(), None).unwrap();
    assert!((at_rest(&eight)[0].x - 4.7).abs() < 1e-5);
}

#[test]
fn a_vertex_does_not_follow_a_joint_that_there_is_not() {
    let mut file = skinned(WEIGHTS, turned());
    file.json["skins"] = json!([{"joints": [1]}]);
    let faults = [WarningKind::Joints { count: 3 }, WarningKind::NoWeights { count: 1 }];
    let import = faulty(&file.glb(), &faults);
    assert_near(&at_rest(&import), [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 2.0, 0.0]]);
    assert_eq!(import.imported.vertices(0).unwrap().joints, [0; 12]);
    // A shader multiplies matrices of joints without weight, too.
    let mut file = skinned([WEIGHTS[0]; 3], turned());
    let unused = file.numbers(5121, "VEC4", &[0, 200, 0, 0].repeat(3));
    file.put("/meshes/0/primitives/0/attributes/JOINTS_0", json!(unused));
    let import = faulty(&file.glb(), &[WarningKind::Joints { count: 3 }]);
    assert_eq!(import.imported.vertices(0).unwrap().joints, [0; 12]);
}

#[test]
fn a_joint_whose_matrix_scales_by_zero_has_a_scale_of_zero() {
    for (matrix, scale, expected) in [
        ([0.0; 3], [0.0; 3], [[0.0, 1.0, 0.0], [0.5, 2.0, 0.0], [0.0, 3.0, 0.0]]),
        ([1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [[0.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 3.0, 0.0]]),
        ([0.0, -3.0, 0.0], [0.0, 3.0, 0.0], [[0.0, 1.0, 0.0], [0.5, 2.0, 0.0], [0.0, 0.0, 0.0]]),
    ] {
        let [x, y, z] = matrix;
        let joint = json!({"name": "j1", "matrix": [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 2, 0, 1]});
        let import = valid(&skinned(WEIGHTS, joint).glb());
        let rig = &import.imported.rigs[0];
        let rest = Pose::rest(&rig.skeleton).get(rig.joint_of(2).unwrap());
        assert_eq!((rest.translation, rest.scale.abs()), (Vec3::new(0.0, 2.0, 0.0), Vec3::from_array(scale)));
        assert_near(&at_rest(&import), expected);
    }
}

/// Returns a node that an animation moves by these keys along x.
fn moved(times: &[f32], along_x: &[f32]) -> GltfFile {
    let mut file = triangle();
    let times = file.floats("SCALAR", times);
    let values: Vec<f32> = along_x.iter().flat_map(|&x| [x, 0.0, 0.0]).collect();
    let values = file.floats("VEC3", &values);
    file.json["animations"] = json!([{"name": "a", "samplers": [{"input": times, "output": values}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}]);
    file
}

/// Returns the node's x at a time of the animation.
fn x(import: &mut Import, time: f32) -> f32 {
    let mut player = import.imported.play(0).expect("it has an animation");
    player.set_playback(hedgerow_gltf::anim::player::Playback::Clamp);
    player.seek(time);
    player.apply(&mut import.scene).unwrap();
    import.scene.update();
    import.scene.world(import.imported.node(0).unwrap()).unwrap().translation().x
}

/// Times and values of keys, their faults, and values at some times.
type Keys = (&'static [f32], &'static [f32], &'static [WarningKind], &'static [(f32, f32)]);

#[test]
fn keys_that_repeat_make_jumps_and_begin_at_zero() {
    const MOVED: &[WarningKind] = &[WarningKind::KeysMoved];
    const DROPPED: WarningKind = WarningKind::KeysDropped { count: 1 };
    let all: [Keys; 7] = [
        (&[0.0, 0.5, 0.5, 1.0], &[0.0, 1.0, 1.0, 2.0], &[DROPPED], &[(0.25, 0.5), (0.5, 1.0), (0.9, 1.8)]),
        (&[0.0, 0.5, 0.5, 1.0], &[0.0, 1.0, 5.0, 6.0], MOVED, &[(0.25, 0.5), (0.5, 5.0), (0.9, 5.8)]),
        (&[0.0, 1.0, 1.0], &[0.0, 1.0, 5.0], MOVED, &[(0.5, 0.5), (1.0, 5.0)]),
        (&[-0.125, 0.0, 1.0], &[0.0, 1.0, 2.0], MOVED, &[(0.0, 1.0), (0.5, 1.5), (1.0, 2.0)]),
        (&[-1.0, 1.0], &[0.0, 4.0], MOVED, &[(0.0, 2.0), (1.0, 4.0)]),
        (&[1.0, 0.0], &[4.0, 0.0], MOVED, &[(0.0, 0.0), (0.5, 2.0), (1.0, 4.0)]),
        (&[0.0, f32::NAN, 1.0], &[0.0, 9.0, 2.0], &[DROPPED], &[(0.5, 1.0), (1.0, 2.0)]),
    ];
    for (times, values, faults, samples) in all {
        let mut import = faulty(&moved(times, values).glb(), faults);
        for &(time, expected) in samples {
            let found = import.imported.clips[0].clip.translation(0).unwrap().sample(time).x;
            assert!((found - expected).abs() < 1e-5, "{times:?} at {time}: {found} for {expected}");
            // Compiled clips round the times of keys.
            let played = x(&mut import, time + 1e-3);
            assert!((played - expected).abs() < 6e-3, "{times:?} at {time}: {played} for {expected}");
        }
    }
    let bad_value = faulty(&moved(&[0.0, 0.5, 1.0], &[0.0, f32::INFINITY, 2.0]).glb(), &[DROPPED]);
    assert_eq!(x(&mut { bad_value }, 0.5), 1.0);
    // A node without a usable key does not move.
    let none = faulty(&moved(&[f32::NAN], &[7.0]).glb(), &[DROPPED, WarningKind::NoKeys]);
    assert_eq!(x(&mut { none }, 0.5), 0.0);
    faulty(&moved(&[], &[]).glb(), &[WarningKind::NoKeys]);
}

#[test]
fn rotations_and_weights_with_faulty_keys_play() {
    let mut file = triangle();
    let times = file.floats("SCALAR", &[0.0, 0.5, 0.5, 1.0]);
    let turn = core::f32::consts::FRAC_1_SQRT_2;
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, turn, turn], [0.0; 4], [0.0, 0.0, 1.0, 0.0]];
    let turns = file.floats("VEC4", turns.as_flattened());
    let weights = file.floats("SCALAR", &[0.0, 0.0, 1.0, 2.0, 5.0, 2.0, 6.0, 4.0]);
    file.json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 0}, {"POSITION": 0}]);
    file.json["animations"] = json!([{
        "samplers": [{"input": times, "output": turns}, {"input": times, "output": weights}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}},
            {"sampler": 1, "target": {"node": 0, "path": "weights"}}]}]);
    let dropped = WarningKind::KeysDropped { count: 1 };
    let import = faulty(&file.glb(), &[dropped, WarningKind::KeysMoved, dropped]);
    let clip = &import.imported.clips[0].clip;
    let rotation = clip.rotation(0).unwrap().sample(0.75);
    assert!(rotation.angle_between(Transform::IDENTITY.rotation) - 0.75 * core::f32::consts::PI < 1e-5);
    let at = |time| [0, 1].map(|channel| clip.channel(channel).sample(time));
    assert_eq!((at(0.5), at(1.0)), ([5.0, 2.0], [6.0, 4.0]));
}

#[test]
fn an_animated_node_with_a_matrix_is_taken_apart() {
    let mut file = moved(&[0.0, 1.0], &[0.0, 1.0]);
    file.json["nodes"][0]["matrix"] = json!([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 1]);
    let mut import = faulty(&file.glb(), &[WarningKind::AnimatedMatrix]);
    assert!((x(&mut import, 0.5) - 0.5).abs() < 1e-4);
}

#[test]
fn vertices_that_are_not_finite_are_replaced() {
    let mut file = triangle();
    let positions = file.floats("VEC3", &[0.0, 0.0, 0.0, f32::NAN, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, f32::INFINITY, 0.0]);
    file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(positions);
    let bad = WarningKind::Vertices { count: 2 };
    let import = faulty(&file.glb(), &[bad]);
    let up = [0.0, 1.0, 0.0];
    assert_eq!(corners(&import), [[0.0; 3], [0.0; 3], up, up]);
    let bounds = |import: &Import| import.imported.meshes[0].primitives[0].bounds;
    assert_eq!(bounds(&import), Some(Aabb::new(Vec3::ZERO, Vec3::Y)));
    let nodes = ImportOptions::new().with_parts(Parts::NODES).from_slice(&file.glb(), None).unwrap();
    assert_eq!((bounds(&nodes), nodes.imported.warnings[0].kind), (Some(Aabb::new(Vec3::ZERO, Vec3::Y)), bad));
}

#[test]
fn a_normal_that_is_not_finite_stays_until_something_computes_with_it() {
    let mut file = triangle();
    let normals = file.floats("VEC3", &[f32::NAN, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    file.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(normals);
    let import = hedgerow_gltf::from_slice(&file.glb(), None).unwrap();
    assert!(import.imported.warnings.is_empty());
    let vertices = import.imported.vertices(0).unwrap();
    assert!(vertices.normals[0][0].is_nan());
    let mesh = vertices.to_skinned_mesh(&Skin::rigid()).expect("the other numbers are finite");
    let (mut models, mut room, mut placed, mut turned) = (Vec::new(), Vec::new(), [[0.0; 3]; 3], [[0.0; 3]; 3]);
    models.push(Transform::IDENTITY.to_matrix());
    let skin = Skin::rigid();
    let output = SkinOutput::new(&mut placed[..]).normals(&mut turned[..]);
    mesh.skin(skin.palette(&models, &mut room).unwrap(), output).unwrap();
    assert_eq!((placed, turned), (CORNERS, [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]));

    file.json["meshes"][0]["primitives"][0]["targets"] = json!([{"NORMAL": normals}]);
    let one = WarningKind::Vertices { count: 1 };
    let import = faulty(&file.glb(), &[one, one]);
    let vertices = import.imported.vertices(0).unwrap();
    assert_eq!((vertices.normals[0], vertices.targets[0].normals[0]), ([0.0, 0.0, 1.0], [0.0; 3]));
}

#[test]
fn what_is_no_gltf_is_named() {
    let kind = |bytes: &[u8]| hedgerow_gltf::from_slice(bytes, None).map(drop).unwrap_err().kind().clone();
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
    for (bytes, expected) in [
        (&b""[..], OtherFile::Empty),
        (b" \n", OtherFile::Empty),
        (pointer, OtherFile::GitLfsPointer),
        (b"\n<!DOCTYPE html>\n<html></html>", OtherFile::Html),
        (b"PK\x03\x04\x14\0", OtherFile::Zip),
        (b"v 0 0 0\nv 1 0 0\n", OtherFile::Text),
        (b"Kaydara FBX Binary  \0\x1a", OtherFile::Binary),
    ] {
        assert_eq!(kind(bytes), ImportErrorKind::NotGltf(expected));
    }
    for first in [
        &br#"{"asset":{"version":"1.0"},"scenes":{"s":{"nodes":["n"]}},"scene":"s","nodes":{"n":{}}}"#[..],
        br#"{"scenes":{"s":{"nodes":["n"]}},"scene":"s","nodes":{"n":{}},"meshes":{}}"#,
        // A GLB of version 1, with an invalid length.
        b"glTF\x01\0\0\0\xFF\xFF\0\0\x10\0\0\0\0\0\0\0{\"asset\":{}}",
    ] {
        assert_eq!(kind(first), ImportErrorKind::Version("1.0".to_owned()));
    }
}

#[test]
fn a_missing_field_is_named_with_its_item() {
    let mut file = triangle();
    file.json["accessors"][0].as_object_mut().unwrap().remove("componentType");
    let error = hedgerow_gltf::from_slice(&file.glb(), None).map(drop).unwrap_err().to_string();
    assert!(error.starts_with("the file cannot be read as glTF: accessor 0: missing field `componentType`"), "{error}");
    let mut file = triangle();
    file.put("/meshes/0/primitives/0/attributes/POSITION", json!("first"));
    let error = hedgerow_gltf::from_slice(&file.glb(), None).map(drop).unwrap_err().to_string();
    let expected = "the file cannot be read as glTF: mesh 0: primitives[0].attributes.POSITION: invalid type";
    assert!(error.starts_with(expected), "{error}");
}
