//! Normals and tangents that a file lacks, and what follows vertices that are split.

use crate::nodes::box_distance;
use crate::rest::{deformed, drawn};
use fastrand::Rng;
use hedgerow::glam::{Vec3, Vec4};
use hedgerow_gltf::{AttributeValues, ImportErrorKind, ImportOptions, MeshData, Topology};
use hedgerow_testkit::gltf::GltfFile;
use serde_json::{Value, json};

/// Returns random triangles that share vertices, with one of each attribute, and two morph targets.
fn random_mesh(dice: &mut Rng) -> GltfFile {
    let few = dice.u8(3..12);
    let vertices = usize::from(few);
    // A coarse grid, so that some triangles are degenerate and some have the same normal.
    let mut numbers = |count: usize| (0..count).map(|_| f32::from(dice.u8(..3))).collect::<Vec<f32>>();
    let mut file = GltfFile::new(json!({
        "scenes": [{"nodes": [0, 1, 2]}], "skins": [{"joints": [1, 2]}],
        "nodes": [{"mesh": 0, "skin": 0, "weights": [2, 0]}, {}, {"translation": [0, 9, 0]}],
        "meshes": [{"primitives": [{
            "attributes": {"POSITION": 0, "TEXCOORD_0": 1, "COLOR_0": 2, "JOINTS_0": 3, "WEIGHTS_0": 4, "_A": 5,
                "_B": 6},
            "targets": [{"POSITION": 7, "NORMAL": 7, "TANGENT": 7}, {"TANGENT": 0}]}]}]
    }));
    file.floats("VEC3", &numbers(3 * vertices));
    file.floats("VEC2", &numbers(2 * vertices));
    file.floats("VEC4", &numbers(4 * vertices));
    file.numbers(5121, "VEC4", &(0..4 * few).map(|at| at % 3 % 2).collect::<Vec<u8>>());
    file.floats("VEC4", &numbers(4 * vertices));
    file.floats("SCALAR", &numbers(vertices));
    file.numbers(5121, "VEC2", &(0..2 * few).collect::<Vec<u8>>());
    file.floats("VEC3", &numbers(3 * vertices));
    let at = "/meshes/0/primitives/0/";
    if dice.bool() {
        let indices: Vec<u8> = (0..dice.usize(3..25)).map(|_| dice.u8(..few)).collect();
        let indices = file.numbers(5121, "SCALAR", &indices);
        file.put(&format!("{at}indices"), json!(indices));
    }
    file.put(&format!("{at}mode"), json!(dice.u8(4..7)));
    file
}

/// Returns everything that a vertex has in the file, as numbers.
fn attributes(data: &MeshData, vertex: u32) -> Vec<f32> {
    let vertex = vertex as usize;
    let mut all = [&data.positions[vertex][..], &data.texcoords[0][vertex], &data.colors[0][vertex]].concat();
    all.extend(&data.targets[0].positions[vertex]);
    let influences = data.influences * vertex..data.influences * (vertex + 1);
    all.extend(&data.weights[influences.clone()]);
    all.extend(data.joints[influences].iter().copied().map(f32::from));
    for attribute in &data.attributes {
        match &attribute.values {
            AttributeValues::Floats { width, numbers } => all.extend(&numbers[width * vertex..width * (vertex + 1)]),
            AttributeValues::Integers { width, numbers } => {
                all.extend(numbers[width * vertex..width * (vertex + 1)].iter().map(|&number| number as f32));
            }
        }
    }
    all
}

/// Returns the normal of a triangle, at weight 1 of the first target if `morphed`.
fn flat(data: &MeshData, triangle: [u32; 3], morphed: bool) -> Option<Vec3> {
    let [a, b, c] = triangle.map(|index| {
        let delta = if morphed { data.targets[0].positions[index as usize] } else { [0.0; 3] };
        Vec3::from(data.positions[index as usize]) + Vec3::from(delta)
    });
    (b - a).cross(c - a).try_normalize()
}

