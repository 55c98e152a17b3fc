//! The result of an import: where the items of the file are in the scene.

use super::{ImportedClip, ImportedSkin, MeshData, MorphNode, Rig};
use crate::NodeHandle;
use core::ops::Range;

/// Where the items of a glTF file are in the scene into which it was imported.
///
/// ```
/// // Both scenes list node 0, so it is in the graph twice.
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scene": 1, "scenes": [{"nodes": [0]}, {"nodes": [1, 0]}],
///     "nodes": [{"name": "lamp"}, {"name": "table"}, {"name": "spare"}]
/// }"#;
/// let imported = hedgerow::import::from_slice(text, None)?.imported;
/// let [day, night] = &imported.scenes[..] else { unreachable!() };
/// assert_ne!(day.node(0), night.node(0));
/// assert_eq!(day.node(1), None);
/// assert_eq!(imported.default_scene, Some(1));
/// assert_eq!(imported.node(2), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Imported {
    /// The scenes, by glTF index.
    pub scenes: Vec<ImportedScene>,
    /// The scene to show first, if the file names one.
    pub default_scene: Option<usize>,
    /// The mesh ids used by [`Shape::mesh`](crate::Shape::mesh), and what they stand for.
    pub mesh_ids: MeshIds,
    /// The material id of primitives without a material: one more than the last glTF index.
    pub default_material: u32,
    /// The parts of the file that were not imported.
    pub skipped: Vec<Skipped>,
    /// The nodes that move together.
    pub rigs: Vec<Rig>,
    /// The animations of rigs, ordered by animation and then by rig.
    pub clips: Vec<ImportedClip>,
    /// The skins, by glTF index.
    pub skins: Vec<ImportedSkin>,
    /// The nodes whose meshes have morph targets, by ascending glTF index.
    pub morphs: Vec<MorphNode>,
    /// The vertices of primitives that are skinned or morphed, by ascending mesh id.
    pub meshes: Vec<MeshData>,
}

impl Imported {
    /// The node with this glTF index, in the first scene that has it; `None` if no scene has it.
    ///
    /// Runs in O(scenes × log nodes); see [`ImportedScene::node`] for that of one scene.
    ///
    /// ```
    /// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "car"}]}"#;
    /// let import = hedgerow::import::from_slice(text, None)?;
    /// let car = import.imported.node(0).expect("it is in a scene");
    /// assert_eq!(import.scene.name(car), Some("car"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn node(&self, index: usize) -> Option<NodeHandle> {
        self.scenes.iter().find_map(|scene| scene.node(index))
    }

    /// The vertices of a mesh id, in **O(log ids)**; `None` if it is neither skinned nor morphed, or not in the file.
    #[must_use]
    pub fn mesh(&self, id: u32) -> Option<&MeshData> {
        let at = self.meshes.binary_search_by_key(&id, |data| data.mesh).ok()?;
        Some(&self.meshes[at])
    }

    /// The morph weights of a glTF node, in **O(log nodes)**; `None` if its mesh has no targets.
    #[must_use]
    pub fn morph(&self, node: usize) -> Option<&MorphNode> {
        let at = self.morphs.binary_search_by_key(&node, |morph| morph.node).ok()?;
        Some(&self.morphs[at])
    }
}

/// Where the items of one glTF scene are.
///
/// ```
/// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{}]}"#;
/// let import = hedgerow::import::from_slice(text, None)?;
/// let first = &import.imported.scenes[0];
/// assert_eq!(import.scene.parent(first.group), Some(import.scene.root()));
/// assert!(import.scene.children(first.group).eq(first.node(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportedScene {
    /// The group node that stands for the scene.
    pub group: NodeHandle,
    /// The shape nodes, ordered by glTF node and then by mesh id.
    pub shapes: Vec<ImportedShape>,
    /// The nodes by glTF index, in ascending order.
    pub(super) nodes: Vec<(usize, NodeHandle)>,
}

/// A node that draws a mesh primitive.
///
/// ```
/// // One triangle, whose accessor says its bounds.
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [1, 1, 0]}]
/// }"#;
/// let import = hedgerow::import::from_slice(text, None)?;
/// let first = &import.imported.scenes[0];
/// assert_eq!((first.shapes[0].node, first.shapes[0].mesh), (0, 0));
/// assert_eq!(Some(first.shapes[0].handle), first.node(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ImportedShape {
    /// The glTF index of the node that has the mesh.
    pub node: usize,
    /// The mesh id; see [`MeshIds`].
    pub mesh: u32,
    /// The node in the scene: the glTF node's own, or a child of it if the mesh has several primitives.
    pub handle: NodeHandle,
    /// The glTF index of the skin with which it is drawn. Its vertices are then placed by the skin's rig, not by the
    /// node. Its bounds are those of its vertices at rest until
    /// [`JointBounds::follow`](crate::character::JointBounds::follow) sets them.
    pub skin: Option<usize>,
}

