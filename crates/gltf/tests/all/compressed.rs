//! Compressed geometry, compared with the plain models.
//!
//! | model in `tests/models` | made by | of |
//! |---|---|---|
//! | `man_meshopt_ext.glb` | the encoder of meshoptimizer 1.3.0: `EXT_meshopt_compression`, all views, no filters | `man.glb` |
//! | `grid_meshopt_khr.glb` | the same encoder: `KHR_meshopt_compression`, vertex codec of version 1, no filters | `grid.glb` |
//! | `grid_meshopt_filters.glb` | the same with all filters; normals and colours of the rim in 16 bits | `grid.glb` |
//! | `grid_draco.glb` | the encoder of Draco 1.5.7: the grid thrice, by edgebreaker at speeds 0 and 5 and in sequence | `grid.glb` |
//! | `grid_draco_fallback.glb` | the same encoder at speed 0; plain accessors have the output of the decoder of Draco 1.5.7 | `grid.glb` |
//!
//! In the last two models the stream has no colours. It has 12 bits for positions, 9 for normals, 11 for texture
//! coordinates and 10 for weights.

#[cfg(any(feature = "draco", feature = "meshopt"))]
use hedgerow_gltf::ImportOptions;
use hedgerow_gltf::{Import, ImportError, ImportErrorKind, Skipped};
#[cfg(any(feature = "draco", feature = "meshopt"))]
use hedgerow_testkit::gltf::{GltfFile, glb};
#[cfg(any(feature = "draco", feature = "meshopt"))]
use serde_json::Value;
use std::path::{Path, PathBuf};

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

fn load(name: &str) -> Result<Import, ImportError> {
    hedgerow_gltf::load(model(name))
}

/// Returns the JSON of a model, and the bytes of its buffer.
#[cfg(any(feature = "draco", feature = "meshopt"))]
fn parts(name: &str) -> (Value, Vec<u8>) {
    let mut file = GltfFile::of_glb(&std::fs::read(model(name)).expect("it ships with the crate"));
    (file.json.take(), std::mem::take(file.data_mut()))
}

#[cfg(any(feature = "draco", feature = "meshopt"))]
fn read((json, data): &(Value, Vec<u8>)) -> Result<Import, ImportError> {
    read_with((json, data), ImportOptions::new())
}

#[cfg(any(feature = "draco", feature = "meshopt"))]
fn read_with((json, data): (&Value, &[u8]), options: ImportOptions) -> Result<Import, ImportError> {
    options.from_slice(&glb(json.to_string().as_bytes(), data), None)
}

#[cfg(not(all(feature = "draco", feature = "meshopt")))]
#[test]
fn where_a_feature_is_off_the_error_names_it() {
    let files = [
        ("man_meshopt_ext.glb", "EXT_meshopt_compression", "meshopt", cfg!(feature = "meshopt")),
        ("grid_meshopt_khr.glb", "KHR_meshopt_compression", "meshopt", cfg!(feature = "meshopt")),
        ("grid_draco.glb", "KHR_draco_mesh_compression", "draco", cfg!(feature = "draco")),
    ];
    for (file, extension, feature, _) in files.into_iter().filter(|(.., is_on)| !is_on) {
        let error = load(file).unwrap_err();
        assert_eq!(error.kind(), &ImportErrorKind::FeatureOff { extension, feature });
        assert!(error.to_string().contains(&format!("turn on the feature {feature:?} of hedgerow-gltf")));
    }
}

#[test]
fn an_optional_stream_is_decoded_or_its_fallback_is_read() {
    let import = load("grid_draco_fallback.glb").expect("it is a model");
    let name = "KHR_draco_mesh_compression".to_owned();
    assert_eq!(import.imported.skipped.contains(&Skipped::Extension(name)), !cfg!(feature = "draco"));
    assert_eq!(import.imported.vertices(0).expect("it has positions").positions.len(), 154);
}

