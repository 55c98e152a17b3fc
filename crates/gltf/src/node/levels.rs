//! Coarser meshes of nodes (`MSFT_lod`).

use super::{extension, graph};
use crate::error::{ImportError, Item, WarningKind};
use crate::extras::Extras;
use crate::file::Reader;
use crate::{CoarserMeshes, ImportedMesh, ImportedPrimitive, ImportedScene};
use gltf::json::scene::Node;
use hedgerow::data::NodeMap;
use hedgerow::glam::Vec3;
use hedgerow::query::LevelsOfDetail;
use hedgerow::{Aabb, Mat34, Scene};
use serde_json::Value;
use std::collections::HashMap;

/// Mesh ids, each with its coarser meshes and their distances: see [`Imported::levels`](crate::Imported::levels).
pub(crate) type Levels = Vec<(u32, CoarserMeshes)>;

/// Returns the levels of all meshes. If several nodes have levels for a mesh, those of the first node are used. Lists
/// nodes whose levels are left out.
pub(crate) fn read(reader: Reader<'_>, meshes: &[ImportedMesh]) -> Result<Levels, ImportError> {
    let (mut all, mut found) = (Levels::new(), vec![None; meshes.len()]);
    for (index, node) in reader.root.nodes.iter().enumerate() {
        let Some(json) = extension(node, "MSFT_lod") else { continue };
        let item = || Item::node(reader.root, index);
        let mesh = node.mesh.map(|mesh| mesh.value());
        if let Some(mesh) = mesh.filter(|&mesh| found[mesh].is_none()) {
            let levels = of_mesh(&reader.root.nodes, (node, mesh), json.get("ids"), meshes);
            found[mesh] = Some(levels.is_some());
            let levels = levels.unwrap_or_default();
            reader.budget.take::<[u32; 24]>(levels.len(), item)?;
            all.extend(levels);
        }
        if mesh.is_none_or(|mesh| found[mesh] != Some(true)) {
            reader.warnings.note(item, String::new, WarningKind::LevelsOfDetail);
        }
    }
    Ok(all)
}

/// Returns the levels of the primitives of a node's mesh; `None` if the levels differ in more than mesh and distance.
fn of_mesh(
    nodes: &[Node],
    (node, mesh): (&Node, usize),
    ids: Option<&Value>,
    meshes: &[ImportedMesh],
) -> Option<Levels> {
    let shares = Extras::read(&node.extras, true).value()?;
    let shares = shares.get("MSFT_screencoverage")?.as_array()?;
    let primitives = &meshes[mesh].primitives;
    let mut coarser = Vec::new();
    let ids = ids?.as_array().filter(|ids| ids.len() <= 4)?;
    for id in ids {
        let other = nodes.get(usize::try_from(id.as_u64()?).ok()?)?;
        let alike = graph::local(other) == graph::local(node) && other.skin == node.skin;
        let leaves = [node, other].into_iter().all(|node| graph::children(node).next().is_none());
        let other = &meshes[other.mesh.filter(|_| alike && leaves)?.value()].primitives;
        coarser.push(Some((other.len() == primitives.len()).then_some(other)?));
    }
    if shares.len() < coarser.len() {
        return None;
    }
    // Nothing is drawn if the share of the screen is less than the last share.
    coarser.extend((coarser.len() < 4).then_some(None));
    let bounds = primitives.iter().filter_map(|it| it.bounds).fold(Aabb::EMPTY, |all, it| all.merge(&it));
    let radius = 0.5 * bounds.size().length();
    let of_primitive = |(number, primitive): (usize, &ImportedPrimitive)| {
        let mut list = Vec::new();
        for (other, share) in coarser.iter().zip(shares) {
            #[expect(clippy::cast_possible_truncation, reason = "a distance that is not finite is refused")]
            let share = share.as_f64()? as f32;
            let always = other.is_none() && share == 0.0;
            list.extend((!always).then(|| (radius / share, other.map(|other| other[number].id))));
        }
        LevelsOfDetail::new().insert(primitive.id, &list).ok().map(|()| (primitive.id, list))
    };
    primitives.iter().enumerate().map(of_primitive).collect()
}

/// Multiplies the distances of each mesh by the scale of the first node that draws it. Runs in **O(nodes)**.
pub(super) fn scale(levels: &mut Levels, scene: &Scene, scenes: &[ImportedScene]) {
    if levels.is_empty() {
        return;
    }
    let mut scales = HashMap::new();
    for imported in scenes {
        let Some(group) = scene.get(imported.group) else { continue };
        let mut worlds = NodeMap::from_iter([(group.handle(), group.fresh_world())]);
        for node in group.descendants().skip(1) {
            let above = node.parent().map_or(Mat34::IDENTITY, |parent| worlds[parent.handle()]);
            _ = worlds.insert(node.handle(), node.local().map_or(above, |local| above * local.to_matrix()));
        }
        for drawable in &imported.drawables {
            let axes = |world: &Mat34| Vec3::AXES.map(|axis| world.transform_vector(axis).length());
            let greatest = || axes(&worlds[drawable.handle]).into_iter().fold(0.0, f32::max);
            scales.entry(drawable.id).or_insert_with(greatest);
        }
    }
    for (id, list) in levels {
        let Some(scale) = scales.get(id) else { continue };
        if list.iter().all(|(from, _)| (from * scale).is_normal() || *from == 0.0) {
            list.iter_mut().for_each(|(from, _)| *from *= scale);
        }
    }
}