impl ImportedScene {
    /// The node with this glTF index in this scene, in O(log nodes); `None` if the scene does not have it.
    ///
    /// ```
    /// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [1]}], "nodes": [{}, {"name": "car"}]}"#;
    /// let import = hedgerow::import::from_slice(text, None)?;
    /// let first = &import.imported.scenes[0];
    /// assert_eq!(first.node(0), None);
    /// assert!(first.node(1).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn node(&self, index: usize) -> Option<NodeHandle> {
        let at = self.nodes.binary_search_by_key(&index, |&(index, _)| index).ok()?;
        Some(self.nodes[at].1)
    }

    /// All glTF nodes of the scene with their indices, in ascending order.
    ///
    /// ```
    /// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [2, 0]}], "nodes": [{}, {}, {}]}"#;
    /// let import = hedgerow::import::from_slice(text, None)?;
    /// assert!(import.imported.scenes[0].nodes().map(|(index, _)| index).eq([0, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (usize, NodeHandle)> + DoubleEndedIterator {
        self.nodes.iter().copied()
    }

    /// The shape nodes of one glTF node, ordered by primitive: the node itself, or children of it, or none.
    ///
    /// ```
    /// let text = br#"{
    ///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
    ///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}, {"attributes": {"POSITION": 0}}]}],
    ///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [1, 1, 0]}]
    /// }"#;
    /// let import = hedgerow::import::from_slice(text, None)?;
    /// let first = &import.imported.scenes[0];
    /// let two = first.shapes_of(0);
    /// assert!(two.iter().map(|shape| import.scene.parent(shape.handle)).eq([first.node(0); 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shapes_of(&self, node: usize) -> &[ImportedShape] {
        let start = self.shapes.partition_point(|shape| shape.node < node);
        let count = self.shapes[start..].partition_point(|shape| shape.node == node);
        &self.shapes[start..start + count]
    }
}

/// The mesh ids of an import: consecutive numbers for all primitives of all meshes, in the order of the file.
///
/// ```
/// // Two meshes, of one and of two primitives: ids 0, 1 and 2.
/// let text = br#"{
///     "asset": {"version": "2.0"},
///     "meshes": [
///         {"primitives": [{"attributes": {}}]},
///         {"primitives": [{"attributes": {}}, {"attributes": {}}]}
///     ]
/// }"#;
/// let ids = hedgerow::import::from_slice(text, None)?.imported.mesh_ids;
/// assert_eq!(ids.len(), 3);
/// assert_eq!(ids.id(1, 1), Some(2));
/// assert_eq!(ids.primitive(2), Some((1, 1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshIds {
    /// The first id of each mesh, and at the end one more than the last id.
    first: Vec<u32>,
}

impl MeshIds {
    /// Numbers the primitives of meshes, given how many each has; `None` if 32 bits are not enough.
    pub(super) fn count(primitives: impl Iterator<Item = usize>) -> Option<Self> {
        let mut first = vec![0_u32];
        let mut next = 0_u32;
        for count in primitives {
            next = next.checked_add(u32::try_from(count).ok()?)?;
            first.push(next);
        }
        Some(Self { first })
    }

    /// The ids of a mesh.
    pub(super) fn range(&self, mesh: usize) -> Range<usize> {
        self.first[mesh] as usize..self.first[mesh + 1] as usize
    }

    /// How many ids there are.
    ///
    /// ```
    /// let import = hedgerow::import::from_slice(br#"{"asset": {"version": "2.0"}}"#, None)?;
    /// assert_eq!(import.imported.mesh_ids.len(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.last().map_or(0, |&end| end as usize)
    }

    /// Whether the file has no primitives.
    ///
    /// ```
    /// let import = hedgerow::import::from_slice(br#"{"asset": {"version": "2.0"}}"#, None)?;
    /// assert!(import.imported.mesh_ids.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of a primitive of a glTF mesh, in O(1); `None` if the file does not have it.
    ///
    /// ```
    /// let text = br#"{"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {}}]}]}"#;
    /// let ids = hedgerow::import::from_slice(text, None)?.imported.mesh_ids;
    /// assert_eq!(ids.id(0, 0), Some(0));
    /// assert_eq!((ids.id(0, 1), ids.id(1, 0)), (None, None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn id(&self, mesh: usize, primitive: usize) -> Option<u32> {
        let (first, end) = (*self.first.get(mesh)?, *self.first.get(mesh.checked_add(1)?)?);
        let id = first.checked_add(u32::try_from(primitive).ok()?)?;
        (id < end).then_some(id)
    }

    /// The glTF mesh of an id, and the primitive within it, in O(log meshes); `None` if it is not an id of the file.
    ///
    /// ```
    /// let text = br#"{"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {}}]}]}"#;
    /// let ids = hedgerow::import::from_slice(text, None)?.imported.mesh_ids;
    /// assert_eq!(ids.primitive(0), Some((0, 0)));
    /// assert_eq!(ids.primitive(1), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn primitive(&self, id: u32) -> Option<(usize, usize)> {
        // The last mesh that starts at or before the id; meshes without primitives have the same start as the next one.
        let behind = self.first.partition_point(|&first| first <= id);
        let mesh = behind.checked_sub(1).filter(|_| behind < self.first.len())?;
        Some((mesh, (id - self.first[mesh]) as usize))
    }
}

/// A part of a file that was not imported.
///
/// ```
/// use hedgerow::import::{self, Skipped};
///
/// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [1]}], "nodes": [{}, {}]}"#;
/// assert_eq!(import::from_slice(text, None)?.imported.skipped, [Skipped::Node { node: 0 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skipped {
    /// A node that is in no scene.
    Node {
        /// Its glTF index.
        node: usize,
    },
    /// A primitive without positions, which has nothing to draw.
    Primitive {
        /// The glTF index of its mesh.
        mesh: usize,
        /// Its number within the mesh.
        primitive: usize,
    },
    /// The camera of a node.
    Camera {
        /// The node's glTF index.
        node: usize,
    },
    /// The skin of a node without a mesh, or of one whose vertices follow no joints.
    Skin {
        /// The node's glTF index.
        node: usize,
    },
    /// An animation that changes nothing that is imported.
    Animation {
        /// Its glTF index.
        animation: usize,
    },
    /// An animation channel for something that is not imported: neither translation, rotation nor scale of a node, nor
    /// the weights of a mesh with morph targets.
    Channel {
        /// The glTF index of its animation.
        animation: usize,
        /// Its number within the animation.
        channel: usize,
    },
    /// An extension that the file uses but does not require, and that the import does not support.
    Extension(String),
}