#[test]
fn flat_normals_split_vertices_with_all_that_they_have() {
    let (mut dice, mut copied, mut whole, mut opened) = (Rng::with_seed(65), 0, 0, 0);
    for round in 0..300 {
        let file = random_mesh(&mut dice).glb();
        let plain = hedgerow_gltf::from_slice(&file, None).unwrap().imported;
        let mut import = ImportOptions::new().with_normals().from_slice(&file, None).unwrap();
        let found = drawn(&mut import)[0].1;
        let flattened = import.imported;
        let (before, after) = (plain.vertices(0).unwrap(), flattened.vertices(0).unwrap());
        assert!(before.normals.is_empty() && before.triangles().len() > 0);
        assert_eq!(after.positions.len(), after.normals.len());
        assert!(before.triangles().len() == after.triangles().len() && after.topology == Topology::Triangles);
        for (old, new) in before.triangles().zip(after.triangles()) {
            let (normal, morphed) = (flat(before, old, false), flat(before, old, true));
            for (old, new) in old.into_iter().zip(new) {
                assert_eq!(attributes(before, old), attributes(after, new), "round {round}");
                if normal.is_none() && morphed.is_none() {
                    continue;
                }
                opened += usize::from(normal.is_none());
                let normal = normal.unwrap_or(Vec3::Z);
                let found = Vec3::from(after.normals[new as usize]);
                assert!((found - normal).length() < 1e-6, "round {round}: {found} {normal}");
                let delta = morphed.map_or(Vec3::ZERO, |morphed| morphed - normal);
                let found = Vec3::from(after.targets[0].normals[new as usize]);
                assert!((found - delta).length() < 1e-6, "round {round}: {found} {delta}");
            }
        }
        assert_eq!(before.positions, after.positions[..before.positions.len()]);
        assert!(after.tangents.is_empty() && after.targets.iter().all(|target| target.tangents.is_empty()));
        assert!(after.targets[1].normals.is_empty());
        copied += after.positions.len() - before.positions.len();
        whole += usize::from(after.positions.len() == before.positions.len());
        // What is deformed on the processor accepts the longer lists, and is in the box at rest.
        let expected = deformed(&flattened, &flattened.scenes[0].drawables[0]).unwrap();
        assert!(box_distance(found, expected) < 1e-5, "round {round}: {found:?} {expected:?}");
    }
    assert!(copied > 300 && whole > 10 && opened > 100, "{copied} {whole} {opened}");
}

/// Returns a grid on the xz plane whose texture is mirrored at x = 2, with v against z and the normal up.
fn mirrored(normals: bool) -> GltfFile {
    let mut file = GltfFile::new(json!({
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1, "TEXCOORD_1": 2}, "material": 0}]}],
        "materials": [{}], "textures": [{}]
    }));
    let corners: Vec<[f32; 2]> = (0..5_u8).flat_map(|z| (0..5_u8).map(move |x| [x, z].map(f32::from))).collect();
    let of = |make: &dyn Fn([f32; 2]) -> Vec<f32>| corners.iter().flat_map(|&it| make(it)).collect::<Vec<f32>>();
    file.floats("VEC3", &of(&|[x, z]| vec![x, 0.0, z]));
    file.floats("VEC2", &of(&|_| vec![0.5, 0.5]));
    file.floats("VEC2", &of(&|[x, z]| vec![(x - 2.0).abs(), z]));
    if normals {
        let normals = file.floats("VEC3", &of(&|_| vec![0.0, 1.0, 0.0]));
        file.put("/meshes/0/primitives/0/attributes/NORMAL", json!(normals));
    }
    let indices: Vec<u8> = (0..4_u8)
        .flat_map(|z| (0..4_u8).map(move |x| 5 * z + x))
        .flat_map(|at| [at, at + 5, at + 1, at + 1, at + 5, at + 6])
        .collect();
    let indices = file.numbers(5121, "SCALAR", &indices);
    file.put("/meshes/0/primitives/0/indices", json!(indices));
    file
}