#[cfg(feature = "meshopt")]
mod meshopt {
    use super::*;
    use hedgerow_gltf::{Imported, MeshData, Parts, WarningKind};
    use hedgerow_testkit::gltf::saved;
    use serde_json::json;

    const KHR: &str = "/bufferViews/0/extensions/KHR_meshopt_compression";

    fn vertices(imported: &Imported, id: u32) -> &MeshData {
        imported.vertices(id).expect("it has positions")
    }

    /// Returns whether all numbers differ by at most `most`.
    fn near<const N: usize>(a: &[[f32; N]], b: &[[f32; N]], most: f32) -> bool {
        a.len() == b.len() && a.as_flattened().iter().zip(b.as_flattened()).all(|(a, b)| (a - b).abs() <= most)
    }

    #[test]
    fn without_filters_a_file_is_the_plain_one() {
        let [plain, compressed] =
            ["man.glb", "man_meshopt_ext.glb"].map(|name| load(name).expect("it is a model").imported);
        assert_eq!(plain.meshes, compressed.meshes);
        assert_eq!(saved(&plain).expect("a character"), saved(&compressed).expect("a character"));
        assert_eq!(compressed.skipped, []);
        let [plain, mut compressed] =
            ["grid.glb", "grid_meshopt_khr.glb"].map(|name| load(name).expect("it is a model").imported);
        // Encoders rotate the corners of triangles.
        let turned = compressed.meshes[0].primitives[0].vertices.as_mut().expect("it has positions");
        let of_plain = vertices(&plain, 0).indices.as_chunks::<3>().0;
        for (turned, plain) in turned.indices.as_chunks_mut::<3>().0.iter_mut().zip(of_plain) {
            let first = turned.iter().position(|index| *index == plain[0]).expect("the same corners");
            turned.rotate_left(first);
        }
        assert_eq!(plain.meshes, compressed.meshes);
    }

    #[test]
    fn with_filters_a_file_is_the_plain_one_within_their_bits() {
        let [plain, filtered] = ["grid.glb", "grid_meshopt_filters.glb"].map(|name| load(name).expect("it is a model"));
        let (a, b) = (vertices(&plain.imported, 0), vertices(&filtered.imported, 0));
        // The numbers are eighths, which have few bits.
        assert_eq!(a.positions, b.positions);
        assert!(near(&a.normals, &b.normals, 2.0 / 127.0) && a.normals != b.normals);
        assert!(near(&a.texcoords[0], &b.texcoords[0], 1.0 / 32768.0) && a.texcoords != b.texcoords);
        assert!(near(&a.colors[0], &b.colors[0], 2.0 / 255.0) && a.colors != b.colors);
        assert_eq!((&a.joints, &a.weights, &a.indices), (&b.joints, &b.weights, &b.indices));
        let rim = vertices(&filtered.imported, 1);
        assert!(near(&a.normals, &rim.normals, 2.0 / 2048.0));
        assert!(near(&a.colors[0], &rim.colors[0], 2.0 / 16384.0));
        assert_eq!(rim.indices, vertices(&plain.imported, 1).indices);
        let ends = [plain, filtered].map(|Import { mut scene, imported, .. }| {
            let mut player = imported.play(0).expect("it has clips");
            player.seek(1.7);
            player.apply(&mut scene).expect("its nodes are there");
            scene.update();
            let top = scene.world(imported.node(2).expect("it is in a scene")).expect("it lives");
            top.translation().to_array()
        });
        assert!(near(&ends[..1], &ends[1..], 0.05) && ends[0] != [0.0; 3], "{ends:?}");
    }

