//! Small glTF files, and changes of their JSON that leave it JSON.

use crate::gltf_file::{GltfFile, glb};
use crate::small::man;
use serde_json::{Value, json};

/// The number of bytes that describe a change.
pub(crate) const CHANGE_BYTES: usize = 8;

/// A file: a character that plays, or a room with what does not move.
pub(crate) fn sample(which: u8) -> GltfFile {
    let mut file = if which.is_multiple_of(2) { man() } else { room() };
    file.json["buffers"][0]["byteLength"] = json!(file.data_mut().len());
    file
}

/// The file as it is, whatever became of its JSON.
pub(crate) fn bytes(file: &mut GltfFile) -> Vec<u8> {
    let json = file.json.to_string();
    glb(json.as_bytes(), file.data_mut())
}

/// A table of two primitives, a light and a camera, with materials, textures and an image.
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
pub(crate) fn change(file: &mut GltfFile, how: &[u8; CHANGE_BYTES]) {
    let [kind, a, b, c, d, e, x, y] = *how;
    let (at, from) = (usize::from(u16::from_le_bytes([a, b])), usize::from(u16::from_le_bytes([c, d])));
    let number = usize::from(u16::from_le_bytes([x, y]));
    if kind % 10 == 9 {
        let data = file.data_mut();
        let len = data.len();
        if len > 0 {
            data[at % len] = e;
        }
        return;
    }
    let paths = paths(&file.json);
    let path = paths[at % paths.len()].clone();
    let copied = file.json.pointer(&paths[from % paths.len()]).cloned().unwrap_or(Value::Null);
    let odd = [
        json!(0),
        json!(1),
        json!(-1),
        json!(255),
        json!(65_535),
        json!(4_294_967_295_u32),
        json!(u64::MAX),
        json!(1e39),
        json!(-0.5),
        json!(1e-30),
        json!(null),
        json!(true),
        json!([]),
        json!({}),
        json!("TRIANGLES"),
        json!("\u{0}ä"),
    ];
    let Some(value) = file.json.pointer_mut(&path) else { return };
    match kind % 10 {
        0 => {
            let (above, name) = path.rsplit_once('/').unwrap_or_default();
            match file.json.pointer_mut(above) {
                Some(Value::Object(object)) => drop(object.remove(&name.replace("~1", "/").replace("~0", "~"))),
                Some(Value::Array(list)) => {
                    drop(name.parse().ok().filter(|&at| at < list.len()).map(|at: usize| list.remove(at)));
                }
                _ => {}
            }
        }
        1 | 2 => *value = odd[usize::from(e) % odd.len()].clone(),
        3 => *value = json!(number % 32),
        4 => *value = copied,
        5 => match value {
            Value::Array(list) if list.len() < 64 => list.push(copied),
            Value::Object(object) if object.len() < 64 => drop(object.insert(e.to_string(), copied)),
            _ => {}
        },
        6 => {
            if let Value::Array(list) = value {
                list.truncate(number % 8);
            }
        }
        7 => {
            if let Some(old) = value.as_i64() {
                *value = json!(old.wrapping_add(i64::from(e % 9) - 4));
            }
        }
        _ => {
            if let Some(old) = value.as_f64() {
                *value = json!(old * [-1.0, 2.0, 0.5, 1e10, 1e-10, 1e38][usize::from(e) % 6]);
            }
        }
    }
}

/// The paths of all values in a document, but for that of the whole.
fn paths(document: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    let mut open = vec![(String::new(), document)];
    while let Some((path, value)) = open.pop() {
        match value {
            Value::Array(list) => {
                open.extend(list.iter().enumerate().map(|(at, value)| (format!("{path}/{at}"), value)));
            }
            Value::Object(object) => open.extend(
                object
                    .iter()
                    .map(|(name, value)| (format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), value)),
            ),
            _ => {}
        }
        if !path.is_empty() {
            paths.push(path);
        }
    }
    paths
}
