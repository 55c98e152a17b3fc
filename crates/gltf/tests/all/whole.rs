//! glTF import of vertices, cameras, lights, extras and several scenes; parts left out by options; several files in one
//! scene. The files are made here.

use hedgerow::glam::{Mat4, Vec3};
use hedgerow::query::Frustum;
use hedgerow::{Aabb, Error, Layers, NodeHandle, Scene, SceneConfig, Visibility};
use hedgerow_gltf::{
    self, Import, ImportErrorKind, ImportOptions, Imported, ItemKind, LightKind, Parts, Projection, Skipped, Topology,
};
use hedgerow_testkit::gltf::GltfFile;
use serde_json::json;

/// Returns a shop by day and by night: a table of two primitives and a vase, a lamp and the sun, and two cameras.
pub(crate) fn shop() -> GltfFile {
    let mut file = GltfFile::new(json!({
        "scene": 1,
        "scenes": [{"name": "day", "nodes": [0, 3], "extras": {"hour": 12}}, {"name": "night", "nodes": [1, 4]}, {}],
        "asset": {"extras": "made by a test"},
        "nodes": [
            {"name": "table", "mesh": 0, "extras": {"price": 80}},
            {"name": "lamp", "translation": [0, 2, 0], "children": [2],
                "extensions": {"KHR_lights_punctual": {"light": 0}}},
            {"name": "vase", "mesh": 1},
            {"name": "sun", "camera": 1, "extensions": {"KHR_lights_punctual": {"light": 1}}},
            {"name": "eye", "camera": 0}
        ],
        "meshes": [
            {"name": "oak table", "extras": [1, 2], "primitives": [
                {"attributes": {"POSITION": 0, "NORMAL": 1, "TANGENT": 2, "TEXCOORD_0": 3, "TEXCOORD_1": 4, "COLOR_0": 5},
                    "indices": 6, "material": 1, "extras": {"part": "top"},
                    "extensions": {"KHR_materials_variants": {"mappings": [
                        {"material": 0, "variants": [1]}, {"material": 1, "variants": [0]}]}}},
                {"attributes": {"POSITION": 0, "COLOR_0": 7, "COLOR_1": 5, "TEXCOORD_1": 3, "_HEAT": 3}, "mode": 1}]},
            {"name": "vase", "primitives": [{"attributes": {"POSITION": 8}, "material": 0}]}
        ],
        "materials": [{"name": "clay"}, {"name": "oak", "extras": {"wood": true}}],
        "cameras": [
            {"name": "wide", "type": "perspective",
                "perspective": {"yfov": 1.25, "znear": 0.5, "zfar": 100, "aspectRatio": 1.5}, "extras": 7},
            {"type": "orthographic", "orthographic": {"xmag": 2, "ymag": 3, "znear": 0, "zfar": 4}}
        ],
        "extensionsUsed": ["KHR_lights_punctual", "KHR_materials_variants"],
        "extensions": {
            "KHR_lights_punctual": {"lights": [
                {"name": "bulb", "type": "spot", "intensity": 30, "color": [1, 0.5, 0.25], "range": 9,
                    "spot": {"innerConeAngle": 0.25}, "extras": {"watt": 5}},
                {"type": "directional"}]},
            "KHR_materials_variants": {"variants": [{"name": "new"}, {"name": "worn"}]}
        }
    }));
    let shorts = |numbers: &[u16]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    file.floats("VEC3", &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, -1.0]);
    file.floats("VEC3", &[0.0, 1.0, 0.0, 0.0, 1.0, 0.0, f32::NAN, 1.0, 0.0]);
    file.floats("VEC4", &[1.0, 0.0, 0.0, -1.0].repeat(3));
    file.floats("VEC2", &[0.0, 0.25, 0.5, 0.75, 1.0, -2.0]);
    file.fractions(5123, "VEC2", &shorts(&[0, 65535, 13107, 0, 65535, 65535]));
    file.floats("VEC3", &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    file.numbers(5121, "SCALAR", &[0, 1, 2, 2, 1, 0]);
    file.fractions(5121, "VEC4", &[255, 0, 51, 255, 0, 0, 0, 0, 102, 255, 255, 51]);
    file.floats("VEC3", &[-1.0, 0.0, 0.0, 1.0, 3.0, 1.0]);
    file
}