    #[test]
    fn a_bent_stream_is_refused_by_its_view() {
        let whole = parts("grid_meshopt_khr.glb");
        assert!(read(&whole).is_ok());
        let range = |view: usize| {
            let of = &whole.0["bufferViews"][view]["extensions"]["KHR_meshopt_compression"];
            let number = |name: &str| usize::try_from(of[name].as_u64().unwrap()).unwrap();
            number("byteOffset")..number("byteOffset") + number("byteLength")
        };
        let refused = |view: usize, change: &dyn Fn(&mut [u8])| {
            let (json, mut data) = whole.clone();
            change(&mut data[range(view)]);
            match read(&(json, data)).unwrap_err().kind() {
                ImportErrorKind::Compressed { item, field, problem } => {
                    assert_eq!((item.index, field.as_str()), (view, "extensions.KHR_meshopt_compression"));
                    problem.clone()
                }
                other => panic!("{other:?}"),
            }
        };
        // The views are positions, triangles and the rim's indices.
        for view in [0, 6, 7] {
            assert_eq!(refused(view, &|bytes| bytes[0] ^= 0x40), "its first byte is not that of its mode");
        }
        assert_eq!(refused(7, &|bytes| bytes[3..8].fill(255)), "a number has more than five bytes");
        assert_eq!(refused(0, &|bytes| *bytes.last_mut().unwrap() = 3), "unknown channel mode");
        // The first triangle refers to an earlier edge; another takes more bytes than exist.
        assert_eq!(refused(6, &|bytes| bytes[1] = 0), "a triangle refers to an edge or vertex before the first");
        assert_eq!(refused(6, &|bytes| bytes[2..262].fill(0xff)), "it ends before its last element");
    }

    #[test]
    fn a_short_or_long_stream_is_refused() {
        let whole = parts("grid_meshopt_khr.glb");
        for (view, length) in [(0, 1), (0, 30), (1, 800), (6, 200), (6, 280), (7, 20)] {
            let (mut json, data) = whole.clone();
            json["bufferViews"][view]["extensions"]["KHR_meshopt_compression"]["byteLength"] = json!(length);
            let error = read(&(json, data)).unwrap_err();
            assert!(matches!(error.kind(), ImportErrorKind::Compressed { .. }), "{view}, {length}: {error}");
        }
        let (mut json, data) = whole;
        let of = json.pointer_mut(KHR).unwrap();
        of["byteLength"] = json!(of["byteLength"].as_u64().unwrap() + 3);
        let error = read(&(json, data)).unwrap_err();
        assert!(error.to_string().contains("it has bytes after its last element"), "{error}");
    }

    #[test]
    fn what_the_extension_forbids_is_refused_by_field() {
        let whole = parts("grid_meshopt_khr.glb");
        let changes = [
            ("mode", json!("POINTS"), "mode"),
            ("mode", Value::Null, "mode"),
            ("mode", json!("TRIANGLES"), "byteStride"),
            ("filter", json!("SHARPEN"), "filter"),
            ("filter", json!("QUATERNION"), "byteStride"),
            ("filter", json!("COLOR"), "byteStride"),
            ("byteStride", json!(0), "byteStride"),
            ("byteStride", json!(6), "byteStride"),
            ("byteStride", json!(260), "byteStride"),
            ("byteStride", json!(-12), "byteStride"),
            ("count", json!(1.5), "count"),
            ("count", json!(155), "count"),
            ("count", json!(u64::MAX), "count"),
            ("byteOffset", json!("0"), "byteOffset"),
        ];
        for (name, value, at_fault) in changes {
            let (mut json, data) = whole.clone();
            json.pointer_mut(KHR).unwrap()[name] = value.clone();
            match read(&(json, data)).unwrap_err().kind() {
                ImportErrorKind::Invalid { field, .. } => {
                    assert_eq!(field, &format!("extensions.KHR_meshopt_compression.{at_fault}"), "{name}: {value}");
                }
                other => panic!("{name}, {value}: {other:?}"),
            }
        }
        let (mut json, data) = whole.clone();
        // The triangles need 155 indices.
        let view = &mut json["bufferViews"][6];
        view["byteLength"] = json!(310);
        view["extensions"]["KHR_meshopt_compression"]["count"] = json!(155);
        json["accessors"][6]["count"] = json!(155);
        let error = read(&(json, data)).unwrap_err();
        assert!(error.to_string().contains("count: it must be a multiple of 3"), "{error}");
        let (mut json, data) = whole.clone();
        json.pointer_mut(KHR).unwrap()["buffer"] = json!(2);
        let error = read(&(json, data)).unwrap_err();
        assert!(matches!(error.kind(), ImportErrorKind::IndexOutOfRange { index: 2, count: 2, .. }), "{error}");
        let (mut json, data) = whole.clone();
        let unread = json!({"buffer": 1, "byteLength": 4, "extensions": {"KHR_meshopt_compression": {"mode": "NEW"}}});
        json["bufferViews"].as_array_mut().unwrap().push(unread);
        assert_eq!(read(&(json, data)).unwrap().imported.warnings[0].kind, WarningKind::LeftOut);
        let (mut json, data) = whole;
        json.pointer_mut(KHR).unwrap()["byteLength"] = json!(100_000);
        let error = read(&(json, data)).unwrap_err();
        assert!(matches!(error.kind(), ImportErrorKind::OutOfBounds { .. }), "{error}");
    }

