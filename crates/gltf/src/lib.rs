//! Reads glTF 2.0 files into a [`Scene`] of [`hedgerow`].
//!
//! [`load`] makes a new scene from a `.gltf` or `.glb` file, and [`load_into`] adds one to an existing scene;
//! [`from_slice`] and [`from_slice_into`] do the same with bytes in memory. All four return an [`Imported`], which
//! has everything that is no node, as plain data, and finds nodes by their glTF indices and back. [`ImportOptions`] has
//! the same four functions with choices: what comes of a file ([`Parts`]), the configuration of the new scene, numbers
//! that do not collide with another file's, and limits.
//!
//! ```
//! use hedgerow::glam::Vec3;
//!
//! let text = br#"{
//!     "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"name": "street", "nodes": [1]}],
//!     "nodes": [
//!         {"name": "wheel", "translation": [0, 0, 2]},
//!         {"name": "car", "translation": [1, 0, 0], "children": [0]}
//!     ]
//! }"#;
//! let mut import = hedgerow_gltf::from_slice(text, None)?;
//! import.scene.update();
//!
//! let wheel = import.imported.node(0).expect("the wheel is in a scene");
//! let root = import.scene.get(import.scene.root()).unwrap();
//! assert_eq!(root.find("street/car/wheel").map(|node| node.handle()), Some(wheel));
//! let world = import.scene.world(wheel).expect("the wheel is in the graph");
//! assert_eq!(world.translation(), Vec3::new(1.0, 0.0, 2.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What becomes of what
//!
//! | glTF | in the scene | in [`Imported`] |
//! |---|---|---|
//! | scene | a group node with its name, below the given parent; hidden unless it is the default scene, or the first if there is none | an [`ImportedScene`] |
//! | node in a scene | a node with the same name and children, in each scene that lists it | an [`ImportedNode`]: what it refers to |
//! | translation, rotation, scale | [`Local::Transform`](hedgerow::Local::Transform), unchanged, except that rotations are normalised; the identity for a node with none of them, so that it can be moved | |
//! | matrix | the same if it can be expressed so, else [`Local::Matrix`](hedgerow::Local::Matrix), with shear and mirror | |
//! | mesh of one primitive | the node itself has the drawable and the material | an [`ImportedMesh`], an [`ImportedDrawable`] for each node |
//! | mesh of several primitives | a child node for each primitive, before the node's other children, without name or transform | the same, an [`ImportedDrawable`] for each child |
//! | primitive that follows a skin | a node of its own, without name or transform, below the [`base`](RigPlace::base) of the skin's rig, whose matrix places it, and not below the node with the mesh; hidden if the node with the mesh is | an [`ImportedDrawable`] |
//! | primitive | a mesh id: a consecutive number over all meshes, see [`MeshIds`] | an [`ImportedPrimitive`] |
//! | its vertices | | [`MeshData`]: plain arrays |
//! | the same compressed by Draco or meshopt | | the same, with the [features](#features) for them |
//! | its bounds | [`Drawable::bounds`](hedgerow::Drawable::bounds): `min` and `max` of the positions if the file has them and they are right, else computed from the data; without [`Parts::vertices`] they are not compared | the same |
//! | material | a number: the glTF index, and [`Imported::default_material`] for primitives without | [`Material`](material::Material) |
//! | texture, sampler, image | | [`Texture`](material::Texture) with its sampler, [`Image`](material::Image) with its bytes, undecoded |
//! | camera, light (`KHR_lights_punctual`) | a node as above | [`Camera`], [`Light`] |
//! | visibility (`KHR_node_visibility`) | hides the node and what is below it | |
//! | instances (`EXT_mesh_gpu_instancing`) | a child node for each; none if the mesh follows a skin, which is drawn once | or matrices in [`ImportedNode`]: see [`Instances`] |
//! | levels of detail of nodes (`MSFT_lod`) | the finest | [`Imported::levels`]: coarser mesh ids with distances |
//! | joints of skins, animated nodes | nodes as above | joints of a [`Rig`] |
//! | skin | | an [`ImportedSkin`], which makes a palette from a rig's model matrices |
//! | animation | | an [`ImportedAnimation`]: an [`ImportedClip`] for each rig that it moves; pointers to transforms and weights of nodes (`KHR_animation_pointer`) are channels as others |
//! | attributes of an application (`_NAME`) | | [`MeshData::attributes`] |
//! | morph targets, their weights | | [`MeshData::targets`]; a [`MorphNode`], and channels of clips if animated |
//! | names | those of nodes and scenes | all others |
//! | extras | | [`Extras`] of the item |
//! | other extensions | | [`Extensions`] of the item: their JSON |
//!
//! Joints and weights are used if a node has a skin. [`Imported::skipped`] lists what did not come although it was
//! asked for, such as nodes in no scene and images whose files are missing. Bounds are those of the mesh at rest.
//!
//! Rotations that are no unit quaternions, which a good many real files have, are normalised: those of nodes when they
//! are inserted, those of animations when they are evaluated. An engine that uses them as they are gets transforms that
//! differ by about the square of their length.
//!
//! # From a file to draws
//!
//! From an import on, a scene is like any other: edit it, [`update`](Scene::update) it, and list what is to be drawn. A
//! draw has a mesh id and a material number. [`Imported::primitive`] and [`Imported::material`] find what they stand
//! for: vertices and indices, factors and textures, and the images' bytes, to upload once.
//!
//! ```
//! use hedgerow::DrawList;
//! use hedgerow::draw::DrawGroups;
//!
//! let text = br#"{
//!     "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
//!     "nodes": [{"name": "tree", "mesh": 0, "children": [1, 2]},
//!               {"name": "apple", "mesh": 1, "translation": [1, 2, 0]},
//!               {"name": "apple", "mesh": 1, "translation": [0, 3, 1]}],
//!     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]},
//!                {"primitives": [{"attributes": {"POSITION": 0}, "material": 1}]}],
//!     "materials": [{"name": "bark"}, {"name": "skin"}],
//!     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "min": [-1, 0, -1], "max": [1, 4, 1]}]
//! }"#;
//! let mut import = hedgerow_gltf::from_slice(text, None)?;
//!
//! // Each frame, with the same lists:
//! let (mut draws, mut groups) = (DrawList::new(), DrawGroups::new());
//! import.scene.update();
//! import.scene.draw_list(&mut draws);
//! if draws.group(&mut groups) {
//!     // Commands changed, not only matrices: upload `groups.instances()` again.
//! }
//! let mut calls = Vec::new();
//! for (group, instances) in groups.iter() {
//!     // One instanced draw each: `instances` are indices into `draws.matrices()`.
//!     let vertices = import.imported.vertices(group.mesh).expect("a mesh of the file");
//!     let material = import.imported.material(group.material.unwrap()).expect("a material of the file");
//!     calls.push((vertices.positions.len(), material.name.as_deref().unwrap(), instances.len()));
//! }
//! assert_eq!(calls, [(3, "bark", 1), (3, "skin", 2)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - Instanced draws take all matrices in one buffer. [`DrawList::matrices`](hedgerow::DrawList::matrices) is that
//!   buffer: 48 bytes each, three rows of four.
//! - For what a camera sees alone, make the scene with `bounds` ([`ImportOptions::with_config`]) and use
//!   [`Scene::cull`] in place of `draw_list`.
//! - In a scene of several files, give each numbers of its own by [`ImportOptions::after`]: every number is then known
//!   to one [`Imported`] alone. Without it both files' numbers begin at 0.
//! - For large worlds, [`DrawList::set_eye`](hedgerow::DrawList::set_eye) gets matrices relative to the camera,
//!   composed in double precision.
//! - What joints or morph targets deform has other vertices each frame: see *Characters* below.
//!
//! # Only what is needed
//!
//! [`ImportOptions::nodes_only`] brings nodes with names, transforms, drawables and boxes, and what costs no more than
//! their JSON: cameras, lights, names of meshes. [`Parts`] has single parts to add.
//!
//! # Animations
//!
//! [`Imported::play`] plays an animation on all rigs that it moves, and so on all nodes: [`AnimationPlayer`] has an
//! example, and [fades](AnimationPlayer::fade_to) from one to another. For other blends and for crowds there are the
//! clips themselves, as follows.
//!
//! # Characters
//!
//! [`Imported::deformed_all`] has what a drawable needs that joints or morph targets deform: its [`Deformed`] takes its
//! palette, its weights and its box from an [`AnimationPlayer`], and computes vertices, as its example and that of the
//! README show. Vertices are relative to the rig's [`base`](RigPlace::base), as model matrices are, and their drawable
//! is a child of it. So the matrix of a draw is right, whatever the transform of the node that has the mesh, which glTF
//! ignores. To hide such a mesh, hide the drawable's node; to copy one, copy that node, too.
//!
//! The parts can be used by themselves: [`Imported::clips`], [`Imported::rigs`] and [`Imported::skins`];
//! [`MeshData::to_skinned_mesh`] and [`MeshData::joint_bounds`]. [`hedgerow::guide::characters`] has the steps.
//!
//! # Faults
//!
//! Many files break the format where their meaning is plain: a scene lists the child of a node, a weight is NaN, two
//! keys have the same time. They are imported as they are meant, and [`Imported::warnings`] lists each fault with its
//! item: [`WarningKind`] has all of them, and what is made of each. [`ImportOptions::strict`] refuses such files.
//!
//! | fault | what is made of it |
//! |---|---|
//! | a scene lists a child without its parent | the child is a root of the scene |
//! | a scene lists a node twice, or with a node above it | the node is in the scene once |
//! | positions, normals, tangents, deltas that are not finite | see [`WarningKind::Vertices`] |
//! | weights that are negative, NaN or all zero; joints and indices that are not there | weights of zero; areas of zero |
//! | keys that are not finite, no rotations, not in order, at one time, before zero | they are dropped, sorted, made a jump, cut off |
//! | wrong `min` and `max` of positions | the box is computed |
//! | buffers, views and accessors that are too short where nothing is read | they are there as far as they go |
//! | a zero rotation, shear by rounding, unknown filters and modes, joints as floats, weights that lack `normalized` | see [`WarningKind::Invalid`] |
//! | children and channels that are there twice, and what cannot be used, such as a skin without joints | see [`WarningKind::Twice`] and [`WarningKind::LeftOut`] |
//! | a byte order mark, text that is not valid Unicode, white space in base64, backslashes in paths | they are ignored or replaced |
//!
//! Not faults, since glTF allows them: integers written as `3.0`, chunks of other types, buffers without data that
//! nothing reads, joints whose matrix scales by zero.
//!
//! # What is refused
//!
//! A file is checked as a whole before the first node is inserted, and after an error the scene is unchanged: see
//! [`ImportErrorKind`]. Buffers are found and measured, but read only if something that is asked for needs them. Of
//! required extensions, those of the table above and those for materials, textures and `KHR_mesh_quantization` are
//! accepted; where `KHR_animation_pointer` is required, pointers to anything but transforms and weights of nodes are
//! refused. One that takes a [feature](#features) which is off is refused with [`ImportErrorKind::FeatureOff`].
//! Separate buffer and image files are found by relative paths, which may lead out of the folder (`../`); absolute
//! paths and network addresses are refused. An image that cannot be had is no error: it is listed as
//! [`Skipped::Image`].
//!
//! # Cost
//!
//! Linear in the file and in the nodes inserted. A node listed by *n* scenes is inserted *n* times, a mesh of several
//! primitives, or with a skin, makes a node for each primitive at every node that has it, and vertices, keys and images
//! are read again for each primitive, channel and image that uses them: a small file can describe a large scene. All of
//! it is counted before it is made. A file is refused if it makes both more than one node for each of its bytes and
//! more than 65,536 nodes, or names of more than 64 bytes for each node that it may have: [`ImportOptions::max_nodes`]
//! raises both. It is refused, too, if parsed JSON, nodes and what is made of buffers, also by decoding compressed
//! geometry, take both more than 64 times the file with its buffers and more than 256 MiB, unless
//! [`ImportOptions::max_bytes`] allows it. Only numbers and text in the JSON of extensions are not counted, which take
//! up to 81 times their text. So an import takes at most 100 times the file, or 320 MiB; if a file mixes many small
//! items with such numbers, less than 145 times (102 measured).
//!
//! Where the allocator refuses what is made of buffers, and the bytes of `data:` URIs, the file is refused as well,
//! with [`ImportErrorKind::AllocationFailed`]; and with [`Error::AllocationFailed`](hedgerow::Error::AllocationFailed)
//! where it refuses all that the nodes take in the scene and around them, which is asked for before the first is made.
//! What is as large as the JSON, such as names, is allocated as in other programs, which end where there is no memory
//! for it. So is what Draco's decoder works with: some six bytes for each that it decodes to, which are at most an
//! eighth of what [`ImportOptions::max_bytes`] leaves.
//!
//! # Features
//!
//! Both are off by default, and neither has unsafe code.
//!
//! | feature | reads | by |
//! |---|---|---|
//! | `draco` | `KHR_draco_mesh_compression` | the crate `draco-core` |
//! | `meshopt` | `EXT_meshopt_compression` and `KHR_meshopt_compression`, all modes and filters | this crate |
//!
//! Compressed data is preferred to a plain fallback, whose buffers are not even looked for. If the extension is not
//! required and its feature is off, the fallback is read. A primitive that Draco compresses must be of triangles; its
//! attributes that are not in the stream are read from their accessors. The stream's counts and types hold, whatever
//! the accessors say.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod document;
#[cfg(feature = "draco")]
mod draco;
mod error;
mod extras;
mod file;
mod imported;
mod library;
pub mod material;
mod mesh;
#[cfg(feature = "meshopt")]
mod meshopt;
mod motion;
mod node;
mod options;
#[cfg(test)]
mod tests;

