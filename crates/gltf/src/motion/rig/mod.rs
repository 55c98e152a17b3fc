//! Rigs: nodes that move together, as a skeleton.

mod build;
mod group;
#[cfg(test)]
mod tests;

pub(crate) use build::{Rigs, find, place};

use hedgerow::data::NodeMap;
use hedgerow::{NodeHandle, Scene};
use hedgerow_anim::{Pose, Skeleton, skeleton::SkeletonError};
use hedgerow_character::CharacterError;

/// Nodes of a glTF file that move together, as a skeleton. [`apply`](Self::apply) writes a pose to the scene's nodes.
///
/// The marked nodes are the joints of all skins, and the nodes that animations move or morph. A rig consists of marked
/// nodes that belong together, and of the nodes on the paths from these up to joint 0, their lowest common ancestor.
/// Two marked nodes belong together if
///
/// - they are joints of one skin, one is below the other, or their paths meet;
/// - one has a skinned mesh with animated morph weights, and the other is a joint of that skin.
///
/// So parts that move independently have separate rigs. Animations do not move nodes above a rig. If the nodes have no
/// common ancestor in the file, joint 0 represents the scene's group and always rests.
///
/// The rest pose is the pose of the nodes in the file. Inverse bind matrices belong to skins: see
/// [`ImportedSkin`](crate::ImportedSkin).
///
/// ```
/// use hedgerow::glam::Vec3;
/// use hedgerow::Transform;
/// use hedgerow_gltf::anim::Pose;
///
/// // A door in a wall, with a handle: one animation moves the handle, another the door.
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
    /// The number of channels of each clip: one for each weight of the rig's [`MorphNode`](crate::MorphNode)s.
    pub channels: usize,
    /// The places of the rig: one for each glTF scene that contains nodes of the rig.
    pub places: Vec<RigPlace>,
    /// The glTF node of each joint.
    pub(crate) nodes: Vec<Option<usize>>,
    /// The joint of each node, by ascending node.
    pub(crate) joints: Vec<(usize, u16)>,
}

/// The base and the nodes of a rig in one scene.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RigPlace {
    /// The index of the glTF scene.
    pub scene: usize,
    /// The parent node of the rig. Model matrices and skinned vertices are relative to the base: a joint's world matrix
    /// is the base's world matrix times the joint's model matrix. A skinned mesh is drawn with the base's world matrix,
    /// not with the matrix of the node that has the mesh.
    pub base: NodeHandle,
    /// The nodes of the joints that are in this scene, by ascending joint.
    pub(crate) nodes: Vec<(u16, NodeHandle)>,
}

impl Rig {
    /// Returns the joint of a glTF node, in **O(log joints)**; `None` if the node is not in the rig.
    #[must_use]
    pub fn joint_of(&self, node: usize) -> Option<u16> {
        find(&self.joints, node)
    }

    /// Returns the glTF node of a joint; `None` for joint 0 if it is not a node, and for numbers that are not joints.
    #[must_use]
    pub fn node_of(&self, joint: u16) -> Option<usize> {
        self.nodes.get(usize::from(joint)).copied().flatten()
    }

    /// Sets the local transforms of the rig's nodes to a pose, in all [places](Self::places), as one batch. The next
    /// [`Scene::update`] computes world matrices.
    ///
    /// `scene` must be the scene of the import. In another scene, the handles are stale or refer to other nodes.
    ///
    /// Runs in **O(joints)** for each place.
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`] if the pose has a different number of joints, and the errors of
    /// [`Scene::set_locals`], such as for removed nodes. The scene is then unchanged.
    pub fn apply(&self, pose: &Pose, scene: &mut Scene) -> Result<(), CharacterError> {
        self.apply_at(&self.places, pose, scene)
    }

    /// Applies a pose as [`apply`](Self::apply) does, but only in `places`, such as those of
    /// [copies](RigPlace::of_copy).
    ///
    /// # Errors
    /// The errors of [`apply`](Self::apply).
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
    /// Returns the node of a joint, in **O(log joints)**; `None` if the joint is not in this scene.
    #[must_use]
    pub fn node(&self, joint: u16) -> Option<NodeHandle> {
        find(&self.nodes, joint)
    }

    /// Returns the place of a copy of the nodes in `scene`, for many characters from one import. `copies` maps nodes to
    /// copies: see [`Scene::tree`]. `None` if neither the base nor the first joint was copied. [`Rig::apply_at`] poses
    /// the copy.
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

    /// Returns all joints in this scene with their nodes, in ascending order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (u16, NodeHandle)> {
        self.nodes.iter().copied()
    }
}
