//! A fully checked file, so that inserting it cannot fail halfway.

use super::characters::Characters;
use super::error::{ImportError, ImportErrorKind, Item, ItemKind};
use super::graph::{self, check_index};
use super::read::{Budget, Reader};
use super::source::{self, Buffers};
use super::{ImportOptions, MeshIds, Skipped};
use super::{accessor, amount, bounds};
use crate::Shape;
use gltf::json::Root;
use gltf::json::mesh::{Primitive, Semantic};
use gltf::json::validation::Checked;
use std::path::Path;

/// A checked file.
pub(super) struct Document {
    /// The JSON: all indices of scenes, nodes and primitives are in range, the nodes form trees.
    pub(super) root: Root,
    /// One entry for each primitive, numbered through all meshes; `None` if it has no positions to draw.
    pub(super) primitives: Vec<Option<DrawnPrimitive>>,
    /// Which of these numbers belong to which mesh.
    pub(super) mesh_ids: MeshIds,
    /// The number of materials, which is also the id for primitives without a material.
    pub(super) default_material: u32,
    /// Everything that moves or is deformed.
    pub(super) characters: Characters,
    /// What is not imported.
    pub(super) skipped: Vec<Skipped>,
}

/// What a shape node draws.
#[derive(Clone, Copy)]
pub(super) struct DrawnPrimitive {
    pub(super) shape: Shape,
    pub(super) material: u32,
}

impl Document {
    /// Reads and checks a file.
    pub(super) fn read(bytes: &[u8], base_dir: Option<&Path>, options: &ImportOptions) -> Result<Self, ImportError> {
        let (root, blob, json_bytes) = source::parse(bytes)?;
        graph::check(&root)?;
        let buffers = Buffers::open(&root, blob, base_dir)?;
        accessor::check(&root)?;
        let default_material =
            u32::try_from(root.materials.len()).map_err(|_| ImportErrorKind::TooMany(ItemKind::Material))?;
        let mesh_ids = MeshIds::count(root.meshes.iter().map(|mesh| mesh.primitives.len()))
            .ok_or(ImportErrorKind::TooMany(ItemKind::Mesh))?;

        let mut primitives = Vec::new();
        let mut skipped = skipped(&root);
        for (mesh, json) in root.meshes.iter().enumerate() {
            for (number, primitive) in json.primitives.iter().enumerate() {
                check_primitive(&root, mesh, number, primitive)?;
                let Some(accessor) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else {
                    skipped.push(Skipped::Primitive { mesh, primitive: number });
                    primitives.push(None);
                    continue;
                };
                let field = format!("primitives[{number}].attributes.POSITION");
                let bounds = bounds::positions(&root, &buffers, accessor.value(), mesh, &field)?;
                let id = mesh_ids.id(mesh, number).ok_or(ImportErrorKind::TooMany(ItemKind::Mesh))?;
                let material =
                    primitive.material.and_then(|it| u32::try_from(it.value()).ok()).unwrap_or(default_material);
                primitives.push(Some(DrawnPrimitive { shape: Shape::new(id, bounds), material }));
            }
        }
        let made = amount::Amount::of(&root, |mesh| primitives[mesh_ids.range(mesh)].iter().flatten().count());
        made.check(options, json_bytes)?;
        let budget = Budget::of(buffers.total());
        let reader = Reader { root: &root, buffers: &buffers, budget: &budget };
        let characters = Characters::read(reader, &mesh_ids, &mut skipped)?;
        Ok(Self { root, primitives, mesh_ids, default_material, characters, skipped })
    }

    /// The primitives of a mesh that are drawn.
    pub(super) fn drawn(&self, mesh: usize) -> impl Iterator<Item = DrawnPrimitive> {
        self.primitives[self.mesh_ids.range(mesh)].iter().flatten().copied()
    }
}

/// Checks the indices of a primitive.
fn check_primitive(root: &Root, mesh: usize, number: usize, json: &Primitive) -> Result<(), ImportError> {
    let item = || Item::of(root, ItemKind::Mesh, mesh);
    let field = |name: &str| format!("primitives[{number}].{name}");
    check_index(json.material, root.materials.len(), item, || field("material"))?;
    check_index(json.indices, root.accessors.len(), item, || field("indices"))?;
    for (semantic, accessor) in &json.attributes {
        let name = || field(&format!("attributes.{}", semantic.to_string()));
        check_index(Some(*accessor), root.accessors.len(), item, name)?;
    }
    Ok(())
}

/// The parts of the file that are skipped, without primitives.
fn skipped(root: &Root) -> Vec<Skipped> {
    let mut in_scene = vec![false; root.nodes.len()];
    let mut stack: Vec<usize> = root.scenes.iter().flat_map(|scene| &scene.nodes).map(|it| it.value()).collect();
    while let Some(index) = stack.pop() {
        // A subtree that several scenes share is visited once.
        if !core::mem::replace(&mut in_scene[index], true) {
            stack.extend(graph::children(&root.nodes[index]));
        }
    }
    let mut skipped = Vec::new();
    for (node, json) in root.nodes.iter().enumerate() {
        if !in_scene[node] {
            skipped.push(Skipped::Node { node });
        }
        if json.camera.is_some() {
            skipped.push(Skipped::Camera { node });
        }
    }
    let foreign = root.extensions_used.iter().filter(|name| !source::is_known_extension(name));
    skipped.extend(foreign.map(|name| Skipped::Extension(name.clone())));
    skipped
}
