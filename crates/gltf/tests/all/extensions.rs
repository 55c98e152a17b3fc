//! Extensions: pointers, visibility, instances, attributes, and JSON of others.

use hedgerow::glam::Vec3;
use hedgerow::query::LevelsOfDetail;
use hedgerow::{Aabb, Visibility};
use hedgerow_gltf::{
    AttributeValues, Import, ImportError, ImportErrorKind, ImportOptions, Instances, Parts, Skipped, WarningKind,
};
use hedgerow_testkit::gltf::GltfFile;
use serde_json::{Value, json};

fn load(file: &GltfFile) -> Import {
    ImportOptions::new().strict().from_slice(&file.glb(), None).expect("it is valid")
}

/// Returns a node with two primitives and a child.
fn pair() -> GltfFile {
    let mut file = GltfFile::new(json!({
        "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "n", "mesh": 0, "translation": [10, 0, 0], "children": [1]}, {"name": "child"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}, {"attributes": {"POSITION": 0}}]}]
    }));
    file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    file
}

/// Imports a file whose animation moves the target of a pointer.
fn pointing(to: &str, required: bool) -> Result<Import, ImportError> {
    ImportOptions::new().strict().from_slice(&pointer_to(to, None, required), None)
}

/// Returns a file whose animation moves the target of a pointer, with or without a node beside the pointer.
fn pointer_to(to: &str, node: Option<usize>, required: bool) -> Vec<u8> {
    let mut file = pair();
    let times = file.floats("SCALAR", &[0.0, 1.0]);
    let values = file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let mut target = json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": to}}});
    if let Some(node) = node {
        target["node"] = json!(node);
    }
    file.json["animations"] = json!([{"samplers": [{"input": times, "output": values}],
        "channels": [{"sampler": 0, "target": target}]}]);
    file.json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
    if required {
        file.json["extensionsRequired"] = json!(["KHR_animation_pointer"]);
    }
    file.glb()
}

#[test]
fn a_pointer_beside_a_node_decides() {
    let import = |to, required| hedgerow_gltf::from_slice(&pointer_to(to, Some(1), required), None);
    for required in [false, true] {
        let imported = import("/nodes/0/translation", required).expect("it is understood").imported;
        assert_eq!((imported.rigs[imported.clips[0].rig].joint_of(0), imported.rigs.len()), (Some(0), 1));
        let warning = imported.warnings[0].to_string();
        assert!(
            warning.starts_with("animation 0: channels[0].target.node: glTF does not allow this value"),
            "{warning}"
        );
        let bytes = pointer_to("/nodes/0/translation", Some(1), required);
        let strict = ImportOptions::new().strict().from_slice(&bytes, None).map(drop);
        assert!(matches!(strict.unwrap_err().kind(), ImportErrorKind::Strict(_)));
    }
    let other = "/materials/0/emissiveFactor";
    let imported = import(other, false).expect("it is not required").imported;
    assert_eq!(imported.skipped[0], Skipped::Channel { animation: 0, channel: 0 });
    assert!(matches!(import(other, true).map(drop).unwrap_err().kind(), ImportErrorKind::Invalid { .. }));
}

#[test]
fn pointers_to_transforms_are_channels_and_others_are_listed_or_refused() {
    for required in [false, true] {
        let import = pointing("/nodes/0/translation", required).expect("it is understood");
        let clip = &import.imported.clips[0].clip;
        assert_eq!(clip.translation(0).expect("it is animated").sample(0.5), 0.5 * Vec3::X);
        assert_eq!(import.imported.skipped, []);
    }
    let other = "/materials/0/emissiveFactor";
    let imported = pointing(other, false).expect("it is not required").imported;
    assert_eq!(imported.skipped, [Skipped::Channel { animation: 0, channel: 0 }, Skipped::Animation { animation: 0 }]);
    let error = pointing(other, true).map(drop).unwrap_err();
    let ImportErrorKind::Invalid { item, field, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((item.to_string().as_str(), field.as_str()), ("animation 0", "channels[0].target"));
    let error = pointing("/nodes/9/scale", true).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "animation 0: channels[0].target.node is 9, but the file has 2 of these");
}

