//! The result of an import: where the items of the file are in the scene, and all that is no node.

use super::error::{BufferProblem, Warning};
use super::material::{Image, Material, Texture};
use super::{
    Camera, Extensions, Extras, ImportedAnimation, ImportedClip, ImportedMesh, ImportedNode, ImportedPrimitive,
    ImportedSkin, Light, MeshData, MeshIds, MorphNode, Rig,
};
use hedgerow::NodeHandle;

/// What a glTF file holds besides nodes, and where its nodes are in the scene into which it was imported.
///
/// Plain data, in lists indexed as in glTF. [`node`](Self::node) leads from there to the scene,
/// [`index_of`](Self::index_of) back, and [`primitive`](Self::primitive) and [`material`](Self::material) from what a
/// draw command has to what it draws.
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
#[non_exhaustive]
pub struct Imported {
    /// The scenes, by glTF index.
    pub scenes: Vec<ImportedScene>,
    /// The scene to show first, if the file names one.
    pub default_scene: Option<usize>,
    /// What nodes refer to, by glTF index.
    pub nodes: Vec<ImportedNode>,
    /// The cameras, by glTF index.
    pub cameras: Vec<Camera>,
    /// The lights, by their index in `KHR_lights_punctual`.
    pub lights: Vec<Light>,
    /// The meshes with their primitives, by glTF index.
    pub meshes: Vec<ImportedMesh>,
    /// The mesh ids used by [`Drawable::mesh`](hedgerow::Drawable::mesh), and what they stand for.
    pub mesh_ids: MeshIds,
    /// The mesh ids with coarser meshes (`MSFT_lod` of nodes with `MSFT_screencoverage`), as
    /// [`LevelsOfDetail::insert`](hedgerow::query::LevelsOfDetail::insert) takes them. The share of the screen's height
    /// s stands for the distance r ÷ s, with half the diagonal r of the mesh's box, times the greatest scale of the
    /// first node that draws it: so set [`DetailView::scale`](hedgerow::query::DetailView::scale) to tan(fov ÷ 2). All
    /// nodes that draw a mesh have its levels. Draws keep their material: that of the coarser mesh is in its
    /// [`primitive`](Self::primitive).
    pub levels: Vec<(u32, CoarserMeshes)>,
    /// The materials, by glTF index; behind them the default one, of primitives without a material. Empty if
    /// [`Parts::materials`](super::Parts::materials) was left out.
    pub materials: Vec<Material>,
    /// The material number of the first: that of the others is more by their glTF index.
    pub first_material: u32,
    /// The material number of primitives without a material: one more than that of the file's last.
    pub default_material: u32,
    /// The names of the variants of materials (`KHR_materials_variants`), to which [`ImportedPrimitive::variants`]
    /// refers.
    pub variants: Vec<String>,
    /// The textures, by glTF index.
    pub textures: Vec<Texture>,
    /// The images, by glTF index.
    pub images: Vec<Image>,
    /// The nodes that move together.
    pub rigs: Vec<Rig>,
    /// The skins, by glTF index.
    pub skins: Vec<ImportedSkin>,
    /// The nodes whose meshes have morph targets, by ascending glTF index.
    pub morphs: Vec<MorphNode>,
    /// The animations, by glTF index.
    pub animations: Vec<ImportedAnimation>,
    /// What they are made of: clips of rigs, ordered by animation and then by rig.
    pub clips: Vec<ImportedClip>,
    /// The parts of the file that were not imported although they were asked for.
    pub skipped: Vec<Skipped>,
    /// The faults of the file, and what was made of them; the first 1,000.
    pub warnings: Vec<Warning>,
    /// What the author of the file added to it as a whole, in its `asset`.
    pub extras: Extras,
    /// The JSON of the file's own extensions, by name, but for `KHR_lights_punctual` and `KHR_materials_variants`.
    pub extensions: Extensions,
}