    #[test]
    fn numbers_may_be_written_with_a_point() {
        let (mut json, data) = parts("grid_meshopt_khr.glb");
        json.pointer_mut(KHR).unwrap()["count"] = json!(154.0);
        assert!(read(&(json, data)).is_ok());
    }

    #[test]
    fn a_fallback_is_not_looked_for_unless_a_plain_view_needs_it() {
        let (mut json, data) = parts("grid_meshopt_khr.glb");
        json["buffers"][1]["uri"] = json!("there/is/no.bin");
        assert!(read(&(json.clone(), data.clone())).is_ok());
        json["bufferViews"].as_array_mut().unwrap().push(json!({"buffer": 1, "byteLength": 4}));
        let error = read(&(json, data)).unwrap_err();
        assert!(matches!(error.kind(), ImportErrorKind::Buffer { .. }), "{error}");
    }

    #[test]
    fn what_is_decoded_counts_once_and_only_if_it_is_read() {
        let rigid = |name| {
            let (mut json, data) = parts(name);
            json["nodes"][1].as_object_mut().unwrap().remove("skin");
            (json, data)
        };
        let (json, data) = rigid("grid_meshopt_khr.glb");
        let plain = json["bufferViews"].as_array().unwrap();
        let decoded: u64 = plain.iter().map(|view| view["byteLength"].as_u64().unwrap()).sum();
        let most = |bytes: u64| ImportOptions::new().with_max_bytes(bytes);
        // Returns the least number of bytes with which a file is accepted.
        let least = |json: &Value, data: &[u8], parts: Parts| {
            let (mut few, mut enough) = (0, 10 * decoded);
            while few + 1 < enough {
                let between = few.midpoint(enough);
                let options = most(between).with_parts(parts);
                let side = if read_with((json, data), options).is_ok() { &mut enough } else { &mut few };
                *side = between;
            }
            enough
        };
        // With nodes only, nothing is decoded: the file states the boxes, and no skin moves the vertices.
        let of_buffers = |json: &Value, data: &[u8]| {
            least(json, data, Parts { vertices: true, ..Parts::NODES }) - least(json, data, Parts::NODES)
        };
        let (plain_json, plain_data) = rigid("grid.glb");
        let more = of_buffers(&json, &data) - of_buffers(&plain_json, &plain_data);
        assert!(more > decoded / 2 && more <= decoded, "{more} of {decoded} bytes");
    }

