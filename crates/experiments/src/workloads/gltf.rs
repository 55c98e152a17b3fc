//! A glTF file, written out.

use std::fmt::Write as _;

/// How large a file is.
#[derive(Clone, Copy, Debug)]
pub struct GltfCity {
    /// The nodes, in chains of ten below one root, each with a mesh.
    pub nodes: usize,
    /// The meshes, of one primitive each, with a material each.
    pub meshes: usize,
    /// The vertices of each mesh, with normals, texture coordinates, and three indices each.
    pub vertices: usize,
    /// The images, of 64 KB each.
    pub images: usize,
    /// The nodes that the animation turns.
    pub moved: usize,
    /// The keys of each.
    pub keys: usize,
}

/// The size of an image, in bytes.
const IMAGE: usize = 1 << 16;

/// The bytes of the buffer, with the views and accessors into it.
#[derive(Default)]
struct Data {
    bytes: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Data {
    fn view(&mut self, bytes: impl IntoIterator<Item = u8>) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        let length = self.bytes.len() - offset;
        self.views.push(format!(r#"{{"buffer":0,"byteOffset":{offset},"byteLength":{length}}}"#));
        self.views.len() - 1
    }

    /// An accessor over 32-bit numbers, given as their bytes; `more` is the rest of its JSON.
    fn numbers(&mut self, numbers: impl Iterator<Item = [u8; 4]>, kind: &str, count: usize, more: &str) -> usize {
        let view = self.view(numbers.flatten());
        self.accessors.push(format!(r#"{{"bufferView":{view},"type":"{kind}","count":{count},{more}}}"#));
        self.accessors.len() - 1
    }

    fn floats(&mut self, numbers: impl Iterator<Item = f32>, kind: &str, count: usize) -> usize {
        self.numbers(numbers.map(f32::to_le_bytes), kind, count, r#""componentType":5126"#)
    }
}

/// A number from 0 to 1 that looks like chance.
fn chance(index: usize) -> f32 {
    (index.wrapping_mul(0x9e37_79b9) >> 8 & 0xFFFF) as f32 / 65535.0
}

impl GltfCity {
    /// The file, as GLB.
    #[must_use]
    pub fn glb(&self) -> Vec<u8> {
        let mut data = Data::default();
        let (mut meshes, mut materials) = (Vec::new(), Vec::new());
        let vertices = u32::try_from(self.vertices).expect("a mesh has few vertices");
        for mesh in 0..self.meshes {
            let numbers = |each: usize| (0..each * self.vertices).map(move |index| chance(index + 7919 * mesh));
            let bounds = r#""componentType":5126,"min":[0,0,0],"max":[1,1,1]"#;
            let positions = data.numbers(numbers(3).map(f32::to_le_bytes), "VEC3", self.vertices, bounds);
            let normals = data.floats(numbers(3), "VEC3", self.vertices);
            let texcoords = data.floats(numbers(2), "VEC2", self.vertices);
            let order = (0..3 * vertices).map(|index| (index * 7 % vertices).to_le_bytes());
            let indices = data.numbers(order, "SCALAR", 3 * self.vertices, r#""componentType":5125"#);
            meshes.push(format!(
                r#"{{"name":"mesh {mesh}","primitives":[{{"material":{mesh},"indices":{indices},"attributes":{{"POSITION":{positions},"NORMAL":{normals},"TEXCOORD_0":{texcoords}}}}}]}}"#
            ));
            let texture = mesh % self.images;
            materials.push(format!(
                r#"{{"name":"material {mesh}","pbrMetallicRoughness":{{"metallicFactor":0,"baseColorTexture":{{"index":{texture}}}}}}}"#
            ));
        }
        let images: Vec<String> = (0..self.images)
            .map(|image| {
                let view = data.view((0..=250_u8).cycle().skip(image).take(IMAGE));
                format!(r#"{{"mimeType":"image/png","bufferView":{view}}}"#)
            })
            .collect();
        let textures: Vec<String> = (0..self.images).map(|image| format!(r#"{{"source":{image}}}"#)).collect();
        let animation = self.animation(&mut data);
        let mut json =
            format!(r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{}]"#, self.nodes());
        for (name, list) in [
            ("meshes", &meshes),
            ("materials", &materials),
            ("textures", &textures),
            ("images", &images),
            ("animations", &vec![animation]),
            ("accessors", &data.accessors),
            ("bufferViews", &data.views),
        ] {
            let _ = write!(json, r#","{name}":[{}]"#, list.join(","));
        }
        let _ = write!(json, r#","buffers":[{{"byteLength":{}}}]}}"#, data.bytes.len());
        glb(json.into_bytes(), data.bytes)
    }

    /// The nodes: the first has every tenth below it, and these the next nine in a chain.
    fn nodes(&self) -> String {
        let nodes = (0..self.nodes).map(|node| {
            let children: Vec<String> = match node {
                0 => (1..self.nodes).step_by(10).map(|child| child.to_string()).collect(),
                _ if node % 10 == 0 || node + 1 == self.nodes => Vec::new(),
                _ => vec![(node + 1).to_string()],
            };
            let children = match children.is_empty() {
                true => String::new(),
                false => format!(r#","children":[{}]"#, children.join(",")),
            };
            let (mesh, x) = (node % self.meshes, chance(node));
            format!(r#"{{"name":"node {node}","mesh":{mesh},"translation":[{x},0,1]{children}}}"#)
        });
        nodes.collect::<Vec<_>>().join(",")
    }

    fn animation(&self, data: &mut Data) -> String {
        let times = data.floats((0..self.keys).map(|key| key as f32 / 30.0), "SCALAR", self.keys);
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for node in 1..=self.moved {
            let turns = (0..self.keys).flat_map(|key| {
                let (sin, cos) = (0.1 * key as f32 + node as f32).sin_cos();
                [0.0, sin, 0.0, cos]
            });
            let turns = data.floats(turns, "VEC4", self.keys);
            channels.push(format!(r#"{{"sampler":{},"target":{{"node":{node},"path":"rotation"}}}}"#, samplers.len()));
            samplers.push(format!(r#"{{"input":{times},"output":{turns}}}"#));
        }
        format!(r#"{{"samplers":[{}],"channels":[{}]}}"#, samplers.join(","), channels.join(","))
    }
}

/// A GLB of these two chunks.
fn glb(mut json: Vec<u8>, mut data: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    data.resize(data.len().next_multiple_of(4), 0);
    let length = |bytes: usize| u32::try_from(bytes).expect("the file has less than four gigabytes").to_le_bytes();
    let whole = 12 + 8 + json.len() + 8 + data.len();
    let head: [&[u8]; 3] = [b"glTF", &2_u32.to_le_bytes(), &length(whole)];
    let chunks: [&[u8]; 6] = [&length(json.len()), b"JSON", &json, &length(data.len()), b"BIN\0", &data];
    [head.concat(), chunks.concat()].concat()
}
