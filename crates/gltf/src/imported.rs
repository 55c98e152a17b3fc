//! The result of an import: plain data, and the handles of inserted nodes.

use super::error::{BufferProblem, Warning};
use super::material::{Image, Material, Texture};
use super::{
    Camera, Extensions, Extras, ImportedAccessor, ImportedAnimation, ImportedClip, ImportedMesh, ImportedNode,
    ImportedPrimitive, ImportedSkin, Light, MeshData, MeshIds, MorphNode, Rig,
};
use hedgerow::NodeHandle;

/// The contents of a glTF file, and the handles of its nodes in the scene.
///
/// The lists are indexed as in glTF. [`node`](Self::node) maps a glTF index to a handle, and
/// [`index_of`](Self::index_of) maps a handle to its glTF index. [`primitive`](Self::primitive) and
/// [`material`](Self::material) resolve the numbers of a draw.
///
/// ```
/// // Both scenes list node 0, so it is in the graph twice.
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scene": 1, "scenes": [{"nodes": [0]}, {"nodes": [1, 0]}],
///     "nodes": [{"name": "lamp"}, {"name": "table"}, {"name": "spare"}]
/// }"#;
/// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
/// let [day, night] = &imported.scenes[..] else { unreachable!() };
/// assert_ne!(day.node(0), night.node(0));
/// assert_eq!(day.node(1), None);
/// assert_eq!(imported.default_scene, Some(1));
/// assert_eq!(imported.node(2), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(test, derive(Default))]
#[non_exhaustive]
pub struct Imported {
    /// The scenes, by glTF index.
    pub scenes: Vec<ImportedScene>,
    /// The scene to show first, if the file names one.
    pub default_scene: Option<usize>,
    /// The nodes, by glTF index: their references to meshes, skins, cameras and lights.
    pub nodes: Vec<ImportedNode>,
    /// The cameras, by glTF index.
    pub cameras: Vec<Camera>,
    /// The lights, by their index in `KHR_lights_punctual`.
    pub lights: Vec<Light>,
    /// The meshes with their primitives, by glTF index.
    pub meshes: Vec<ImportedMesh>,
    /// The mesh ids used by [`Drawable::mesh`](hedgerow::Drawable::mesh), and their primitives.
    pub mesh_ids: MeshIds,
    /// The mesh ids with coarser meshes, in the form that
    /// [`LevelsOfDetail::insert`](hedgerow::query::LevelsOfDetail::insert) takes. Coarser meshes come from `MSFT_lod`
    /// of nodes with `MSFT_screencoverage`. A level for the share s of the screen's height begins at the distance r ÷
    /// s. Here r is half the diagonal of the mesh's box, multiplied by the greatest scale of the first node that draws
    /// the mesh. So set [`DetailView::scale`](hedgerow::query::DetailView::scale) to tan(fov ÷ 2). Levels apply to all
    /// nodes that draw a mesh. A draw keeps its material; the material of a coarser mesh is in its
    /// [`primitive`](Self::primitive).
    pub levels: Vec<(u32, CoarserMeshes)>,
    /// The materials by glTF index, then the default material for primitives without a material. Empty if
    /// [`Parts::materials`](super::Parts::materials) is not set.
    pub materials: Vec<Material>,
    /// The material number of the first material. Material i has the number `first_material` + i.
    pub first_material: u32,
    /// The material number of primitives without a material: one more than the number of the file's last material.
    pub default_material: u32,
    /// The numbers of all accessors as they are in the file, by glTF index, if
    /// [`ImportOptions::with_accessors`](super::ImportOptions::with_accessors) is set; `None` for an accessor that is
    /// invalid or has no data. Accessors of Draco-compressed data come after those of the file.
    pub accessors: Vec<Option<ImportedAccessor>>,
    /// The names of material variants (`KHR_materials_variants`), indexed by [`ImportedPrimitive::variants`].
    pub variants: Vec<String>,
    /// The textures, by glTF index.
    pub textures: Vec<Texture>,
    /// The images, by glTF index.
    pub images: Vec<Image>,
    /// The nodes that move together, as skeletons.
    ///
    /// The marked nodes are the joints of all skins, and the nodes that animations move or morph. A rig consists of
    /// marked nodes that belong together, and of the nodes on the paths from these up to joint 0, their lowest common
    /// ancestor. Two marked nodes belong together if
    ///
    /// - they are joints of one skin, one is below the other, or their paths meet;
    /// - one has a skinned mesh with animated morph weights, and the other is a joint of that skin.
    ///
    /// So parts that move independently have separate rigs. Animations do not move nodes above a rig. If the nodes have
    /// no common ancestor in the file, joint 0 represents the scene's group and always rests.
    ///
    /// The rest pose is the pose of the nodes in the file. Each rig has a place for each scene with its nodes. Inverse
    /// bind matrices belong to [`skins`](Self::skins).
    pub rigs: Vec<Rig>,
    /// The skins, by glTF index.
    pub skins: Vec<ImportedSkin>,
    /// The nodes whose meshes have morph targets, by ascending glTF index.
    pub morphs: Vec<MorphNode>,
    /// The animations, by glTF index.
    pub animations: Vec<ImportedAnimation>,
    /// One clip for each animation and each rig that it moves, ordered by animation, then by rig.
    pub clips: Vec<ImportedClip>,
    /// The requested parts of the file that were not imported.
    pub skipped: Vec<Skipped>,
    /// The first 1,000 faults of the file, with their repairs.
    pub warnings: Vec<Warning>,
    /// The extras of the file, from its `asset`.
    pub extras: Extras,
    /// The JSON of the file's own extensions, by name, without `KHR_lights_punctual` and `KHR_materials_variants`.
    pub extensions: Extensions,
    /// The JSON of extensions of all objects without a place of their own above, such as samplers, accessors, buffer
    /// views, channels, the `asset` and references to textures: pairs of the object's JSON pointer, such as
    /// `/materials/0/normalTexture`, and its extensions by name, in the order of the file. `KHR_texture_transform` and
    /// compressions that were decoded are left out. Empty if the JSON has more than 127 levels,
    /// not counting extras.
    pub inner_extensions: Vec<(String, Extensions)>,
}

