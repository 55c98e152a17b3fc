//! Three glTF files made by code.

use crate::puppet::{Gait, Lists, PuppetMesh, Rig};
use hedgerow::Aabb;
use hedgerow::glam::Vec3;
use hedgerow_testkit::gltf::GltfFile;
use hedgerow_viewer::stage::geometry::Mesh;
use serde_json::{Value, json};

/// Adds a mesh's vertices and indices. Returns its primitive.
fn primitive(file: &mut GltfFile, mesh: &Mesh, material: usize) -> Value {
    let all = |of: fn(&hedgerow_viewer::stage::geometry::Vertex) -> Vec<f32>| {
        mesh.vertices.iter().flat_map(of).collect::<Vec<f32>>()
    };
    let places = file.floats("VEC3", &all(|vertex| vertex.place.to_vec()));
    let normals = file.floats("VEC3", &all(|vertex| vertex.normal.to_vec()));
    let texcoords = file.floats("VEC2", &all(|vertex| vertex.texcoords[0].to_vec()));
    let bytes: Vec<u8> = mesh.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
    let indices = file.numbers(5125, "SCALAR", &bytes);
    json!({
        "attributes": {"POSITION": places, "NORMAL": normals, "TEXCOORD_0": texcoords},
        "indices": indices, "material": material
    })
}

