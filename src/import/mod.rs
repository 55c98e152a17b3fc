//! glTF 2.0 files into a [`Scene`] (feature `gltf`).
//!
//! [`load`] makes a new scene of a `.gltf` or `.glb` file, [`load_into`] adds one to a scene that is there;
//! [`from_slice`] and [`from_slice_into`] do the same with bytes in memory. All four answer with an [`Imported`],
//! which finds the nodes again by their glTF indices. [`ImportOptions`] has the same four with limits of the caller's.
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
//! | joints of skins, animated nodes | the nodes that they are, and joints of a [`Rig`] |
//! | skin | an [`ImportedSkin`]: what makes a palette of a rig's model matrices |
//! | animation | an [`ImportedClip`] for each rig that it moves |
//! | morph targets, their weights | [`MeshData::targets`]; a [`MorphNode`], and channels of clips where they are animated |
//! | vertices of what is skinned or morphed | a [`MeshData`], which makes a [`SkinnedMesh`](crate::skin::SkinnedMesh); joints and weights count where a node has a skin |
//! | its bounds | `min` and `max` of the positions where the file has them, otherwise from the data |
//! | its material | the glTF index; where it names none, [`Imported::default_material`] |
//!
//! Cameras, textures and the vertices of meshes that neither joints nor weights deform are not imported;
//! [`Imported::skipped`] lists what a file has of that concerns nodes. Bounds are those of the mesh at rest.
//!
//! # Characters
//!
//! [`Imported::clips`] and [`Imported::rigs`] are the character's motion, [`Imported::skins`] and [`Imported::meshes`] what
//! follows it. A clip is compiled, played into a pose, and the pose given to the nodes of the scene, or made into a
//! palette that vertices are skinned with, or both:
//!
//! ```
//! use hedgerow::glam::Vec3;
//! use hedgerow::{anim::{ClipBuilder, Player, Pose}, import, skin::SkinOutput};
//!
//! // An arm of two joints, a triangle whose last corner follows the second of them, and a clip of a second in which that
//! // one is stretched out by two.
//! let json = r#"{
//!     "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 2]}],
//!     "nodes": [{"name": "arm", "children": [1]}, {"name": "hand"}, {"name": "sleeve", "mesh": 0, "skin": 0}],
//!     "skins": [{"joints": [0, 1]}],
//!     "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "WEIGHTS_0": 1, "JOINTS_0": 2}}]}],
//!     "animations": [{"name": "stretch", "samplers": [{"input": 3, "output": 4}],
//!         "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}]}],
//!     "accessors": [
//!         {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3},
//!         {"bufferView": 0, "componentType": 5126, "type": "VEC4", "count": 3, "byteOffset": 36},
//!         {"bufferView": 0, "componentType": 5121, "type": "VEC4", "count": 3, "byteOffset": 84},
//!         {"bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 2, "byteOffset": 96},
//!         {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 2, "byteOffset": 104}],
//!     "bufferViews": [{"buffer": 0, "byteLength": 128}],
//!     "buffers": [{"byteLength": 128, "uri": "data:,DATA"}]
//! }"#;
//! let positions = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
//! let weights = [1.0, 0.0, 0.0, 0.0].repeat(3);
//! let joints = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0];
//! let (times, stretched) = ([0.0, 1.0], [0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
//! let floats = |list: &[f32]| list.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
//! let data = [floats(&positions), floats(&weights), joints.to_vec(), floats(&times), floats(&stretched)].concat();
//! let data: String = data.iter().map(|byte| format!("%{byte:02X}")).collect();
//! let mut import = import::from_slice(json.replace("DATA", &data).as_bytes(), None)?;
//!
//! let imported = &import.imported;
//! let stretch = &imported.clips[0];
//! let rig = &imported.rigs[stretch.rig];
//! let (clip, _) = ClipBuilder::new().build(&stretch.clip)?;
//! let mut pose = Pose::rest(&rig.skeleton);
//! let mut channels = vec![0.0; rig.channels];
//! clip.write_constants(&mut pose, &mut channels)?;
//! let mut player = Player::new(&clip);
//!
//! player.advance(0.5);                                             // each frame:
//! player.sample(&mut pose)?;
//! rig.apply(&pose, &mut import.scene)?;                            // the nodes follow,
//! import.scene.update();
//! let hand = rig.places[0].node(1).expect("the hand is in the scene");
//! let at = import.scene.world(hand).unwrap().translation();
//! assert!((at - Vec3::X).length() < 1e-3);
//!
//! let skin = &imported.skins[0].skin;                              // and so do vertices.
//! let (mut models, mut palette) = (Vec::new(), Vec::new());
//! pose.to_models(&rig.skeleton, &mut models)?;
//! skin.palette(&models, &mut palette)?;
//! let mesh = imported.meshes[0].to_skinned_mesh(skin.len())?;      // once
//! let mut skinned = vec![[0.0_f32; 3]; mesh.len()];
//! mesh.skin(&palette, SkinOutput::new(&mut skinned[..]))?;
//! assert!((Vec3::from(skinned[2]) - Vec3::new(1.0, 1.0, 0.0)).length() < 1e-3);
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! Model matrices, palettes and skinned vertices are relative to the rig's [`base`](RigPlace::base). The
//! transform of the node that draws a skinned mesh counts for nothing, as glTF has it: so its bounds, for culling, are to be
//! set from the base too, by [`JointBounds::follow`](crate::character::JointBounds::follow) of [`MeshData::joint_bounds`].
//!
//! # What is refused
//!
//! A file is checked as a whole before the first node is inserted, and after an error the scene is as before:
//! see [`ImportErrorKind`]. That goes for animations, skins and vertices, too: a file with one bad key is refused as a whole.
//! Buffers are looked for and measured, but read only where bounds, animations, skins or deformed vertices have to
//! come from them.
//! Of required extensions those pass that concern materials, textures, lights and `KHR_mesh_quantization`.
//! Buffers in files of their own are found by relative paths, which may lead out of the folder (`../`); absolute
//! paths and network addresses are refused.
//!
//! # Cost
//!
//! Linear in the file and in the nodes inserted. A node that *n* scenes list is inserted *n* times, and a mesh of
//! several primitives once more for each at every node that has it: a small file can describe a large scene. Before the
//! first of them is made all are counted, and a file is refused that comes to more than one node for each byte of its JSON,
//! and to more than 65,536; or whose nodes' names come to more than 64 bytes for each node that it may have.
//! [`ImportOptions`] raises both. Likewise,
//! vertices and keys are read anew for each primitive and each channel that names them; a file is refused where that comes
//! to more than 256 times its buffers and a gigabyte.

