//! A fully checked file, so that inserting its nodes cannot fail halfway.

#[cfg(feature = "draco")]
use super::draco;
use super::error::{ImportError, ImportErrorKind, ItemKind};
use super::file::{self, Budget, Buffers, Reader};
use super::material::Look;
use super::mesh::{self, ImportedMesh, MeshIds};
use super::motion::Motion;
use super::node::{Nodes, amount::Amount, graph};
use super::{Extras, ImportOptions, Imported, Skipped};
use bumpalo::Bump;
use gltf::json::Root;
use hedgerow::Drawable;
use std::path::Path;

/// A checked file.
pub(super) struct Document {
    /// The JSON: all indices of scenes, nodes and primitives are in range, the nodes form trees.
    pub(super) root: Root,
    /// Everything that is not nodes of the scene. Its scenes are still to be made.
    pub(super) imported: Imported,
    /// How many nodes it makes.
    pub(super) amount: Amount,
    /// Whether extras are wanted.
    with_extras: bool,
}

/// What a drawable node draws.
#[derive(Clone, Copy)]
pub(super) struct DrawnPrimitive {
    pub(super) drawable: Drawable,
    pub(super) material: u32,
}

impl Document {
    /// Reads and checks a file: its graph first, then what its nodes refer to, then whatever else the options ask for.
    pub(super) fn read(bytes: &[u8], base_dir: Option<&Path>, options: &ImportOptions) -> Result<Self, ImportError> {
        let parts = &options.parts;
        let (root, blob, json_bytes) = file::parse(bytes)?;
        let mut arena = Bump::new();
        graph::check(&root, &arena)?;
        arena.reset();
        let buffers = Buffers::open(&root, blob, base_dir)?;
        file::check(&root)?;
        let budget = Budget::of(buffers.total(), options);
        #[cfg(feature = "meshopt")]
        let buffers = buffers.within(&budget);
        #[cfg(feature = "draco")]
        let (root, buffers) = draco::decode(root, buffers, &budget, parts)?;
        let reader = Reader { root: &root, buffers: &buffers, budget: &budget };

        let mut skipped = skipped(&root, &arena);
        arena.reset();
        let (mesh_ids, default_material) = numbers(&root, options)?;
        let mut meshes = mesh::read(reader, &mesh_ids, parts, &mut skipped)?;
        let amount = Amount::of(&root, &arena, |mesh| drawn(&meshes[mesh]).count());
        amount.check(options, json_bytes)?;
        drop(arena);

        let motion = if parts.motion { Motion::read(reader, parts.extras, &mut skipped)? } else { Motion::default() };
        if parts.vertices {
            mesh::read_vertices(reader, &mut meshes, parts.motion, &mut skipped)?;
        }
        let look = if parts.materials { Look::read(reader, base_dir, parts, &mut skipped)? } else { Look::default() };
        let nodes = Nodes::read(&root, parts.extras)?;
        let imported = Imported {
            scenes: Vec::new(),
            default_scene: root.scene.map(|index| index.value()),
            nodes: nodes.nodes,
            cameras: nodes.cameras,
            lights: nodes.lights,
            meshes,
            mesh_ids,
            materials: look.materials,
            first_material: options.first_material,
            default_material,
            variants: mesh::variant_names(&root),
            textures: look.textures,
            images: look.images,
            rigs: motion.rigs,
            skins: motion.skins,
            morphs: motion.morphs,
            animations: motion.animations,
            clips: motion.clips,
            skipped,
            extras: Extras::read(&root.asset.extras, parts.extras),
        };
        drop(buffers);
        Ok(Self { root, imported, amount, with_extras: parts.extras })
    }

    /// The primitives of a mesh that are drawn, with their numbers within the mesh.
    pub(super) fn drawn(&self, mesh: usize) -> impl Iterator<Item = (usize, DrawnPrimitive)> {
        drawn(&self.imported.meshes[mesh]).map(|(number, drawable, material)| {
            // Materials were found to have numbers up to the default one's.
            let of_file = material.and_then(|material| u32::try_from(material).ok());
            let material = of_file.map_or(self.imported.default_material, |it| self.imported.first_material + it);
            (number, DrawnPrimitive { drawable, material })
        })
    }

    /// The extras of a scene.
    pub(super) fn extras(&self, scene: usize) -> Extras {
        Extras::read(&self.root.scenes[scene].extras, self.with_extras)
    }
}

/// The primitives of a mesh that are drawn: their numbers within it, their drawables and materials.
fn drawn(mesh: &ImportedMesh) -> impl Iterator<Item = (usize, Drawable, Option<usize>)> {
    let primitives = mesh.primitives.iter().enumerate();
    primitives.filter_map(|(number, it)| Some((number, Drawable::new(it.id, it.bounds?), it.material)))
}

/// The mesh ids, and the number of the default material.
fn numbers(root: &Root, options: &ImportOptions) -> Result<(MeshIds, u32), ImportError> {
    let ids = MeshIds::count(options.first_mesh, root.meshes.iter().map(|mesh| mesh.primitives.len()));
    let materials = u32::try_from(root.materials.len()).ok();
    let default_material = materials.and_then(|count| options.first_material.checked_add(count));
    Ok((
        ids.ok_or(ImportErrorKind::TooMany(ItemKind::Mesh))?,
        default_material.ok_or(ImportErrorKind::TooMany(ItemKind::Material))?,
    ))
}

/// The parts of the file that are skipped, as far as its nodes and extensions tell.
fn skipped(root: &Root, arena: &Bump) -> Vec<Skipped> {
    let in_scene = arena.alloc_slice_fill_copy(root.nodes.len(), false);
    let mut stack = bumpalo::collections::Vec::new_in(arena);
    stack.extend(root.scenes.iter().flat_map(|scene| &scene.nodes).map(|it| it.value()));
    while let Some(index) = stack.pop() {
        // A subtree that several scenes share is visited once.
        if !core::mem::replace(&mut in_scene[index], true) {
            stack.extend(graph::children(&root.nodes[index]));
        }
    }
    let nodes = in_scene.iter().enumerate().filter(|&(_, in_scene)| !in_scene);
    let mut skipped: Vec<Skipped> = nodes.map(|(node, _)| Skipped::Node { node }).collect();
    let foreign = root.extensions_used.iter().filter(|name| !file::is_known_extension(name));
    skipped.extend(foreign.map(|name| Skipped::Extension(name.clone())));
    skipped
}
