//! Skinned and morphed meshes at rest: boxes and places, for all ways of importing.

use crate::faults::{WEIGHTS, skinned, triangle};
use crate::nodes::{Model, box_distance, models};
use hedgerow::Aabb;
use hedgerow::glam::Vec3;
use hedgerow_gltf::anim::skin::SkinOutput;
use hedgerow_gltf::{Import, ImportOptions, Imported, ImportedDrawable, Instances, Parts};
use hedgerow_testkit::gltf::GltfFile;
use hedgerow_testkit::gltf::man;
use serde_json::json;

const WAYS: [Parts; 3] =
    [Parts::NODES, Parts { vertices: true, ..Parts::NODES }, Parts { motion: true, ..Parts::NODES }];

/// Returns the box of the deformed vertices of a drawable at rest; `None` if nothing deforms it.
pub(crate) fn deformed(imported: &Imported, drawable: &ImportedDrawable) -> Option<Aabb> {
    let mut body = imported.deformed(drawable).unwrap()?;
    let mut positions = vec![[0.0_f32; 3]; body.mesh().len()];
    body.skin(SkinOutput::new(&mut positions[..])).unwrap();
    Some(Aabb::from_points(positions.into_iter().map(Vec3::from_array)))
}

/// Returns the glTF index of the parent, the box and the world box of each drawable.
pub(crate) fn drawn(Import { scene, imported, .. }: &mut Import) -> Vec<(Option<usize>, Aabb, Aabb)> {
    scene.update();
    let drawables = imported.scenes.iter().flat_map(|scene| &scene.drawables);
    let of_one = drawables.map(|it| {
        let node = scene.get(it.handle).unwrap();
        let parent = node.parent().and_then(|parent| imported.index_of(parent.handle()));
        (parent, node.drawable().unwrap().bounds, node.bounds().unwrap())
    });
    of_one.collect()
}

/// Imports a file with every choice of parts. Returns the boxes of its drawables, which are always the same.
fn boxes(file: &GltfFile) -> Vec<Aabb> {
    let options = ImportOptions::new();
    let mut whole = options.from_slice(&file.glb(), None).unwrap();
    let expected = drawn(&mut whole);
    for parts in WAYS {
        let mut import = options.with_parts(parts).from_slice(&file.glb(), None).unwrap();
        assert_eq!(drawn(&mut import), expected, "{parts:?}");
        assert_eq!(import.imported.warnings, whole.imported.warnings, "{parts:?}");
        let imported = &import.imported;
        let has_motion = !(imported.skins.is_empty() && imported.rigs.is_empty() && imported.morphs.is_empty());
        assert_eq!(has_motion, parts.motion, "{parts:?}");
        let vertices = import.imported.vertices(0);
        assert!(
            vertices.is_none_or(|it| !it.is_deformed() && it.joints.is_empty()) && vertices.is_some() == parts.vertices
        );
    }
    expected.into_iter().map(|(_, bounds, _)| bounds).collect()
}

fn up(y: f32) -> Aabb {
    Aabb::new(Vec3::new(0.0, y, 0.0), Vec3::new(1.0, y + 1.0, 0.0))
}

#[test]
fn a_skinned_mesh_has_its_box_at_rest_below_the_base_of_its_rig() {
    let mut file = skinned([WEIGHTS[0]; 3], json!({"name": "j1"}));
    file.put("/nodes/1/translation", json!([0, 50, 0]));
    file.put("/nodes/0/scale", json!([10, 10, 10]));
    assert_eq!(boxes(&file), [up(50.0)]);
    // An animated node above the joints belongs to the rig, also if its animation is not imported.
    file.json["nodes"].as_array_mut().unwrap().push(json!({"translation": [7, 0, 0], "children": [4]}));
    file.json["nodes"].as_array_mut().unwrap().push(json!({"translation": [0, 1, 0], "children": [1]}));
    file.json["scenes"] = json!([{"nodes": [0, 3]}]);
    let (times, places) = (file.floats("SCALAR", &[0.0]), file.floats("VEC3", &[0.0; 3]));
    file.json["animations"] = json!([{"samplers": [{"input": times, "output": places}],
        "channels": [{"sampler": 0, "target": {"node": 4, "path": "translation"}}]}]);
    assert_eq!(boxes(&file), [up(51.0)]);
    // Without motion, animations are not checked.
    file.put("/animations/0/channels/0/sampler", json!(9));
    assert!(ImportOptions::new().from_slice(&file.glb(), None).is_err());
    assert_eq!(
        drawn(&mut ImportOptions::new().with_parts(Parts::NODES).from_slice(&file.glb(), None).unwrap())[0].1,
        up(50.0)
    );
}