/// Adds a PNG image. Returns its buffer view.
fn image(file: &mut GltfFile, side: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> usize {
    let pixels: Vec<[u8; 4]> = (0..side * side).map(|at| pixel(at % side, at / side)).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().unwrap().write_image_data(pixels.as_flattened()).unwrap();
    file.view(&bytes)
}

fn solid(min: [f32; 3], max: [f32; 3]) -> Aabb {
    Aabb::new(min.into(), max.into())
}

/// Returns a table with images, metals, overlapping glass, a cut-out fence, mirrored meshes, lights, a camera and a
/// mill.
pub(crate) fn shelf() -> Vec<u8> {
    let mut file = GltfFile::new(json!({
        "scene": 0, "scenes": [{"nodes": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}],
        "nodes": [
            {"name": "table", "mesh": 0},
            {"name": "bricks", "mesh": 1, "translation": [-2, 0, 0]},
            {"name": "wedge", "mesh": 2, "translation": [-0.2, 0, 1.1]},
            {"name": "mirrored wedge", "mesh": 2, "translation": [1.4, 0, 1.1], "scale": [-1, 1, 1]},
            {"name": "gold", "mesh": 3, "translation": [0.4, 0, -0.4]},
            {"name": "glass", "mesh": 4, "translation": [2, 0, 0.6]},
            {"name": "glass behind", "mesh": 5, "translation": [2.1, 0, 0.1]},
            {"name": "fence", "mesh": 6, "translation": [-0.6, 0, -1.5]},
            {"name": "lamp", "translation": [-1.2, 1.1, 1.6], "extensions": {"KHR_lights_punctual": {"light": 0}}},
            {"name": "spot", "translation": [2.2, 3, 2], "rotation": [-0.5, 0.0, 0.0, 0.866_025_4],
                "extensions": {"KHR_lights_punctual": {"light": 1}}},
            {"name": "eye", "translation": [0, 2.6, 5.4], "rotation": [-0.190_809, 0, 0, 0.981_627_2], "camera": 0},
            {"name": "sun", "rotation": [-0.430_459_3, -0.253_604_3, -0.126_802_2, 0.857_005_8],
                "extensions": {"KHR_lights_punctual": {"light": 2}}},
            {"name": "wheel", "translation": [0.2, 1.9, -2], "mesh": 7}
        ],
        "meshes": [],
        "materials": [
            {"pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.8, "baseColorTexture": {"index": 1}}},
            {"pbrMetallicRoughness": {"metallicFactor": 0, "baseColorTexture": {"index": 0}}},
            {"pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.5, "baseColorFactor": [0.1, 0.3, 0.7, 1]}},
            {"pbrMetallicRoughness": {"metallicFactor": 1, "roughnessFactor": 0.25, "baseColorFactor": [1, 0.7, 0.25, 1]}},
            {"alphaMode": "BLEND", "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.1,
                "baseColorFactor": [0.9, 0.1, 0.1, 0.45]}},
            {"alphaMode": "BLEND", "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.1,
                "baseColorFactor": [0.1, 0.8, 0.2, 0.45]}},
            {"alphaMode": "MASK", "doubleSided": true,
                "pbrMetallicRoughness": {"metallicFactor": 0, "baseColorTexture": {"index": 2}}},
            {"emissiveFactor": [0.25, 0.05, 0.02], "pbrMetallicRoughness": {"metallicFactor": 0,
                "baseColorTexture": {"index": 1, "extensions": {"KHR_texture_transform": {"scale": [3, 3]}}}}}
        ],
        "textures": [{"source": 0}, {"source": 1}, {"source": 2, "sampler": 0}],
        "samplers": [{"magFilter": 9728, "wrapS": 33071, "wrapT": 33648}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 0.75, "znear": 0.1}}],
        "extensionsUsed": ["KHR_lights_punctual", "KHR_texture_transform"],
        "extensions": {"KHR_lights_punctual": {"lights": [
            {"type": "point", "intensity": 4, "color": [1, 0.6, 0.2], "range": 6},
            {"type": "spot", "intensity": 30, "color": [0.5, 0.7, 1], "spot": {"innerConeAngle": 0.2, "outerConeAngle": 0.4}},
            {"type": "directional", "intensity": 1.6}]}}
    }));
    let solids = [
        Mesh::block(solid([-3.4, -0.2, -2.6], [3.4, 0.0, 2.4]), [1.0, 1.0]),
        Mesh::block(solid([-0.7, 0.0, -0.7], [0.7, 1.4, 0.7]), [1.0, 1.0]),
        Mesh::roof(solid([-0.5, 0.0, -0.4], [0.5, 0.7, 0.4])),
        Mesh::foliage(solid([-0.6, 0.0, -0.6], [0.6, 1.2, 0.6]), 5, 8),
        Mesh::block(solid([-0.6, 0.0, -0.04], [0.6, 1.3, 0.04]), [1.0, 1.0]),
        Mesh::block(solid([-0.6, 0.0, -0.04], [0.6, 1.3, 0.04]), [1.0, 1.0]),
        Mesh::block(solid([-1.0, 0.0, -0.03], [1.0, 1.0, 0.03]), [1.0, 1.0]),
        Mesh::column(solid([-0.9, -0.12, -0.9], [0.9, 0.12, 0.9]), 5, 0.8, false),
    ];
    for (material, solid) in solids.iter().enumerate() {
        let primitive = primitive(&mut file, solid, material);
        file.json["meshes"].as_array_mut().unwrap().push(json!({"primitives": [primitive]}));
    }
    let bricks = image(&mut file, 32, |x, y| {
        let joint = y % 8 == 0 || (x + y / 8 % 2 * 8) % 16 == 0;
        if joint { [200, 196, 188, 255] } else { [176, 70, 48, 255] }
    });
    let boards =
        image(&mut file, 16, |x, y| if (x / 4 + y / 8) % 2 == 0 { [146, 104, 60, 255] } else { [196, 160, 110, 255] });
    let fence = image(&mut file, 16, |x, y| [90, 130, 70, if x % 4 < 2 || y % 8 < 2 { 255 } else { 0 }]);
    file.json["images"] =
        [bricks, boards, fence].map(|view| json!({"bufferView": view, "mimeType": "image/png"})).into_iter().collect();
    // The wheel is upright and turns.
    let times = file.floats("SCALAR", &[0.0, 1.0, 2.0]);
    let half = 0.5_f32.sqrt();
    let turns = file.floats("VEC4", &[half, 0.0, 0.0, half, 0.5, 0.5, 0.5, 0.5, 0.0, half, half, 0.0]);
    file.json["animations"] = json!([{"samplers": [{"input": times, "output": turns}],
        "channels": [{"sampler": 0, "target": {"node": 12, "path": "rotation"}}]}]);
    file.glb()
}

