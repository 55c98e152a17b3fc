//! Faults of meshes, buffers and animations that are repaired, and files that were never fetched.

use crate::faults::{CORNERS, corners, faulty, triangle, valid};
use hedgerow::Aabb;
use hedgerow::glam::Vec3;
use hedgerow_gltf::{
    BufferProblem, ImportErrorKind, ImportOptions, ImportedPrimitive, OtherFile, Parts, Skipped, Topology, WarningKind,
};
use hedgerow_testkit::gltf::{GltfFile, glb};
use serde_json::{Value, json};

#[test]
fn an_index_that_names_no_vertex_draws_nothing() {
    let mut file = triangle();
    let indices = file.numbers(5121, "SCALAR", &[0, 1, 2, 2, 3, 1, 0, 2, 1]);
    file.json["meshes"][0]["primitives"][0]["indices"] = json!(indices);
    let import = faulty(&file.glb(), &[WarningKind::Indices { count: 1 }]);
    let vertices = import.imported.vertices(0).unwrap();
    assert_eq!((vertices.topology, &vertices.indices[..]), (Topology::Triangles, &[0, 1, 2, 0, 0, 0, 0, 2, 1][..]));
}

/// Returns six points as a primitive of this mode with these indices.
fn listed(mode: u32, component: u32, indices: &[u8]) -> GltfFile {
    let mut file = triangle();
    let points: Vec<f32> = (0..6_u8).flat_map(|at| [f32::from(at % 2), f32::from(at / 2), 0.0]).collect();
    let (points, indices) = (file.floats("VEC3", &points), file.numbers(component, "SCALAR", indices));
    file.put("/meshes/0/primitives/0", json!({"attributes": {"POSITION": points}, "indices": indices, "mode": mode}));
    file
}

#[test]
fn strips_fans_and_loops_with_bad_or_restart_indices_are_lists_without_them() {
    use Topology::{LineStrip, Lines, TriangleStrip, Triangles};
    const SHORTS: [u8; 14] = [0, 0, 1, 0, 2, 0, 0xFF, 0xFF, 3, 0, 4, 0, 5, 0];
    for (mode, component, indices, topology, expected) in [
        (3, 5121, &[0, 1, 0xFF, 2, 3][..], Lines, &[0, 1, 2, 3][..]),
        (2, 5121, &[0, 1, 2, 0xFF, 3, 4, 5], Lines, &[0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3]),
        (5, 5121, &[0, 1, 2, 0xFF, 3, 4, 5], Triangles, &[0, 1, 2, 3, 4, 5]),
        (5, 5123, &SHORTS, Triangles, &[0, 1, 2, 3, 4, 5]),
        (5, 5121, &[0, 1, 2, 9, 3, 4, 5], Triangles, &[0, 1, 2, 3, 4, 5]),
        (6, 5121, &[0, 1, 2, 9, 3, 4], Triangles, &[1, 2, 0, 3, 4, 0]),
    ] {
        let import = faulty(&listed(mode, component, indices).glb(), &[WarningKind::Indices { count: 1 }]);
        let vertices = import.imported.vertices(0).unwrap();
        assert_eq!((vertices.topology, &vertices.indices[..]), (topology, expected), "{mode} {indices:?}");
        assert_eq!(vertices.triangles().len(), if topology == Triangles { expected.len() / 3 } else { 0 });
    }
    for (mode, topology) in [(3, LineStrip), (5, TriangleStrip)] {
        let import = valid(&listed(mode, 5121, &[0, 1, 2, 3]).glb());
        assert_eq!(import.imported.vertices(0).unwrap().topology, topology);
    }
    // The greatest number restarts even if there is a vertex of this number, but not in another type.
    let mut many = listed(3, 5121, &[0, 1, 0xFF, 2, 3]);
    let points = many.floats("VEC3", &[0.0; 3 * 256]);
    many.put("/meshes/0/primitives/0/attributes/POSITION", json!(points));
    let import = faulty(&many.glb(), &[WarningKind::Indices { count: 1 }]);
    assert_eq!(import.imported.vertices(0).unwrap().indices, [0, 1, 2, 3]);
    let shorts = many.numbers(5123, "SCALAR", &[0, 0, 0xFF, 0, 1, 0]);
    many.put("/meshes/0/primitives/0/indices", json!(shorts));
    assert_eq!(valid(&many.glb()).imported.vertices(0).unwrap().indices, [0, 255, 1]);
}

#[test]
fn wrong_declared_bounds_are_computed() {
    let mut file = triangle();
    file.put("/accessors/0/max", json!([0.5, 0.5, 0]));
    let import = faulty(&file.glb(), &[WarningKind::Bounds]);
    let node = import.scene.get(import.imported.node(0).unwrap()).unwrap();
    assert_eq!(node.drawable().unwrap().bounds, Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0)));
    // Few digits are precise enough.
    file.put("/accessors/0/max", json!([0.99999, 1.00001, 0]));
    valid(&file.glb());
}

