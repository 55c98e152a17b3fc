//! What an import brings, and how much it may make of a file.

use super::document::Document;
use super::error::{ImportError, ImportErrorKind};
use super::{Import, Imported, node::insert};
use hedgerow::{Error, NodeHandle, Scene, SceneConfig};
use std::fs;
use std::path::Path;

/// What an import brings of a file, with which numbers and limits, and into what scene.
///
/// By default everything comes, numbers begin at 0, and limits are such that a small file cannot make a huge scene.
///
/// ```
/// use hedgerow_gltf::{ImportOptions, Parts};
/// use hedgerow::query::Frustum;
/// use hedgerow::{Layers, SceneConfig, glam::Mat4};
///
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "materials": [{"name": "brick"}],
///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [1, 1, 0]}]
/// }"#;
/// // Nodes alone, and materials: no vertices, no images, no motion. The scene keeps boxes, for culling.
/// let options = ImportOptions::new()
///     .with_parts(Parts { materials: true, ..Parts::NODES })
///     .with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT });
/// let mut import = options.from_slice(text, None)?;
/// assert_eq!(import.imported.vertices(0), None);
/// assert_eq!(import.imported.materials[0].name.as_deref(), Some("brick"));
///
/// import.scene.update();
/// let mut seen = Vec::new();
/// let everywhere = Frustum::from_view_projection(&Mat4::IDENTITY)?;
/// import.scene.query(&everywhere, Layers::ALL, &mut seen)?;
/// assert_eq!(seen.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportOptions {
    /// What comes of the file. Default [`Parts::ALL`].
    pub parts: Parts,
    /// The configuration of the scene that [`load`](Self::load) and [`from_slice`](Self::from_slice) make. Default
    /// [`SceneConfig::DEFAULT`].
    pub config: SceneConfig,
    /// The first mesh id: see [`MeshIds`](super::MeshIds). Default 0.
    pub first_mesh: u32,
    /// The material number of the file's first material. Default 0.
    pub first_material: u32,
    /// The greatest number of nodes made of a file, including groups of scenes, drawable nodes and instances. `None`,
    /// the default, allows one node for each byte of the file, and at least 65,536. Their names may have 64 bytes for
    /// each node allowed.
    pub max_nodes: Option<usize>,
    /// The greatest number of bytes made of a file, estimated before they are made: parsed JSON, about 1,300 for each
    /// object; nodes, 640 each, and scenes; vertices, keys, weights, what compressed geometry decodes to, images in
    /// buffers and image files that are named again, each counted as often as it is read, since any number of
    /// primitives and channels may share one accessor. `None`, the default, allows 64 for each byte of the file and its
    /// buffers, and at least 256 MiB.
    pub max_bytes: Option<u64>,
    /// Whether faults are errors for which an import otherwise has a [`Warning`](super::Warning). Default `false`.
    pub strict: bool,
    /// What becomes of meshes that a node draws several times. Default [`Instances::Nodes`].
    pub instances: Instances,
    /// Whether skinning keeps eight influences of a vertex rather than four: see
    /// [`MeshData::eight_influences`](super::MeshData::eight_influences). Default `false`.
    pub eight_influences: bool,
}

/// What becomes of a mesh that a node draws several times (`EXT_mesh_gpu_instancing`).
///
/// ```
/// use hedgerow_gltf::{ImportOptions, Instances};
///
/// // Two points, at (0, 0, 0) and at (0, 2, 0).
/// let text = br#"{
///     "asset": {"version": "2.0"}, "extensionsUsed": ["EXT_mesh_gpu_instancing"], "scenes": [{"nodes": [0]}],
///     "nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 1}}}}],
///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 1},
///         {"componentType": 5126, "type": "VEC3", "count": 2, "bufferView": 0}],
///     "bufferViews": [{"buffer": 0, "byteLength": 24}],
///     "buffers": [{"byteLength": 24, "uri": "data:;base64,AAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAA"}]
/// }"#;
/// let mut import = hedgerow_gltf::from_slice(text, None)?;
/// import.scene.update();
/// let second = import.imported.scenes[0].drawables[1];
/// assert_eq!(second.instance, Some(1));
/// assert_eq!(import.scene.world(second.handle).unwrap().translation().y, 2.0);
///
/// let import = ImportOptions::new().with_instances(Instances::Matrices).from_slice(text, None)?;
/// assert_eq!(import.imported.scenes[0].drawables.len(), 1);
/// assert_eq!(import.imported.nodes[0].instances[1].translation().y, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Instances {
    /// A child of the node for each instance, before its other children, which draws the mesh as a node does.
    #[default]
    Nodes,
    /// A list of matrices, [`ImportedNode::instances`](super::ImportedNode::instances): the node has the mesh once,
    /// with the box around all instances.
    Matrices,
}