impl Imported {
    /// The node with this glTF index, in the first scene that has it; `None` if no scene has it.
    ///
    /// Runs in O(scenes × log nodes); see [`ImportedScene::node`] for that of one scene.
    ///
    /// ```
    /// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "car"}]}"#;
    /// let import = hedgerow_gltf::from_slice(text, None)?;
    /// let car = import.imported.node(0).expect("it is in a scene");
    /// assert_eq!(import.scene.get(car).unwrap().name(), Some("car"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn node(&self, index: usize) -> Option<NodeHandle> {
        self.scenes.iter().find_map(|scene| scene.node(index))
    }

    /// The glTF index of a node in the scene, in **O(scenes · log nodes)**: of one that was inserted for a node of the
    /// file, or for a primitive or an instance at one. `None` for all others, and for copies of nodes.
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

    /// The primitive that a mesh id stands for, in **O(log meshes)**; `None` if it is not an id of this file.
    #[must_use]
    pub fn primitive(&self, id: u32) -> Option<&ImportedPrimitive> {
        let (mesh, primitive) = self.mesh_ids.primitive(id)?;
        self.meshes.get(mesh)?.primitives.get(primitive)
    }

    /// The vertices of a mesh id, in **O(log meshes)**; `None` if they were not asked for, if the primitive has no
    /// positions, or if the id is not of this file.
    #[must_use]
    pub fn vertices(&self, id: u32) -> Option<&MeshData> {
        self.primitive(id)?.vertices.as_ref()
    }

    /// The material of a material number, in **O(1)**; `None` if materials were not asked for, or if it is not a number
    /// of this file.
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

    /// The morph weights of a glTF node, in **O(log nodes)**; `None` if its mesh has no targets.
    #[must_use]
    pub fn morph(&self, node: usize) -> Option<&MorphNode> {
        let at = self.morphs.binary_search_by_key(&node, |morph| morph.node).ok()?;
        Some(&self.morphs[at])
    }
}

/// Distances, and the mesh ids that are drawn from there on: see [`Imported::levels`].
pub type CoarserMeshes = Vec<(f32, Option<u32>)>;

/// Where the items of one glTF scene are.
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
    /// The group node that stands for the scene: hidden unless it is the [default one](Imported::default_scene), or the
    /// first if the file names none.
    pub group: NodeHandle,
    /// The drawable nodes, ordered by glTF node, then by instance and by mesh id.
    pub drawables: Vec<ImportedDrawable>,
    /// What its author added.
    pub extras: Extras,
    /// The JSON of its extensions, by name.
    pub extensions: Extensions,
    /// The nodes by glTF index, in ascending order.
    pub(super) nodes: Vec<(usize, NodeHandle)>,
    /// The glTF index by node, also of nodes that were made for primitives and instances, in ascending order.
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
    /// The number of the instance, if the node draws the mesh several times and [`Instances::Nodes`](super::Instances)
    /// were made.
    pub instance: Option<usize>,
    /// The mesh id, which is [`Drawable::mesh`](hedgerow::Drawable::mesh) of the node `handle`; see [`MeshIds`].
    pub id: u32,
    /// The node in the scene: the glTF node's own or that of the instance, or a child of it if the mesh has several
    /// primitives. With a skin, a node of its own without a name or a transform: a child of the
    /// [base](crate::RigPlace::base) of the skin's rig, which places the vertices; of the glTF node if motion was not
    /// imported, or if the scene has none of the rig's joints. [`Deformed::node`](crate::Deformed::node) is the same.
    pub handle: NodeHandle,
    /// The glTF index of the skin with which it is drawn; `None` for a primitive that follows no joints. Its bounds are
    /// those of its vertices as modelled until [`Deformed::follow`](crate::Deformed::follow) sets them.
    pub skin: Option<usize>,
}

impl ImportedScene {
    /// The node with this glTF index in this scene, in O(log nodes); `None` if the scene does not have it.
    ///
    /// ```
    /// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [1]}], "nodes": [{}, {"name": "car"}]}"#;
    /// let import = hedgerow_gltf::from_slice(text, None)?;
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

    /// The glTF index of a node of this scene, in O(log nodes): of one that was inserted for a node of the file, or for
    /// a primitive or an instance at one.
    #[must_use]
    pub fn index_of(&self, node: NodeHandle) -> Option<usize> {
        let at = self.origins.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        Some(self.origins[at].1)
    }

    /// All glTF nodes of the scene with their indices, in ascending order.
    ///
    /// ```
    /// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [2, 0]}], "nodes": [{}, {}, {}]}"#;
    /// let import = hedgerow_gltf::from_slice(text, None)?;
    /// assert!(import.imported.scenes[0].nodes().map(|(index, _)| index).eq([0, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (usize, NodeHandle)> + DoubleEndedIterator {
        self.nodes.iter().copied()
    }

    /// The drawable nodes of one glTF node, ordered by instance and primitive: the node itself, or nodes below it or
    /// below the base of its skin's rig, or none.
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

/// A part of a file that was not imported.
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
    /// An attribute of vertices that [`MeshData`] has no place for: one whose name is not known, or does not begin with
    /// an underscore; matrices; or a set behind a missing one.
    Attribute {
        /// The glTF index of its mesh.
        mesh: usize,
        /// The number of the primitive within the mesh.
        primitive: usize,
        /// Its name.
        name: String,
    },
    /// The bytes of an image, which are not to be had. It is in [`Imported::images`] without them.
    Image {
        /// Its glTF index.
        image: usize,
        /// Why.
        problem: BufferProblem,
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
