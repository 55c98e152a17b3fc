//! The nodes of a glTF file as a tree that all peers build.

use hedgerow::{Local, Transform};
use hedgerow_gltf::{ImportOptions, Parts};
use std::collections::HashMap;
use std::path::Path;

/// Metres between copies.
const PLOT: f32 = 200.0;

/// Returns the parents and local transforms of all nodes, depth first. Below one root, copies of the file form a
/// square; there are as many copies as fit into `nodes` nodes, but at least one.
///
/// Group nodes get the identity. If a matrix shears, only its translation is used, because only hedgerow can store
/// shear.
///
/// # Errors
/// An error if the file cannot be read.
pub(crate) fn read(file: &Path, nodes: usize) -> Result<(Vec<u32>, Vec<Transform>), String> {
    let import = ImportOptions::new().with_parts(Parts::NODES).load(file);
    let scene = import.map_err(|error| format!("{}: {error}", file.display()))?.scene;
    let mut numbers = HashMap::from([(scene.root(), 0_usize)]);
    let mut one = Vec::new();
    for node in
        scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).filter(|&node| node != scene.root())
    {
        let parent = scene.parent(node).expect("only the root has no parent");
        numbers.insert(node, one.len() + 1);
        let local = match scene.local(node) {
            None => Transform::IDENTITY,
            Some(Local::Transform(local)) => local,
            Some(Local::Matrix(matrix)) => Transform::from_translation(matrix.translation()),
        };
        one.push((numbers[&parent], local));
    }
    if one.is_empty() {
        return Err(format!("{} has no nodes", file.display()));
    }
    let copies = (nodes.saturating_sub(1) / (one.len() + 1)).max(1);
    let side = (1..).find(|side| side * side >= copies).expect("some square is large enough");
    let (mut parents, mut locals) = (vec![0], vec![Transform::IDENTITY]);
    for copy in 0..copies {
        let top = parents.len();
        parents.push(0);
        locals.push(Transform::from_xyz((copy % side) as f32 * PLOT, 0.0, (copy / side) as f32 * PLOT));
        for &(parent, local) in &one {
            parents.push(u32::try_from(top + parent).expect("trees have less than 2^32 nodes"));
            locals.push(local);
        }
    }
    Ok((parents, locals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_town_is_its_file_several_times() {
        let file = std::env::temp_dir().join(format!("hedgerow-peers-{}.gltf", std::process::id()));
        let text = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [1]}],
            "nodes": [{"translation": [0, 0, 2]}, {"translation": [1, 0, 0], "children": [0]}]}"#;
        std::fs::write(&file, text).expect("the folder for such files takes one");
        let town = read(&file, 9);
        std::fs::remove_file(&file).expect("the file is there");
        // The root, and for each of two copies: its top, the file's scene, and two nodes.
        let (parents, locals) = town.expect("the file is in order");
        assert_eq!(parents, [0, 0, 1, 2, 3, 0, 5, 6, 7]);
        assert_eq!((locals[4].translation.z, locals[5].translation.x), (2.0, PLOT));
    }
}
