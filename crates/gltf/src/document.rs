//! A file that is fully checked, so inserting its nodes cannot fail halfway.

#[cfg(feature = "draco")]
use super::draco;
use super::error::{ImportError, ImportErrorKind, Item, ItemKind, Warnings};
use super::extras::others;
use super::file::{self, Budget, Buffers, Files, Parsed, Reader};
use super::material::Look;
use super::mesh::{self, Boxes, Deforms, ImportedMesh, ImportedPrimitive, MeshIds};
use super::motion::Motion;
use super::node::{Nodes, amount::Amount, graph, graph::Forest, instances, levels};
use super::{Extensions, Extras, ImportOptions, Imported, Instances, Parts, Skipped};
use gltf::json::Root;
use hedgerow::{Aabb, Drawable, Mat34, Transform};

/// A checked file.
#[cfg_attr(test, derive(Default))]
pub(super) struct Document {
    /// The JSON. All indices in its scenes, nodes and primitives are in range, and its nodes form trees.
    pub(super) root: Root,
    /// The result of the import, without the scenes, which are added later.
    pub(super) imported: Imported,
    /// The number of nodes to insert.
    pub(super) amount: Amount,
    /// The instances that become nodes.
    instances: instances::Instances,
    /// The boxes of nodes that deform their mesh, or whose instances are matrices: then around all instances.
    boxes: Boxes,
    pub(super) parts: Parts,
}

#[derive(Clone, Copy)]
pub(super) struct DrawnPrimitive {
    pub(super) drawable: Drawable,
    pub(super) material: u32,
}

impl Document {
    /// Reads and checks a file: first the graph, then the items that nodes refer to, then the requested parts.
    pub(super) fn read(bytes: &[u8], files: Files<'_>, options: &ImportOptions) -> Result<Self, ImportError> {
        let parts = &options.parts;
        let warnings = Warnings::new(options.strict);
        let file_bytes = bytes.len() as u64;
        let Parsed { mut root, blob, inner_extensions, json_bytes, unknown, weight } =
            file::parse(bytes, Budget::most(file_bytes, options), options, &warnings)?;
        let forest = graph::check(&mut root, &warnings)?;
        let buffers = Buffers::open(&root, blob, files, &warnings)?;
        file::check(&root, &buffers, &warnings)?;
        // Buffers of a GLB are part of `file_bytes`; other buffers are not.
        let file_bytes = file_bytes.max((json_bytes as u64).saturating_add(buffers.total()));
        let budget = Budget::limited(Budget::most(file_bytes, options));
        budget.take_bytes(weight, Item::file)?;
        // The names of unknown attributes, and the lists of them while these grow.
        budget.take::<[Skipped; 8]>(unknown.len(), Item::file)?;
        #[cfg(feature = "meshopt")]
        let buffers = buffers.within(&budget);
        let deforms = Deforms::of(&root);
        #[cfg(feature = "draco")]
        let (mut root, buffers) = draco::decode(root, buffers, &budget, parts.vertices || options.accessors, &deforms)?;
        let (forest, unknown) = (&forest, &unknown[..]);
        let reader = Reader { root: &root, forest, buffers: &buffers, budget: &budget, warnings: &warnings, unknown };

        let mut skipped = skipped(&root, forest, options);
        let (mesh_ids, default_material) = numbers(&root, options)?;
        let mut meshes = mesh::read(reader, &mesh_ids, parts, &deforms, &mut skipped)?;
        let mut instances = instances::read(reader)?;
        let matrices = match options.instances {
            Instances::Nodes => Vec::new(),
            Instances::Matrices => core::mem::take(&mut instances),
        };
        let count = |node| instances::find(&instances, node).map(<[Transform]>::len);
        let amount = Amount::of(&root, forest, |mesh| drawn(&meshes[mesh]).count(), count);
        // Before anything is inserted: shared subtrees may make many nodes of a small file.
        amount.check(options, file_bytes, &budget)?;

        let motion = Motion::read(reader, parts, &deforms, &mut skipped)?;
        let (read, deforms) = ((parts, options.eight_influences), (&deforms[..], &motion.rest(reader)?));
        let mut boxes = mesh::read_vertices(reader, &mut meshes, read, deforms, &mut skipped)?;
        mesh::complete(reader, &mut meshes, options)?;
        let accessors = if options.accessors {
            mesh::list_accessors(reader, &mut meshes)?;
            file::stored::read(reader, parts.extras)?
        } else {
            Vec::new()
        };
        let look = if parts.materials { Look::read(reader, files, parts, &mut skipped)? } else { Look::default() };
        let levels = levels::read(reader, &meshes)?;
        let mut nodes = Nodes::read(reader, parts.extras)?;
        for (node, transforms) in matrices {
            let item = || Item::node(&root, node);
            let primitives = nodes.nodes[node].mesh.map_or(&[][..], |mesh| &meshes[mesh].primitives);
            budget.take::<Mat34>(transforms.len(), item)?;
            budget.take::<Option<Aabb>>(primitives.len(), item)?;
            // The time to compute boxes is also charged: one byte for each instance of a primitive.
            budget.take_bytes((transforms.len() as u64).saturating_mul(primitives.len() as u64), item)?;
            let instances: Vec<Mat34> = transforms.iter().map(Transform::to_matrix).collect();
            let around = |bounds: Aabb| {
                let boxes = instances.iter().map(|matrix| bounds.transformed(matrix));
                boxes.fold(Aabb::EMPTY, |all, instance| all.merge(&instance))
            };
            let at_rest = boxes.remove(&node).unwrap_or_default();
            let bounds =
                |(number, it): (usize, &ImportedPrimitive)| at_rest.get(number).copied().flatten().or(it.bounds);
            let of_node = primitives.iter().enumerate().map(|of| bounds(of).map(around)).collect();
            boxes.insert(node, of_node);
            nodes.nodes[node].instances = instances;
        }
        let imported = Imported {
            scenes: Vec::new(),
            default_scene: root.scene.map(|index| index.value()),
            nodes: nodes.nodes,
            cameras: nodes.cameras,
            lights: nodes.lights,
            meshes,
            mesh_ids,
            levels,
            materials: look.materials,
            first_material: options.first_material,
            default_material,
            accessors,
            variants: mesh::variant_names(&root),
            textures: look.textures,
            images: look.images,
            rigs: motion.rigs,
            skins: motion.skins,
            morphs: motion.morphs,
            animations: motion.animations,
            clips: motion.clips,
            skipped,
            warnings: Vec::new(),
            extras: Extras::read(&root.asset.extras, parts.extras),
            extensions: Extensions::new(),
            inner_extensions,
        };
        drop(buffers);
        // Move, do not clone, because extensions may be most of the file.
        let extensions = root.extensions.take().filter(|_| parts.extras).map(|it| it.others).unwrap_or_default();
        let imported = Imported { warnings: warnings.into_list(), extensions, ..imported };
        Ok(Self { root, imported, amount, instances, boxes, parts: *parts })
    }

