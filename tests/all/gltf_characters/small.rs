//! A small skinned and morphed character as glTF, valid and ready to be broken.

use crate::gltf::glb;
use serde_json::{Value, json};

/// A yard with a man in it: hip, head, and a body of one triangle that follows both and can smile and frown.
pub(super) struct Small {
    pub(super) json: Value,
    data: Vec<u8>,
}

impl Small {
    pub(super) fn new() -> Self {
        let json = json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
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
            ],
            "accessors": [], "bufferViews": [], "buffers": [{}]
        });
        let mut small = Self { json, data: Vec::new() };
        let shorts = |numbers: &[i16]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
        // The body: 0 to 5.
        small.floats("VEC3", &[0.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 3.0, 0.0]);
        small.accessor(json!({"componentType": 5126, "type": "VEC3", "count": 3}));
        small.numbers(5121, "VEC4", &[0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]);
        let weights = small.numbers(5121, "VEC4", &[255, 0, 0, 0, 51, 204, 0, 0, 255, 0, 0, 0]);
        small.json["accessors"][weights]["normalized"] = json!(true);
        small.numbers(5123, "SCALAR", &shorts(&[2, 1, 0]));
        let bind = |y: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, y, 0.0, 1.0];
        small.floats("MAT4", &[bind(-1.0), bind(-3.0)].concat());
        // The nod: 6 to 9.
        small.floats("SCALAR", &[0.0, 2.0]);
        let turned = small.numbers(5122, "VEC4", &shorts(&[0, 0, 0, 32767, 23170, 0, 0, 23170]));
        small.json["accessors"][turned]["normalized"] = json!(true);
        small.floats("SCALAR", &[0.0, 2.0]);
        small.floats("VEC3", &[0.0, 1.0, 0.0, 0.0, 5.0, 0.0]);
        // The smile, cubic: 10 and 11. For each key two tangents in, two weights, two tangents out.
        small.floats("SCALAR", &[0.0, 1.0]);
        small.floats("SCALAR", &[0.0, 0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0]);
        // The targets: 12 in full, 13 sparse without a base.
        small.floats("VEC3", &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let (index, value) = (small.view(&[2]), small.view(&[0.0, 0.0, -2.0_f32].map(f32::to_le_bytes).concat()));
        small.accessor(json!({"componentType": 5126, "type": "VEC3", "count": 3, "sparse": {"count": 1,
            "indices": {"bufferView": index, "componentType": 5121}, "values": {"bufferView": value}}}));
        small
    }

    /// Adds a buffer view of these bytes.
    fn view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.data.len();
        self.data.extend(bytes);
        self.data.resize(self.data.len().next_multiple_of(4), 0);
        push(&mut self.json["bufferViews"], json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}))
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        push(&mut self.json["accessors"], accessor)
    }

    /// Adds an accessor of this component type over these bytes.
    pub(super) fn numbers(&mut self, component: u32, kind: &str, bytes: &[u8]) -> usize {
        let size = match component {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let of_kind = match kind {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let (view, count) = (self.view(bytes), bytes.len() / (size * of_kind));
        self.accessor(json!({"bufferView": view, "componentType": component, "type": kind, "count": count}))
    }

    /// Adds an accessor over these floats.
    pub(super) fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.numbers(5126, kind, &bytes)
    }

    /// Sets the value at a JSON pointer, adding it if it is missing.
    pub(super) fn put(&mut self, at: &str, value: Value) {
        let (holder, last) = at.rsplit_once('/').unwrap();
        match self.json.pointer_mut(holder).unwrap() {
            Value::Array(list) => list[last.parse::<usize>().unwrap()] = value,
            holder => holder[last] = value,
        }
    }

    /// The file.
    pub(super) fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"][0]["byteLength"] = json!(self.data.len());
        glb(&serde_json::to_vec(&json).unwrap(), &self.data)
    }
}

/// Appends to a JSON array, and returns the index.
fn push(list: &mut Value, value: Value) -> usize {
    let list = list.as_array_mut().unwrap();
    list.push(value);
    list.len() - 1
}