pub use error::{BufferProblem, ImportError, ImportErrorKind, Item, ItemKind, OtherFile, Warning, WarningKind};
pub use extras::{Extensions, Extras};
pub use imported::{CoarserMeshes, Imported, ImportedDrawable, ImportedScene, Skipped};
pub use library::LibraryKeys;
pub use mesh::{
    AttributeValues, ImportedMesh, ImportedPrimitive, MeshData, MeshIds, MorphDeltas, Topology, VertexAttribute,
};
pub use motion::{
    AnimationPlayer, Deformed, ImportedAnimation, ImportedClip, ImportedSkin, MorphChannels, MorphNode, Rig, RigPlace,
};
pub use node::{Camera, ImportedNode, Light, LightKind, Projection};
pub use options::{ImportOptions, Instances, Parts};
pub use serde_json;

use hedgerow::{NodeHandle, Scene};
use std::path::Path;

/// A new scene made from a file, and where the items of the file are in it.
///
/// ```
/// let import = hedgerow_gltf::from_slice(br#"{"asset": {"version": "2.0"}}"#, None)?;
/// assert_eq!(import.scene.len(), 1);
/// assert!(import.imported.scenes.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Import {
    /// The scene; not updated yet.
    pub scene: Scene,
    /// Everything else of the file, and the nodes by glTF index.
    pub imported: Imported,
}