impl Imported {
    /// Returns the node with this glTF index, in the first scene that has it; `None` if no scene has it.
    ///
    /// Runs in O(scenes × log nodes); see [`ImportedScene::node`] for one scene.
    #[must_use]
    pub fn node(&self, index: usize) -> Option<NodeHandle> {
        self.scenes.iter().find_map(|scene| scene.node(index))
    }

    /// Returns the index of the glTF node that `node` represents; `node` may be one of its primitives or instances.
    /// `None` for copies and for nodes that were not imported. Runs in **O(scenes · log nodes)**.
    ///
    /// ```
    /// let text = br#"{
    ///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [1]}], "nodes": [{"name": "wheel"}, {"children": [0]}]
    /// }"#;
    /// let import = hedgerow_gltf::from_slice(text, None)?;
    /// let root = import.scene.get(import.scene.root()).unwrap();
    /// let wheel = root.find_all("wheel").next().map(|node| node.handle());
    /// assert_eq!(import.imported.index_of(wheel.expect("it is there")), Some(0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn index_of(&self, node: NodeHandle) -> Option<usize> {
        self.scenes.iter().find_map(|scene| scene.index_of(node))
    }

    /// Returns the primitive of a mesh id, in **O(log meshes)**; `None` if the id does not belong to this file.
    #[must_use]
    pub fn primitive(&self, id: u32) -> Option<&ImportedPrimitive> {
        let (mesh, primitive) = self.mesh_ids.primitive(id)?;
        self.meshes.get(mesh)?.primitives.get(primitive)
    }

    /// Returns the vertices of a mesh id, in **O(log meshes)**; `None` if [`Parts::vertices`](super::Parts::vertices)
    /// is not set, if the primitive has no positions, or if the id does not belong to this file.
    #[must_use]
    pub fn vertices(&self, id: u32) -> Option<&MeshData> {
        self.primitive(id)?.vertices.as_ref()
    }

    /// Returns the material of a material number, in **O(1)**; `None` if [`Parts::materials`](super::Parts::materials)
    /// is not set, or if the number does not belong to this file.
    ///
    /// ```
    /// use hedgerow_gltf::{ImportOptions, material::Material};
    ///
    /// let text = br#"{"asset": {"version": "2.0"}, "materials": [{"name": "bark"}]}"#;
    /// let imported = ImportOptions::new().with_first_numbers(0, 40).from_slice(text, None)?.imported;
    /// assert_eq!(imported.material(40).unwrap().name.as_deref(), Some("bark"));
    /// assert_eq!(imported.material(imported.default_material), Some(&Material::default()));
    /// assert_eq!(imported.material(0), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn material(&self, number: u32) -> Option<&Material> {
        self.materials.get(number.checked_sub(self.first_material)? as usize)
    }

    /// Returns the morph weights of a glTF node, in **O(log nodes)**; `None` if its mesh has no targets.
    #[must_use]
    pub fn morph(&self, node: usize) -> Option<&MorphNode> {
        let at = self.morphs.binary_search_by_key(&node, |morph| morph.node).ok()?;
        Some(&self.morphs[at])
    }
}