#[test]
fn tangents_follow_u_and_bitangents_point_up_in_the_image() {
    let mut file = mirrored(true);
    file.json["materials"][0] = json!({"normalTexture": {"index": 0, "texCoord": 1}});
    let import = ImportOptions::new().with_tangents().from_slice(&file.glb(), None).unwrap().imported;
    let data = import.vertices(0).unwrap();
    // The five vertices at the mirror are split.
    assert_eq!((data.positions.len(), data.tangents.len()), (30, 30));
    for triangle in data.triangles() {
        let side = if triangle.iter().any(|&index| data.positions[index as usize][0] < 2.0) { -1.0 } else { 1.0 };
        for index in triangle.map(|index| index as usize) {
            let tangent = Vec4::from(data.tangents[index]);
            assert_eq!(tangent.truncate(), side * Vec3::X);
            // v points down in the image, and along z here.
            let bitangent = Vec3::from(data.normals[index]).cross(tangent.truncate()) * tangent.w;
            assert_eq!(bitangent, Vec3::NEG_Z);
        }
    }
}

#[test]
fn a_primitive_gets_tangents_if_one_of_its_materials_needs_them() {
    let of = |material: &Value, normals: bool| {
        let mut file = mirrored(normals);
        file.json["materials"][0] = material.clone();
        let imported = ImportOptions::new().with_tangents().from_slice(&file.glb(), None).unwrap().imported;
        let data = imported.vertices(0).unwrap();
        (data.normals.len(), data.tangents.len())
    };
    let map = json!({"index": 0, "texCoord": 1});
    let moved = json!({"index": 0, "extensions": {"KHR_texture_transform": {"texCoord": 1}}});
    for material in [
        json!({"normalTexture": map}),
        json!({"normalTexture": moved}),
        json!({"extensions": {"KHR_materials_clearcoat": {"clearcoatNormalTexture": map}}}),
        json!({"extensions": {"KHR_materials_clearcoat": {"clearcoatNormalTexture": moved}}}),
        json!({"extensions": {"KHR_materials_anisotropy": {"anisotropyTexture": map}}}),
    ] {
        assert_eq!(of(&material, true), (30, 30), "{material}");
        assert_eq!(of(&material, false), (30, 30), "{material}");
    }
    // The first set has no area, so that any tangent is as good.
    assert_eq!(of(&json!({"extensions": {"KHR_materials_anisotropy": {}}}), true), (25, 25));
    for material in [json!({}), json!({"occlusionTexture": map})] {
        assert_eq!(of(&material, true), (25, 0), "{material}");
        assert_eq!(of(&material, false), (0, 0), "{material}");
    }
    // The material of a variant counts, too.
    let mut file = mirrored(true);
    file.json["extensions"] = json!({"KHR_materials_variants": {"variants": [{"name": "rough"}]}});
    file.json["materials"] = json!([{}, {"normalTexture": map}]);
    file.json["meshes"][0]["primitives"][0]["extensions"] =
        json!({"KHR_materials_variants": {"mappings": [{"material": 1, "variants": [0]}]}});
    let imported = ImportOptions::new().with_tangents().from_slice(&file.glb(), None).unwrap().imported;
    assert_eq!(imported.vertices(0).unwrap().tangents.len(), 30);
}

