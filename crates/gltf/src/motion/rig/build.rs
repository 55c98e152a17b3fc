//! Builds the rigs of a checked file.

use super::group::{Group, Grouping};
use crate::error::{ImportError, ImportErrorKind, Item, WarningKind};
use crate::file::Reader;
use crate::{Imported, ImportedScene, node::graph};
use hedgerow::data::NodeMap;
use hedgerow::{Keep, Local, Mat34, NodeHandle, Scene, Transform, Visibility};
use hedgerow_anim::Error;
use hedgerow_anim::{SkeletonBuilder, skeleton::SkeletonError};
use hedgerow_character::{Rig, RigPlace};
use std::collections::HashMap;

/// The rigs of a file, and the joints of its nodes.
pub(crate) struct Rigs {
    pub(crate) rigs: Vec<Rig>,
    /// The rig and the joint of each node, if it is in a rig.
    joints: Vec<Option<(usize, u16)>>,
}

impl Rigs {
    /// Builds the rigs of a file. `skins` has the joints and inverse bind matrices of all skins, and `animated` has the
    /// nodes that animations move or morph.
    pub(crate) fn of(
        reader: Reader<'_>,
        skins: &[Vec<(usize, Mat34)>],
        animated: impl Iterator<Item = usize>,
    ) -> Result<Self, ImportError> {
        let root = reader.root;
        let mut grouping = Grouping::new(root.nodes.len());
        let mut any = false;
        for node in animated {
            grouping.mark(node);
            any = true;
        }
        for joints in skins {
            for &(joint, _) in joints {
                grouping.mark(joint);
                // Joints of one skin belong to one rig, even if they hang below different roots.
                grouping.unite(joints[0].0, joint);
                any = true;
            }
        }
        for (node, json) in root.nodes.iter().enumerate() {
            let skin = json.skin.and_then(|skin| skins[skin.value()].first());
            if let Some(&(joint, _)) = skin.filter(|_| json.mesh.is_some() && grouping.is_marked(node)) {
                grouping.unite(joint, node);
            }
        }
        let mut rigs = Self { rigs: Vec::new(), joints: vec![None; root.nodes.len()] };
        if any {
            for group in grouping.groups(reader.forest) {
                rigs.add(reader, &group)?;
            }
        }
        Ok(rigs)
    }

    pub(crate) fn joint(&self, node: usize) -> Option<(usize, u16)> {
        self.joints[node]
    }

    fn add(&mut self, reader: Reader<'_>, group: &Group) -> Result<(), ImportError> {
        let (root, &Group { ref nodes, several_roots }) = (reader.root, group);
        let number = self.rigs.len();
        // The builder has the joints in the order of `nodes`; `build` returns their numbers in the skeleton.
        let mut builder = SkeletonBuilder::new();
        let mut sources = Vec::new();
        // A skeleton has one root, so several get a common one that is no node.
        if several_roots {
            builder.joint("", None, Transform::IDENTITY);
            sources.push(None);
        }
        let refuse = |error: Error| {
            let (item, field) = (Item::node(root, nodes[0]), "its rig".to_owned());
            ImportError::from(ImportErrorKind::Motion { item, field, error: error.into() })
        };
        if nodes.len() + sources.len() > usize::from(u16::MAX) {
            return Err(refuse(Error::Skeleton(SkeletonError::TooManyJoints(nodes.len() + sources.len()))));
        }
        let mut pushed = HashMap::new();
        for &node in nodes {
            let json = &root.nodes[node];
            let parent = reader.forest.parents[node].and_then(|parent| pushed.get(&parent).copied());
            let rest = match graph::local(json) {
                Local::Transform(transform) => transform,
                Local::Matrix(matrix) => {
                    let item = || Item::node(root, node);
                    // Rounding by exporters causes shear of up to 1e-3.
                    let near = matrix.nearest_transform().map(|rest| (rest, shear(matrix, rest)));
                    let (rest, shear) = near.filter(|near| near.1 <= 1e-3).ok_or_else(|| {
                        let problem = "it shears, but its node is in a rig; export the file again without shear";
                        ImportErrorKind::Invalid { item: item(), field: "matrix".to_owned(), problem }
                    })?;
                    if shear > 2e-6 {
                        let kind = WarningKind::Invalid { meant: "the nearest transform" };
                        reader.warnings.fault(item, || "matrix".to_owned(), kind)?;
                    }
                    rest
                }
            };
            let name = json.name.clone().unwrap_or_default();
            let joint = builder.joint(name, parent.or(several_roots.then_some(0)), rest);
            pushed.insert(node, joint);
            sources.push(Some(node));
        }
        let (skeleton, map) = builder.build().map_err(refuse)?;
        let mut by_joint = vec![None; sources.len()];
        for (source, &joint) in sources.iter().zip(map.as_slice()) {
            by_joint[usize::from(joint)] = *source;
            if let Some(node) = *source {
                self.joints[node] = Some((number, joint));
            }
        }
        self.rigs.push(Rig::of_file(skeleton, &by_joint));
        Ok(())
    }
}

