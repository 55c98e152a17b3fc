//! Rigs: nodes that move together, as a skeleton.

mod build;
mod group;
#[cfg(test)]
mod tests;

pub(super) use build::{Rigs, find, place};

use crate::character::CharacterError;
use crate::{
    NodeHandle, Scene, Transform,
    anim::{Pose, Skeleton, skeleton::SkeletonError},
    edit::HandleMap,
};

/// Nodes of a glTF file that move together, as a skeleton whose poses can be given to the scene's nodes.
///
/// Marked are the joints of all skins and the nodes that animations move or morph. A rig is made of
///
/// - the marked nodes that belong together: the joints of one skin; a marked node and all marked nodes below it; a skinned
///   mesh whose morph weights are animated and the joints of its skin; all whose paths, as follows, meet;
/// - the nodes on the paths from these up to the lowest node that has all of them at or below it, which is joint 0.
///
/// So what moves independently has rigs of its own, and nodes above a rig do not move but by edits of the scene. Where
/// the nodes have no common ancestor in the file, joint 0 is none of its nodes, rests, and stands for the scene's group.
///
/// Joints rest as the file has the nodes. [`Skeleton::inverse_binds`] are those of the first skin that names the joint and
/// otherwise the identity; [`ImportedSkin`](super::ImportedSkin) has each skin's own.
///
/// ```
/// use hedgerow::glam::Vec3;
/// use hedgerow::{Transform, anim::Pose, import};
///
/// // A door in a wall, and a handle on it; an animation moves the handle, and a second one the door.
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
///     "nodes": [{"name": "wall", "translation": [5, 0, 0], "children": [1]},
///         {"name": "door", "children": [2]}, {"name": "handle", "translation": [1, 0, 0]}],
///     "animations": [
///         {"samplers": [{"input": 0, "output": 1}], "channels": [{"sampler": 0, "target": {"node": 2, "path": "scale"}}]},
///         {"samplers": [{"input": 0, "output": 1}], "channels": [{"sampler": 0, "target": {"node": 1, "path": "scale"}}]}],
///     "accessors": [{"componentType": 5126, "type": "SCALAR", "count": 1, "bufferView": 0},
///         {"componentType": 5126, "type": "VEC3", "count": 1, "bufferView": 0}],
///     "bufferViews": [{"buffer": 0, "byteLength": 12}], "buffers": [{"byteLength": 12, "uri": "data:;base64,AAAAAAAAAAAAAAAA"}]
/// }"#;
/// let mut import = import::from_slice(text, None)?;
/// let rig = &import.imported.rigs[0];
/// assert!(rig.skeleton.names().eq(["door", "handle"]));
/// assert_eq!((rig.joint_of(0), rig.joint_of(1), rig.node_of(1)), (None, Some(0), Some(2)));
///
/// let mut pose = Pose::rest(&rig.skeleton);
/// pose.set(0, Transform::from_xyz(0.0, 3.0, 0.0));
/// rig.apply(&pose, &mut import.scene)?;
/// import.scene.update();
/// let handle = rig.places[0].node(1).expect("the handle is in the scene");
/// assert_eq!(import.scene.world(handle).unwrap().translation(), Vec3::new(6.0, 3.0, 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rig {
    /// The joints: their hierarchy, names and rest pose.
    pub skeleton: Skeleton,
    /// How many channels each clip of this rig has: the weights of the nodes that
    /// [`MorphNode`](super::MorphNode) says.
    pub channels: usize,
    /// Where the rig is in the scene: one entry for each glTF scene that has nodes of it.
    pub places: Vec<RigPlace>,
    /// The glTF node of each joint.
    pub(super) nodes: Vec<Option<usize>>,
    /// The joint of each of these nodes, by rising node.
    pub(super) joints: Vec<(usize, u16)>,
}

/// Where a rig is in a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RigPlace {
    /// The index of the glTF scene.
    pub scene: usize,
    /// The node that the rig hangs from: what model matrices are relative to. A joint's world matrix is that of this node times
    /// the joint's model matrix, and the same takes skinned vertices to the world.
    pub base: NodeHandle,
    /// The nodes by joint, in rising order; a joint that is not in this scene is left out.
    pub(super) nodes: Vec<(u16, NodeHandle)>,
}

impl Rig {
    /// The joint that a glTF node is, in **O(log joints)**; `None` where it does not belong to the rig.
    #[must_use]
    pub fn joint_of(&self, node: usize) -> Option<u16> {
        find(&self.joints, node)
    }

    /// The glTF node that a joint is; `None` for joint 0 where it is none, and for what is no joint.
    #[must_use]
    pub fn node_of(&self, joint: u16) -> Option<usize> {
        self.nodes.get(usize::from(joint)).copied().flatten()
    }

    /// Gives the nodes of the rig the local transforms of a pose, in all [places](Self::places), as one batch. World matrices
    /// follow with the next [`Scene::update`].
    ///
    /// Places are those of the scene that the file was imported to; of another one they name nodes whose bits coincide, or none.
    ///
    /// Computes in **O(joints)** for each place.
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`] unless the pose is of this skeleton, and what [`Scene::set_transforms`] refuses, such as
    /// nodes that were removed. The scene is then as before.
    pub fn apply(&self, pose: &Pose, scene: &mut Scene) -> Result<(), CharacterError> {
        self.apply_at(&self.places, pose, scene)
    }

    /// The same in these places only, such as those of [copies](RigPlace::of_copy).
    ///
    /// # Errors
    /// As those of [`apply`](Self::apply).
    pub fn apply_at(&self, places: &[RigPlace], pose: &Pose, scene: &mut Scene) -> Result<(), CharacterError> {
        let (expected, found) = (self.skeleton.len(), pose.len());
        if expected != found {
            return Err(crate::anim::Error::from(SkeletonError::JointCount { expected, found }).into());
        }
        let nodes = places.iter().flat_map(|place| &place.nodes);
        let items: Vec<(NodeHandle, Transform)> = nodes.map(|&(joint, node)| (node, pose.get(joint))).collect();
        Ok(scene.set_transforms(&items)?)
    }
}

impl RigPlace {
    /// The node that a joint is, in **O(log joints)**; `None` where it is not in this scene.
    #[must_use]
    pub fn node(&self, joint: u16) -> Option<NodeHandle> {
        find(&self.nodes, joint)
    }

    /// The place in a copy of the nodes in `scene`, such as [`Scene::duplicate`] makes, to have many characters of one import;
    /// `None` where neither the base nor the first of its joints was copied: model matrices of the others are relative to
    /// that. [`Rig::apply_at`] poses it.
    ///
    /// Computes in **O(joints · log nodes copied)**.
    #[must_use]
    pub fn of_copy(&self, map: &HandleMap, scene: &Scene) -> Option<Self> {
        let nodes = self.nodes.iter().filter_map(|&(joint, node)| Some((joint, map.get(node)?)));
        let nodes: Vec<(u16, NodeHandle)> = nodes.collect();
        let base = map.get(self.base).or_else(|| scene.parent(map.get(self.nodes.first()?.1)?))?;
        (!nodes.is_empty()).then_some(Self { scene: self.scene, base, nodes })
    }

    /// All joints in this scene with their nodes, in rising order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (u16, NodeHandle)> {
        self.nodes.iter().copied()
    }
}
