//! Inserts the nodes of a checked file into a scene.

use super::document::Document;
use super::error::ImportError;
use super::{Imported, ImportedScene, ImportedShape, graph, rig};
use crate::{Node, NodeHandle, Scene};

/// Inserts all scenes of the file below `parent`, or nothing.
pub(super) fn insert(scene: &mut Scene, parent: NodeHandle, document: Document) -> Result<Imported, ImportError> {
    let mut scenes: Vec<ImportedScene> = Vec::new();
    for number in 0..document.root.scenes.len() {
        let name = document.root.scenes[number].name.as_deref();
        let inserted = scene
            .insert(parent, Node { name, ..Node::group() })
            .map_err(ImportError::from)
            .and_then(|group| insert_scene(scene, group, number, &document).inspect_err(|_| discard(scene, group)));
        match inserted {
            Ok(inserted) => scenes.push(inserted),
            Err(error) => {
                scenes.iter().rev().for_each(|inserted| discard(scene, inserted.group));
                return Err(error);
            }
        }
    }
    let mut characters = document.characters;
    rig::place(&mut characters.rigs, scene, &scenes);
    Ok(Imported {
        scenes,
        default_scene: document.root.scene.map(|index| index.value()),
        mesh_ids: document.mesh_ids,
        default_material: document.default_material,
        skipped: document.skipped,
        rigs: characters.rigs,
        clips: characters.clips,
        skins: characters.skins,
        morphs: characters.morphs,
        meshes: characters.meshes,
    })
}

/// Removes an inserted subtree again.
fn discard(scene: &mut Scene, group: NodeHandle) {
    let removed = scene.remove(group);
    debug_assert!(removed.is_ok(), "a group that was just inserted is there and is not the root");
}

/// Inserts the nodes of one scene below its group, in depth-first order.
fn insert_scene(
    scene: &mut Scene,
    group: NodeHandle,
    number: usize,
    document: &Document,
) -> Result<ImportedScene, ImportError> {
    let mut imported = ImportedScene { group, nodes: Vec::new(), shapes: Vec::new() };
    let roots = &document.root.scenes[number].nodes;
    let mut stack: Vec<(usize, NodeHandle)> = roots.iter().rev().map(|it| (it.value(), group)).collect();
    while let Some((index, parent)) = stack.pop() {
        let json = &document.root.nodes[index];
        let node = Node { local: Some(graph::local(json)), name: json.name.as_deref(), ..Node::group() };
        let mesh = json.mesh.map(|mesh| mesh.value());
        let skin = json.skin.map(|skin| skin.value());
        // A mesh of one primitive needs no child: the node itself has the shape.
        let own = mesh.filter(|&mesh| document.root.meshes[mesh].primitives.len() == 1);
        let own_shape = own.and_then(|mesh| document.drawn(mesh).next());
        let handle = match own_shape {
            Some(drawn) => scene.insert(parent, node.with_shape(drawn.shape).with_material(drawn.material))?,
            None => scene.insert(parent, node)?,
        };
        imported.nodes.push((index, handle));
        if let Some(drawn) = own_shape {
            imported.shapes.push(ImportedShape { node: index, mesh: drawn.shape.mesh, handle, skin });
        }
        for drawn in mesh.filter(|_| own.is_none()).into_iter().flat_map(|mesh| document.drawn(mesh)) {
            let shape = Node::shape(drawn.shape).with_material(drawn.material);
            let handle = scene.insert(handle, shape)?;
            imported.shapes.push(ImportedShape { node: index, mesh: drawn.shape.mesh, handle, skin });
        }
        stack.extend(graph::children(json).rev().map(|child| (child, handle)));
    }
    imported.nodes.sort_unstable_by_key(|&(index, _)| index);
    imported.shapes.sort_unstable_by_key(|shape| (shape.node, shape.mesh));
    Ok(imported)
}