#[test]
fn a_morphed_mesh_has_its_box_with_the_weights_of_the_node_or_of_the_mesh() {
    let mut file = triangle();
    let raised = file.floats("VEC3", &[0.0, 50.0, 0.0].repeat(3));
    file.put("/meshes/0/primitives/0/targets", json!([{"POSITION": raised}, {"NORMAL": raised}]));
    assert_eq!(boxes(&file), [up(0.0)]);
    file.put("/meshes/0/weights", json!([1, 1]));
    file.json["nodes"] = json!([{"mesh": 0}, {"mesh": 0, "weights": [0, 0.5]}, {"mesh": 0, "weights": [-0.5, 0]}, {}]);
    file.json["scenes"] = json!([{"nodes": [0, 1, 2]}]);
    assert_eq!(boxes(&file), [up(50.0), up(0.0), up(-25.0)]);
    // A skin moves what targets have moved.
    let joints = file.numbers(5121, "VEC4", &[0; 12]);
    let weights = file.floats("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(3));
    file.put("/meshes/0/primitives/0/attributes/JOINTS_0", json!(joints));
    file.put("/meshes/0/primitives/0/attributes/WEIGHTS_0", json!(weights));
    (file.json["skins"], file.json["nodes"][3]) = (json!([{"joints": [3]}]), json!({"translation": [0, 3, 0]}));
    (file.json["nodes"][0]["skin"], file.json["nodes"][1]["skin"]) = (json!(0), json!(0));
    file.json["scenes"] = json!([{"nodes": [0, 1, 2, 3]}]);
    assert_eq!(boxes(&file), [up(53.0), up(3.0), up(-25.0)]);
}

#[test]
fn instances_of_a_morphed_mesh_have_its_box_at_rest() {
    let mut file = triangle();
    let raised = file.floats("VEC3", &[0.0, 50.0, 0.0].repeat(3));
    file.put("/meshes/0/primitives/0/targets", json!([{"POSITION": raised}]));
    file.put("/nodes/0/weights", json!([1]));
    let places = file.floats("VEC3", &[0.0, 0.0, 0.0, 0.0, 5.0, 0.0]);
    file.json["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
    file.put("/nodes/0/extensions", json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": places}}}));
    assert_eq!(boxes(&file), [up(50.0), up(50.0)]);
    let matrices = ImportOptions::new().with_instances(Instances::Matrices);
    let mut import = matrices.from_slice(&file.glb(), None).unwrap();
    assert_eq!(drawn(&mut import)[0].1, up(50.0).merge(&up(55.0)));
}

#[test]
fn a_box_at_rest_follows_the_influences_that_skinning_keeps() {
    // Six joints at x = 1, 2, 4, 8, 16, 32; the first and the last of six influences are of the same joint.
    let mut file = triangle();
    let joint = |x: i32| json!({"translation": [x, 0, 0]});
    file.json["nodes"] = json!([{"mesh": 0, "skin": 0}, joint(1), joint(2), joint(4), joint(8), joint(16)]);
    file.json["scenes"] = json!([{"nodes": [0, 1, 2, 3, 4, 5]}]);
    file.json["skins"] = json!([{"joints": [1, 2, 3, 4, 5]}]);
    let first = file.numbers(5121, "VEC4", &[4, 1, 2, 3].repeat(3));
    let second = file.numbers(5121, "VEC4", &[0, 4, 0, 0].repeat(3));
    let most = file.floats("VEC4", &[0.125, 0.25, 0.25, 0.125].repeat(3));
    let least = file.floats("VEC4", &[0.0625, 0.1875, 0.0, 0.0].repeat(3));
    file.put(
        "/meshes/0/primitives/0/attributes",
        json!({"POSITION": 0, "JOINTS_0": first, "WEIGHTS_0": most, "JOINTS_1": second, "WEIGHTS_1": least}),
    );
    for options in [ImportOptions::new(), ImportOptions::new().with_eight_influences()] {
        let mut import = options.from_slice(&file.glb(), None).unwrap();
        let expected = deformed(&import.imported, &import.imported.scenes[0].drawables[0]).unwrap();
        let found = drawn(&mut import)[0].1;
        assert!(box_distance(found, expected) < 1e-6, "{found:?} {expected:?}");
    }
}

#[test]
fn a_box_of_vertices_at_rest_that_overflow_is_infinite() {
    let mut file = skinned([WEIGHTS[0]; 3], json!({"name": "j1"}));
    let scaled = |by: f32| [[by, 0.0, 0.0, 0.0], [0.0, by, 0.0, 0.0], [0.0, 0.0, by, 0.0], [0.0, 0.0, 0.0, 1.0]];
    let inverse = file.floats("MAT4", [scaled(3e38), scaled(1.0)].as_flattened().as_flattened());
    file.put("/skins/0/inverseBindMatrices", json!(inverse));
    file.put("/nodes/1/scale", json!([9, 9, 9]));
    assert_eq!(boxes(&file), [Aabb::INFINITE]);
}

#[test]
fn what_deforms_many_nodes_is_limited_before_it_is_computed() {
    // Each of 200 nodes deforms a mesh of 50,000 vertices in a way of its own.
    let mut file = triangle();
    let zeros = file.accessor(json!({"componentType": 5126, "type": "VEC3", "count": 50_000}));
    file.put("/meshes/0/primitives/0", json!({"attributes": {"POSITION": zeros}, "targets": [{"POSITION": zeros}]}));
    let nodes: Vec<_> = (1..=200).map(|number| json!({"mesh": 0, "weights": [number]})).collect();
    file.json["nodes"] = json!(nodes);
    let limited = |most| {
        ImportOptions::new().with_parts(Parts::NODES).with_max_bytes(most).from_slice(&file.glb(), None).map(drop)
    };
    assert!(limited(1 << 23).is_err_and(|error| error.to_string().contains("raise ImportOptions::with_max_bytes")));
    assert_eq!(limited(1 << 28), Ok(()));
}

#[test]
fn the_small_character_has_its_box_at_rest() {
    let imported = hedgerow_gltf::from_slice(&man().glb(), None).unwrap().imported;
    let expected = deformed(&imported, &imported.scenes[0].drawables[0]).unwrap();
    assert!(box_distance(boxes(&man())[0], expected) < 1e-6);
}

#[test]
fn every_shared_model_has_its_boxes_and_places_at_rest_however_it_is_imported() {
    let Some(models) = models() else { return };
    let (mut count, mut worst) = (0, 0.0_f32);
    for Model { name, file, .. } in &models {
        let options = ImportOptions::new();
        let mut whole = options.load(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = drawn(&mut whole);
        let drawables = whole.imported.scenes.iter().flat_map(|scene| &scene.drawables);
        for (drawable, (_, found, _)) in drawables.zip(&expected) {
            let Some(at_rest) = deformed(&whole.imported, drawable) else { continue };
            let moves = drawable.skin.is_some()
                || whole.imported.morph(drawable.node).is_some_and(|it| it.weights.iter().any(|&weight| weight != 0.0));
            // Without weights, the box may be the declared one.
            let tolerance = if moves { 1e-5 } else { 1e-3 };
            let apart = box_distance(*found, at_rest);
            assert!(apart <= tolerance, "{name}: {drawable:?}: {found:?} {at_rest:?}");
            (count, worst) = (count + 1, worst.max(if moves { apart } else { 0.0 }));
        }
        for parts in WAYS {
            let mut import = options.with_parts(parts).load(file).unwrap_or_else(|error| panic!("{name}: {error}"));
            let found = drawn(&mut import);
            assert_eq!(found.len(), expected.len(), "{name}");
            for ((found, bounds, world), (parent, expected, of_world)) in found.iter().zip(&expected) {
                // Without vertices, boxes of meshes that nothing deforms are declared.
                let apart = box_distance(*bounds, *expected).max(box_distance(*world, *of_world));
                assert!(found == parent && apart <= 1e-3, "{name}: {parts:?}: {bounds:?} {expected:?}");
            }
        }
    }
    eprintln!("{} models, {count} deformed drawables: boxes within {worst:.1e}", models.len());
}
