//! The plain models in `tests/models`, for tests of import, skins, clips and morphs on any machine.
//! `HEDGEROW_WRITE_MODELS=1` writes them again. `compressed.rs` lists the other models.

use crate::grid::grid;
use hedgerow::Scene;
use hedgerow_gltf::ImportOptions;
use hedgerow_testkit::gltf::GltfFile;
use hedgerow_testkit::gltf::man;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// Returns a street: nodes with names and matrices, two scenes that share one, a camera, a light, instances, materials
/// with a texture and an image, and quantised and sparse vertices.
fn street() -> GltfFile {
    let json = json!({
        "extensionsUsed": ["KHR_lights_punctual"], "scene": 1,
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point", "color": [1, 0.5, 0.25], "intensity": 20}]}},
        "scenes": [{"name": "day", "nodes": [0]}, {"name": "night", "nodes": [0, 3]}],
        "nodes": [
            {"name": "street", "children": [1, 2], "extras": {"surface": "gravel"}},
            {"name": "house", "mesh": 0, "matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 0, 0, 1]},
            {"name": "house", "mesh": 0, "translation": [-4, 0, 0], "scale": [1, 2, 1]},
            {"name": "lamp", "translation": [0, 5, 0], "camera": 0, "extensions": {"KHR_lights_punctual": {"light": 0}}}
        ],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2}, "indices": 3, "material": 0},
            {"attributes": {"POSITION": 0}, "mode": 1}
        ]}],
        "materials": [{"name": "brick", "doubleSided": true, "alphaMode": "MASK", "alphaCutoff": 0.25,
            "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1], "baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0, "sampler": 0}], "samplers": [{"magFilter": 9728, "wrapS": 33071}],
        "images": [{"mimeType": "image/png", "bufferView": 0}]
    });
    let mut file = GltfFile::new(json);
    // Four bytes in place of an image: images are not decoded.
    file.view(b"none");
    file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    file.json["accessors"][0]["min"] = json!([0, 0, 0]);
    file.json["accessors"][0]["max"] = json!([1, 1, 0]);
    file.floats("VEC3", &[0.0, 0.0, 1.0].repeat(4));
    file.fractions(5121, "VEC2", &[0, 0, 255, 0, 255, 255, 0, 255]);
    file.numbers(5121, "SCALAR", &[0, 1, 2, 0, 2, 3]);
    file
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

/// Returns the generated models by name.
fn models() -> [(&'static str, Vec<u8>); 3] {
    [("grid.glb", grid().glb()), ("man.glb", man().glb()), ("street.glb", street().glb())]
}

/// Returns the path of a model; first writes all models if the environment variable is set.
fn shipped(name: &str) -> PathBuf {
    static WRITE: Once = Once::new();
    WRITE.call_once(|| {
        if std::env::var_os("HEDGEROW_WRITE_MODELS").is_some() {
            for (name, made) in models() {
                std::fs::write(folder().join(name), made).expect("the folder can be written to");
            }
        }
    });
    folder().join(name)
}

#[test]
fn the_models_that_ship_are_those_that_code_makes() {
    for (name, made) in models() {
        let found = std::fs::read(shipped(name)).expect("it ships with the crate");
        assert!(found == made, "{name} is not what code makes: write it again with HEDGEROW_WRITE_MODELS=1");
    }
}

#[test]
fn what_ships_has_nodes_skins_clips_and_morphs_and_all_of_it_comes() {
    let man = hedgerow_gltf::load(shipped("man.glb")).expect("it is a model");
    let imported = &man.imported;
    assert_eq!((imported.skins.len(), imported.animations.len(), imported.morphs.len()), (1, 2, 1));
    let mut scene = man.scene;
    let mut nod = imported.play(0).expect("it has clips");
    nod.advance(1.0);
    nod.apply(&mut scene).expect("its nodes are there");
    scene.update();
    let hip = imported.node(2).expect("it is in the scene");
    // The hip does not move before the second key of a step track.
    assert_eq!(scene.world(hip).expect("it lives").translation().to_array(), [10.0, 1.0, 0.0]);
    nod.advance(1.0);
    nod.apply(&mut scene).expect("its nodes are there");
    scene.update();
    assert_eq!(scene.world(hip).expect("it lives").translation().to_array(), [10.0, 5.0, 0.0]);
    assert_eq!(imported.deformed_all(&imported.scenes[0].drawables).expect("it has a skin").len(), 1);

    let mut scene = Scene::new();
    let root = scene.root();
    let street = ImportOptions::new().load_into(&mut scene, root, shipped("street.glb")).expect("it is a model");
    assert_eq!((street.scenes.len(), street.cameras.len(), street.lights.len()), (2, 1, 1));
    assert_eq!((street.materials.len(), street.textures.len(), street.images.len()), (2, 1, 1));
    assert_eq!(street.meshes[0].primitives.len(), 2);
    assert_eq!(scene.validate(), Ok(()));
}
