//! Inserts the nodes of a checked file into a scene.

use super::{draws_itself, graph, levels, visibility};
use crate::document::Document;
use crate::error::ImportError;
use crate::mesh::follows_joints;
use crate::{Extensions, Extras, Imported, ImportedDrawable, ImportedScene, motion};
use hedgerow::{Node, NodeHandle, Scene, Visibility};

/// Inserts all scenes of the file below `parent`; on error, the scene is unchanged.
pub(crate) fn insert(scene: &mut Scene, parent: NodeHandle, mut document: Document) -> Result<Imported, ImportError> {
    // Inserting aborts if there is no memory, so first probe the memory for all nodes.
    document.amount.probe()?;
    let mut scenes: Vec<ImportedScene> = Vec::new();
    let mut stack = Vec::new();
    let shown = document.imported.default_scene.unwrap_or(0);
    for number in 0..document.root.scenes.len() {
        let name = document.root.scenes[number].name.as_deref();
        let visibility = if number == shown { Visibility::Inherited } else { Visibility::Hidden };
        let inserted = scene.insert(parent, Node { name, visibility, ..Node::group() }).map_err(ImportError::from);
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
    if let Err(error) = motion::place(&mut document.imported, scene, &scenes) {
        scenes.iter().rev().for_each(|inserted| discard(scene, inserted.group));
        return Err(error.into());
    }
    levels::scale(&mut document.imported.levels, scene, &scenes);
    let mut imported = Imported { scenes, ..document.imported };
    if !document.parts.motion {
        // These were read for places and boxes only.
        (imported.rigs, imported.skins, imported.morphs) = Default::default();
    }
    Ok(imported)
}

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
        let (local, visibility) = (Some(graph::local(json)), visibility(json));
        let node = Node { local, visibility, name: json.name.as_deref(), ..Node::group() };
        let mesh = json.mesh.map(|mesh| mesh.value());
        let handle = match document.instances(index).filter(|_| mesh.is_some()) {
            None => insert_drawn(scene, parent, node, document, (index, mesh, None), &mut imported)?,
            Some(instances) => {
                let handle = scene.insert(parent, node)?;
                imported.origins.push((handle, index));
                for (number, &transform) in instances.iter().enumerate() {
                    let of = (index, mesh, Some(number));
                    insert_drawn(scene, handle, Node::transform(transform), document, of, &mut imported)?;
                }
                handle
            }
        };
        imported.nodes.push((index, handle));
        stack.extend(graph::children(json).rev().map(|child| (child, handle)));
    }
    imported.nodes.sort_unstable_by_key(|&(index, _)| index);
    imported.origins.sort_unstable();
    imported.drawables.sort_unstable_by_key(|drawable| (drawable.node, drawable.instance, drawable.id));
    Ok(imported)
}

/// Inserts the node of a glTF node, or of one instance of its mesh. Also inserts the drawables of the mesh, if any.
fn insert_drawn(
    scene: &mut Scene,
    parent: NodeHandle,
    node: Node<'_>,
    document: &Document,
    (index, mesh, instance): (usize, Option<usize>, Option<usize>),
    imported: &mut ImportedScene,
) -> Result<NodeHandle, ImportError> {
    let json = &document.root.nodes[index];
    let own = mesh.filter(|_| draws_itself(&document.root, json));
    let own_drawable = own.and_then(|mesh| document.drawn(index, mesh).next());
    let handle = match own_drawable {
        Some((_, drawn)) => scene.insert(parent, node.with_drawable(drawn.drawable).with_material(drawn.material))?,
        None => scene.insert(parent, node)?,
    };
    imported.origins.push((handle, index));
    for (primitive, drawn) in mesh.into_iter().flat_map(|mesh| document.drawn(index, mesh)) {
        let mesh = mesh.unwrap_or_default();
        let skin = json.skin.filter(|_| follows_joints(&document.root.meshes[mesh].primitives[primitive]));
        let skin = skin.map(|skin| skin.value());
        let id = drawn.drawable.mesh;
        let mut drawable = ImportedDrawable { node: index, mesh, primitive, instance, id, handle, skin };
        if own.is_none() {
            drawable.handle = scene.insert(handle, Node::drawable(drawn.drawable).with_material(drawn.material))?;
            imported.origins.push((drawable.handle, index));
        }
        imported.drawables.push(drawable);
    }
    Ok(handle)
}

impl ImportedScene {
    fn empty(group: NodeHandle, (extras, extensions): (Extras, Extensions)) -> Self {
        Self { group, drawables: Vec::new(), nodes: Vec::new(), origins: Vec::new(), extras, extensions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ImportErrorKind;
    use gltf::json;

    /// A checked file cannot fail halfway. This test therefore makes a document with a node that no check lets pass.
    #[test]
    fn a_scene_that_refuses_a_node_is_left_as_it_was() {
        let index = json::Index::<json::Node>::new;
        let shown = |node| {
            let nodes = vec![index(node)];
            json::Scene { nodes, name: None, extensions: None, extras: Default::default() }
        };
        for broken in 0..3 {
            let mut document = Document::default();
            let root = &mut document.root;
            root.scenes = vec![shown(0), shown(2)];
            root.nodes = vec![json::Node::default(); 3];
            root.nodes[0].children = Some(vec![index(1)]);
            root.nodes[broken].translation = Some([f32::NAN; 3]);
            let mut scene = Scene::new();
            let root = scene.root();
            let refused = insert(&mut scene, root, document).map(drop).unwrap_err();
            assert!(matches!(refused.kind(), ImportErrorKind::Scene(_)), "{refused}");
            assert_eq!((scene.len(), scene.children(root).next(), scene.validate()), (1, None, Ok(())));
        }
    }
}