#[test]
fn pointers_to_weights_are_channels() {
    let mut file = pair();
    for primitive in file.json["meshes"][0]["primitives"].as_array_mut().unwrap() {
        primitive["targets"] = json!([{"POSITION": 0}]);
    }
    let times = file.floats("SCALAR", &[0.0, 1.0]);
    let weights = file.floats("SCALAR", &[0.0, 1.0]);
    let target = json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/0/weights"}}});
    file.json["animations"] =
        json!([{"samplers": [{"input": times, "output": weights}], "channels": [{"sampler": 0, "target": target}]}]);
    assert_eq!(load(&file).imported.clips[0].clip.channel(0).sample(0.5), 0.5);
}

#[test]
fn nodes_that_are_not_visible_are_hidden() {
    let visibility = |visible: Value| {
        let mut file = pair();
        file.json["nodes"][0]["extensions"] = json!({"KHR_node_visibility": {"visible": visible}});
        file.json["extensionsRequired"] = json!(["KHR_node_visibility"]);
        let import = load(&file);
        import.scene.get(import.imported.node(0).unwrap()).unwrap().to_node().visibility
    };
    assert_eq!(visibility(json!(false)), Visibility::Hidden);
    assert_eq!([json!(true), json!(null)].map(visibility), [Visibility::Inherited; 2]);
}

/// Returns the pair with three instances: moved, rotated by integers, and scaled.
fn instanced() -> GltfFile {
    let mut file = pair();
    let translations = file.floats("VEC3", &[0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 7.0, 0.0]);
    let turns = [[0, 0, 0, 127], [0, 0, 127, 0], [0, 0, 0, 127]].as_flattened().to_vec();
    let rotations = file.fractions(5120, "VEC4", &turns);
    let scales = file.floats("VEC3", &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0]);
    let attributes = json!({"TRANSLATION": translations, "ROTATION": rotations, "SCALE": scales});
    file.json["nodes"][0]["extensions"] = json!({"EXT_mesh_gpu_instancing": {"attributes": attributes}});
    file.json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
    file
}

#[test]
fn instances_are_nodes() {
    let mut import = load(&instanced());
    import.scene.update();
    let of_scene = &import.imported.scenes[0];
    let drawables = of_scene.drawables_of(0);
    let order: Vec<_> = drawables.iter().map(|it| (it.instance.unwrap(), it.primitive, it.id)).collect();
    assert_eq!(order, [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 1), (2, 0, 0), (2, 1, 1)]);
    let place = |at: usize| import.scene.world(drawables[at].handle).unwrap().transform_point(Vec3::X);
    for (at, expected) in [(1, [11.0, 0.0, 0.0]), (2, [13.0, 0.0, 0.0]), (5, [11.0, 7.0, 0.0])] {
        assert!((place(at) - Vec3::from_array(expected)).length() < 1e-5, "{at}: {}", place(at));
    }
    let node = of_scene.node(0).unwrap();
    assert_eq!(import.scene.get(node).unwrap().drawable(), None);
    // The children are three instances and the node's own child. Each instance adds three nodes to root, group and two.
    let children: Vec<_> = import.scene.children(node).collect();
    assert_eq!((children.len(), children[3], import.scene.len()), (4, of_scene.node(1).unwrap(), 4 + 3 * 3));
    assert!(children[..3].iter().all(|&instance| of_scene.index_of(instance) == Some(0)));

    // A mesh of one primitive is drawn by the instances themselves.
    let mut one = instanced();
    one.json["meshes"][0]["primitives"].as_array_mut().unwrap().pop();
    let import = load(&one);
    assert_eq!(import.scene.len(), 4 + 3);
    let drawables = import.imported.scenes[0].drawables_of(0);
    assert!(drawables.iter().all(|it| import.scene.get(it.handle).unwrap().drawable().is_some()));
}