fn load(file: &GltfFile) -> Import {
    hedgerow_gltf::from_slice(&file.glb(), None).unwrap()
}

#[test]
fn vertices_of_static_meshes_come_whole() {
    let Import { imported, .. } = load(&shop());
    let [table, vase] = &imported.meshes[..] else { panic!("{:?}", imported.meshes) };
    assert_eq!((table.name.as_deref(), vase.name.as_deref()), (Some("oak table"), Some("vase")));
    assert_eq!((table.extras.text(), vase.extras.is_empty()), (Some("[1,2]"), true));
    let [top, frame] = &table.primitives[..] else { panic!("{table:?}") };
    assert_eq!((top.id, top.material, frame.id, frame.material), (0, Some(1), 1, None));
    assert_eq!((&top.variants[..], &frame.variants[..]), (&[(0, 1), (1, 0)][..], &[][..]));
    assert_eq!(imported.variants, ["new", "worn"]);
    assert_eq!(top.extras.value().unwrap()["part"], "top");
    let bounds = Aabb::new(Vec3::new(0.0, 0.0, -1.0), Vec3::new(2.0, 1.0, 0.0));
    assert_eq!((top.bounds, frame.bounds), (Some(bounds), Some(bounds)));

    let vertices = top.vertices.as_ref().unwrap();
    assert_eq!((vertices.id, vertices.topology, vertices.is_deformed()), (0, Topology::Triangles, false));
    assert_eq!(vertices.positions, [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, -1.0]]);
    assert_eq!(vertices.normals[..2], [[0.0, 1.0, 0.0]; 2]);
    assert!(vertices.normals[2][0].is_nan(), "what nothing computes with is as in the file");
    assert_eq!(vertices.tangents, [[1.0, 0.0, 0.0, -1.0]; 3]);
    let [first, second] = &vertices.texcoords[..] else { panic!("{vertices:?}") };
    assert_eq!(first[..], [[0.0, 0.25], [0.5, 0.75], [1.0, -2.0]]);
    assert_eq!(second[..], [[0.0, 1.0], [0.2, 0.0], [1.0, 1.0]]);
    assert_eq!(vertices.colors, [[[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]]]);
    assert_eq!(vertices.indices, [0, 1, 2, 2, 1, 0]);
    assert!(vertices.influences == 0 && vertices.targets.is_empty());

    let lines = frame.vertices.as_ref().unwrap();
    assert_eq!((lines.topology, lines.colors.len(), lines.texcoords.len()), (Topology::Lines, 2, 0));
    assert_eq!(lines.colors[0], [[1.0, 0.0, 0.2, 1.0], [0.0; 4], [0.4, 1.0, 1.0, 0.2]]);
    assert_eq!(lines.colors[1], vertices.colors[0]);
    assert_eq!(imported.vertices(1), Some(lines));
    assert_eq!(imported.vertices(2).unwrap().positions, [[-1.0, 0.0, 0.0], [1.0, 3.0, 1.0]]);
    assert_eq!((imported.vertices(3), imported.primitive(3)), (None, None));
    // Attributes that `MeshData` cannot hold are listed.
    let attribute = |name: &str| Skipped::Attribute { mesh: 0, primitive: 1, name: name.to_owned() };
    assert_eq!(imported.skipped, [attribute("TEXCOORD_1")]);
    assert_eq!(imported.vertices(1).unwrap().attributes[0].name, "_HEAT");
}

