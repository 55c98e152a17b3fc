//! Small glTF files, and changes that keep the JSON well-formed.

use super::file::{GltfFile, glb};
use super::man::man;
use crate::json;
use crate::json::CHANGE_BYTES;
use serde_json::json;

/// Returns a file: an animated character, a static room, or a compressed field.
pub fn sample(which: u8) -> GltfFile {
    let mut file = match which % 8 {
        6 => GltfFile::of_glb(include_bytes!("../../../gltf/tests/models/grid_meshopt_filters.glb")),
        7 => GltfFile::of_glb(include_bytes!("../../../gltf/tests/models/grid_draco.glb")),
        which if which.is_multiple_of(2) => man(),
        _ => room(),
    };
    file.json["buffers"][0]["byteLength"] = json!(file.data_mut().len());
    file
}

/// Returns the file as a GLB, also with invalid JSON.
pub fn bytes(file: &mut GltfFile) -> Vec<u8> {
    let json = file.json.to_string();
    glb(json.as_bytes(), file.data_mut())
}

/// Returns a table of two primitives, a light and a camera, with materials, textures and an image.
fn room() -> GltfFile {
    let mut file = GltfFile::new(json!({
        "scene": 0, "scenes": [{"name": "day", "nodes": [0, 2]}, {"nodes": [0]}],
        "nodes": [
            {"name": "table", "mesh": 0, "children": [1], "extras": {"price": 80},
                "matrix": [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 3, 0, 0, 1]},
            {"name": "vase", "mesh": 1, "translation": [0, 1, 0], "rotation": [0, 0.6, 0, 0.8], "scale": [1, 2, 1]},
            {"name": "eye", "camera": 0, "extensions": {"KHR_lights_punctual": {"light": 0}}}
        ],
        "meshes": [
            {"name": "table", "primitives": [
                {"attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "COLOR_0": 3}, "indices": 4, "material": 0},
                {"attributes": {"POSITION": 0}, "mode": 1}]},
            {"primitives": [{"attributes": {"POSITION": 5}, "material": 1}]}
        ],
        "materials": [
            {"name": "oak", "alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": true,
                "normalTexture": {"index": 0, "scale": 2, "texCoord": 0},
                "pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0.25, 1], "metallicFactor": 0.5,
                    "baseColorTexture": {"index": 0,
                        "extensions": {"KHR_texture_transform": {"offset": [0, 1], "rotation": 1, "scale": [2, 2]}}}}},
            {"emissiveFactor": [1, 0, 0],
                "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 5}, "KHR_materials_ior": {"ior": 1.4}}}
        ],
        "textures": [{"source": 0, "sampler": 0}],
        "samplers": [{"magFilter": 9729, "minFilter": 9987, "wrapS": 33071, "wrapT": 10497}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.5, "zfar": 100, "aspectRatio": 1.5}}],
        "extensionsUsed": ["KHR_lights_punctual", "KHR_texture_transform"],
        "extensions": {"KHR_lights_punctual": {"lights": [
            {"type": "spot", "intensity": 30, "range": 9, "spot": {"innerConeAngle": 0.25, "outerConeAngle": 0.5}}]}}
    }));
    file.floats("VEC3", &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, -1.0]);
    file.floats("VEC3", &[0.0, 1.0, 0.0].repeat(3));
    file.floats("VEC2", &[0.0, 0.25, 0.5, 0.75, 1.0, -2.0]);
    file.fractions(5121, "VEC4", &[255, 0, 51, 255, 0, 0, 0, 0, 102, 255, 255, 51]);
    file.numbers(5121, "SCALAR", &[0, 1, 2, 2, 1, 0]);
    file.floats("VEC3", &[-1.0, 0.0, 0.0, 1.0, 3.0, 1.0, 0.0, 0.0, 2.0]);
    let view = file.view(&[0x89, b'P', b'N', b'G', 13, 10, 26, 10]);
    file.json["images"] = json!([{"mimeType": "image/png", "bufferView": view}]);
    file
}

/// Changes one value of the JSON, or one byte of the data.
pub fn change(file: &mut GltfFile, how: &[u8; CHANGE_BYTES]) {
    let [kind, a, b, .., e, _, _] = *how;
    if kind % 10 < 9 {
        json::change(&mut file.json, how);
        return;
    }
    let (at, data) = (usize::from(u16::from_le_bytes([a, b])), file.data_mut());
    let len = data.len();
    if len > 0 {
        data[at % len] = e;
    }
}
