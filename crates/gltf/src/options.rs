//! The choices and limits of an import.

use super::document::Document;
use super::error::{BufferProblem, ImportError, ImportErrorKind};
use super::file::{Files, Source, in_folder};
use super::{Import, Imported, node::insert};
use core::fmt::Display;
use hedgerow::{Error, NodeHandle, Scene, SceneConfig};
use std::fs;
use std::path::Path;

/// The choices of an import: the parts of the file, first numbers, limits, and the configuration of the new scene.
///
/// By default, everything is imported, ids and numbers begin at 0, and limits keep small files from making huge scenes.
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
/// // Nodes and materials only: no vertices, images or motion. The scene keeps boxes, for culling.
/// let options = ImportOptions::new()
///     .with_parts(Parts { materials: true, ..Parts::NODES })
///     .with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT });
/// let mut import = options.from_slice(text, None)?;
/// assert_eq!(import.imported.vertices(0), None);
/// assert_eq!(import.imported.materials[0].name.as_deref(), Some("brick"));
/// assert!(options.with_parts(Parts::NODES).from_slice(text, None)?.imported.materials.is_empty());
///
/// import.scene.update();
/// let mut seen = Vec::new();
/// let everywhere = Frustum::from_view_projection(&Mat4::IDENTITY)?;
/// import.scene.query(&everywhere, Layers::ALL, &mut seen)?;
/// assert_eq!(seen.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImportOptions {
    pub(crate) parts: Parts,
    config: SceneConfig,
    pub(crate) first_mesh: u32,
    pub(crate) first_material: u32,
    pub(crate) max_nodes: Option<usize>,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) strict: bool,
    pub(crate) extensions: &'static [&'static str],
    pub(crate) instances: Instances,
    pub(crate) eight_influences: bool,
    pub(crate) accessors: bool,
    pub(crate) normals: bool,
    pub(crate) tangents: bool,
}

/// The representation of a mesh that a node draws several times (`EXT_mesh_gpu_instancing`).
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
    /// A child node for each instance, before the node's other children.
    #[default]
    Nodes,
    /// A list of matrices, [`ImportedNode::instances`](super::ImportedNode::instances). The node draws the mesh once,
    /// with a box around all instances.
    Matrices,
}

/// The optional parts of an import. An import always includes nodes with names and transforms, and drawables with
/// boxes. It also includes meshes, primitives, cameras and lights, but without the parts below.
///
/// Places and boxes of drawables do not depend on the parts, except that a declared box is compared with the vertices
/// only if they are read. A skinned mesh is always below the base of its rig, with its box at rest. So skins and what
/// they move are always read and checked, and so are the morph targets of meshes with weights at rest. All other parts
/// that are left out are neither read nor checked. The lists of parts that are left out are empty in [`Imported`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parts {
    /// The vertices and indices of all primitives: [`ImportedPrimitive::vertices`](super::ImportedPrimitive::vertices).
    pub vertices: bool,
    /// Rigs, skins, animations and morph weights. With `vertices`, also vertex joints and weights, and morph targets;
    /// without motion, vertices are undeformed.
    pub motion: bool,
    /// Materials, textures, and images without their bytes.
    pub materials: bool,
    /// The bytes of images, if `materials` is set.
    pub images: bool,
    /// The extras of all items, and the JSON of their extensions.
    pub extras: bool,
}

