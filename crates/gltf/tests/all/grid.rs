//! A field of hills as plain glTF, from which the compressed models in `tests/models` were made.

use hedgerow_testkit::gltf::GltfFile;
use serde_json::json;

/// The corners of the field along x and along z.
pub(crate) const SIDES: [u16; 2] = [14, 11];

/// Returns the field: a skinned grid with all attributes, the lines of its rim, and a clip that turns and moves it.
pub(crate) fn grid() -> GltfFile {
    let json = json!({
        "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"name": "ground", "children": [2]}, {"name": "field", "mesh": 0, "skin": 0}, {"name": "top"}],
        "skins": [{"joints": [0, 2]}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "COLOR_0": 3, "JOINTS_0": 4, "WEIGHTS_0": 5},
                "indices": 6},
            {"attributes": {"POSITION": 0}, "indices": 7, "mode": 3}
        ]}],
        "animations": [{"samplers": [{"input": 8, "output": 9}, {"input": 8, "output": 10}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 2, "path": "translation"}}]}]
    });
    let mut file = GltfFile::new(json);
    let [across, along] = SIDES;
    let corners: Vec<[f32; 2]> =
        (0..along).flat_map(|z| (0..across).map(move |x| [f32::from(x), f32::from(z)])).collect();
    let each = |make: &dyn Fn([f32; 2]) -> Vec<f32>| corners.iter().flat_map(|&it| make(it)).collect::<Vec<f32>>();
    // Parabolas instead of sines: mathematical libraries round differently.
    let hill = |at: f32| (at % 5.0 - 2.0) * (at % 5.0 - 2.0) * 0.125;
    let slope = |at: f32| (at % 5.0 - 2.0) * 0.25;
    file.floats("VEC3", &each(&|[x, z]| vec![x, hill(x) + hill(z), z]));
    let (right, far) = (f32::from(across - 1), f32::from(along - 1));
    file.json["accessors"][0]["min"] = json!([0, 0, 0]);
    file.json["accessors"][0]["max"] = json!([right, 1, far]);
    let normal = |[x, z]: [f32; 2]| {
        let (a, b) = (-slope(x), -slope(z));
        let length = (a * a + 1.0 + b * b).sqrt();
        vec![a / length, 1.0 / length, b / length]
    };
    file.floats("VEC3", &each(&normal));
    file.floats("VEC2", &each(&|[x, z]| vec![x / right, z / far]));
    file.floats("VEC4", &each(&|[x, z]| vec![x / right, z / far, 0.5, (x + z) / (right + far)]));
    let bytes: Vec<u8> =
        (0..along).flat_map(|z| (0..across).flat_map(move |x| [(x % 2) as u8, (z % 2) as u8, 0, 0])).collect();
    file.numbers(5121, "VEC4", &bytes);
    file.floats("VEC4", &each(&|[x, _]| vec![1.0 - x / 16.0, x / 16.0, 0.0, 0.0]));
    let at = |x: u16, z: u16| z * across + x;
    let triangles = (0..along - 1).flat_map(|z| {
        (0..across - 1)
            .flat_map(move |x| [at(x, z), at(x, z + 1), at(x + 1, z), at(x + 1, z), at(x, z + 1), at(x + 1, z + 1)])
    });
    file.numbers(5123, "SCALAR", &triangles.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    let rim = (0..across).map(|x| at(x, 0)).chain((1..along).map(|z| at(across - 1, z)));
    file.numbers(5125, "SCALAR", &rim.flat_map(|index| u32::from(index).to_le_bytes()).collect::<Vec<u8>>());
    let keys = || (0..20_u8).map(f32::from);
    file.floats("SCALAR", &keys().map(|key| key * 0.125).collect::<Vec<f32>>());
    // Half angles by their tangent.
    let turn = |key: f32| {
        let length = (1.0 + key * key * 0.01).sqrt();
        [key * 0.06 / length, key * 0.08 / length, 0.0, 1.0 / length]
    };
    file.floats("VEC4", &keys().flat_map(turn).collect::<Vec<f32>>());
    file.floats("VEC3", &keys().flat_map(|key| [key * 0.5, key * key, 3.0]).collect::<Vec<f32>>());
    file
}
