//! Rigs: nodes that move together, as a skeleton.

mod build;
mod group;
#[cfg(test)]
mod tests;

pub(crate) use build::{Rigs, find, place};

use hedgerow::character::CharacterError;
use hedgerow::data::NodeMap;
use hedgerow::{NodeHandle, Scene};
use hedgerow_anim::{Pose, Skeleton, skeleton::SkeletonError};

/// Nodes of a glTF file that move together, as a skeleton. Its poses can be given to the scene's nodes.
///
/// The joints of all skins, and the nodes that animations move or morph, are marked. A rig consists of
///
/// - marked nodes that belong together: the joints of one skin; a marked node and all marked nodes below it; a skinned
///   mesh whose morph weights are animated and the joints of its skin; all nodes whose paths, as defined next, meet;
/// - the nodes on the paths from these up to the lowest node that has all of them at or below it, which is joint 0.
///
/// So parts that move independently have rigs of their own, and nodes above a rig only move by edits of the scene. If
/// the nodes have no common ancestor in the file, joint 0 is not one of the nodes: it always rests, and stands for the
/// scene's group.
///
/// The rest pose of the joints is that of the nodes in the file. Inverse bind matrices belong to skins: see
/// [`ImportedSkin`](crate::ImportedSkin).
///
/// ```
/// use hedgerow::glam::Vec3;
/// use hedgerow::{Transform, anim::Pose};
///
/// // A door in a wall, and a handle on it; an animation moves the handle, and a second one the door.
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
///     "nodes": [{"name": "wall", "translation": [5, 0, 0], "children": [1]},
///         {"name": "door", "children": [2]}, {"name": "handle", "translation": [1, 0, 0]}],
///     "animations": [
///         {"samplers": [{"input": 0, "output": 1}],
///          "channels": [{"sampler": 0, "target": {"node": 2, "path": "scale"}}]},
///         {"samplers": [{"input": 0, "output": 1}],
///          "channels": [{"sampler": 0, "target": {"node": 1, "path": "scale"}}]}],
///     "accessors": [{"componentType": 5126, "type": "SCALAR", "count": 1, "bufferView": 0},
///         {"componentType": 5126, "type": "VEC3", "count": 1, "bufferView": 0}],
///     "bufferViews": [{"buffer": 0, "byteLength": 12}],
///     "buffers": [{"byteLength": 12, "uri": "data:;base64,AAAAAAAAAAAAAAAA"}]
/// }"#;
/// let mut import = hedgerow_gltf::from_slice(text, None)?;
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
    /// How many channels each clip of this rig has: the weights of the nodes given by [`MorphNode`](crate::MorphNode).
    pub channels: usize,
    /// Where the rig is in the scene: one entry for each glTF scene that has nodes of it.
    pub places: Vec<RigPlace>,
    /// The glTF node of each joint.
    pub(crate) nodes: Vec<Option<usize>>,
    /// The joint of each of these nodes, by ascending node.
    pub(crate) joints: Vec<(usize, u16)>,
}

/// Where a rig is in a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RigPlace {
    /// The index of the glTF scene.
    pub scene: usize,
    /// The parent node of the rig: model matrices are relative to it. The world matrix of a joint is that of this node
    /// times the joint's model matrix, and the same holds for skinned vertices: a skinned mesh is drawn with the world
    /// matrix of this node, whatever the node that has the mesh.
    pub base: NodeHandle,
    /// The nodes by joint, in ascending order; a joint that is not in this scene is left out.
    pub(crate) nodes: Vec<(u16, NodeHandle)>,
}

impl Rig {
    /// The joint of a glTF node, in **O(log joints)**; `None` if it is not in the rig.
    #[must_use]
    pub fn joint_of(&self, node: usize) -> Option<u16> {
        find(&self.joints, node)
    }

    /// The glTF node of a joint; `None` for a joint 0 that is not a node, and for numbers that are not joints.
    #[must_use]
    pub fn node_of(&self, joint: u16) -> Option<usize> {
        self.nodes.get(usize::from(joint)).copied().flatten()
    }

    /// Sets the local transforms of the rig's nodes to those of a pose, in all [places](Self::places), as one batch.
    /// World matrices follow with the next [`Scene::update`].
    ///
    /// The places are in the scene into which the file was imported. In another scene they name nodes whose bits
    /// coincide, or none.
    ///
    /// Runs in **O(joints)** for each place.
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`] unless the pose is for this skeleton, and what [`Scene::set_locals`] refuses, such
    /// as nodes that were removed. The scene is then unchanged.
    pub fn apply(&self, pose: &Pose, scene: &mut Scene) -> Result<(), CharacterError> {
        self.apply_at(&self.places, pose, scene)
    }

    /// Like [`apply`](Self::apply), only in these places, such as those of [copies](RigPlace::of_copy).
    ///
    /// # Errors
    /// Those of [`apply`](Self::apply).
    pub fn apply_at(&self, places: &[RigPlace], pose: &Pose, scene: &mut Scene) -> Result<(), CharacterError> {
        let (expected, found) = (self.skeleton.len(), pose.len());
        if expected != found {
            return Err(hedgerow_anim::Error::from(SkeletonError::JointCount { expected, found }).into());
        }
        let nodes = places.iter().flat_map(|place| &place.nodes);
        super::set_all(scene, nodes.map(|&(joint, node)| (node, pose.get(joint))))
    }
}

impl RigPlace {
    /// The node of a joint, in **O(log joints)**; `None` if it is not in this scene.
    #[must_use]
    pub fn node(&self, joint: u16) -> Option<NodeHandle> {
        find(&self.nodes, joint)
    }

    /// The same place in a copy of the nodes in `scene`, for many characters from one import. `copies` has the copy of
    /// each node: see [`Scene::tree`]. `None` if neither the base nor the first of its joints was copied, since model
    /// matrices of the others are relative to that. [`Rig::apply_at`] poses it.
    ///
    /// Runs in **O(joints)**.
    #[must_use]
    pub fn of_copy(&self, copies: &NodeMap<NodeHandle>, scene: &Scene) -> Option<Self> {
        let copy = |node| copies.get(node).copied();
        let nodes = self.nodes.iter().filter_map(|&(joint, node)| Some((joint, copy(node)?)));
        let nodes: Vec<(u16, NodeHandle)> = nodes.collect();
        let base = copy(self.base).or_else(|| scene.parent(copy(self.nodes.first()?.1)?))?;
        (!nodes.is_empty()).then_some(Self { scene: self.scene, base, nodes })
    }

    /// All joints in this scene with their nodes, in ascending order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (u16, NodeHandle)> {
        self.nodes.iter().copied()
    }
}
