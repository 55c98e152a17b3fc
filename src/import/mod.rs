//! glTF 2.0 files into a [`Scene`] (feature `gltf`).
//!
//! [`load`] makes a new scene of a `.gltf` or `.glb` file, [`load_into`] adds one to a scene that is there;
//! [`from_slice`] and [`from_slice_into`] do the same with bytes in memory. All four answer with an [`Imported`],
//! which finds the nodes again by their glTF indices.
//!
//! ```
//! use hedgerow::glam::Vec3;
//! use hedgerow::import;
//!
//! let text = br#"{
//!     "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"name": "street", "nodes": [1]}],
//!     "nodes": [
//!         {"name": "wheel", "translation": [0, 0, 2]},
//!         {"name": "car", "translation": [1, 0, 0], "children": [0]}
//!     ]
//! }"#;
//! let mut import = import::from_slice(text, None)?;
//! import.scene.update();
//!
//! let wheel = import.imported.node(0).expect("the wheel is in a scene");
//! assert_eq!(import.scene.find(import.scene.root(), "street/car/wheel"), Some(wheel));
//! let world = import.scene.world(wheel).expect("the wheel is in the graph");
//! assert_eq!(world.translation(), Vec3::new(1.0, 0.0, 2.0));
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! # What becomes of what
//!
//! | glTF | scene |
//! |---|---|
//! | scene | a group node with the scene's name, below the parent that was asked for |
//! | node in a scene | a node with the same name and children; in each scene that lists it, if several do |
//! | translation, rotation, scale | [`Local::Transform`](crate::Local::Transform), to the bit (a rotation that is not unit is normalised); a node that says none is given the identity, so that it can be moved |
//! | matrix | the same where it can be expressed so, otherwise [`Local::Matrix`](crate::Local::Matrix): nothing is lost of a shear or a mirror |
//! | mesh of one primitive | the node itself has the shape and the material |
//! | mesh of several primitives | a child node for each primitive, before the node's other children, without name or transform |
//! | primitive | a mesh id: its running number over all meshes, see [`MeshIds`] |
//! | its bounds | `min` and `max` of the positions where the file has them, otherwise from the data |
//! | its material | the glTF index; where it names none, [`Imported::default_material`] |
//!
//! Skins, animations, cameras, morph targets, vertices and textures are not imported; [`Imported::skipped`] lists
//! what a file has of those that concern nodes. Bounds are those of the mesh at rest.
//!
//! # What is refused
//!
//! A file is checked as a whole before the first node is inserted, and after an error the scene is as before:
//! see [`ImportErrorKind`]. Buffers are looked for and measured, but read only where bounds have to come from them.
//! Of required extensions those pass that concern materials, textures, lights and `KHR_mesh_quantization`.
//! Buffers in files of their own are found by relative paths, which may lead out of the folder (`../`); absolute
//! paths and network addresses are refused.
//!
//! # Cost
//!
//! Linear in the file and in the nodes inserted. A node that *n* scenes list is inserted *n* times, and a mesh of
//! several primitives once more for each at every node that has it: a small file can describe a large scene.

mod accessor;
mod bounds;
mod characters;
mod clip;
mod document;
mod error;
mod graph;
mod handles;
mod insert;
mod mesh_data;
mod morph;
mod read;
mod rig;
mod skin;
mod skinned;
mod source;
#[cfg(test)]
mod tests;

pub use clip::ImportedClip;
pub use error::{BufferProblem, ImportError, ImportErrorKind, Item, ItemKind};
pub use handles::{Imported, ImportedScene, ImportedShape, MeshIds, Skipped};
pub use mesh_data::{MeshData, MorphDeltas, Topology};
pub use morph::{MorphChannels, MorphNode};
pub use rig::{Rig, RigPlace};
pub use skin::ImportedSkin;

use crate::{Error, NodeHandle, Scene};
use document::Document;
use std::fs;
use std::path::Path;

/// A new scene made of a file, and what is where in it.
///
/// ```
/// let import = hedgerow::import::from_slice(br#"{"asset": {"version": "2.0"}}"#, None)?;
/// assert_eq!(import.scene.len(), 1);
/// assert!(import.imported.scenes.is_empty());
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Import {
    /// The scene; not updated yet.
    pub scene: Scene,
    /// The handles by glTF index.
    pub imported: Imported,
}