/// Distances, each with the mesh id to draw from that distance on: see [`Imported::levels`].
pub type CoarserMeshes = Vec<(f32, Option<u32>)>;

/// The nodes of one glTF scene.
///
/// ```
/// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{}]}"#;
/// let import = hedgerow_gltf::from_slice(text, None)?;
/// let first = &import.imported.scenes[0];
/// assert_eq!(import.scene.parent(first.group), Some(import.scene.root()));
/// assert!(import.scene.children(first.group).eq(first.node(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportedScene {
    /// The group node of the scene. It is visible only if this is the [default scene](Imported::default_scene), or the
    /// first scene if the file names no default.
    pub group: NodeHandle,
    /// The drawable nodes, ordered by glTF node, then by instance, then by mesh id.
    pub drawables: Vec<ImportedDrawable>,
    /// The scene's extras.
    pub extras: Extras,
    /// The JSON of the scene's extensions, by name.
    pub extensions: Extensions,
    /// The nodes by glTF index, in ascending order.
    pub(super) nodes: Vec<(usize, NodeHandle)>,
    /// The glTF index of each node, by ascending handle. Nodes made for primitives and instances are included.
    pub(super) origins: Vec<(NodeHandle, usize)>,
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
/// let import = hedgerow_gltf::from_slice(text, None)?;
/// let first = &import.imported.scenes[0];
/// let drawable = first.drawables[0];
/// assert_eq!((drawable.node, drawable.mesh, drawable.primitive), (0, 0, 0));
/// assert_eq!(import.scene.get(drawable.handle).unwrap().drawable().unwrap().mesh, drawable.id);
/// assert_eq!(Some(first.drawables[0].handle), first.node(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ImportedDrawable {
    /// The glTF index of the node that has the mesh.
    pub node: usize,
    /// The glTF index of the mesh.
    pub mesh: usize,
    /// The number of the primitive within the mesh.
    pub primitive: usize,
    /// The number of the instance, if the mesh has instances that became [nodes](super::Instances::Nodes).
    pub instance: Option<usize>,
    /// The mesh id, which is [`Drawable::mesh`](hedgerow::Drawable::mesh) of the node `handle`; see [`MeshIds`].
    pub id: u32,
    /// The node that draws the primitive: the inserted node or instance itself, or its child if the mesh has several
    /// primitives. If the primitive has a skin, the node has neither name nor transform, and its parent is the
    /// [base](crate::RigPlace::base) of the skin's rig. If the scene has none of the rig's joints, the parent is the
    /// inserted node. [`Deformed::node`](crate::Deformed::node) returns the same node.
    pub handle: NodeHandle,
    /// The glTF index of the skin; `None` for a primitive that follows no joints. A skinned or morphed drawable has the
    /// bounds of its vertices at rest, until [`Deformed::follow`](crate::Deformed::follow) sets the bounds of a pose.
    pub skin: Option<usize>,
}

