//! A small skinned and morphed character as glTF.

use super::file::GltfFile;
use serde_json::json;

/// Returns a yard with a man in it: hip, head, and a body of one triangle that follows both and can smile and frown.
pub fn man() -> GltfFile {
    let json = json!({
        "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "yard", "translation": [10, 0, 0], "children": [1]},
            {"name": "man", "children": [2, 4]},
            {"name": "hip", "translation": [0, 1, 0], "children": [3]},
            {"name": "head", "translation": [0, 2, 0]},
            {"name": "body", "mesh": 0, "skin": 0, "weights": [0, 0.25]}
        ],
        "skins": [{"name": "bones", "joints": [2, 3], "inverseBindMatrices": 5}],
        "meshes": [{
            "weights": [1, 1], "extras": {"targetNames": ["smile", "frown"]},
            "primitives": [{
                "attributes": {"POSITION": 0, "NORMAL": 1, "JOINTS_0": 2, "WEIGHTS_0": 3}, "indices": 4,
                "targets": [{"POSITION": 12}, {"POSITION": 13}]
            }]
        }],
        "animations": [
            {"name": "nod",
                "samplers": [{"input": 6, "output": 7}, {"input": 8, "output": 9, "interpolation": "STEP"}],
                "channels": [{"sampler": 0, "target": {"node": 3, "path": "rotation"}},
                    {"sampler": 1, "target": {"node": 2, "path": "translation"}}]},
            {"samplers": [{"input": 10, "output": 11, "interpolation": "CUBICSPLINE"}],
                "channels": [{"sampler": 0, "target": {"node": 4, "path": "weights"}}]}
        ]
    });
    let mut small = GltfFile::new(json);
    let shorts = |numbers: &[i16]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    // Accessors 0 to 5 are the body.
    small.floats("VEC3", &[0.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 3.0, 0.0]);
    small.accessor(json!({"componentType": 5126, "type": "VEC3", "count": 3}));
    small.numbers(5121, "VEC4", &[0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]);
    small.fractions(5121, "VEC4", &[255, 0, 0, 0, 51, 204, 0, 0, 255, 0, 0, 0]);
    small.numbers(5123, "SCALAR", &shorts(&[2, 1, 0]));
    let bind = |y: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, y, 0.0, 1.0];
    small.floats("MAT4", &[bind(-1.0), bind(-3.0)].concat());
    // Accessors 6 to 9 are the nod.
    small.floats("SCALAR", &[0.0, 2.0]);
    small.fractions(5122, "VEC4", &shorts(&[0, 0, 0, 32767, 23170, 0, 0, 23170]));
    small.floats("SCALAR", &[0.0, 2.0]);
    small.floats("VEC3", &[0.0, 1.0, 0.0, 0.0, 5.0, 0.0]);
    // Accessors 10 and 11 are the cubic smile: each key has two in-tangents, two weights and two out-tangents.
    small.floats("SCALAR", &[0.0, 1.0]);
    small.floats("SCALAR", &[0.0, 0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0]);
    // Accessor 12 is a full target, accessor 13 a sparse one without a base.
    small.floats("VEC3", &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let (index, value) = (small.view(&[2]), small.view(&[0.0, 0.0, -2.0_f32].map(f32::to_le_bytes).concat()));
    small.accessor(json!({"componentType": 5126, "type": "VEC3", "count": 3, "sparse": {"count": 1,
        "indices": {"bufferView": index, "componentType": 5121}, "values": {"bufferView": value}}}));
    small
}