#[test]
fn morph_targets_turn_tangents() {
    // The target turns a square by a right angle about z, from x to y.
    let mut square = MeshData::default();
    square.positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    square.normals = vec![[0.0, 0.0, 1.0]; 4];
    square.texcoords = vec![vec![[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]];
    square.indices = vec![0, 1, 2, 2, 1, 3];
    square.targets = vec![Default::default(), Default::default()];
    square.targets[1].positions = square.positions.iter().map(|&[x, y, _]| [-y - x, x - y, 0.0]).collect();
    assert!(square.compute_tangents(0));
    assert_eq!(square.tangents, [[1.0, 0.0, 0.0, 1.0]; 4]);
    assert!(square.targets[0].tangents.is_empty());
    for delta in &square.targets[1].tangents {
        assert!((Vec3::from(*delta) - Vec3::new(-1.0, 1.0, 0.0)).length() < 1e-6, "{delta:?}");
    }
}

#[test]
fn any_mesh_gets_tangents_that_are_orthogonal_to_normals() {
    let mut dice = Rng::with_seed(15);
    for _ in 0..300 {
        let mut data = MeshData::default();
        let few = dice.u32(3..30);
        let count = few as usize;
        let mut number = || match dice.u8(..40) {
            0 => f32::NAN,
            1 => f32::INFINITY,
            2 => 3e38,
            3 => 1e-40,
            _ => f32::from(dice.i8(-2..3)),
        };
        data.positions =
            (0..count).map(|_| [(); 3].map(|()| number()).map(|it| if it.is_finite() { it } else { 0.0 })).collect();
        data.normals = (0..count).map(|at| [[0.0, 0.0, 1.0], [0.6, 0.8, 0.0], [number(); 3]][at % 3]).collect();
        data.texcoords = vec![(0..count).map(|_| [number(), number()]).collect()];
        data.indices = (0..dice.usize(3..90)).map(|_| dice.u32(..=few)).collect();
        data.topology = [Topology::Triangles, Topology::TriangleStrip, Topology::TriangleFan][dice.usize(..3)];
        assert!(data.compute_tangents(0));
        assert_eq!(data.tangents.len(), data.positions.len());
        for (tangent, normal) in data.tangents.iter().zip(&data.normals) {
            let (direction, normal) = (Vec4::from(*tangent).truncate(), Vec3::from(*normal));
            assert!(direction.is_normalized() && tangent[3].abs() == 1.0, "{tangent:?}");
            assert!(!normal.is_normalized() || direction.dot(normal).abs() < 1e-3, "{tangent:?} {normal}");
        }
    }
}

/// A vertex of 15,000 triangles, where `MikkTSpace` would recurse as deep.
#[test]
fn a_vertex_of_many_triangles_gets_tangents() {
    let count = 15_000_u32;
    let mut fan = MeshData::default();
    let side = (1..=count).map(|at| at as f32 / count as f32 * 6.0);
    fan.positions = [[0.0; 3]].into_iter().chain(side.clone().map(|at| [at.cos(), at.sin(), 0.0])).collect();
    fan.texcoords = vec![fan.positions.iter().map(|&[x, y, _]| [x, -y]).collect()];
    fan.normals = vec![[0.0, 0.0, 1.0]; fan.positions.len()];
    fan.topology = Topology::TriangleFan;
    assert!(fan.compute_tangents(0));
    assert_eq!(fan.triangles().len(), 14_999);
    assert!(fan.tangents.iter().all(|&[x, _, _, w]| (x - 1.0).abs() < 1e-3 && w == 1.0));
}

#[test]
fn what_is_given_or_cannot_be_computed_stays_as_it_is() {
    let mut lines = MeshData::default();
    (lines.positions, lines.topology) = (vec![[0.0; 3]; 4], Topology::Lines);
    let mut given = MeshData::default();
    (given.positions, given.normals) = (vec![[0.0; 3]; 3], vec![[1.0, 0.0, 0.0]; 3]);
    for mut data in [lines, given, MeshData::default()] {
        let before = data.clone();
        assert!(!data.compute_normals() && !data.compute_tangents(0));
        assert_eq!(data, before);
    }
}

#[test]
fn computed_lists_are_charged_before_they_are_made() {
    let mut file = mirrored(false);
    file.json["materials"][0] = json!({"normalTexture": {"index": 0, "texCoord": 1}});
    let file = file.glb();
    let limited = |options: ImportOptions, most| options.with_max_bytes(most).from_slice(&file, None).map(drop);
    let plain = (0..).step_by(500).find(|&most| limited(ImportOptions::new(), most).is_ok()).unwrap();
    for options in [ImportOptions::new().with_normals(), ImportOptions::new().with_tangents()] {
        let refused = limited(options, plain).unwrap_err();
        assert!(matches!(refused.kind(), ImportErrorKind::TooManyBytes { .. }), "{refused}");
        assert!(limited(options, plain + 200_000).is_ok());
    }
}
