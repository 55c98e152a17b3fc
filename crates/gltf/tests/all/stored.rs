//! Numbers as they are in the file, references to textures in extensions, and the triangles of nodes.

use crate::grid::grid;
use hedgerow::data::NodeMap;
use hedgerow::glam::Vec3;
use hedgerow_gltf::anim::player::Playback;
use hedgerow_gltf::anim::skin::SkinOutput;
use hedgerow_gltf::{AccessorNumbers, ImportErrorKind, ImportOptions, Imported, Parts};
use hedgerow_testkit::gltf::GltfFile;
use serde_json::json;

fn stored(file: &GltfFile) -> Imported {
    let options = ImportOptions::new().with_parts(Parts { vertices: false, ..Parts::ALL }).with_accessors();
    options.from_slice(&file.glb(), None).unwrap().imported
}

/// Returns the numbers of the last accessor, and their count in an element.
fn last(file: &GltfFile) -> Option<(AccessorNumbers, usize)> {
    let last = stored(file).accessors.pop().unwrap()?;
    assert_eq!(last.count, 2);
    Some((last.numbers, last.width))
}

#[test]
fn every_type_comes_without_strides_and_padding() {
    let bytes: Vec<u8> = (0..=255).collect();
    let halves = |at: &[u8]| at.iter().map(|&at| u16::from_le_bytes([at, at + 1])).collect::<Vec<u16>>();
    let with = |accessor: serde_json::Value| {
        let mut file = GltfFile::new(json!({}));
        file.view(&bytes);
        file.json["bufferViews"][0]["byteStride"] = accessor["stride"].clone();
        file.accessor(accessor);
        last(&file)
    };
    let of = |component: u32, kind: &str| {
        with(json!({"bufferView": 0, "componentType": component, "type": kind, "count": 2}))
    };
    assert_eq!(of(5121, "VEC3"), Some((AccessorNumbers::U8((0..6).collect()), 3)));
    assert_eq!(of(5120, "SCALAR"), Some((AccessorNumbers::I8(vec![0, 1]), 1)));
    assert_eq!(of(5123, "VEC2"), Some((AccessorNumbers::U16(halves(&[0, 2, 4, 6])), 2)));
    assert_eq!(of(5122, "SCALAR"), Some((AccessorNumbers::I16(vec![0x100, 0x302]), 1)));
    assert_eq!(of(5125, "SCALAR"), Some((AccessorNumbers::U32(vec![0x302_0100, 0x706_0504]), 1)));
    // The columns of matrices begin at multiples of four bytes.
    assert_eq!(of(5121, "MAT2"), Some((AccessorNumbers::U8(vec![0, 1, 4, 5, 8, 9, 12, 13]), 4)));
    assert_eq!(of(5123, "MAT2"), Some((AccessorNumbers::U16(halves(&[0, 2, 4, 6, 8, 10, 12, 14])), 4)));
    let columns = [0_u8, 1, 2, 4, 5, 6, 8, 9, 10];
    let two = [columns, columns.map(|at| at + 12)].concat();
    assert_eq!(of(5121, "MAT3"), Some((AccessorNumbers::U8(two.clone()), 9)));
    let doubled: Vec<u8> = two.iter().map(|at| 2 * at).collect();
    assert_eq!(of(5123, "MAT3"), Some((AccessorNumbers::U16(halves(&doubled)), 9)));
    for (kind, width) in [("VEC4", 4), ("MAT2", 4), ("MAT3", 9), ("MAT4", 16)] {
        let floats = bytes.as_chunks().0.iter().map(|of| f32::from_le_bytes(*of)).take(2 * width);
        assert_eq!(of(5126, kind), Some((AccessorNumbers::F32(floats.collect()), width)));
    }
    let strided =
        json!({"bufferView": 0, "componentType": 5121, "type": "VEC2", "count": 2, "stride": 8, "byteOffset": 4});
    assert_eq!(with(strided), Some((AccessorNumbers::U8(vec![4, 5, 12, 13]), 2)));
    // Sparse values replace zeros, or elements.
    for (base, expected) in [(json!(null), vec![0, 0, 9, 10]), (json!(0), vec![0, 1, 9, 10])] {
        let sparse = json!({"count": 1, "indices": {"bufferView": 0, "byteOffset": 1, "componentType": 5121},
            "values": {"bufferView": 0, "byteOffset": 9}});
        let mut accessor = json!({"componentType": 5121, "type": "VEC2", "count": 2, "sparse": sparse});
        if !base.is_null() {
            accessor["bufferView"] = base;
        }
        assert_eq!(with(accessor), Some((AccessorNumbers::U8(expected), 2)));
    }
    // Nothing else reads what is invalid or missing.
    assert_eq!(with(json!({"bufferView": 7, "componentType": 5121, "type": "VEC2", "count": 2})), None);
    assert_eq!(with(json!({"bufferView": 0, "componentType": 5121, "type": "VEC2", "count": 200})), None);
}