/// Reads a `.gltf` or `.glb` file into a new scene, below its root.
///
/// The scene has the default configuration, which keeps no world boxes: for culling, take
/// [`ImportOptions::with_config`], or read into a scene of your own with [`load_into`]. Numbers of meshes and materials
/// begin at 0 in each file: for several files in one scene, take [`ImportOptions::after`].
///
/// # Errors
/// [`ImportError`] if the file cannot be read or is invalid.
///
/// ```
/// use hedgerow_gltf::{ImportErrorKind};
/// use hedgerow::Error;
///
/// let Err(error) = hedgerow_gltf::load("no/such/file.glb") else { unreachable!() };
/// let ImportErrorKind::Read { reason, .. } = error.kind() else { unreachable!() };
/// assert_eq!(*reason, std::io::ErrorKind::NotFound);
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Import, ImportError> {
    ImportOptions::new().load(path)
}

/// Reads a `.gltf` or `.glb` file into a scene, after the last child of `parent`.
///
/// # Errors
/// [`Error::StaleHandle`](hedgerow::Error::StaleHandle) for `parent`, [`ImportError`] if the file cannot be read or is
/// invalid, and what [`Scene::insert`] refuses. The scene is then unchanged.
///
/// ```
/// use hedgerow::{Node, Scene};
///
/// let mut scene = Scene::new();
/// let props = scene.insert(scene.root(), Node::group().named("props"))?;
/// let before = scene.to_bytes();
/// assert!(hedgerow_gltf::load_into(&mut scene, props, "no/such/file.glb").is_err());
/// assert!(scene.to_bytes() == before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load_into(scene: &mut Scene, parent: NodeHandle, path: impl AsRef<Path>) -> Result<Imported, ImportError> {
    ImportOptions::new().load_into(scene, parent, path)
}