/// Reads a `.gltf` or `.glb` file into a new scene, below its root.
///
/// # Errors
/// [`Error::Import`] where the file cannot be read or is not sound.
///
/// ```
/// use hedgerow::import::{self, ImportErrorKind};
/// use hedgerow::Error;
///
/// let Err(Error::Import(error)) = import::load("no/such/file.glb") else { unreachable!() };
/// let ImportErrorKind::Read { reason, .. } = error.kind() else { unreachable!() };
/// assert_eq!(*reason, std::io::ErrorKind::NotFound);
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Import, Error> {
    into_new(|scene, root| load_into(scene, root, path))
}

/// Reads a `.gltf` or `.glb` file into a scene, behind the last child of `parent`.
///
/// # Errors
/// [`Error::StaleHandle`] for `parent`, [`Error::Import`] where the file cannot be read or is not sound, and what
/// [`Scene::insert`] refuses. The scene is then as before.
///
/// ```
/// use hedgerow::{Node, Scene, import};
///
/// let mut scene = Scene::new();
/// let props = scene.insert(scene.root(), Node::group().named("props"))?;
/// let before = scene.dump();
/// assert!(import::load_into(&mut scene, props, "no/such/file.glb").is_err());
/// assert_eq!(scene.dump(), before);
/// # Ok::<(), hedgerow::Error>(())
/// ```
pub fn load_into(scene: &mut Scene, parent: NodeHandle, path: impl AsRef<Path>) -> Result<Imported, Error> {
    let path = path.as_ref();
    let bytes = fs::read(path)
        .map_err(|error| ImportError::from(ImportErrorKind::Read { path: path.to_owned(), reason: error.kind() }))?;
    from_slice_into(scene, parent, &bytes, path.parent())
}

/// Reads the bytes of a `.gltf` or `.glb` file into a new scene, below its root.
///
/// Buffers that are files of their own are looked for in `base_dir`; a file without such needs none.
///
/// # Errors
/// [`Error::Import`] where the file is not sound.
///
/// ```
/// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "car"}]}"#;
/// let import = hedgerow::import::from_slice(text, None)?;
/// let car = import.imported.node(0).expect("the node is in a scene");
/// assert_eq!(import.scene.name(car), Some("car"));
/// # Ok::<(), hedgerow::Error>(())
/// ```
pub fn from_slice(bytes: &[u8], base_dir: Option<&Path>) -> Result<Import, Error> {
    into_new(|scene, root| from_slice_into(scene, root, bytes, base_dir))
}

/// Reads the bytes of a `.gltf` or `.glb` file into a scene, behind the last child of `parent`.
///
/// Buffers that are files of their own are looked for in `base_dir`; a file without such needs none.
///
/// # Errors
/// [`Error::StaleHandle`] for `parent`, [`Error::Import`] where the file is not sound, and what [`Scene::insert`]
/// refuses. The scene is then as before.
///
/// ```
/// use hedgerow::{Scene, import};
///
/// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "car"}]}"#;
/// let mut scene = Scene::new();
/// let root = scene.root();
/// let first = import::from_slice_into(&mut scene, root, text, None)?;
/// let second = import::from_slice_into(&mut scene, root, text, None)?;
/// assert_ne!(first.node(0), second.node(0));
/// assert_eq!(scene.children(root).count(), 2);
/// # Ok::<(), hedgerow::Error>(())
/// ```
pub fn from_slice_into(
    scene: &mut Scene,
    parent: NodeHandle,
    bytes: &[u8],
    base_dir: Option<&Path>,
) -> Result<Imported, Error> {
    if !scene.contains(parent) {
        return Err(Error::StaleHandle(parent));
    }
    insert::insert(scene, parent, Document::read(bytes, base_dir)?)
}

/// Runs an import into a new scene.
fn into_new(import: impl FnOnce(&mut Scene, NodeHandle) -> Result<Imported, Error>) -> Result<Import, Error> {
    let mut scene = Scene::new();
    let root = scene.root();
    let imported = import(&mut scene, root)?;
    Ok(Import { scene, imported })
}
