//! Rigs: nodes that move together, as a skeleton.

use crate::CharacterError;
use hedgerow::data::NodeMap;
use hedgerow::{Error, NodeHandle, Scene, Transform};
use hedgerow_anim::{Pose, Skeleton, skeleton::SkeletonError};

/// Nodes of a scene that move together, as a skeleton. [`apply`](Self::apply) writes a pose to the nodes.
///
/// The skeleton's rest pose is the pose of the nodes before anything moves. An import makes rigs from a file; a program
/// makes them from nodes of its own.
///
/// ```
/// use hedgerow::glam::Vec3;
/// use hedgerow::{Node, Scene, Transform};
/// use hedgerow_character::anim::{Pose, SkeletonBuilder};
/// use hedgerow_character::{Rig, RigPlace};
///
/// // A door in a wall, with a handle: two joints, and a node for each.
/// let mut joints = SkeletonBuilder::new();
/// let door = joints.joint("door", None, Transform::IDENTITY);
/// joints.joint("handle", Some(door), Transform::from_xyz(1.0, 0.0, 0.0));
/// let mut rig = Rig::new(joints.build()?.0);
///
/// let mut scene = Scene::new();
/// let wall = scene.insert(scene.root(), Node::transform(Transform::from_xyz(5.0, 0.0, 0.0)))?;
/// let door = scene.insert(wall, Node::transform(rig.skeleton.rest(0)))?;
/// let handle = scene.insert(door, Node::transform(rig.skeleton.rest(1)))?;
/// rig.places.push(RigPlace::new(wall, vec![(0, door), (1, handle)]));
///
/// let mut pose = Pose::rest(&rig.skeleton);
/// pose.set(0, Transform::from_xyz(0.0, 3.0, 0.0));
/// rig.apply(&pose, &mut scene)?;
/// scene.update();
/// assert_eq!(scene.world(handle).unwrap().translation(), Vec3::new(6.0, 3.0, 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rig {
    /// The joints: their hierarchy, names and rest pose.
    pub skeleton: Skeleton,
    /// The number of channels of each clip: one for each weight of the rig's [`MorphNode`](crate::MorphNode)s.
    pub channels: usize,
    /// The places of the rig in scenes: one for each glTF scene that contains nodes of the rig.
    pub places: Vec<RigPlace>,
    /// The number of each joint's node in its file.
    nodes: Vec<Option<usize>>,
    /// The joint of each node, by ascending number.
    joints: Vec<(usize, u16)>,
}

/// The base and the nodes of a rig in one scene.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RigPlace {
    /// The index of the file's scene, or a number of your own.
    pub scene: usize,
    /// The parent node of the rig. Model matrices and skinned vertices are relative to the base: a joint's world matrix
    /// is the base's world matrix times the joint's model matrix. A skinned mesh is drawn with the base's world matrix,
    /// not with the matrix of the node that has the mesh.
    pub base: NodeHandle,
    /// The nodes of the joints that are in this scene, by ascending joint.
    nodes: Vec<(u16, NodeHandle)>,
}

/// Returns the value of a key in a sorted list.
fn find<K: Ord + Copy, V: Copy>(list: &[(K, V)], key: K) -> Option<V> {
    list.binary_search_by_key(&key, |&(key, _)| key).ok().map(|at| list[at].1)
}

/// Sets all local transforms, or none if any is refused.
pub(crate) fn set_all(
    scene: &mut Scene,
    items: impl Iterator<Item = (NodeHandle, Transform)> + Clone,
) -> Result<(), CharacterError> {
    // All are checked before the first is set.
    for (node, local) in items.clone() {
        if !scene.contains(node) {
            return Err(Error::StaleHandle(node).into());
        }
        local.checked().map_err(Error::from)?;
    }
    Ok(scene.set_locals(items)?)
}

impl Rig {
    /// Creates a rig without channels and without places.
    #[must_use]
    pub fn new(skeleton: Skeleton) -> Self {
        Self::of_file(skeleton, &[])
    }

    /// Creates a rig whose joints are nodes of a file: for each joint, the number of its node, if it has one. Joints
    /// beyond the list have none. An import uses it. Runs in **O(joints · log joints)**.
    #[must_use]
    pub fn of_file(skeleton: Skeleton, nodes: &[Option<usize>]) -> Self {
        let mut joints: Vec<(usize, u16)> =
            (0..).take(skeleton.len()).zip(nodes).filter_map(|(joint, node)| Some(((*node)?, joint))).collect();
        joints.sort_unstable();
        let nodes = nodes.iter().copied().take(skeleton.len()).collect();
        Self { skeleton, channels: 0, places: Vec::new(), nodes, joints }
    }

    /// Returns the joint of the node with this number in the rig's file, in **O(log joints)**; `None` if the node is
    /// not in the rig. Of a glTF file, the number is the node's index.
    #[must_use]
    pub fn joint_of(&self, node: usize) -> Option<u16> {
        find(&self.joints, node)
    }

    /// Returns the number of a joint's node in the rig's file; `None` if the joint is not a node of a file, and for
    /// numbers that are not joints.
    #[must_use]
    pub fn node_of(&self, joint: u16) -> Option<usize> {
        self.nodes.get(usize::from(joint)).copied().flatten()
    }

    /// Sets the local transforms of the rig's nodes to a pose, in all [places](Self::places), as one batch. The next
    /// [`Scene::update`] computes world matrices.
    ///
    /// `scene` must be the scene of the places. In another scene, the handles are stale or refer to other nodes.
    ///
    /// Runs in **O(joints)** for each place.
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`] if the pose has a different number of joints, [`SkeletonError::UnknownJoint`] if a
    /// place has a node for a joint that the rig does not have, and the errors of
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
        // The nodes of a place are sorted by joint.
        let last = places.iter().filter_map(|place| place.nodes.last()).map(|&(joint, _)| joint).max();
        if let Some(joint) = last.filter(|&joint| usize::from(joint) >= expected) {
            return Err(hedgerow_anim::Error::from(SkeletonError::UnknownJoint { joint, joints: expected }).into());
        }
        let nodes = places.iter().flat_map(|place| &place.nodes);
        set_all(scene, nodes.map(|&(joint, node)| (node, pose.get(joint))))
    }
}

impl RigPlace {
    /// Creates a place from the parent of the rig's nodes, and the nodes of its joints. If a joint is listed twice, its
    /// last node counts. Runs in **O(nodes · log nodes)**.
    #[must_use]
    pub fn new(base: NodeHandle, mut nodes: Vec<(u16, NodeHandle)>) -> Self {
        // The sort is stable, so of two nodes for a joint, the last is kept.
        nodes.reverse();
        nodes.sort_by_key(|&(joint, _)| joint);
        nodes.dedup_by_key(|&mut (joint, _)| joint);
        Self { scene: 0, base, nodes }
    }

    /// Returns the node of a joint, in **O(log joints)**; `None` if the joint is not in this scene.
    #[must_use]
    pub fn node(&self, joint: u16) -> Option<NodeHandle> {
        find(&self.nodes, joint)
    }

    /// Returns the place of a copy of the nodes in `scene`, for many characters that are copies of one:
    /// [`Rig::apply_at`] poses the copy. `None` if neither the base nor the first joint was copied.
    ///
    /// `copies` maps nodes to copies: see [`Scene::copy_tree`].
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