/// What comes of a file, besides what always does: nodes with names and transforms; drawables with their boxes; meshes,
/// primitives, cameras and lights without what is listed here.
///
/// What does not come is neither read nor checked: its lists in [`Imported`] are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parts {
    /// The vertices and indices of all primitives: [`ImportedPrimitive::vertices`](super::ImportedPrimitive::vertices).
    pub vertices: bool,
    /// What moves or deforms: rigs, skins, animations and morph weights; of vertices, joints, weights and morph
    /// targets.
    pub motion: bool,
    /// Materials, textures, and images without their bytes.
    pub materials: bool,
    /// The images' bytes, if materials come.
    pub images: bool,
    /// The extras of all items, and the JSON of their extensions.
    pub extras: bool,
}

impl Parts {
    /// Everything.
    pub const ALL: Self = Self { vertices: true, motion: true, materials: true, images: true, extras: true };
    /// Nothing besides what always comes. Of buffers, only instances and the positions of primitives without declared
    /// bounds are read.
    pub const NODES: Self = Self { vertices: false, motion: false, materials: false, images: false, extras: false };
}

impl Default for Parts {
    fn default() -> Self {
        Self::ALL
    }
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl ImportOptions {
    /// The options of the functions of this crate.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            parts: Parts::ALL,
            config: SceneConfig::DEFAULT,
            first_mesh: 0,
            first_material: 0,
            max_nodes: None,
            max_bytes: None,
            strict: false,
            instances: Instances::Nodes,
            eight_influences: false,
        }
    }

    /// The same options with these parts of the file.
    #[must_use]
    pub const fn with_parts(mut self, parts: Parts) -> Self {
        self.parts = parts;
        self
    }

    /// The same options with [`Parts::NODES`]: for who wants nodes, and pays for no more.
    #[must_use]
    pub const fn nodes_only(self) -> Self {
        self.with_parts(Parts::NODES)
    }

    /// The same options with this configuration of the scene that is made.
    #[must_use]
    pub const fn with_config(mut self, config: SceneConfig) -> Self {
        self.config = config;
        self
    }

    /// The same options with mesh ids and material numbers that begin here.
    #[must_use]
    pub const fn with_first_numbers(mut self, mesh: u32, material: u32) -> Self {
        (self.first_mesh, self.first_material) = (mesh, material);
        self
    }

    /// The same options with mesh ids and material numbers behind those of another import, so that both files can be in
    /// one scene: each number then is of one file, and [`Imported::primitive`] and [`Imported::material`] of the other
    /// return `None` for it.
    ///
    /// If the other's are the last there are, this begins with the last number again, and an import that has any then
    /// returns [`ImportErrorKind::TooMany`].
    ///
    /// ```
    /// use hedgerow::Scene;
    /// use hedgerow_gltf::{ImportOptions, Imported};
    ///
    /// let text = br#"{
    ///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
    ///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}], "materials": [{}],
    ///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [1, 1, 0]}]
    /// }"#;
    /// let mut scene = Scene::new();
    /// let root = scene.root();
    /// let first = hedgerow_gltf::from_slice_into(&mut scene, root, text, None)?;
    /// let second = ImportOptions::new().after(&first).from_slice_into(&mut scene, root, text, None)?;
    /// let mesh = |imported: &Imported| scene.get(imported.node(0)?)?.drawable().map(|drawable| drawable.mesh);
    /// assert_eq!([mesh(&first), mesh(&second)], [Some(0), Some(1)]);
    /// assert!(first.primitive(1).is_none() && second.primitive(1).is_some());
    /// // The first file has material 0, and 1 for what has none; the second one has 2 and 3.
    /// assert_eq!(scene.get(second.node(0).unwrap()).unwrap().own_material(), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn after(self, other: &Imported) -> Self {
        self.with_first_numbers(other.mesh_ids.range().end, other.default_material.saturating_add(1))
    }

    /// The same options with at most this many nodes, whatever the file's size: `usize::MAX` for a trusted file.
    ///
    /// ```
    /// use hedgerow_gltf::{ImportErrorKind, ImportOptions};
    ///
    /// // Ten scenes show the same two nodes: with the scenes themselves that makes thirty.
    /// let scenes = [r#"{"nodes": [0]}"#; 10].join(", ");
    /// let text = format!(
    ///     r#"{{"asset": {{"version": "2.0"}}, "scenes": [{scenes}], "nodes": [{{"children": [1]}}, {{}}]}}"#
    /// );
    /// let few = ImportOptions::new().with_max_nodes(29);
    /// let Err(error) = few.from_slice(text.as_bytes(), None) else { unreachable!() };
    /// assert_eq!(error.kind(), &ImportErrorKind::TooManyNodes { nodes: 30, most: 29 });
    /// assert_eq!(few.with_max_nodes(30).from_slice(text.as_bytes(), None)?.scene.len(), 31);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_max_nodes(mut self, most: usize) -> Self {
        self.max_nodes = Some(most);
        self
    }

    /// The same options with at most this many bytes made of the file, whatever its size: `u64::MAX` for a trusted
    /// file, fewer than by default where memory is short.
    ///
    /// ```
    /// use hedgerow_gltf::{ImportErrorKind, ImportOptions};
    ///
    /// // 1,000 zeros that a thousand targets name: 12 MB of text and numbers.
    /// let targets = [r#"{"POSITION": 0}"#; 1000].join(", ");
    /// let text = format!(
    ///     r#"{{"asset": {{"version": "2.0"}}, "nodes": [{{"mesh": 0}}],
    ///         "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "targets": [{targets}]}}]}}],
    ///         "accessors": [{{"componentType": 5126, "type": "VEC3", "count": 1000}}]}}"#
    /// );
    /// let little = ImportOptions::new().with_max_bytes(10_000_000);
    /// let Err(error) = little.from_slice(text.as_bytes(), None) else { unreachable!() };
    /// assert!(matches!(error.kind(), ImportErrorKind::TooManyBytes { most: 10_000_000, .. }));
    /// assert!(little.with_max_bytes(20_000_000).from_slice(text.as_bytes(), None).is_ok());
    /// ```
    #[must_use]
    pub const fn with_max_bytes(mut self, most: u64) -> Self {
        self.max_bytes = Some(most);
        self
    }

    /// The same options, which refuse every file with a fault: for who makes files, and looks for what is wrong.
    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// The same options, with which skinning keeps eight influences of a vertex.
    #[must_use]
    pub const fn with_eight_influences(mut self) -> Self {
        self.eight_influences = true;
        self
    }

    /// The same options with this choice for meshes that a node draws several times.
    #[must_use]
    pub const fn with_instances(mut self, instances: Instances) -> Self {
        self.instances = instances;
        self
    }

    /// Like [`hedgerow_gltf::load`](super::load), with these options.
    ///
    /// # Errors
    /// Those of [`hedgerow_gltf::load`](super::load), and what [`Scene::with_config`] refuses.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Import, ImportError> {
        self.with_new_scene(|scene, root| self.load_into(scene, root, path))
    }

    /// Like [`hedgerow_gltf::load_into`](super::load_into), with these options.
    ///
    /// # Errors
    /// Those of [`hedgerow_gltf::load_into`](super::load_into).
    pub fn load_into(
        &self,
        scene: &mut Scene,
        parent: NodeHandle,
        path: impl AsRef<Path>,
    ) -> Result<Imported, ImportError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|error| {
            ImportError::from(ImportErrorKind::Read { path: path.to_owned(), reason: error.kind() })
        })?;
        self.from_slice_into(scene, parent, &bytes, path.parent())
    }

    /// Like [`hedgerow_gltf::from_slice`](super::from_slice), with these options.
    ///
    /// # Errors
    /// Those of [`hedgerow_gltf::from_slice`](super::from_slice), and what [`Scene::with_config`] refuses.
    pub fn from_slice(&self, bytes: &[u8], base_dir: Option<&Path>) -> Result<Import, ImportError> {
        self.with_new_scene(|scene, root| self.from_slice_into(scene, root, bytes, base_dir))
    }

    /// Like [`hedgerow_gltf::from_slice_into`](super::from_slice_into), with these options.
    ///
    /// # Errors
    /// Those of [`hedgerow_gltf::from_slice_into`](super::from_slice_into).
    pub fn from_slice_into(
        &self,
        scene: &mut Scene,
        parent: NodeHandle,
        bytes: &[u8],
        base_dir: Option<&Path>,
    ) -> Result<Imported, ImportError> {
        if !scene.contains(parent) {
            return Err(Error::StaleHandle(parent).into());
        }
        insert::insert(scene, parent, Document::read(bytes, base_dir, self)?)
    }

    /// Runs an import into a new scene.
    fn with_new_scene(
        &self,
        import: impl FnOnce(&mut Scene, NodeHandle) -> Result<Imported, ImportError>,
    ) -> Result<Import, ImportError> {
        let mut scene = Scene::with_config(self.config)?;
        let root = scene.root();
        let imported = import(&mut scene, root)?;
        Ok(Import { scene, imported })
    }
}