    /// Returns the instances of a node, if they become nodes.
    pub(super) fn instances(&self, node: usize) -> Option<&[Transform]> {
        instances::find(&self.instances, node)
    }

    /// Returns the primitives that a node's mesh draws, with their numbers within the mesh.
    pub(super) fn drawn(&self, node: usize, mesh: usize) -> impl Iterator<Item = (usize, DrawnPrimitive)> {
        let boxes = self.boxes.get(&node);
        drawn(&self.imported.meshes[mesh]).map(move |(number, mut drawable, material)| {
            drawable.bounds = boxes.and_then(|boxes| boxes[number]).unwrap_or(drawable.bounds);
            // `numbers` checked that all material numbers fit in 32 bits.
            let of_file = material.and_then(|material| u32::try_from(material).ok());
            let material = of_file.map_or(self.imported.default_material, |it| self.imported.first_material + it);
            (number, DrawnPrimitive { drawable, material })
        })
    }

    pub(super) fn extras(&self, scene: usize) -> (Extras, Extensions) {
        let json = &self.root.scenes[scene];
        (Extras::read(&json.extras, self.parts.extras), others!(json, self.parts.extras))
    }
}

/// Returns the primitives that a mesh draws, each with its number within the mesh, its drawable and its material.
fn drawn(mesh: &ImportedMesh) -> impl Iterator<Item = (usize, Drawable, Option<usize>)> {
    let primitives = mesh.primitives.iter().enumerate();
    primitives.filter_map(|(number, it)| Some((number, Drawable::new(it.id, it.bounds?), it.material)))
}

/// Returns the mesh ids, and the number of the default material.
fn numbers(root: &Root, options: &ImportOptions) -> Result<(MeshIds, u32), ImportError> {
    let ids = MeshIds::count(options.first_mesh, root.meshes.iter().map(|mesh| mesh.primitives.len()));
    let materials = u32::try_from(root.materials.len()).ok();
    let default_material = materials.and_then(|count| options.first_material.checked_add(count));
    Ok((
        ids.ok_or(ImportErrorKind::TooMany(ItemKind::Mesh))?,
        default_material.ok_or(ImportErrorKind::TooMany(ItemKind::Material))?,
    ))
}

/// Returns the skipped nodes, and the extensions that neither the import nor the caller handles.
fn skipped(root: &Root, forest: &Forest, options: &ImportOptions) -> Vec<Skipped> {
    let mut in_scene = vec![false; root.nodes.len()];
    root.scenes.iter().flat_map(|scene| &scene.nodes).for_each(|it| in_scene[it.value()] = true);
    for &node in &forest.order {
        in_scene[node] |= forest.parents[node].is_some_and(|parent| in_scene[parent]);
    }
    let nodes = in_scene.iter().enumerate().filter(|&(_, in_scene)| !in_scene);
    let mut skipped: Vec<Skipped> = nodes.map(|(node, _)| Skipped::Node { node }).collect();
    let foreign = root.extensions_used.iter().filter(|name| !file::is_handled(name, options));
    skipped.extend(foreign.map(|name| Skipped::Extension(name.clone())));
    skipped
}