#[test]
fn a_primitive_lists_its_accessors() {
    let mut file = grid();
    for primitive in file.json["meshes"][0]["primitives"].as_array_mut().unwrap() {
        primitive["targets"] = json!([{"POSITION": 1, "NORMAL": 0}, {}]);
        primitive["attributes"]["GLOSS"] = json!(1);
    }
    file.json["accessors"][5]["name"] = json!("bones");
    let imported = stored(&file);
    let accessors = &imported.meshes[0].primitives[0].accessors;
    let find = |name| accessors.attributes.iter().find(|(of, _)| of == name).map(|&(_, accessor)| accessor);
    assert_eq!((accessors.attributes.len(), find("POSITION"), find("GLOSS")), (7, Some(0), Some(1)));
    assert_eq!((accessors.indices, &accessors.targets), (Some(6), &vec![vec![("POSITION", 1), ("NORMAL", 0)], vec![]]));
    assert_eq!(imported.accessors[5].as_ref().unwrap().name.as_deref(), Some("bones"));
    let AccessorNumbers::U16(indices) = &imported.accessors[6].as_ref().unwrap().numbers else { panic!("other") };
    let imported = hedgerow_gltf::from_slice(&file.glb(), None).unwrap().imported;
    assert!(imported.vertices(0).unwrap().indices.iter().copied().eq(indices.iter().copied().map(u32::from)));
    // Without the option, nothing is listed.
    assert_eq!((&imported.accessors[..], imported.meshes[0].primitives[0].accessors.indices), (&[][..], None));
}

/// Compressed numbers are decoded, and integers stay integers.
#[cfg(all(feature = "draco", feature = "meshopt"))]
#[test]
fn compressed_numbers_are_decoded() {
    for name in ["grid_meshopt_khr.glb", "grid_meshopt_filters.glb", "grid_draco.glb", "grid_draco_fallback.glb"] {
        let bytes = std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name));
        let import = ImportOptions::new().with_accessors().from_slice(&bytes.unwrap(), None).unwrap();
        let primitive = &import.imported.meshes[0].primitives[0];
        let data = primitive.vertices.as_ref().unwrap();
        let of = |index: usize| &import.imported.accessors[index].as_ref().expect("it is decoded").numbers;
        let indices: Vec<u32> = match of(primitive.accessors.indices.unwrap()) {
            AccessorNumbers::U16(indices) => indices.iter().copied().map(u32::from).collect(),
            AccessorNumbers::U32(indices) => indices.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(indices, data.indices, "{name}");
        let (_, joints) = primitive.accessors.attributes.iter().find(|(name, _)| name == "JOINTS_0").unwrap();
        let joints: Vec<u16> = match of(*joints) {
            AccessorNumbers::U8(joints) => joints.iter().copied().map(u16::from).collect(),
            AccessorNumbers::U16(joints) => joints.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(joints, data.joints, "{name}");
    }
}