    #[test]
    fn few_bytes_do_not_make_many() {
        // A stream of some hundred bytes that claims two gigabytes.
        for (header, stride, count) in
            [(0xa0, 4, 1_u64 << 29), (0xa1, 256, 1 << 23), (0xe1, 4, 3 << 27), (0xd1, 4, 1 << 29)]
        {
            let (mut json, mut data) = parts("grid_meshopt_khr.glb");
            json["bufferViews"][0]["byteLength"] = json!(stride * count);
            json["buffers"][1]["byteLength"] = json!(stride * count);
            let of = json.pointer_mut(KHR).unwrap();
            let at = usize::try_from(of["byteOffset"].as_u64().unwrap()).unwrap();
            (of["count"], of["byteStride"]) = (json!(count), json!(stride));
            of["mode"] = json!(match header {
                0xe1 => "TRIANGLES",
                0xd1 => "INDICES",
                _ => "ATTRIBUTES",
            });
            data[at] = header;
            let everything = ImportOptions::new().with_max_bytes(u64::MAX);
            let error = read_with((&json, &data), everything).unwrap_err();
            assert!(error.to_string().contains("it ends before its last element"), "{error}");
        }
    }
}

#[cfg(feature = "draco")]
mod draco {
    use super::*;
    use crate::grid::SIDES;
    use hedgerow_gltf::{MeshData, Parts};
    use serde_json::json;

    const EXTENSION: &str = "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression";

    /// Returns, for each vertex, the vertex of the plain grid at its position; corners are one unit apart.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "corners are at small natural numbers")]
    fn corners(of: &MeshData) -> Vec<usize> {
        let corner = |&[x, _, z]: &[f32; 3]| z.round() as usize * usize::from(SIDES[0]) + x.round() as usize;
        of.positions.iter().map(corner).collect()
    }

    /// Returns whether each element differs by at most `most` from the plain grid's.
    fn near<const N: usize>(plain: &[[f32; N]], decoded: &[[f32; N]], corners: &[usize], most: f32) -> bool {
        decoded.len() == corners.len()
            && decoded.iter().zip(corners).all(|(decoded, &corner)| {
                decoded.iter().zip(plain[corner]).all(|(decoded, plain)| (decoded - plain).abs() <= most)
            })
    }