#[test]
fn scenes_nodes_cameras_lights_and_extras_come_as_data() {
    let Import { scene, imported, .. } = load(&shop());
    assert_eq!((imported.default_scene, imported.scenes.len()), (Some(1), 3));
    let [day, night, empty] = &imported.scenes[..] else { unreachable!() };
    let names = [day, night, empty].map(|it| scene.get(it.group).and_then(|node| node.name()));
    assert_eq!(names, [Some("day"), Some("night"), None]);
    assert_eq!((scene.children(day.group).count(), scene.children(empty.group).count()), (2, 0));
    assert_eq!(day.extras.value().unwrap()["hour"], 12);
    assert!(night.extras.is_empty());
    assert_eq!(imported.extras.value().unwrap(), "made by a test");

    let of = |index: usize| {
        let node = &imported.nodes[index];
        (node.mesh, node.skin, node.camera, node.light)
    };
    assert_eq!(
        [0, 1, 2].map(of),
        [(Some(0), None, None, None), (None, None, None, Some(0)), (Some(1), None, None, None)]
    );
    assert_eq!([3, 4].map(of), [(None, None, Some(1), Some(1)), (None, None, Some(0), None)]);
    assert_eq!(imported.nodes[0].extras.value().unwrap()["price"], 80);

    let [wide, map] = &imported.cameras[..] else { panic!("{:?}", imported.cameras) };
    let expected = Projection::Perspective { yfov: 1.25, aspect_ratio: Some(1.5), znear: 0.5, zfar: Some(100.0) };
    assert_eq!((wide.name.as_deref(), wide.projection, wide.extras.text()), (Some("wide"), expected, Some("7")));
    assert_eq!(map.projection, Projection::Orthographic { xmag: 2.0, ymag: 3.0, znear: 0.0, zfar: 4.0 });

    let [bulb, sun] = &imported.lights[..] else { panic!("{:?}", imported.lights) };
    let cone = LightKind::Spot { inner_cone_angle: 0.25, outer_cone_angle: core::f32::consts::FRAC_PI_4 };
    assert_eq!((bulb.name.as_deref(), bulb.kind, bulb.intensity), (Some("bulb"), cone, 30.0));
    assert_eq!((bulb.color, bulb.range), ([1.0, 0.5, 0.25], Some(9.0)));
    assert_eq!(bulb.extras.value().unwrap()["watt"], 5);
    assert_eq!((sun.kind, sun.color, sun.intensity, sun.range), (LightKind::Directional, [1.0; 3], 1.0, None));
}

#[test]
fn handles_lead_to_the_items_of_the_file_and_back() {
    let mut import = load(&shop());
    let Import { scene, imported, .. } = &mut import;
    for (index, name) in ["table", "lamp", "vase", "sun", "eye"].into_iter().enumerate() {
        let node = imported.node(index).unwrap();
        assert_eq!((scene.get(node).and_then(|node| node.name()), imported.index_of(node)), (Some(name), Some(index)));
    }
    let day = &imported.scenes[0];
    let numbers: Vec<_> = day.drawables_of(0).iter().map(|it| (it.mesh, it.primitive, it.id, it.skin)).collect();
    assert_eq!(numbers, [(0, 0, 0, None), (0, 1, 1, None)]);
    for drawable in day.drawables_of(0) {
        assert_eq!(scene.get(drawable.handle).unwrap().drawable().unwrap().mesh, drawable.id);
        assert_eq!(imported.mesh_ids.primitive(drawable.id), Some((drawable.mesh, drawable.primitive)));
        // A node inserted for a primitive has the index of the node with the mesh.
        assert_eq!((day.index_of(drawable.handle), imported.index_of(drawable.handle)), (Some(0), Some(0)));
        assert_eq!(imported.scenes[1].index_of(drawable.handle), None);
    }
    let vase = &imported.scenes[1].drawables_of(2)[0];
    assert_eq!((Some(vase.handle), vase.mesh, vase.primitive, vase.id), (imported.node(2), 1, 0, 2));
    assert_eq!(imported.index_of(day.group), None);
    let other = scene.insert(scene.root(), hedgerow::Node::group()).unwrap();
    assert_eq!(imported.index_of(other), None);
}