#[test]
fn references_to_textures_are_read_from_any_json() {
    let imported =
        hedgerow_gltf::from_slice(&GltfFile::new(json!({"textures": [{}, {}]})).glb(), None).unwrap().imported;
    let plain = imported.texture_ref(&json!({"index": 1})).unwrap();
    assert_eq!((plain.texture, plain.texcoord, plain.transform), (1, 0, None));
    let transform = json!({"KHR_texture_transform": {"rotation": 1.5, "texCoord": 3.0}});
    let moved = imported.texture_ref(&json!({"index": 1.0, "texCoord": 2.0, "extensions": transform})).unwrap();
    let transform = moved.transform.unwrap();
    assert_eq!((moved.texture, moved.texcoord, transform.rotation, transform.scale), (1, 3, 1.5, [1.0, 1.0]));
    for (json, expected) in [
        (json!({}), "the file: index: it must be the index of a texture"),
        (json!([1]), "the file: index: it must be the index of a texture"),
        (json!({"index": -1}), "the file: index: it must be the index of a texture"),
        (json!({"index": 2}), "the file: index is 2, but the file has 2 of these"),
        (json!({"index": 0, "texCoord": "a"}), "the file: texCoord: it must be the number of a set of coordinates"),
        (
            json!({"index": 0, "extensions": {"KHR_texture_transform": {"scale": 1}}}),
            "the file: extensions.KHR_texture_transform: it must have an offset, a rotation and a scale",
        ),
        (
            json!({"index": 0, "extensions": {"KHR_texture_transform": {"rotation": 1e300}}}),
            "the file: extensions.KHR_texture_transform must be finite",
        ),
    ] {
        assert_eq!(imported.texture_ref(&json).unwrap_err().to_string(), expected, "{json}");
    }
}

#[test]
fn the_triangles_of_a_node_are_those_that_it_draws_now() {
    let mut import = hedgerow_gltf::from_slice(&grid().glb(), None).unwrap();
    let (scene, imported) = (&mut import.scene, &import.imported);
    let mut bodies = NodeMap::new();
    for (drawable, body) in imported.deformed_all(&imported.scenes[0].drawables).unwrap() {
        _ = bodies.insert(drawable.handle, body);
    }
    let mut player = imported.play(0).unwrap();
    player.set_playback(Playback::Clamp);
    player.advance(1.0);
    player.apply(scene).unwrap();
    let [field, rim] = imported.scenes[0].drawables_of(1) else { panic!("two primitives") };
    let body = bodies.get_mut(field.handle).unwrap();
    body.follow(&player, scene).unwrap();
    let mut positions = vec![[0.0_f32; 3]; body.mesh().len()];
    body.skin(SkinOutput::new(&mut positions[..])).unwrap();
    let expected: Vec<[Vec3; 3]> =
        body.triangles().iter().map(|of| of.map(|index| positions[index as usize].into())).collect();

    let mut triangles = Vec::new();
    imported.triangles(scene, field.handle, &mut bodies, &mut triangles).unwrap();
    assert_eq!(triangles, expected);
    assert!(!triangles.is_empty());
    // Without its body, the node has the triangles of the file.
    let data = imported.vertices(field.id).unwrap();
    let at_rest = data.triangles().map(|of| of.map(|index| Vec3::from(data.positions[index as usize])));
    imported.triangles(scene, field.handle, &mut NodeMap::new(), &mut triangles).unwrap();
    assert!(triangles.iter().copied().eq(at_rest));
    // Lines, groups and removed nodes have none.
    let root = scene.root();
    scene.remove(field.handle).unwrap();
    for node in [rim.handle, root, field.handle] {
        imported.triangles(scene, node, &mut NodeMap::new(), &mut triangles).unwrap();
        assert_eq!(triangles, [] as [[Vec3; 3]; 0]);
    }
}

#[test]
fn errors_of_the_json_name_the_item_and_the_field() {
    for (json, expected) in [
        (
            r#""materials": [{}, {"pbrMetallicRoughness": {"baseColorFactor": "red"}, "name": "bark"}]"#,
            "material 1 \"bark\": pbrMetallicRoughness.baseColorFactor: invalid type: string \"red\"",
        ),
        (r#""animations": [{"samplers": [{"input": []}]}]"#, "animation 0: samplers[0].input: invalid type: sequence"),
        (r#""nodes": [7]"#, "node 0: invalid type: integer `7`"),
        (r#""nodes": 7"#, "nodes: invalid type: integer `7`"),
        (r#""samplers": [{"name": 7}]"#, "samplers[0].name: invalid type: integer `7`"),
        (r#""nodes": [{"name": "a", "mesh": ]"#, "node 0: mesh: expected value"),
    ] {
        let text = format!(r#"{{"asset": {{"version": "2.0"}}, {json}}}"#);
        let error = hedgerow_gltf::from_slice(text.as_bytes(), None).map(drop).unwrap_err();
        assert!(matches!(error.kind(), ImportErrorKind::Json(_)));
        let expected = format!("the file cannot be read as glTF: {expected}");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}