#[test]
fn instances_are_counted_before_they_are_made() {
    let limited = |most| ImportOptions::new().with_max_nodes(most).from_slice(&instanced().glb(), None);
    assert!(limited(12).is_ok());
    let Err(error) = limited(11) else { panic!("they are more") };
    assert_eq!(error.kind(), &ImportErrorKind::TooManyNodes { nodes: 12, most: 11 });
}

#[test]
fn instances_are_matrices_if_asked_for() {
    let matrices = ImportOptions::new().with_instances(Instances::Matrices).with_parts(Parts::NODES);
    let import = matrices.from_slice(&instanced().glb(), None).unwrap();
    let node = &import.imported.nodes[0];
    assert_eq!(node.instances.len(), 3);
    assert_eq!(node.instances[2].translation(), Vec3::new(0.0, 7.0, 0.0));
    let drawables = import.imported.scenes[0].drawables_of(0);
    assert_eq!((drawables.len(), drawables[0].instance), (2, None));
    let bounds = import.scene.get(drawables[0].handle).unwrap().drawable().unwrap().bounds;
    let expected = Aabb::new(Vec3::new(0.0, -2.0, 0.0), Vec3::new(5.0, 8.0, 0.0));
    assert!((bounds.min - expected.min).length() < 1e-5 && (bounds.max - expected.max).length() < 1e-5, "{bounds:?}");
    assert_eq!(import.imported.meshes[0].primitives[0].bounds.unwrap().max, Vec3::new(1.0, 1.0, 0.0));
}

#[test]
fn instances_without_a_transform_are_left_out_and_uneven_lists_refused() {
    let mut file = instanced();
    let bad = file.floats("VEC3", &[0.0, 0.0, 0.0, f32::NAN, 0.0, 0.0, 0.0, 7.0, 0.0]);
    let at = "/nodes/0/extensions/EXT_mesh_gpu_instancing/attributes/TRANSLATION";
    file.put(at, json!(bad));
    let import = hedgerow_gltf::from_slice(&file.glb(), None).unwrap();
    assert_eq!(import.imported.warnings[0].kind, WarningKind::Instances { count: 1 });
    assert_eq!(import.imported.scenes[0].drawables_of(0).len(), 4);
    for (accessor, expected) in [
        (
            json!(0.5),
            r#"node 0 "n": extensions.EXT_mesh_gpu_instancing.attributes.TRANSLATION: it must be the index of an accessor"#,
        ),
        (
            json!(99),
            r#"node 0 "n": extensions.EXT_mesh_gpu_instancing.attributes.TRANSLATION is 99, but the file has 5 of these"#,
        ),
    ] {
        file.put(at, accessor);
        assert_eq!(hedgerow_gltf::from_slice(&file.glb(), None).map(drop).unwrap_err().to_string(), expected);
    }
    let few = file.floats("VEC3", &[0.0; 6]);
    file.put(at, json!(few));
    let error = hedgerow_gltf::from_slice(&file.glb(), None).map(drop).unwrap_err().to_string();
    assert_eq!(
        error,
        r#"node 0 "n": extensions.EXT_mesh_gpu_instancing.attributes.ROTATION has 3 elements where 2 are needed"#
    );
}