/// Returns the tree as text, with every name, transform, drawable and material.
fn dump(scene: &Scene) -> Vec<String> {
    let nodes = scene.get(scene.root()).unwrap().descendants().map(|node| node.handle());
    nodes
        .map(|node| {
            format!(
                "{:?} {:?} {:?}",
                scene.get(node).map(|node| node.to_node()),
                scene.get(node).map(|node| node.depth()),
                scene.get(node).and_then(|node| node.bounds())
            )
        })
        .collect()
}

#[test]
fn parts_that_are_not_asked_for_do_not_come_and_the_nodes_are_the_same() {
    let bytes = shop().glb();
    let with = |parts| ImportOptions::new().with_parts(parts).from_slice(&bytes, None).unwrap();
    let whole = with(Parts::ALL);
    let alone = ImportOptions::new().with_parts(Parts::NODES).from_slice(&bytes, None).unwrap();
    assert_eq!(dump(&whole.scene), dump(&alone.scene));
    assert_eq!(alone.imported.scenes[0].drawables, whole.imported.scenes[0].drawables);
    assert_eq!((alone.imported.cameras.len(), alone.imported.lights.len()), (2, 2));
    assert_eq!(alone.imported.meshes[0].name.as_deref(), Some("oak table"));
    assert_eq!(alone.imported.default_material, 2);
    for parts in [
        Parts::NODES,
        Parts { vertices: true, ..Parts::NODES },
        Parts { motion: true, ..Parts::NODES },
        Parts { materials: true, ..Parts::NODES },
        Parts { images: true, ..Parts::NODES },
        Parts { extras: true, ..Parts::NODES },
        Parts::ALL,
    ] {
        let Import { scene, imported, .. } = with(parts);
        assert_eq!(dump(&scene), dump(&whole.scene), "{parts:?}");
        let positions = |imported: &Imported| imported.vertices(0).map(|vertices| vertices.positions.clone());
        assert_eq!(positions(&imported), positions(&whole.imported).filter(|_| parts.vertices));
        assert_eq!(imported.materials.len(), if parts.materials { 3 } else { 0 });
        assert_eq!(imported.nodes[0].extras.is_empty(), !parts.extras);
        assert_eq!(imported.extras.is_empty(), !parts.extras);
    }
    // Parts that are left out are not checked.
    let mut broken = shop();
    broken.put("/meshes/0/primitives/0/indices", json!(1));
    broken.put("/materials/0/emissiveFactor", json!([1e39, 0, 0]));
    assert!(hedgerow_gltf::from_slice(&broken.glb(), None).is_err());
    let some = Parts { materials: true, ..Parts::NODES };
    assert!(ImportOptions::new().with_parts(some).from_slice(&broken.glb(), None).is_err());
    assert!(ImportOptions::new().with_parts(Parts::NODES).from_slice(&broken.glb(), None).is_ok());
}