/// Returns the greatest relative difference between the columns of a matrix and those of its nearest transform.
fn shear(matrix: Mat34, near: Transform) -> f64 {
    let [exact, near] = [matrix, Mat34::from(near)].map(|matrix| matrix.to_wide().matrix3);
    // Columns shorter than this are not precise in an `f32`.
    let length = |axis| exact.col(axis).length().max(f64::from(f32::MIN_POSITIVE));
    let relative = |axis| (near.col(axis) - exact.col(axis)).abs().max_element() / length(axis);
    (0..3).map(relative).fold(0.0, f64::max)
}

/// Stores the places of the rigs in each inserted scene, and moves skinned drawables below the bases of their rigs. A
/// drawable that was hidden before the move stays hidden.
///
/// Runs in **O((nodes + nodes inserted) · log nodes)** for any number of scenes and rigs.
pub(crate) fn place(file: &mut Imported, scene: &mut Scene, scenes: &[ImportedScene]) -> Result<(), hedgerow::Error> {
    let Imported { rigs, skins, .. } = file;
    let mut joints: HashMap<usize, (usize, u16)> = HashMap::new();
    for (number, rig) in rigs.iter().enumerate() {
        let of_rig = (0..).take(rig.skeleton.len());
        joints.extend(of_rig.filter_map(|joint| Some((rig.node_of(joint)?, (number, joint)))));
    }
    for (number, imported) in scenes.iter().enumerate() {
        let joint = |(node, handle)| joints.get(&node).map(|&(rig, joint)| (rig, joint, handle));
        let mut found: Vec<(usize, u16, NodeHandle)> = imported.nodes().filter_map(joint).collect();
        found.sort_unstable();
        for nodes in found.chunk_by(|a, b| a.0 == b.0) {
            let (rig, first, top) = nodes[0];
            // Joint 0 is the root. If joint 0 is not a node, the base is the scene's group.
            let base = if first == 0 { scene.parent(top) } else { None };
            let nodes = nodes.iter().map(|&(_, joint, node)| (joint, node)).collect();
            let mut place = RigPlace::new(base.unwrap_or(imported.group), nodes);
            place.scene = number;
            rigs[rig].places.push(place);
        }
        // Joints move a skinned mesh, wherever its node is: below the rig's base it moves with the rig.
        let skinned = imported.drawables.iter().filter_map(|drawable| {
            let rig = &rigs[skins.get(drawable.skin?)?.rig];
            // If the rig has a place in this scene, that place is the last one.
            let place = rig.places.last().filter(|place| place.scene == number)?;
            Some((drawable.handle, place.base))
        });
        let mut skinned = skinned.peekable();
        let hiders = if skinned.peek().is_some() { hiders(scene, imported.group) } else { NodeMap::new() };
        for (node, base) in skinned {
            let hider = hiders.get(node);
            scene.reparent(node, base, Keep::Local)?;
            // What hid the node before the move hides it after.
            if hider.is_some() && hider != hiders.get(base) {
                scene.edit(node)?.set_visibility(Visibility::Hidden);
            }
        }
    }
    Ok(())
}

/// Maps each hidden node below a group to the nearest node that is itself set to hidden: the node or an ancestor.
fn hiders(scene: &Scene, group: NodeHandle) -> NodeMap<NodeHandle> {
    let mut hiders = NodeMap::new();
    for node in scene.get(group).into_iter().flat_map(|group| group.descendants().skip(1)) {
        let above = node.parent().and_then(|parent| hiders.get(parent.handle()).copied());
        let own = (node.own_visibility() == Visibility::Hidden).then(|| node.handle());
        if let Some(hider) = own.or(above) {
            _ = hiders.insert(node.handle(), hider);
        }
    }
    hiders
}