#[test]
fn attributes_of_an_application_come_as_they_are() {
    let mut file = pair();
    let integers = file.numbers(5125, "SCALAR", &[7_u32, u32::MAX, 0].map(u32::to_le_bytes).concat());
    let pairs = file.numbers(5123, "VEC2", &[1_u16, 2, 3, 4, 5, 6].map(u16::to_le_bytes).concat());
    let fractions = file.fractions(5121, "VEC4", &[255; 12]);
    let signed = file.numbers(5120, "SCALAR", &[1, 255, 0]);
    let (two, matrix) = (file.floats("SCALAR", &[1.0, 2.0]), file.floats("MAT4", &[0.0; 48]));
    file.json["meshes"][0]["primitives"][0]["attributes"] = json!({"POSITION": 0, "_ID": integers, "_PAIR": pairs,
        "_SHARE": fractions, "_SIGN": signed, "_TWO": two, "_MATRIX": matrix});
    let imported = load(&file).imported;
    let attributes = &imported.vertices(0).unwrap().attributes;
    let found: Vec<_> = attributes.iter().map(|it| (it.name.as_str(), it.values.clone())).collect();
    let integers = |width, numbers: &[u32]| AttributeValues::Integers { width, numbers: numbers.to_vec() };
    let floats = |width, numbers: &[f32]| AttributeValues::Floats { width, numbers: numbers.to_vec() };
    let expected = [
        ("_ID", integers(1, &[7, u32::MAX, 0])),
        ("_PAIR", integers(2, &[1, 2, 3, 4, 5, 6])),
        ("_SHARE", floats(4, &[1.0; 12])),
        ("_SIGN", floats(1, &[1.0, -1.0, 0.0])),
    ];
    assert_eq!(found, expected);
    let skipped = |name: &str| Skipped::Attribute { mesh: 0, primitive: 0, name: name.to_owned() };
    assert_eq!(imported.skipped, [skipped("_MATRIX"), skipped("_TWO")]);
    assert_eq!(imported.vertices(0).unwrap().without_joints().attributes, *attributes);
}

#[test]
fn every_item_has_the_json_of_its_extensions() {
    let mut file = pair();
    let own = |of: &str| json!({"MY_own": {"of": of}});
    for list in ["scenes", "nodes", "meshes"] {
        file.json[list][0]["extensions"] = own(list);
    }
    file.json["extensions"] = own("file");
    file.json["meshes"][0]["primitives"][1]["extensions"] = own("primitive");
    for (list, item) in [
        ("materials", json!({})),
        ("textures", json!({})),
        ("images", json!({"uri": "a.png"})),
        ("skins", json!({"joints": [1]})),
        ("animations", json!({"channels": [], "samplers": []})),
        ("cameras", json!({"type": "perspective", "perspective": {"yfov": 1, "znear": 1}})),
    ] {
        file.json[list] = json!([item]);
        file.json[list][0]["extensions"] = own(list);
    }
    file.json["extensions"]["KHR_lights_punctual"] = json!({"lights": [{"type": "point", "extensions": own("light")}]});
    file.json["extensionsUsed"] = json!(["MY_own", "KHR_lights_punctual"]);
    let of = |with: bool| {
        let parts = Parts { extras: with, ..Parts::ALL };
        let it = ImportOptions::new().with_parts(parts).from_slice(&file.glb(), None).unwrap().imported;
        let all = [
            &it.extensions,
            &it.scenes[0].extensions,
            &it.nodes[0].extensions,
            &it.meshes[0].extensions,
            &it.meshes[0].primitives[1].extensions,
            &it.materials[0].extensions,
            &it.textures[0].extensions,
            &it.images[0].extensions,
            &it.skins[0].extensions,
            &it.animations[0].extensions,
            &it.cameras[0].extensions,
            &it.lights[0].extensions,
        ];
        all.map(|extensions| extensions.get("MY_own").map(|own| own["of"].as_str().unwrap().to_owned()))
    };
    let names = [
        "file",
        "scenes",
        "nodes",
        "meshes",
        "primitive",
        "materials",
        "textures",
        "images",
        "skins",
        "animations",
        "cameras",
        "light",
    ];
    assert_eq!(of(true), names.map(|name| Some(name.to_owned())));
    // Extensions of materials are always imported.
    assert!(of(false).iter().zip(names).all(|(found, name)| found.is_some() == (name == "materials")));
}

/// Returns a node with two primitives, and two coarser nodes in no scene.
fn detailed() -> GltfFile {
    let mut file = pair();
    file.json["nodes"] = json!([
        {"mesh": 0, "scale": [2, 2, 2], "extensions": {"MSFT_lod": {"ids": [1, 2]}},
            "extras": {"MSFT_screencoverage": [0.5, 0.25, 0.125]}},
        {"mesh": 1, "scale": [2, 2, 2]},
        {"mesh": 2, "scale": [2, 2, 2]}
    ]);
    let mesh = file.json["meshes"][0].clone();
    file.json["meshes"] = json!([mesh, mesh, mesh]);
    file
}