#[test]
fn two_files_in_one_scene_share_no_number() {
    let bytes = shop().glb();
    let mut scene = Scene::new();
    let root = scene.root();
    let first = ImportOptions::new().from_slice_into(&mut scene, root, &bytes, None).unwrap();
    let second = ImportOptions::new().after(&first).from_slice_into(&mut scene, root, &bytes, None).unwrap();
    let third = ImportOptions::new().after(&second).from_slice_into(&mut scene, root, &bytes, None).unwrap();
    assert_eq!([&first, &second, &third].map(|it| it.mesh_ids.range()), [0..3, 3..6, 6..9]);
    assert_eq!([&first, &second, &third].map(|it| (it.first_material, it.default_material)), [(0, 2), (3, 5), (6, 8)]);
    let (mut drawn, mut numbers) = (0, std::collections::HashSet::new());
    for imported in [&first, &second, &third] {
        for drawable in imported.scenes.iter().flat_map(|scene| &scene.drawables) {
            let id = scene.get(drawable.handle).unwrap().drawable().unwrap().mesh;
            let material = scene.get(drawable.handle).unwrap().own_material().unwrap();
            drawn += 1;
            assert!(numbers.insert(id), "{id} is in two files");
            // No mesh, material or index belongs to two files.
            for other in [&first, &second, &third] {
                let known = core::ptr::eq(other, imported);
                assert_eq!((other.primitive(id).is_some(), other.material(material).is_some()), (known, known), "{id}");
            }
            let primitive = imported.primitive(id).unwrap();
            let expected = primitive.material.map_or(Some("no name"), |it| imported.materials[it].name.as_deref());
            assert_eq!(imported.material(material).unwrap().name.as_deref().or(Some("no name")), expected);
        }
    }
    assert_eq!(drawn, 9);

    let at = |mesh, material| {
        let result = ImportOptions::new().with_first_numbers(mesh, material).from_slice(&bytes, None);
        result.map(|import| import.imported.mesh_ids.range())
    };
    assert_eq!(at(u32::MAX - 3, u32::MAX - 2), Ok(u32::MAX - 3..u32::MAX));
    assert_eq!(at(u32::MAX - 2, 0), Err(ImportErrorKind::TooMany(ItemKind::Mesh).into()));
    assert_eq!(at(0, u32::MAX - 1), Err(ImportErrorKind::TooMany(ItemKind::Material).into()));
}

#[test]
fn a_scene_is_made_with_the_configuration_that_is_asked_for() {
    let bytes = shop().glb();
    let bounds = SceneConfig { bounds: true, ..SceneConfig::DEFAULT };
    let mut import = ImportOptions::new().with_config(bounds).from_slice(&bytes, None).unwrap();
    import.scene.update();
    let seen = |scene: &Scene| {
        let mut seen: Vec<NodeHandle> = Vec::new();
        scene.query(&Frustum::from_view_projection(&Mat4::IDENTITY)?, Layers::ALL, &mut seen)?;
        Ok::<_, Error>(seen.len())
    };
    assert_eq!(seen(&import.scene), Ok(0), "of the default scene, the vase is above");
    import.scene.edit(import.imported.scenes[0].group).unwrap().set_visibility(Visibility::Inherited);
    import.scene.update();
    assert_eq!(seen(&import.scene), Ok(2), "the table, of two primitives");
    let plain = hedgerow_gltf::from_slice(&bytes, None).unwrap();
    assert_eq!(seen(&plain.scene), Err(Error::NoBounds));
    let senseless = SceneConfig { max_nodes: 0, ..SceneConfig::DEFAULT };
    let refused = ImportOptions::new().with_config(senseless).from_slice(&bytes, None).unwrap_err();
    assert!(matches!(refused.kind(), ImportErrorKind::Scene(_)), "{refused}");
}