    /// Returns the sorted triangles, each starting with its least corner.
    fn triangles(indices: &[u32], corners: &[usize]) -> Vec<[usize; 3]> {
        let mut all: Vec<[usize; 3]> = indices
            .as_chunks::<3>()
            .0
            .iter()
            .map(|triangle| {
                let mut triangle = triangle.map(|index| corners[index as usize]);
                let least = triangle.iter().enumerate().min_by_key(|(_, corner)| **corner).unwrap().0;
                triangle.rotate_left(least);
                triangle
            })
            .collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn a_file_is_the_plain_one_within_its_bits() {
        let [plain, decoded] = ["grid.glb", "grid_draco.glb"].map(|name| load(name).expect("it is a model").imported);
        let plain = plain.vertices(0).expect("it has positions");
        let in_order: Vec<usize> = (0..plain.positions.len()).collect();
        for id in 0..3 {
            let mesh = decoded.vertices(id).expect("it has positions");
            let corners = corners(mesh);
            assert_eq!(corners.len(), 154);
            assert!(near(&plain.positions, &mesh.positions, &corners, 13.0 / 4096.0));
            assert!(near(&plain.normals, &mesh.normals, &corners, 2.0 / 256.0));
            assert!(near(&plain.texcoords[0], &mesh.texcoords[0], &corners, 1.0 / 2048.0));
            // Colours are not in the stream.
            assert!(near(&plain.colors[0], &mesh.colors[0], &corners, 0.0));
            let of_four = |data: &MeshData| data.weights.as_chunks::<4>().0.to_vec();
            assert!(near(&of_four(plain), &of_four(mesh), &corners, 1.0 / 1024.0));
            let joints = |data: &MeshData| data.joints.as_chunks::<4>().0.iter().map(|of| of.map(f32::from)).collect();
            let [a, b]: [Vec<[f32; 4]>; 2] = [plain, mesh].map(joints);
            assert!(near(&a, &b, &corners, 0.0));
            assert_eq!(triangles(&plain.indices, &in_order), triangles(&mesh.indices, &corners));
        }
        assert_eq!(decoded.skipped, []);
    }

    #[test]
    fn what_comes_is_what_the_reference_decoder_makes() {
        let (mut json, data) = parts("grid_draco_fallback.glb");
        let decoded = read(&(json.clone(), data.clone())).expect("it is a model").imported;
        json["meshes"][0]["primitives"][0].as_object_mut().unwrap().remove("extensions");
        json["accessors"][0]["min"] = Value::Null;
        let plain = read(&(json, data)).expect("it is a model").imported;
        let ([plain], [decoded]) = (&*plain.meshes[0].primitives, &*decoded.meshes[0].primitives) else { panic!() };
        assert_eq!(plain.vertices, decoded.vertices);
    }

    #[test]
    fn counts_and_types_of_the_stream_hold() {
        let (mut json, data) = parts("grid_draco.glb");
        let before = read(&(json.clone(), data.clone())).expect("it is a model").imported;
        for accessor in json["accessors"].as_array_mut().unwrap() {
            if accessor["bufferView"].is_null() {
                accessor["count"] = json!(12);
            }
        }
        json["accessors"][5]["componentType"] = json!(5121);
        let after = read(&(json, data)).expect("it is a model").imported;
        assert_eq!(before.meshes, after.meshes);
    }

    #[test]
    fn primitives_may_share_accessors_and_streams() {
        let (mut json, data) = parts("grid_draco.glb");
        let before = read(&(json.clone(), data.clone())).expect("it is a model").imported;
        let shared = json["meshes"][0]["primitives"][0]["attributes"].clone();
        let own_colors = json["meshes"][0]["primitives"][1]["attributes"]["COLOR_0"].clone();
        json["meshes"][0]["primitives"][1]["attributes"] = shared;
        json["meshes"][0]["primitives"][1]["attributes"]["COLOR_0"] = own_colors;
        json["meshes"][0]["primitives"][1]["indices"] = json["meshes"][0]["primitives"][0]["indices"].clone();
        json["meshes"][0]["primitives"][2].as_object_mut().unwrap().remove("indices");
        let after = read(&(json, data)).expect("it is a model").imported;
        assert_eq!(before.meshes, after.meshes);
    }

    #[test]
    fn boxes_that_the_file_lacks_are_computed() {
        let (mut json, data) = parts("grid_draco.glb");
        let nodes = ImportOptions::new().with_parts(Parts::NODES);
        let stated = read_with((&json, &data), nodes).expect("it is a model").imported;
        let mut without = json.clone();
        without["accessors"][0].as_object_mut().unwrap().remove("min");
        let computed = read_with((&without, &data), nodes).expect("it is a model").imported;
        let boxes = [&stated, &computed].map(|imported| imported.meshes[0].primitives[0].bounds.expect("positions"));
        let step = 13.0 / 4096.0;
        assert!((boxes[0].min - boxes[1].min).abs().max_element() <= step);
        assert!((boxes[0].max - boxes[1].max).abs().max_element() <= step);
        assert!(boxes[1].max.max_element() > 12.0);
        // Exporters enlarge boxes by a step of eleven bits.
        for (max, faults) in [(13.007, 0), (13.03, 1)] {
            json["accessors"][0]["max"][0] = json!(max);
            assert_eq!(read(&(json.clone(), data.clone())).unwrap().imported.warnings.len(), faults);
        }
        // The box of what a skin moves follows from the stream; other nodes need no stream if boxes are stated.
        json["meshes"][0]["primitives"][1]["extensions"]["KHR_draco_mesh_compression"]["bufferView"] = json!(5);
        assert!(read_with((&json, &data), nodes).is_err());
        json["nodes"][1].as_object_mut().unwrap().remove("skin");
        assert!(read_with((&json, &data), nodes).is_ok());
    }

    #[test]
    fn what_the_extension_forbids_is_refused_by_field() {
        let whole = parts("grid_draco.glb");
        let views = whole.0["bufferViews"].as_array().unwrap().len();
        let refused = |at: &str, value: Value| {
            let (mut json, data) = whole.clone();
            let (holder, last) = at.rsplit_once('/').unwrap();
            json.pointer_mut(holder).unwrap()[last] = value;
            read(&(json, data)).unwrap_err()
        };
        let of_extension = |at: &str, value| refused(&format!("{EXTENSION}/{at}"), value);
        let invalid = |error: ImportError, name: &str| match error.kind() {
            ImportErrorKind::Invalid { field, .. } => {
                assert_eq!(field, &format!("primitives[0].extensions.KHR_draco_mesh_compression{name}"));
            }
            other => panic!("{other:?}"),
        };
        invalid(of_extension("bufferView", Value::Null), ".bufferView");
        invalid(of_extension("attributes", json!([0])), ".attributes");
        invalid(of_extension("attributes/POSITION", json!(1_u64 << 32)), ".attributes.POSITION");
        invalid(refused("/meshes/0/primitives/0/mode", json!(5)), "");
        let error = of_extension("bufferView", json!(views));
        assert!(matches!(error.kind(), ImportErrorKind::IndexOutOfRange { count, .. } if *count == views), "{error}");
        let error = of_extension("attributes/NORMAL", json!(77));
        assert!(error.to_string().contains("it has no attribute with the id 77, which NORMAL names"), "{error}");
        // Texture coordinates in place of positions: refused like a plain accessor of two numbers.
        let ids = &whole.0.pointer(EXTENSION).unwrap()["attributes"];
        let error = of_extension("attributes/POSITION", ids["TEXCOORD_0"].clone());
        assert!(error.to_string().contains("positions must be of type VEC3"), "{error}");
        let error = refused("/meshes/0/primitives/0/attributes/NORMAL", json!(1000));
        assert!(matches!(error.kind(), ImportErrorKind::IndexOutOfRange { index: 1000, .. }), "{error}");
    }

    #[test]
    fn a_bent_stream_is_refused_by_its_mesh() {
        let (json, mut data) = parts("grid_draco.glb");
        let view = &json["bufferViews"][0];
        let start = usize::try_from(view["byteOffset"].as_u64().unwrap()).unwrap();
        data[start..start + 5].copy_from_slice(b"drago");
        let error = read(&(json, data)).unwrap_err();
        let ImportErrorKind::Compressed { item, field, .. } = error.kind() else { panic!("{error:?}") };
        assert_eq!((item.index, field.as_str()), (0, "primitives[0].extensions.KHR_draco_mesh_compression"));
    }

    #[test]
    fn what_is_decoded_is_bounded() {
        let (json, data) = parts("grid_draco.glb");
        let most = |bytes: u64| read_with((&json, &data), ImportOptions::new().with_max_bytes(bytes));
        assert!(most(1 << 20).is_ok());
        for bytes in [0, 1_000, 20_000] {
            let error = most(bytes).unwrap_err();
            assert!(matches!(error.kind(), ImportErrorKind::TooManyBytes { most, .. } if *most == bytes), "{error}");
        }
        // A stream counts each time it is decoded, even if few of its attributes are used.
        let mut json = json;
        let primitive = &mut json["meshes"][0]["primitives"][0];
        primitive["attributes"] = json!({});
        primitive["extensions"]["KHR_draco_mesh_compression"]["attributes"] = json!({});
        let primitive = primitive.clone();
        json["meshes"][0]["primitives"] = json!([]);
        let mut most = |bytes: u64| {
            json["meshes"][0]["primitives"].as_array_mut().unwrap().push(primitive.clone());
            read_with((&json, &data), ImportOptions::new().with_max_bytes(bytes))
        };
        // A stream of 260 triangles and 154 vertices of 52 bytes takes 11 kB, limited to an eighth of the remaining
        // budget.
        assert!(most(250_000).is_ok());
        assert!((0..20).any(|_| most(250_000).is_err()));
    }
}