impl Parts {
    /// All parts.
    pub const ALL: Self = Self { vertices: true, motion: true, materials: true, images: true, extras: true };
    /// No optional part. Buffers are read only for instances, for positions without declared bounds, and for boxes of
    /// skinned and morphed meshes.
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
    /// Returns the default options, which the functions of this crate use.
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
            extensions: &[],
            instances: Instances::Nodes,
            eight_influences: false,
            accessors: false,
            normals: false,
            tangents: false,
        }
    }

    /// Sets the parts of the file to import. Default [`Parts::ALL`].
    #[must_use]
    pub const fn with_parts(mut self, parts: Parts) -> Self {
        self.parts = parts;
        self
    }

    /// Sets the configuration of the scene that [`load`](Self::load) and [`from_slice`](Self::from_slice) make. Default
    /// [`SceneConfig::DEFAULT`].
    #[must_use]
    pub const fn with_config(mut self, config: SceneConfig) -> Self {
        self.config = config;
        self
    }

    /// Sets the first [mesh id](super::MeshIds), and the material number of the file's first material. Default 0.
    #[must_use]
    pub const fn with_first_numbers(mut self, mesh: u32, material: u32) -> Self {
        (self.first_mesh, self.first_material) = (mesh, material);
        self
    }

    /// Makes mesh ids and material numbers begin after the last ones of another import. Two files in one scene then
    /// share no number: [`Imported::primitive`] and [`Imported::material`] return `None` for numbers of the other file.
    ///
    /// If no number is left after the other import, an import that needs a number returns [`ImportErrorKind::TooMany`].
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
    /// let first = ImportOptions::new().from_slice_into(&mut scene, root, text, None)?;
    /// let second = ImportOptions::new().after(&first).from_slice_into(&mut scene, root, text, None)?;
    /// let mesh = |imported: &Imported| scene.get(imported.node(0)?)?.drawable().map(|drawable| drawable.mesh);
    /// assert_eq!([mesh(&first), mesh(&second)], [Some(0), Some(1)]);
    /// assert!(first.primitive(1).is_none() && second.primitive(1).is_some());
    /// // The first file has material 0, and 1 for primitives without; the second has 2 and 3.
    /// assert_eq!(scene.get(second.node(0).unwrap()).unwrap().own_material(), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn after(self, other: &Imported) -> Self {
        self.with_first_numbers(other.mesh_ids.range().end, other.default_material.saturating_add(1))
    }

    /// Sets the greatest number of nodes made from a file, including group nodes of scenes, drawable nodes and
    /// instances. All names together may have 64 bytes for each allowed node. The default is 65,536 nodes, or one for
    /// each byte of a larger file. Pass `usize::MAX` for a trusted file.
    #[must_use]
    pub const fn with_max_nodes(mut self, most: usize) -> Self {
        self.max_nodes = Some(most);
        self
    }

    /// Sets the greatest number of bytes that an import may take, estimated before allocation. Pass `u64::MAX` for a
    /// trusted file.
    ///
    /// The default is 64 bytes for each byte of the file and its buffers, but at least 256 MiB.
    ///
    /// The estimate includes parsed JSON, nodes, scenes, vertices, accessors, keys, weights, decompressed geometry,
    /// images in buffers, and further copies of image files. A JSON object counts as about 1,300 bytes, a node as 640.
    /// Shared accessors count each time they are read. For their time, computed tangents count as 1 kB for each
    /// triangle, and again for each morph target.
    #[must_use]
    pub const fn with_max_bytes(mut self, most: u64) -> Self {
        self.max_bytes = Some(most);
        self
    }

    /// Refuses every file with a fault, instead of a [warning](super::Warning). Helps authors of exporters.
    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Names extensions that you handle: a file that requires them is not refused, and [`Imported::skipped`] does not
    /// list them. Their JSON is in the `extensions` of each item, and in [`Imported::inner_extensions`] for other
    /// objects, if [`Parts::extras`] is set.
    ///
    /// Name only extensions that add something. An extension that changes the meaning of bytes cannot be handled after
    /// the import, which reads accessors as if the extension was not there. For this reason, Draco and meshopt are read
    /// with a [feature](crate#features) or refused, even if they are named here; decompress other files first.
    ///
    /// ```
    /// use hedgerow_gltf::ImportOptions;
    ///
    /// let text = br#"{
    ///     "asset": {"version": "2.0"}, "extensionsUsed": ["ACME_door"], "extensionsRequired": ["ACME_door"],
    ///     "nodes": [{"extensions": {"ACME_door": {"locked": true}}}], "scenes": [{"nodes": [0]}]
    /// }"#;
    /// assert!(hedgerow_gltf::from_slice(text, None).is_err());
    /// let imported = ImportOptions::new().with_extensions(&["ACME_door"]).from_slice(text, None)?.imported;
    /// assert_eq!(imported.nodes[0].extensions["ACME_door"]["locked"], true);
    /// assert_eq!(imported.skipped, []);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_extensions(mut self, names: &'static [&'static str]) -> Self {
        self.extensions = names;
        self
    }

    /// Keeps eight influences for each skinned vertex instead of four: see
    /// [`MeshData::eight_influences`](super::MeshData::eight_influences).
    #[must_use]
    pub const fn with_eight_influences(mut self) -> Self {
        self.eight_influences = true;
        self
    }

    /// Imports the numbers of all accessors as they are in the file, neither checked nor repaired:
    /// [`Imported::accessors`].
    ///
    /// They are for renderers that upload quantised vertices and indices of 16 bits, and for extensions that refer to
    /// accessors. Primitives list theirs in [`ImportedPrimitive::accessors`](super::ImportedPrimitive::accessors).
    ///
    /// They take memory in addition to [`Parts::vertices`], which can be left out.
    #[must_use]
    pub const fn with_accessors(mut self) -> Self {
        self.accessors = true;
        self
    }

    /// Gives flat normals to all triangles without normals, as glTF demands: see
    /// [`MeshData::compute_normals`](super::MeshData::compute_normals). Without this, their lists of normals are empty,
    /// which suits renderers that compute flat normals in a shader.
    #[must_use]
    pub const fn with_normals(mut self) -> Self {
        self.normals = true;
        self
    }

    /// Gives tangents to primitives that lack them and need them. They may get [flat normals](Self::with_normals), too,
    /// if they lack normals.
    ///
    /// A primitive needs tangents if one of its materials has a normal map, a normal map of its clear coat
    /// (`KHR_materials_clearcoat`) or anisotropy (`KHR_materials_anisotropy`): see
    /// [`MeshData::compute_tangents`](super::MeshData::compute_tangents). The first of these determines the set of
    /// texture coordinates. Around a vertex of more than 256 triangles, some tangents differ from `MikkTSpace`'s.
    #[must_use]
    pub const fn with_tangents(mut self) -> Self {
        self.tangents = true;
        self
    }

    /// Sets the representation of instanced meshes. Default [`Instances::Nodes`].
    #[must_use]
    pub const fn with_instances(mut self, instances: Instances) -> Self {
        self.instances = instances;
        self
    }

    /// Reads a `.gltf` or `.glb` file into a new scene, below the scene's root.
    ///
    /// # Errors
    /// [`ImportError`] if the file cannot be read or is invalid, and the errors of [`Scene::with_config`].
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Import, ImportError> {
        self.with_new_scene(|scene, root| self.load_into(scene, root, path))
    }

    /// Reads a `.gltf` or `.glb` file into a scene, after the last child of `parent`.
    ///
    /// # Errors
    /// [`Error::StaleHandle`] if `parent` is stale, [`ImportError`] if the file cannot be read or is invalid, and the
    /// errors of [`Scene::insert`]. The scene is then unchanged.
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

    /// Reads the bytes of a `.gltf` or `.glb` file into a new scene, below the scene's root.
    ///
    /// Separate buffer and image files are looked for in `base_dir`; pass `None` if there are no separate files.
    ///
    /// # Errors
    /// [`ImportError`] if the file is invalid, and the errors of [`Scene::with_config`].
    pub fn from_slice(&self, bytes: &[u8], base_dir: Option<&Path>) -> Result<Import, ImportError> {
        self.with_new_scene(|scene, root| self.from_slice_into(scene, root, bytes, base_dir))
    }

    /// Reads the bytes of a file, as [`from_slice`](Self::from_slice) does, into a scene, after the last child of
    /// `parent`.
    ///
    /// # Errors
    /// The errors of [`load_into`](Self::load_into). The scene is then unchanged.
    ///
    /// ```
    /// use hedgerow::Scene;
    /// use hedgerow_gltf::ImportOptions;
    ///
    /// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "car"}]}"#;
    /// let mut scene = Scene::new();
    /// let root = scene.root();
    /// let first = ImportOptions::new().from_slice_into(&mut scene, root, text, None)?;
    /// let second = ImportOptions::new().from_slice_into(&mut scene, root, text, None)?;
    /// assert_ne!(first.node(0), second.node(0));
    /// assert_eq!(scene.children(root).count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_slice_into(
        &self,
        scene: &mut Scene,
        parent: NodeHandle,
        bytes: &[u8],
        base_dir: Option<&Path>,
    ) -> Result<Imported, ImportError> {
        self.read_into(scene, parent, bytes, &mut |address| in_folder(base_dir, address))
    }

    /// Reads the bytes of a `.gltf` or `.glb` file into a new scene. `resolver` returns the bytes of separate files:
    /// for archives, asset packs and browsers.
    ///
    /// `resolver` is called once for each buffer, and for the URI of each image until it returns bytes, if
    /// [`Parts::images`] is set. It gets paths as they are in the file, percent-decoded and with slashes; they may be
    /// absolute or lead out of the folder (`../`). URIs with a scheme, such as `https:`, are passed unchanged. `data:`
    /// URIs are decoded without it. If it cannot wait, as in a browser, return an error, fetch what
    /// [`BufferProblem::Resolver`] names, and import again.
    ///
    /// # Errors
    /// The errors of [`from_slice`](Self::from_slice), and [`BufferProblem::Resolver`] if `resolver` returns an error
    /// for a buffer. An image without bytes is no error: [`Skipped::Image`](super::Skipped::Image) has the same
    /// problem.
    ///
    /// ```
    /// use hedgerow_gltf::ImportOptions;
    /// use std::collections::HashMap;
    ///
    /// let text = br#"{
    ///     "asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    ///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 1, "bufferView": 0}],
    ///     "bufferViews": [{"buffer": 0, "byteLength": 12}], "buffers": [{"byteLength": 12, "uri": "my%20car.bin"}]
    /// }"#;
    /// let pack = HashMap::from([("my car.bin", vec![0; 12])]);
    /// let resolver = |uri: &str| pack.get(uri).cloned().ok_or("not in the pack");
    /// let import = ImportOptions::new().from_slice_with(text, resolver)?;
    /// assert_eq!(import.imported.vertices(0).unwrap().positions, [[0.0; 3]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_slice_with<E: Display>(
        &self,
        bytes: &[u8],
        resolver: impl FnMut(&str) -> Result<Vec<u8>, E>,
    ) -> Result<Import, ImportError> {
        self.with_new_scene(|scene, root| self.from_slice_into_with(scene, root, bytes, resolver))
    }

    /// Reads bytes as [`from_slice_with`](Self::from_slice_with) does into a scene, after the last child of `parent`.
    ///
    /// # Errors
    /// Those of [`from_slice_with`](Self::from_slice_with) and [`load_into`](Self::load_into). The scene is then
    /// unchanged.
    pub fn from_slice_into_with<E: Display>(
        &self,
        scene: &mut Scene,
        parent: NodeHandle,
        bytes: &[u8],
        mut resolver: impl FnMut(&str) -> Result<Vec<u8>, E>,
    ) -> Result<Imported, ImportError> {
        self.read_into(scene, parent, bytes, &mut |address| match resolver(address.text) {
            Ok(bytes) => Ok(Source::Memory(bytes.into())),
            Err(error) => Err(BufferProblem::Resolver { uri: address.text.to_owned(), reason: error.to_string() }),
        })
    }

    fn read_into(
        &self,
        scene: &mut Scene,
        parent: NodeHandle,
        bytes: &[u8],
        files: Files<'_>,
    ) -> Result<Imported, ImportError> {
        if !scene.contains(parent) {
            return Err(Error::StaleHandle(parent).into());
        }
        insert::insert(scene, parent, Document::read(bytes, files, self)?)
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
