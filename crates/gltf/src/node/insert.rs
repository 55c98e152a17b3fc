//! Inserts the nodes of a checked file into a scene.

use super::graph;
use crate::document::Document;
use crate::error::ImportError;
use crate::{Imported, ImportedDrawable, ImportedScene, motion};
use hedgerow::data::NodeMap;
use hedgerow::{Node, NodeHandle, Scene};

/// Inserts all scenes of the file below `parent`, or nothing.
pub(crate) fn insert(scene: &mut Scene, parent: NodeHandle, mut document: Document) -> Result<Imported, ImportError> {
    // Inserting allocates as other edits do, so what the nodes take is asked for before.
    document.amount.probe()?;
    let mut scenes: Vec<ImportedScene> = Vec::new();
    let mut stack = Vec::new();
    for number in 0..document.root.scenes.len() {
        let name = document.root.scenes[number].name.as_deref();
        let inserted = scene.insert(parent, Node { name, ..Node::group() }).map_err(ImportError::from);
        let inserted = inserted.and_then(|group| {
            insert_scene(scene, group, number, &document, &mut stack).inspect_err(|_| discard(scene, group))
        });
        match inserted {
            Ok(inserted) => scenes.push(inserted),
            Err(error) => {
                scenes.iter().rev().for_each(|inserted| discard(scene, inserted.group));
                return Err(error);
            }
        }
    }
    motion::place(&mut document.imported.rigs, scene, &scenes);
    Ok(Imported { scenes, ..document.imported })
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
    stack: &mut Vec<(usize, NodeHandle)>,
) -> Result<ImportedScene, ImportError> {
    let mut imported = ImportedScene::empty(group, document.extras(number));
    let roots = &document.root.scenes[number].nodes;
    stack.clear();
    stack.extend(roots.iter().rev().map(|it| (it.value(), group)));
    while let Some((index, parent)) = stack.pop() {
        let json = &document.root.nodes[index];
        let node = Node { local: Some(graph::local(json)), name: json.name.as_deref(), ..Node::group() };
        let mesh = json.mesh.map(|mesh| mesh.value());
        let skin = json.skin.map(|skin| skin.value());
        // A mesh of one primitive needs no child: the node itself has the drawable.
        let own = mesh.filter(|&mesh| document.root.meshes[mesh].primitives.len() == 1);
        let own_drawable = own.and_then(|mesh| document.drawn(mesh).next());
        let handle = match own_drawable {
            Some((_, drawn)) => {
                scene.insert(parent, node.with_drawable(drawn.drawable).with_material(drawn.material))?
            }
            None => scene.insert(parent, node)?,
        };
        imported.nodes.push((index, handle));
        imported.origins.insert(handle, index);
        for (primitive, drawn) in mesh.into_iter().flat_map(|mesh| document.drawn(mesh)) {
            let mut drawable = ImportedDrawable {
                node: index,
                mesh: mesh.unwrap_or_default(),
                primitive,
                id: drawn.drawable.mesh,
                handle,
                skin,
            };
            if own.is_none() {
                drawable.handle = scene.insert(handle, Node::drawable(drawn.drawable).with_material(drawn.material))?;
                imported.origins.insert(drawable.handle, index);
            }
            imported.drawables.push(drawable);
        }
        stack.extend(graph::children(json).rev().map(|child| (child, handle)));
    }
    imported.nodes.sort_unstable_by_key(|&(index, _)| index);
    imported.drawables.sort_unstable_by_key(|drawable| (drawable.node, drawable.id));
    Ok(imported)
}

impl ImportedScene {
    /// A scene whose nodes are still to be inserted.
    fn empty(group: NodeHandle, extras: crate::Extras) -> Self {
        Self { group, drawables: Vec::new(), nodes: Vec::new(), origins: NodeMap::new(), extras }
    }
}
