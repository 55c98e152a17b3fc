//! Boxes of skinned and morphed meshes at rest.

use super::{MeshData, follows_joints};
use crate::error::{ImportError, Item, ItemKind};
use crate::file::Reader;
use core::iter::zip;
use glam::Vec3;
use gltf::json::Root;
use gltf::json::mesh::Primitive;
use hedgerow::{Aabb, Mat34};
use std::collections::BTreeMap;

/// How nodes deform a mesh at rest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Deforms {
    /// Whether a node with a skin has the mesh.
    pub(crate) skinned: bool,
    /// Whether a node has the mesh with a weight that is not zero.
    pub(crate) morphed: bool,
}

impl Deforms {
    /// Returns how the nodes of a file deform each mesh. Skins and meshes of nodes must be in range.
    pub(crate) fn of(root: &Root) -> Vec<Self> {
        let any = |weights: &Option<Vec<f32>>| weights.iter().flatten().any(|&weight| weight != 0.0);
        // Once for each mesh, because many nodes may share a mesh with many weights.
        let of_meshes: Vec<bool> = root.meshes.iter().map(|mesh| any(&mesh.weights)).collect();
        let mut all = vec![Self::default(); root.meshes.len()];
        for node in &root.nodes {
            let Some(mesh) = node.mesh.map(|mesh| mesh.value()) else { continue };
            all[mesh].skinned |= node.skin.is_some();
            all[mesh].morphed |= if node.weights.is_some() { any(&node.weights) } else { of_meshes[mesh] };
        }
        all
    }

    /// Returns whether the box of a primitive of the mesh follows from its vertices only.
    pub(crate) fn moves(self, primitive: &Primitive) -> bool {
        self.skinned && follows_joints(primitive) || self.morphed && primitive.targets.is_some()
    }
}

/// A node that deforms its mesh at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resting<'a> {
    pub(crate) mesh: usize,
    pub(crate) skin: Option<usize>,
    pub(crate) node: usize,
    /// The weights of morph targets at rest; empty if all are zero.
    pub(crate) weights: &'a [f32],
}

/// The deformation of all meshes at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest<'a> {
    /// The nodes that deform their meshes, by mesh, then by skin.
    pub(crate) nodes: Vec<Resting<'a>>,
    /// The palettes of the skins of these nodes.
    pub(crate) palettes: Vec<Vec<Mat34>>,
}

/// The boxes of a node's primitives, where they are not the primitives' own boxes.
pub(crate) type Boxes = BTreeMap<usize, Vec<Option<Aabb>>>;

impl Rest<'_> {
    /// Returns the nodes that deform a mesh.
    pub(super) fn of_mesh(&self, mesh: usize) -> &[Resting<'_>] {
        let start = self.nodes.partition_point(|it| it.mesh < mesh);
        let count = self.nodes[start..].partition_point(|it| it.mesh == mesh);
        &self.nodes[start..start + count]
    }

    /// Adds the boxes of a primitive with these vertices, at all nodes that deform it. Charges a byte to the budget for
    /// each influence and delta that is computed with, in place of time.
    pub(super) fn add_boxes(
        &self,
        reader: Reader<'_>,
        (mesh, number): (usize, usize),
        data: &MeshData,
        boxes: &mut Boxes,
    ) -> Result<(), ImportError> {
        let primitives = reader.root.meshes[mesh].primitives.len();
        let item = || Item::of(reader.root, ItemKind::Mesh, mesh);
        let mut last = None;
        for &Resting { skin, node, weights, .. } in self.of_mesh(mesh) {
            let skin = skin.filter(|_| data.influences > 0);
            let weights = if data.targets.is_empty() { &[] } else { weights };
            if skin.is_none() && weights.is_empty() {
                continue;
            }
            let bounds = match last {
                // Most nodes of a mesh have the same skin and weights.
                Some((as_before, bounds)) if as_before == (skin, weights) => bounds,
                _ => {
                    let terms = weights.len() + if skin.is_some() { data.influences } else { 0 };
                    // Time is limited like memory: many nodes may share a large mesh.
                    reader.budget.take::<u8>(terms.saturating_mul(data.positions.len()), item)?;
                    at_rest(data, skin.map(|skin| &self.palettes[skin][..]), weights)
                }
            };
            last = Some(((skin, weights), bounds));
            if !boxes.contains_key(&node) {
                reader.budget.take::<[Option<Aabb>; 2]>(primitives + 2, item)?;
            }
            boxes.entry(node).or_insert_with(|| vec![None; primitives])[number] = Some(bounds);
        }
        Ok(())
    }
}

/// Returns the box of deformed vertices, which [`SkinnedMesh`](hedgerow_anim::SkinnedMesh) would place at the same
/// positions. Infinite if a position is not finite.
fn at_rest(data: &MeshData, palette: Option<&[Mat34]>, weights: &[f32]) -> Aabb {
    let most = if data.eight_influences { 8 } else { 4 };
    let targets: Vec<_> = zip(&data.targets, weights).filter(|(_, weight)| **weight != 0.0).collect();
    let (mut bounds, mut kept) = (Aabb::EMPTY, Vec::new());
    for (vertex, &position) in data.positions.iter().enumerate() {
        let mut point = Vec3::from_array(position);
        for (target, weight) in &targets {
            point += target.positions.get(vertex).map_or(Vec3::ZERO, |&delta| **weight * Vec3::from_array(delta));
        }
        if let Some(palette) = palette {
            let own = vertex * data.influences..(vertex + 1) * data.influences;
            let influences =
                zip(&data.joints[own.clone()], &data.weights[own]).map(|(&joint, &weight)| (joint, weight));
            let moved = |(joint, weight): (u16, f32)| weight * palette[usize::from(joint)].transform_point(point);
            kept.clear();
            kept.extend(influences.filter(|&(_, weight)| weight > 0.0));
            // As skinned meshes prune them, so that the box fits what is drawn.
            if kept.len() > most {
                keep_greatest(&mut kept, most);
            }
            let whole: f32 = kept.iter().map(|&(_, weight)| weight).sum();
            point = match data.joints[vertex * data.influences] {
                // Skinning does the same with vertices without weight.
                first if kept.is_empty() => moved((first, 1.0)),
                _ => kept.iter().map(|&(joint, weight)| moved((joint, weight / whole))).sum(),
            };
        }
        if !point.is_finite() {
            return Aabb::INFINITE;
        }
        bounds = bounds.merge(&Aabb::new(point, point));
    }
    bounds
}

/// Keeps the influences with the greatest weights, as [`SkinnedMesh`](hedgerow_anim::SkinnedMesh) does. Adds up the
/// weights of a joint that is listed several times.
fn keep_greatest(influences: &mut Vec<(u16, f32)>, most: usize) {
    influences.sort_unstable_by_key(|&(joint, _)| joint);
    influences.dedup_by(|next, last| {
        let is_same = next.0 == last.0;
        last.1 += if is_same { next.1 } else { 0.0 };
        is_same
    });
    influences.sort_by(|a, b| b.1.total_cmp(&a.1));
    influences.truncate(most);
}