#[test]
fn levels_of_detail_come_as_mesh_ids_with_distances() {
    let mut file = detailed();
    let Import { scene, imported, .. } = load(&file);
    assert_eq!((&imported.warnings[..], scene.len()), (&[][..], 5), "the finest is in the scene");
    // The box is a square of one metre, drawn with a scale of 2.
    let radius = 2.0_f32.sqrt();
    let levels = |id: u32, nothing: &[(f32, Option<u32>)]| {
        (id, [&[(radius / 0.5, Some(id + 2)), (radius / 0.25, Some(id + 4))], nothing].concat())
    };
    let all = |nothing: &[(f32, Option<u32>)]| vec![levels(0, nothing), levels(1, nothing)];
    assert_eq!(imported.levels, all(&[(radius / 0.125, None)]));
    let mut table = LevelsOfDetail::new();
    imported.levels.iter().for_each(|(mesh, coarser)| table.insert(*mesh, coarser).unwrap());
    for shares in [json!([0.5, 0.25]), json!([0.5, 0.25, 0])] {
        file.json["nodes"][0]["extras"]["MSFT_screencoverage"] = shares;
        assert_eq!(load(&file).imported.levels, all(&[]));
    }
    // Another node with the mesh adds nothing.
    file.json["nodes"][1] = file.json["nodes"][0].clone();
    assert_eq!(load(&file).imported.levels.len(), 2);
}

#[test]
fn levels_that_meshes_and_distances_alone_do_not_tell_apart_are_left_out() {
    let change = |at: &str, to: Value| {
        let mut file = detailed();
        *file.json.pointer_mut(at).unwrap() = to;
        file
    };
    let shares = "/nodes/0/extras";
    let files = [
        change(shares, json!({})),
        change(shares, json!({"MSFT_screencoverage": [0.5]})),
        change(shares, json!({"MSFT_screencoverage": [0.25, 0.5, 0.1]})),
        change(shares, json!({"MSFT_screencoverage": [0.5, -0.25, 0.1]})),
        change(shares, json!({"MSFT_screencoverage": ["half", 0.25]})),
        change(shares, json!({"MSFT_screencoverage": [1e-300, 0, 0]})),
        change("/nodes/0/extensions/MSFT_lod/ids", json!([1, 3])),
        change("/nodes/0/extensions/MSFT_lod/ids", json!([1, -1])),
        change("/nodes/0/extensions/MSFT_lod", json!({})),
        change("/nodes/0/mesh", json!(null)),
        change("/nodes/1", json!({"mesh": 1})),
        change("/nodes/1", json!({"mesh": 1, "scale": [2, 2, 2], "children": [2]})),
        change("/nodes/1", json!({"scale": [2, 2, 2]})),
        change("/meshes/1/primitives", json!([{"attributes": {"POSITION": 0}}])),
    ];
    for file in files {
        let imported = load(&file).imported;
        let [warning] = &imported.warnings[..] else { panic!("{:?} {}", imported.warnings, file.json) };
        assert_eq!((warning.kind, imported.levels.len()), (WarningKind::LevelsOfDetail, 0));
    }
}

#[test]
fn levels_of_detail_are_listed_and_no_fault() {
    let mut file = pair();
    file.json["nodes"][0]["extensions"] = json!({"MSFT_lod": {"ids": [1]}});
    let imported = load(&file).imported;
    let [warning] = &imported.warnings[..] else { panic!("{:?}", imported.warnings) };
    assert_eq!((warning.kind, warning.item.index), (WarningKind::LevelsOfDetail, 0));
    assert_eq!(imported.nodes[0].extensions["MSFT_lod"]["ids"], json!([1]));
}