mod accessor;
mod amount;
mod bounds;
mod characters;
mod clip;
mod document;
mod error;
mod graph;
mod handles;
mod insert;
mod library;
mod mesh_data;
mod morph;
mod options;
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
pub use library::LibraryKeys;
pub use mesh_data::{MeshData, MorphDeltas, Topology};
pub use morph::{MorphChannels, MorphNode};
pub use options::ImportOptions;
pub use rig::{Rig, RigPlace};
pub use skin::ImportedSkin;

use crate::{NodeHandle, Scene};
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
/// [`ImportError`] where the file cannot be read or is not sound.
///
/// ```
/// use hedgerow::import::{self, ImportErrorKind};
/// use hedgerow::Error;
///
/// let Err(error) = import::load("no/such/file.glb") else { unreachable!() };
/// let ImportErrorKind::Read { reason, .. } = error.kind() else { unreachable!() };
/// assert_eq!(*reason, std::io::ErrorKind::NotFound);
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Import, ImportError> {
    ImportOptions::new().load(path)
}

/// Reads a `.gltf` or `.glb` file into a scene, behind the last child of `parent`.
///
/// # Errors
/// [`Error::StaleHandle`] for `parent`, [`ImportError`] where the file cannot be read or is not sound, and what
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
pub fn load_into(scene: &mut Scene, parent: NodeHandle, path: impl AsRef<Path>) -> Result<Imported, ImportError> {
    ImportOptions::new().load_into(scene, parent, path)
}

/// Reads the bytes of a `.gltf` or `.glb` file into a new scene, below its root.
///
/// Buffers that are files of their own are looked for in `base_dir`; a file without such needs none.
///
/// # Errors
/// [`ImportError`] where the file is not sound.
///
/// ```
/// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "car"}]}"#;
/// let import = hedgerow::import::from_slice(text, None)?;
/// let car = import.imported.node(0).expect("the node is in a scene");
/// assert_eq!(import.scene.name(car), Some("car"));
/// # Ok::<(), hedgerow::Error>(())
/// ```
pub fn from_slice(bytes: &[u8], base_dir: Option<&Path>) -> Result<Import, ImportError> {
    ImportOptions::new().from_slice(bytes, base_dir)
}

/// Reads the bytes of a `.gltf` or `.glb` file into a scene, behind the last child of `parent`.
///
/// Buffers that are files of their own are looked for in `base_dir`; a file without such needs none.
///
/// # Errors
/// [`Error::StaleHandle`] for `parent`, [`ImportError`] where the file is not sound, and what [`Scene::insert`]
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
) -> Result<Imported, ImportError> {
    ImportOptions::new().from_slice_into(scene, parent, bytes, base_dir)
}