/// A JSON pointer, the value to put there, and the error of the import.
const BROKEN: &[(&str, &str, &str)] = &[
    (
        "/nodes/1/extensions/KHR_lights_punctual/light",
        "2",
        r#"node 1 "lamp": extensions.KHR_lights_punctual.light is 2, but the file has 2 of these"#,
    ),
    (
        "/extensions/KHR_lights_punctual/lights/0/type",
        "\"lava\"",
        r#"light 0 "bulb": type: it must be directional, point or spot"#,
    ),
    ("/extensions/KHR_lights_punctual/lights/1/intensity", "1e39", "light 1: intensity must be finite"),
    ("/extensions/KHR_lights_punctual/lights/0/spot/innerConeAngle", "-1e39", r#"light 0 "bulb": spot must be finite"#),
    (
        "/cameras/0/type",
        "\"fisheye\"",
        r#"camera 0 "wide": type: it must be perspective or orthographic, with an object of this name beside it"#,
    ),
    (
        "/cameras/1/type",
        "\"perspective\"",
        "camera 1: type: it must be perspective or orthographic, with an object of this name beside it",
    ),
    ("/cameras/0/perspective/zfar", "1e39", r#"camera 0 "wide": perspective must be finite"#),
    ("/meshes/0/primitives/0/attributes/TEXCOORD_0", "0", "accessor 0: it is read as vectors and must be of type VEC2"),
    ("/meshes/0/primitives/0/attributes/COLOR_0", "3", "accessor 3: it is read as vectors and must be of type VEC3"),
    (
        "/meshes/0/primitives/0/attributes/NORMAL",
        "8",
        r#"mesh 0 "oak table": primitives[0].attributes.NORMAL has 2 elements where 3 are needed"#,
    ),
    (
        "/meshes/0/primitives/0/attributes/TEXCOORD_1",
        "77",
        r#"mesh 0 "oak table": primitives[0].attributes.TEXCOORD_1 is 77, but the file has 9 of these"#,
    ),
    ("/meshes/1/primitives/0/indices", "0", "accessor 0: it is read as indices and must be of type SCALAR"),
    ("/meshes/0/primitives/1/mode", "9", r#"mesh 0 "oak table": primitives[1].mode: it must be a number from 0 to 6"#),
    (
        "/meshes/0/primitives/0/extensions/KHR_materials_variants/mappings/0/material",
        "9",
        r#"mesh 0 "oak table": primitives[0].extensions.KHR_materials_variants.mappings[0].material is 9, but the file has 2 of these"#,
    ),
    (
        "/meshes/0/primitives/0/extensions/KHR_materials_variants/mappings/1/variants",
        "[0, 5]",
        r#"mesh 0 "oak table": primitives[0].extensions.KHR_materials_variants.mappings[1].variants is 5, but the file has 2 of these"#,
    ),
];

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    for &(at, value, expected) in BROKEN {
        let mut file = shop();
        file.put(at, serde_json::from_str(value).unwrap());
        let error = hedgerow_gltf::from_slice(&file.glb(), None).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), expected, "{at}");
    }
}

#[test]
fn a_shop_with_any_byte_changed_never_panics() {
    let whole = shop().glb();
    let (mut sound, mut refused) = (0, 0);
    for at in 0..whole.len() {
        for value in [[0, b'9', b'"', 0xFF][at % 4], whole[at] ^ 1] {
            let mut changed = whole.clone();
            changed[at] = value;
            match hedgerow_gltf::from_slice(&changed, None) {
                Ok(import) => {
                    import.scene.validate().unwrap();
                    for drawable in import.imported.scenes.iter().flat_map(|scene| &scene.drawables) {
                        let vertices = import.imported.vertices(drawable.id).unwrap();
                        let count = vertices.positions.len();
                        assert!(vertices.texcoords.iter().all(|set| set.len() == count));
                        assert!(vertices.indices.iter().all(|&index| (index as usize) < count));
                    }
                    sound += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(sound > 1000 && refused > 1000, "{sound} {refused}");
}

#[test]
fn extras_nested_too_deep_for_values_are_still_there_as_text() {
    let mut file = shop();
    let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    file.json["nodes"][0]["extras"] = json!("DEEP");
    file.json["scenes"][2]["nodes"] = json!([]);
    let glb = file.json_text().replace("\"DEEP\"", &deep);
    let import = hedgerow_gltf::from_slice(&file.glb_of(&glb), None).unwrap();
    let extras = &import.imported.nodes[0].extras;
    assert_eq!((extras.text(), extras.value()), (Some(&*deep), None));
}

#[test]
fn accessors_without_data_are_zeros_up_to_a_limit() {
    let with = |count: usize| {
        let mut file = shop();
        let empty = file.accessor(json!({"componentType": 5126, "type": "VEC3", "count": count}));
        file.put("/meshes/1/primitives/0/attributes/POSITION", json!(empty));
        hedgerow_gltf::from_slice(&file.glb(), None)
    };
    let import = with(1 << 16).unwrap();
    assert_eq!(import.imported.vertices(2).unwrap().positions, vec![[0.0; 3]; 1 << 16]);
    let error = with((1 << 16) + 1).map(|_| ()).unwrap_err().to_string();
    assert!(error.ends_with("more elements than the file has bytes; give it data"), "{error}");
}