/// Reads the bytes of a `.gltf` or `.glb` file into a new scene, below its root.
///
/// Separate buffer files are searched in `base_dir`; a file without them needs none.
///
/// # Errors
/// [`ImportError`] if the file is invalid.
///
/// ```
/// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "car"}]}"#;
/// let import = hedgerow_gltf::from_slice(text, None)?;
/// let car = import.imported.node(0).expect("the node is in a scene");
/// assert_eq!(import.scene.get(car).unwrap().name(), Some("car"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_slice(bytes: &[u8], base_dir: Option<&Path>) -> Result<Import, ImportError> {
    ImportOptions::new().from_slice(bytes, base_dir)
}

/// Reads the bytes of a `.gltf` or `.glb` file into a scene, after the last child of `parent`.
///
/// Separate buffer files are searched in `base_dir`; a file without them needs none.
///
/// # Errors
/// [`Error::StaleHandle`](hedgerow::Error::StaleHandle) for `parent`, [`ImportError`] if the file is invalid, and what
/// [`Scene::insert`] refuses. The scene is then unchanged.
///
/// ```
/// use hedgerow::{Scene};
///
/// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "car"}]}"#;
/// let mut scene = Scene::new();
/// let root = scene.root();
/// let first = hedgerow_gltf::from_slice_into(&mut scene, root, text, None)?;
/// let second = hedgerow_gltf::from_slice_into(&mut scene, root, text, None)?;
/// assert_ne!(first.node(0), second.node(0));
/// assert_eq!(scene.children(root).count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_slice_into(
    scene: &mut Scene,
    parent: NodeHandle,
    bytes: &[u8],
    base_dir: Option<&Path>,
) -> Result<Imported, ImportError> {
    ImportOptions::new().from_slice_into(scene, parent, bytes, base_dir)
}

/// The example of the README, tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
