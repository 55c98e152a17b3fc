//! A valid glTF file made by a test, ready to be broken.

use serde_json::{Value, json};

/// The JSON of a file, and the bytes of its one buffer.
#[derive(Clone)]
pub struct GltfFile {
    pub json: Value,
    data: Vec<u8>,
}

impl GltfFile {
    /// Returns a file of this JSON, without data.
    pub fn new(mut json: Value) -> Self {
        json["asset"]["version"] = json!("2.0");
        for list in ["accessors", "bufferViews"] {
            json[list] = json!([]);
        }
        json["buffers"] = json!([{}]);
        Self { json, data: Vec::new() }
    }

    /// Returns the file of a GLB with both chunks.
    pub fn of_glb(bytes: &[u8]) -> Self {
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let (json, data) = bytes[20..].split_at(length);
        Self { json: serde_json::from_slice(json).unwrap(), data: data[8..].to_vec() }
    }

    pub fn data_mut(&mut self) -> &mut Vec<u8> {
        &mut self.data
    }

    /// Adds a buffer view of these bytes.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        let offset = self.data.len();
        self.data.extend(bytes);
        self.data.resize(self.data.len().next_multiple_of(4), 0);
        push(&mut self.json["bufferViews"], json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}))
    }

    pub fn accessor(&mut self, accessor: Value) -> usize {
        push(&mut self.json["accessors"], accessor)
    }

    /// Adds an accessor of this component type over these bytes.
    pub fn numbers(&mut self, component: u32, kind: &str, bytes: &[u8]) -> usize {
        let size = match component {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let of_kind = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let (view, count) = (self.view(bytes), bytes.len() / (size * of_kind));
        self.accessor(json!({"bufferView": view, "componentType": component, "type": kind, "count": count}))
    }

    /// Adds an accessor over these floats.
    pub fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.numbers(5126, kind, &bytes)
    }

    /// Adds an accessor over normalised integers.
    pub fn fractions(&mut self, component: u32, kind: &str, bytes: &[u8]) -> usize {
        let accessor = self.numbers(component, kind, bytes);
        self.json["accessors"][accessor]["normalized"] = json!(true);
        accessor
    }

    /// Sets the value at a JSON pointer, adding it if it is missing.
    pub fn put(&mut self, at: &str, value: Value) {
        let (holder, last) = at.rsplit_once('/').unwrap();
        match self.json.pointer_mut(holder).unwrap() {
            Value::Array(list) => list[last.parse::<usize>().unwrap()] = value,
            holder => holder[last] = value,
        }
    }

    pub fn glb(&self) -> Vec<u8> {
        self.glb_of(&self.json_text())
    }

    pub fn json_text(&self) -> String {
        let mut json = self.json.clone();
        json["buffers"][0]["byteLength"] = json!(self.data.len());
        json.to_string()
    }

    /// Returns the file as a GLB with another JSON.
    pub fn glb_of(&self, json: &str) -> Vec<u8> {
        glb(json.as_bytes(), &self.data)
    }
}

/// Appends to a JSON array, and returns the index.
fn push(list: &mut Value, value: Value) -> usize {
    let list = list.as_array_mut().unwrap();
    list.push(value);
    list.len() - 1
}

/// Returns a GLB with these two chunks.
pub fn glb(json: &[u8], data: &[u8]) -> Vec<u8> {
    let mut chunks = Vec::new();
    for (kind, content, padding) in [(b"JSON", json, b' '), (b"BIN\0", data, 0)] {
        let length = content.len().next_multiple_of(4);
        chunks.extend(u32::try_from(length).unwrap().to_le_bytes());
        chunks.extend(kind);
        chunks.extend(content);
        chunks.resize(chunks.len() + length - content.len(), padding);
    }
    let length = u32::try_from(12 + chunks.len()).unwrap();
    [b"glTF".as_slice(), &2_u32.to_le_bytes(), &length.to_le_bytes(), &chunks].concat()
}
