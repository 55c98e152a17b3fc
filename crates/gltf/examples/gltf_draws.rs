//! Reads a glTF file, plays its first animation, and lists its draws, grouped for instanced calls.
//!
//! ```text
//! cargo run -p hedgerow-gltf --example gltf_draws                 # a windmill that is written here
//! cargo run -p hedgerow-gltf --example gltf_draws -- FILE.glb     # a file of yours
//! ```

use hedgerow::draw::DrawGroups;
use hedgerow::{DrawList, Transform};
use hedgerow_gltf::Import;
use std::error::Error;

/// A windmill: a tower, and two sails that share a mesh, on a wheel that turns once in two seconds.
const WINDMILL: &str = r#"{
    "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"name": "hill", "nodes": [0]}],
    "nodes": [
        {"name": "tower", "mesh": 0, "children": [1]},
        {"name": "wheel", "translation": [0, 8, 1], "children": [2, 3]},
        {"name": "sail", "mesh": 1, "translation": [3, 0, 0]},
        {"name": "sail", "mesh": 1, "translation": [-3, 0, 0]}],
    "meshes": [
        {"name": "walls", "primitives": [{"attributes": {"POSITION": 0}, "material": 0}]},
        {"name": "sail", "primitives": [{"attributes": {"POSITION": 1}, "material": 1}]}],
    "materials": [{"name": "stone"}, {"name": "canvas"}],
    "animations": [{"name": "wind", "samplers": [{"input": 2, "output": 3}],
        "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]}],
    "accessors": [
        {"componentType": 5126, "type": "VEC3", "count": 3, "min": [-2, 0, -2], "max": [2, 9, 2]},
        {"componentType": 5126, "type": "VEC3", "count": 3, "min": [-3, -1, 0], "max": [3, 1, 0]},
        {"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 5},
        {"bufferView": 0, "componentType": 5126, "type": "VEC4", "count": 5, "byteOffset": 20}],
    "bufferViews": [{"buffer": 0, "byteLength": 100}],
    "buffers": [{"byteLength": 100, "uri": "data:,DATA"}]
}"#;

/// Returns the windmill's file, with the wheel's times and rotations percent-encoded in its text.
fn windmill() -> String {
    let half = 0.5_f32.sqrt();
    let times = [0.0, 0.5, 1.0, 1.5, 2.0];
    let turns = [[0.0, 1.0], [half, half], [1.0, 0.0], [half, -half], [0.0, -1.0]];
    let numbers = times.into_iter().chain(turns.into_iter().flat_map(|[z, w]| [0.0, 0.0, z, w]));
    let data: String = numbers.flat_map(f32::to_le_bytes).map(|byte| format!("%{byte:02X}")).collect();
    WINDMILL.replace("DATA", &data)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1);
    let Import { mut scene, imported, .. } = match &path {
        Some(path) => hedgerow_gltf::load(path)?,
        None => hedgerow_gltf::from_slice(windmill().as_bytes(), None)?,
    };
    let (materials, images) = (imported.materials.len() - 1, imported.images.len());
    println!("{} nodes, {} animations, {materials} materials, {images} images", scene.len(), imported.animations.len());
    for skipped in &imported.skipped {
        println!("not imported: {skipped:?}");
    }

    // The first animation at half of its time, on all nodes and deformed meshes.
    let mut player = if imported.animations.is_empty() { imported.at_rest() } else { imported.play(0)? };
    player.seek(0.5 * player.duration());
    player.apply(&mut scene)?;
    for (drawable, mut body) in imported.deformed_all(imported.scenes.iter().flat_map(|scene| &scene.drawables))? {
        body.follow(&player, &mut scene)?;
        println!("mesh {} follows {} matrices", drawable.id, body.palette().matrices().len());
    }

    // A frame.
    let (mut draws, mut groups) = (DrawList::new(), DrawGroups::new());
    scene.update();
    scene.draw_list(&mut draws);
    draws.group(&mut groups);
    for (group, instances) in groups.iter() {
        // The vertices and the material to bind, as plain data.
        let vertices = imported.vertices(group.mesh).ok_or("a mesh that the file does not have")?;
        let material = group.material.and_then(|number| imported.material(number)).ok_or("no material")?;
        let (mesh, primitive) = imported.mesh_ids.primitive(group.mesh).ok_or("no mesh")?;
        println!(
            "{}, primitive {primitive}, {} vertices, {}: {} instances",
            imported.meshes[mesh].name.as_deref().unwrap_or("a mesh"),
            vertices.positions.len(),
            material.name.as_deref().unwrap_or("a material"),
            instances.len()
        );
        for &instance in instances.iter().take(2) {
            println!("  at {:.2}", draws.matrices()[instance as usize].translation());
        }
    }

    if path.is_none() {
        assert_eq!((draws.len(), groups.groups().len()), (3, 2), "three draws in two calls");
        // After half a turn, the right sail is on the left.
        let root = scene.get(scene.root()).ok_or("no root")?;
        let sail = root.find("hill/tower/wheel/sail").ok_or("no sail")?.handle();
        let place = scene.world(sail).ok_or("no place")?.translation();
        let expected = Transform::from_xyz(-3.0, 8.0, 1.0).translation;
        assert!((place - expected).length() < 1e-2, "{place}");
    }
    Ok(())
}