/// Returns a walking puppet: a skin of 68 joints, and a clip.
pub(crate) fn walker() -> Vec<u8> {
    let rig = Rig::new().unwrap();
    let lists = Lists::new(&PuppetMesh::new(&rig));
    let parents: Vec<Option<u16>> = (0..rig.places.len()).map(|joint| rig.parent(joint as u16)).collect();
    let nodes = rig.places.iter().enumerate().map(|(joint, &place)| {
        let above = parents[joint].map_or(Vec3::ZERO, |parent| rig.places[usize::from(parent)]);
        let children: Vec<usize> =
            (0..parents.len()).filter(|&child| parents[child].map(usize::from) == Some(joint)).collect();
        let name = rig.skeleton.name(joint as u16);
        let mut node = json!({"name": name, "translation": (place - above).to_array()});
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    });
    let mut nodes: Vec<Value> = nodes.collect();
    let joints = nodes.len();
    nodes.push(json!({"name": "body", "mesh": 0, "skin": 0, "translation": [50, 0, 0]}));
    nodes.push(json!({"name": "ground", "mesh": 1}));
    let mut file = GltfFile::new(json!({
        "scene": 0, "scenes": [{"nodes": [0, joints, joints + 1]}], "nodes": nodes, "meshes": [],
        "materials": [
            {"pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.9}},
            {"pbrMetallicRoughness": {"metallicFactor": 0, "baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}]
    }));
    let flat = |list: &[Vec3]| list.iter().flat_map(|place| place.to_array()).collect::<Vec<f32>>();
    let colours =
        [[0.60, 0.36, 0.24], [0.08, 0.045, 0.025], [0.42, 0.06, 0.04], [0.10, 0.11, 0.17], [0.06, 0.04, 0.03]];
    let colours: Vec<f32> = lists.covers.iter().flat_map(|&cover| colours[cover as usize]).collect();
    let shorts = |list: &[u16]| list.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let indices: Vec<u8> = lists.indices.iter().flat_map(|index| index.to_le_bytes()).collect();
    let attributes = json!({
        "POSITION": file.floats("VEC3", &flat(&lists.positions)),
        "NORMAL": file.floats("VEC3", &flat(&lists.normals)),
        "COLOR_0": file.floats("VEC3", &colours),
        "JOINTS_0": file.numbers(5123, "VEC4", &shorts(&lists.joints)),
        "WEIGHTS_0": file.floats("VEC4", &lists.weights),
    });
    let indices = file.numbers(5125, "SCALAR", &indices);
    let ground = Mesh::block(solid([-2.0, -0.1, -2.0], [2.0, 0.0, 2.0]), [1.0, 1.0]);
    let ground = primitive(&mut file, &ground, 1);
    file.json["meshes"] = json!([
        {"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}, {"primitives": [ground]}]);
    let view = image(&mut file, 8, |x, y| if (x + y) % 2 == 0 { [120, 132, 96, 255] } else { [168, 172, 150, 255] });
    file.json["images"] = json!([{"bufferView": view, "mimeType": "image/png"}]);
    let binds: Vec<f32> = rig
        .places
        .iter()
        .flat_map(|place| {
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -place.x, -place.y, -place.z, 1.0]
        })
        .collect();
    let binds = file.floats("MAT4", &binds);
    file.json["skins"] = json!([{"joints": (0..joints).collect::<Vec<_>>(), "inverseBindMatrices": binds}]);

    let gait = &Gait::ALL[1];
    let keys: Vec<_> =
        (0..=gait.keys).map(|key| gait.at(&rig, f32::from(key % gait.keys) / f32::from(gait.keys))).collect();
    let times: Vec<f32> = (0..=gait.keys).map(|key| f32::from(key) / 30.0).collect();
    let input = file.floats("SCALAR", &times);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for joint in 0..joints {
        let turns: Vec<f32> = keys.iter().flat_map(|stance| stance.rotations[joint].to_array()).collect();
        let output = file.floats("VEC4", &turns);
        channels.push(json!({"sampler": samplers.len(), "target": {"node": joint, "path": "rotation"}}));
        samplers.push(json!({"input": input, "output": output}));
    }
    let hips: Vec<f32> = keys.iter().flat_map(|stance| stance.hips.to_array()).collect();
    let output = file.floats("VEC3", &hips);
    channels.push(json!({"sampler": samplers.len(), "target": {"node": rig.body.hips, "path": "translation"}}));
    samplers.push(json!({"input": input, "output": output}));
    file.json["animations"] = json!([{"samplers": samplers, "channels": channels}]);
    file.glb()
}

/// Returns a flag on a pole: two animated morph targets, vertex colours, a strip, a fan, lines, an unlit surface, no
/// normals.
pub(crate) fn flag() -> Vec<u8> {
    const WIDE: u16 = 24;
    const HIGH: u16 = 12;
    let mut file = GltfFile::new(json!({
        "scene": 0, "scenes": [{"nodes": [0, 1, 2, 3, 4]}],
        "nodes": [
            {"name": "cloth", "mesh": 0, "translation": [0.3, 1.15, 0], "rotation": [0, 0, -0.13, 0.991_514]},
            {"name": "pole", "mesh": 1, "rotation": [0, 0, -0.13, 0.991_514]},
            {"name": "path", "mesh": 2}, {"name": "sign", "mesh": 3, "translation": [-1.2, 0, 0.6]},
            {"name": "outline", "mesh": 4, "translation": [-1.2, 0, 0.62]}],
        "meshes": [],
        "materials": [
            {"doubleSided": true, "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.8,
                "baseColorTexture": {"index": 0}}},
            {"pbrMetallicRoughness": {"metallicFactor": 0.9, "roughnessFactor": 0.4, "baseColorFactor": [0.5, 0.5, 0.55, 1]}},
            {"pbrMetallicRoughness": {"metallicFactor": 0, "baseColorFactor": [0.25, 0.22, 0.18, 1]}},
            {"doubleSided": true, "extensions": {"KHR_materials_unlit": {}},
                "pbrMetallicRoughness": {"baseColorFactor": [0.9, 0.6, 0.05, 1]}}],
        "textures": [{"source": 0}],
        "extensionsUsed": ["KHR_materials_unlit"]
    }));
    let (mut places, mut normals, mut coords, mut colours) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut waves, mut wave_normals, mut curls) = (Vec::new(), Vec::new(), Vec::new());
    for y in 0..=HIGH {
        for x in 0..=WIDE {
            let [u, v] = [f32::from(x) / f32::from(WIDE), f32::from(y) / f32::from(HIGH)];
            places.extend([1.6 * u, 0.9 * v, 0.0]);
            normals.extend([0.0, 0.0, 1.0]);
            coords.extend([u, 1.0 - v]);
            colours.extend([1.0, 0.6 + 0.4 * v, 0.6 + 0.4 * v]);
            waves.extend([0.0, 0.0, 0.35 * u * (8.0 * u + 2.0 * v).sin()]);
            wave_normals.extend([-1.4 * u * (8.0 * u + 2.0 * v).cos(), 0.0, 0.0]);
            curls.extend([-0.4 * u * u, -0.5 * u * u, 0.0]);
        }
    }
    let row = u32::from(WIDE) + 1;
    let mut indices: Vec<u32> = Vec::new();
    for y in 0..u32::from(HIGH) {
        for x in 0..u32::from(WIDE) {
            let at = y * row + x;
            indices.extend([at, at + 1, at + row + 1, at, at + row + 1, at + row]);
        }
    }
    let indices: Vec<u8> = indices.into_iter().flat_map(u32::to_le_bytes).collect();
    let attributes = json!({
        "POSITION": file.floats("VEC3", &places), "NORMAL": file.floats("VEC3", &normals),
        "TEXCOORD_0": file.floats("VEC2", &coords), "COLOR_0": file.floats("VEC3", &colours)});
    let targets = json!([
        {"POSITION": file.floats("VEC3", &waves), "NORMAL": file.floats("VEC3", &wave_normals)},
        {"POSITION": file.floats("VEC3", &curls)}]);
    let indices = file.numbers(5125, "SCALAR", &indices);
    let pole = Mesh::column(solid([-0.06, 0.0, -0.06], [0.06, 2.3, 0.06]), 8, 0.7, false);
    let pole = primitive(&mut file, &pole, 1);
    // A path as a strip, a sign as a fan, and its outline as lines.
    let strip: Vec<f32> = (0..10_u8)
        .flat_map(|step| {
            let [along, side] = [f32::from(step / 2) * 0.9 - 1.8, if step % 2 == 0 { -0.5 } else { 0.5 }];
            [along, 0.0, side + 0.15 * along * along]
        })
        .collect();
    let fan: Vec<f32> = (0..8_u8)
        .flat_map(|step| {
            let (sin, cos) = (std::f32::consts::TAU * f32::from(step) / 8.0).sin_cos();
            [0.4 * cos, 1.0 + 0.4 * sin, 0.0]
        })
        .collect();
    let (path, sign) = (file.floats("VEC3", &strip), file.floats("VEC3", &fan));
    file.json["meshes"] = json!([
        {"weights": [0, 0], "primitives": [
            {"attributes": attributes, "indices": indices, "material": 0, "targets": targets}]},
        {"primitives": [pole]},
        {"primitives": [{"attributes": {"POSITION": path}, "mode": 5, "material": 2}]},
        {"primitives": [{"attributes": {"POSITION": sign}, "mode": 6, "material": 3}]},
        {"primitives": [{"attributes": {"POSITION": sign}, "mode": 2, "material": 2}]}]);
    let view = image(&mut file, 16, |x, y| match (x / 6, y / 5) {
        (1, _) | (_, 1) => [240, 240, 236, 255],
        _ => [40, 60, 150, 255],
    });
    file.json["images"] = json!([{"bufferView": view, "mimeType": "image/png"}]);
    let times = file.floats("SCALAR", &[0.0, 1.0, 2.0]);
    let weights = file.floats("SCALAR", &[0.0, 0.0, 1.0, 0.6, 0.0, 0.0]);
    file.json["animations"] = json!([{"samplers": [{"input": times, "output": weights}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}]}]);
    file.glb()
}