impl ImportedScene {
    /// Returns the node with this glTF index in this scene, in O(log nodes); `None` if the scene lacks it.
    #[must_use]
    pub fn node(&self, index: usize) -> Option<NodeHandle> {
        let at = self.nodes.binary_search_by_key(&index, |&(index, _)| index).ok()?;
        Some(self.nodes[at].1)
    }

    /// Returns the glTF index of a node of this scene, in O(log nodes); see [`Imported::index_of`].
    #[must_use]
    pub fn index_of(&self, node: NodeHandle) -> Option<usize> {
        let at = self.origins.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        Some(self.origins[at].1)
    }

    /// Returns all glTF nodes of the scene with their indices, in ascending order.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (usize, NodeHandle)> + DoubleEndedIterator {
        self.nodes.iter().copied()
    }

    /// Returns the drawable nodes of one glTF node, ordered by instance and primitive; see
    /// [`ImportedDrawable::handle`]. Runs in O(log drawables).
    ///
    /// ```
    /// let text = br#"{
    ///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
    ///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}, {"attributes": {"POSITION": 0}}]}],
    ///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [1, 1, 0]}]
    /// }"#;
    /// let import = hedgerow_gltf::from_slice(text, None)?;
    /// let first = &import.imported.scenes[0];
    /// let two = first.drawables_of(0);
    /// assert!(two.iter().map(|drawable| import.scene.parent(drawable.handle)).eq([first.node(0); 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn drawables_of(&self, node: usize) -> &[ImportedDrawable] {
        let start = self.drawables.partition_point(|drawable| drawable.node < node);
        let count = self.drawables[start..].partition_point(|drawable| drawable.node == node);
        &self.drawables[start..start + count]
    }
}

/// A part of a file that was not imported, by glTF index.
///
/// ```
/// use hedgerow_gltf::{Skipped};
///
/// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [1]}], "nodes": [{}, {}]}"#;
/// assert_eq!(hedgerow_gltf::from_slice(text, None)?.imported.skipped, [Skipped::Node { node: 0 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skipped {
    /// A node in no scene.
    Node {
        /// The glTF index.
        node: usize,
    },
    /// A primitive without positions, which has nothing to draw.
    Primitive {
        /// The glTF index of its mesh.
        mesh: usize,
        /// The number within the mesh.
        primitive: usize,
    },
    /// A vertex attribute that [`MeshData`] cannot hold. Its name is unknown and has no underscore, its values are
    /// matrices, or a set with a lower number is missing.
    Attribute {
        /// The glTF index of its mesh.
        mesh: usize,
        /// The number of the primitive within the mesh.
        primitive: usize,
        /// The name.
        name: String,
    },
    /// An image whose bytes are not available; it is in [`Imported::images`] without bytes.
    Image {
        /// The glTF index.
        image: usize,
        /// Why.
        problem: BufferProblem,
    },
    /// The skin of a node that has no mesh, or whose mesh follows no joints.
    Skin {
        /// The node's glTF index.
        node: usize,
    },
    /// An animation without an imported channel.
    Animation {
        /// The glTF index.
        animation: usize,
    },
    /// An animation channel that changes neither a node's transform nor the weights of a mesh with morph targets.
    Channel {
        /// The glTF index of its animation.
        animation: usize,
        /// The number within the animation.
        channel: usize,
    },
    /// An extension that the file uses but does not require, that the import does not support, and that
    /// [`ImportOptions::with_extensions`](super::ImportOptions::with_extensions) does not name.
    Extension(String),
}