#[test]
fn a_declared_box_never_cuts_the_mesh() {
    // Terrain to x = 10,000; the file states a little less, and more along z.
    let mut file = triangle();
    let corners = file.floats("VEC3", &[0.0, 0.0, 0.0, 10_000.0, 0.0, 0.0, 0.0, 0.0, 10_000.0]);
    file.put("/meshes/0/primitives/0/attributes/POSITION", json!(corners));
    file.put(&format!("/accessors/{corners}/min"), json!([0, 0, 0]));
    file.put(&format!("/accessors/{corners}/max"), json!([9_999.1, 0, 10_000.5]));
    let import = valid(&file.glb());
    let expected = Aabb::new(Vec3::ZERO, Vec3::new(10_000.0, 0.0, 10_000.5));
    assert_eq!(import.imported.primitive(0).unwrap().bounds, Some(expected));
    let node = import.scene.get(import.imported.node(0).unwrap()).unwrap();
    assert_eq!(node.drawable().unwrap().bounds, expected);
}

#[test]
fn a_declared_box_that_is_no_box_is_a_fault() {
    for (min, max) in [
        (json!([5, 5, 5]), json!([1, 1, 0])),
        (json!([0, 0]), json!([1, 1])),
        (json!([0, 0, 0, 0]), json!([1, 1, 1, 1])),
        (json!([0, 0, 0]), json!([1, 1e39, 0])),
        (json!(["a", 0, 0]), json!([1, 1, 0])),
        (json!([0, 0, 0]), Value::Null),
    ] {
        let mut file = triangle();
        (file.json["accessors"][0]["min"], file.json["accessors"][0]["max"]) = (min, max);
        let right =
            |primitive: &ImportedPrimitive| primitive.bounds == Some(Aabb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0)));
        assert!(right(&faulty(&file.glb(), &[WarningKind::Bounds]).imported.meshes[0].primitives[0]));
        let nodes = ImportOptions::new().with_parts(Parts::NODES);
        let imported = nodes.from_slice(&file.glb(), None).unwrap().imported;
        assert!(right(&imported.meshes[0].primitives[0]) && imported.warnings[0].kind == WarningKind::Bounds);
        assert!(nodes.strict().from_slice(&file.glb(), None).is_err());
    }
    // Without a box, nothing is wrong.
    let mut file = triangle();
    file.json["accessors"][0].as_object_mut().unwrap().retain(|name, _| !matches!(name.as_str(), "min" | "max"));
    assert_eq!(corners(&valid(&file.glb())), CORNERS);
}

/// The text of a Git LFS pointer, in place of the 36 bytes of a triangle.
const LFS: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 36\n";

#[test]
fn buffers_and_images_that_are_git_lfs_pointers_are_refused() {
    let folder = std::env::temp_dir().join(format!("hedgerow-gltf-lfs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("x.bin"), LFS).unwrap();
    let data = format!("data:,{}", LFS.replace('\n', "%0A").replace(' ', "%20"));
    let text = triangle().json_text();
    let with = |uri: &str| text.replace(r#""byteLength":36}]"#, &format!(r#""byteLength":36,"uri":"{uri}"}}]"#));
    for (bytes, options) in [
        (with("x.bin").into_bytes(), ImportOptions::new()),
        (with("x.bin").into_bytes(), ImportOptions::new().with_parts(Parts::NODES)),
        (with(&data).into_bytes(), ImportOptions::new()),
        (glb(text.as_bytes(), LFS.as_bytes()), ImportOptions::new()),
    ] {
        let error = options.from_slice(&bytes, Some(&folder)).map(drop).unwrap_err();
        let ImportErrorKind::Buffer { problem: BufferProblem::GitLfsPointer, .. } = error.kind() else {
            panic!("{error}")
        };
        assert!(error.to_string().ends_with("run `git lfs pull`, or download it"), "{error}");
    }
    let resolver = |_: &str| Ok::<_, String>(LFS.as_bytes().to_vec());
    let error = ImportOptions::new().from_slice_with(with("x.bin").as_bytes(), resolver).map(drop).unwrap_err();
    assert!(matches!(error.kind(), ImportErrorKind::Buffer { problem: BufferProblem::GitLfsPointer, .. }));
    let main_file = hedgerow_gltf::from_slice(LFS.as_bytes(), None).map(drop).unwrap_err();
    assert_eq!(main_file.kind(), &ImportErrorKind::NotGltf(OtherFile::GitLfsPointer));

    // An image that is not there is no error, and neither is its pointer.
    let mut file = triangle();
    let view = file.view(LFS.as_bytes());
    file.json["images"] = json!([{"uri": "x.bin"}, {"uri": "x.bin"}, {"uri": data}, {"bufferView": view}]);
    let expected: Vec<_> =
        (0..4).map(|image| Skipped::Image { image, problem: BufferProblem::GitLfsPointer }).collect();
    for import in [
        hedgerow_gltf::from_slice(&file.glb(), Some(&folder)),
        ImportOptions::new().from_slice_with(&file.glb(), resolver),
    ] {
        let imported = import.unwrap().imported;
        assert_eq!(imported.skipped, expected);
        assert!(imported.images.iter().all(|image| image.bytes.is_empty()));
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn attributes_that_gltf_does_not_have_are_named() {
    let mut file = triangle();
    file.put("/meshes/0/primitives/0/attributes/UV0", json!(0));
    file.put("/meshes/0/primitives/0/attributes/COLOR", json!(0));
    let skipped = |name: &str| Skipped::Attribute { mesh: 0, primitive: 0, name: name.to_owned() };
    assert_eq!(valid(&file.glb()).imported.skipped, [skipped("COLOR"), skipped("UV0")]);
    file.put("/meshes/0/primitives/0/attributes/UV0", json!(7));
    let error = hedgerow_gltf::from_slice(&file.glb(), None).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "mesh 0: primitives[0].attributes.UV0 is 7, but the file has 1 of these");
}
