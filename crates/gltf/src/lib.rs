//! Reads glTF 2.0 files into a [`Scene`] of [`hedgerow`].
//!
//! [`load`] makes a new scene from a `.gltf` or `.glb` file, and [`from_slice`] from bytes in memory. Both return an
//! [`Imported`], too: the plain data of all items except nodes, and the mapping between glTF node indices and handles.
//! [`ImportOptions`] [adds files](ImportOptions::load_into) to an existing scene, gets other files [from a
//! closure](ImportOptions::from_slice_with) for archives and browsers, and chooses the [`Parts`] to import, the
//! configuration of the new scene, limits, and numbers that do not collide with those of another file.
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
//! # What each item becomes
//!
//! | glTF | in the scene | in [`Imported`] |
//! |---|---|---|
//! | scene | a group node with its name, below the given parent; visible only if it is the default scene, or the first if the file names none | an [`ImportedScene`] |
//! | node in a scene | a node with the same name and children, in each scene that lists it | an [`ImportedNode`]: its references |
//! | translation, rotation, scale | [`Local::Transform`](hedgerow::Local::Transform), with the rotation normalised; the identity if the node has none of them | |
//! | matrix | a `Local::Transform` if translation, rotation and scale express the matrix, else [`Local::Matrix`](hedgerow::Local::Matrix) | |
//! | mesh of one primitive | the node itself has the drawable and the material | an [`ImportedMesh`], an [`ImportedDrawable`] for each node |
//! | mesh of several primitives | a child node for each primitive, before the node's other children, without name or transform | the same, an [`ImportedDrawable`] for each child |
//! | primitive that follows a skin | a node without name or transform below the [`base`](RigPlace::base) of the skin's rig, not below the node with the mesh; hidden if the node with the mesh is | an [`ImportedDrawable`] |
//! | primitive | a mesh id: a consecutive number over all meshes, see [`MeshIds`] | an [`ImportedPrimitive`] |
//! | vertices | | [`MeshData`]: plain arrays |
//! | vertices compressed by Draco or meshopt | | the same, if the [feature](#features) is on |
//! | missing normals and tangents | | empty lists, or [`ImportOptions::with_normals`] and [`ImportOptions::with_tangents`] compute them |
//! | accessors | | [`ImportedAccessor`]: numbers as they are in the file, if [`ImportOptions::with_accessors`] asks for them |
//! | bounds | [`Drawable::bounds`](hedgerow::Drawable::bounds): the box at rest. If joints or weights deform the mesh: computed. Else: `min` and `max` of the positions if the file has them, else computed; compared with the data if [`Parts::vertices`] is set | [`ImportedPrimitive::bounds`]: the box before the deformation |
//! | material | a number: the glTF index, and [`Imported::default_material`] for primitives without a material | [`Material`](material::Material) |
//! | texture, sampler, image | | [`Texture`](material::Texture) with its sampler, [`Image`](material::Image) with its bytes, undecoded |
//! | camera, light (`KHR_lights_punctual`) | a node as above | [`Camera`], [`Light`] |
//! | visibility (`KHR_node_visibility`) | hides the node and its descendants | |
//! | instances (`EXT_mesh_gpu_instancing`) | a child node for each instance; a mesh that follows a skin is drawn once, without instances | or matrices in [`ImportedNode`]: see [`Instances`] |
//! | levels of detail of nodes (`MSFT_lod`) | the finest level | [`Imported::levels`]: coarser mesh ids with distances |
//! | joints of skins, animated nodes | nodes as above | joints of a [`Rig`] |
//! | skin | | an [`ImportedSkin`], which makes a palette from a rig's model matrices |
//! | animation | | an [`ImportedAnimation`]: an [`ImportedClip`] for each rig that it moves; pointers to transforms and weights of nodes (`KHR_animation_pointer`) become channels |
//! | attributes of an application (`_NAME`) | | [`MeshData::attributes`] |
//! | morph targets, their weights | | [`MeshData::targets`]; a [`MorphNode`], and channels of clips if animated |
//! | names | names of nodes and scenes | all other names |
//! | extras | | [`Extras`] of the item |
//! | other extensions | | [`Extensions`] of the item: their JSON; [`Imported::inner_extensions`] for objects that are no items; [`Imported::texture_ref`] reads references to textures in it |
//!
//! Joints and weights are used only if a node has a skin. [`Imported::skipped`] lists requested parts that were not
//! imported, such as nodes in no scene and images whose files are missing.
//!
//! The box of a skinned or morphed mesh contains its vertices at rest: with the joints as their nodes are in the file, and
//! with the morph weights of the node, else of the mesh. [`Deformed::follow`] sets the boxes of other poses.
//!
//! Many real files have rotations that are not unit quaternions. These would scale matrices by the square of the
//! quaternion's length. Rotations are therefore normalised: in nodes at import, in animations at evaluation.
//!
//! # From a file to draws
//!
//! An imported scene is like any other: edit it, [`update`](Scene::update) it, and list its draws. A draw has a mesh id
//! and a material number. [`Imported::primitive`] and [`Imported::material`] return the data behind these numbers, to
//! upload once: vertices, indices, factors, textures and the bytes of images.
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
//!     // One instanced draw for each group: `instances` are indices into `draws.matrices()`.
//!     let vertices = import.imported.vertices(group.mesh).expect("a mesh of the file");
//!     let material = import.imported.material(group.material.unwrap()).expect("a material of the file");
//!     calls.push((vertices.positions.len(), material.name.as_deref().unwrap(), instances.len()));
//! }
//! assert_eq!(calls, [(3, "bark", 1), (3, "skin", 2)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - Instanced draws read all matrices from one buffer. [`DrawList::matrices`](hedgerow::DrawList::matrices) has its
//!   contents. Each matrix takes 48 bytes: three rows of four.
//! - To draw only what a camera sees, make the scene with `bounds` ([`ImportOptions::with_config`]) and call
//!   [`Scene::cull`] instead of `draw_list`.
//! - In a scene of several files, [`ImportOptions::after`] gives each file its own range of numbers. By default, the
//!   numbers of every file begin at 0.
//! - For large worlds, [`DrawList::set_eye`](hedgerow::DrawList::set_eye) makes matrices relative to the camera, and
//!   composes these matrices in double precision.
//! - Vertices deformed by joints or morph targets change each frame: see *Characters* below.
//!
//! # Importing less
//!
//! [`Parts::NODES`] imports cameras, lights, the names of meshes, and nodes with names, transforms, drawables and
//! boxes; [`Parts`] selects what to add. Places and boxes do not depend on the parts, except that a declared box is
//! compared with the vertices only if they are read.
//!
//! # Animations
//!
//! [`Imported::play`] plays an animation on all rigs that it moves. [`Imported::play_with`] takes several, and
//! [fades](AnimationPlayer::fade_to) from one to another. For other blends, use the clips as
//! described next.
//!
//! # Characters
//!
//! [`Imported::deformed_all`] returns a [`Deformed`] for each drawable that joints or morph targets deform. A
//! `Deformed` takes its palette, weights and box from an [`AnimationPlayer`] and computes vertices, as the example of
//! the README shows. Vertices are relative to the rig's [`base`](RigPlace::base), as model matrices are, and the
//! drawable is a child of the base. The transform of the node with the mesh has no effect, as glTF demands. To hide or
//! copy a deformed mesh, hide or copy the drawable's node. [`Imported::triangles`] returns the triangles of any node,
//! static or deformed, for physics. [`TriangleTrees`] finds what a ray hits and what a rectangle selects, by triangles.
//!
//! These parts can also be used alone: [`Imported::clips`], [`Imported::rigs`] and [`Imported::skins`];
//! [`MeshData::to_skinned_mesh`] and [`MeshData::joint_bounds`]. The front page of [`character`] has the steps; this
//! crate re-exports it, and [`anim`].
//!
//! # Faults
//!
//! Many files break the format although their meaning is plain. For example, a scene lists the child of a node, a
//! weight is NaN, or two keys have the same time. Such faults are repaired, and [`Imported::warnings`] lists each one
//! with its item. [`WarningKind`] describes every repair. [`ImportOptions::strict`] refuses such files.
//!
//! | fault | repair |
//! |---|---|
//! | a scene lists a child without its parent | the child is a root of the scene |
//! | a scene lists a node twice, or lists a node and its ancestor | the node is in the scene once |
//! | positions, normals, tangents, deltas that are not finite | see [`WarningKind::Vertices`] |
//! | weights that are negative, NaN or all zero; joints out of range | the weight is zero; joint and weight are zero |
//! | indices out of range, restarts of strips, fans and loops | see [`WarningKind::Indices`] |
//! | keys that are not finite, not rotations, out of order, at equal times, before zero | see [`WarningKind::KeysDropped`] and [`WarningKind::KeysMoved`] |
//! | `min` and `max` of positions that are no box, or wrong by more than rounding | the box is computed |
//! | buffers, views and accessors too short in a part that nothing reads | the bytes present are used |
//! | a zero rotation, shear by rounding, unknown filters and modes, missing samplers, joints as floats or listed twice, weights without `normalized`, a pointer beside a node | see [`WarningKind::Invalid`] |
//! | children and channels listed twice; unusable items, such as a skin without joints or a missing texture | see [`WarningKind::Twice`] and [`WarningKind::LeftOut`] |
//! | a byte order mark, text that is not valid Unicode, white space in base64, backslashes in paths | they are ignored or replaced |
//!
//! The following are not faults, because glTF allows them: integers written as `3.0`, chunks of other types, unread
//! buffers without data, and joints whose matrix scales by zero.
//!
//! # Refused files
//!
//! A file is checked as a whole before the first node is inserted. After an error the scene is unchanged: see
//! [`ImportErrorKind`]. Buffers are found and measured, but read only if a requested part needs them.
//!
//! - A required extension is accepted if it is in the table above, if it concerns materials or textures, if it is
//!   `KHR_mesh_quantization`, or if [`ImportOptions::with_extensions`] names it. If the [feature](#features) of an
//!   extension is off, the error is [`ImportErrorKind::FeatureOff`].
//! - If `KHR_animation_pointer` is required, pointers to anything but transforms and weights of nodes are refused.
//! - Separate buffer and image files are found by relative paths, which may lead out of the folder (`../`). Absolute
//!   paths and network addresses are refused, except by [`ImportOptions::from_slice_with`], whose closure decides.
//! - A buffer that is a Git LFS pointer is refused.
//! - A missing image, or one that is a Git LFS pointer, is no error: [`Skipped::Image`] lists it.
//!
//! # Cost
//!
//! Import time is linear in the file size and the number of inserted nodes. A small file can describe a large scene:
//!
//! - a node listed by *n* scenes is inserted *n* times;
//! - a mesh with a skin or with several primitives makes a node for each primitive, at every node that draws the mesh;
//! - data is read again for each primitive, channel or image that uses it;
//! - for its boxes at rest, a mesh is deformed once for each skin and each list of weights with which nodes draw it.
//!
//! All of this is counted before allocation. A file is refused if it exceeds one of these limits:
//!
//! - nodes: 65,536, or one for each byte of a longer file. Names: 64 bytes in total for each allowed node.
//!   [`ImportOptions::with_max_nodes`] raises both limits.
//! - memory: 256 MiB, or 64 times the size of the file with its buffers if that is more.
//!   [`ImportOptions::with_max_bytes`] raises this limit. To compute tangents, about 2 kB for each triangle of the
//!   primitive must be left, and about 1 kB to compute normals; more if it has morph targets.
//!
//! All memory is counted, except for numbers and strings in the JSON of extensions, which take up to 81 times their
//! size in the file. In tests with changed files, an import takes at most 320 MiB plus 100 times the size of the file.
//! Large files of many small items and many numbers in extensions take less than 145 times their size (102 measured).
//!
//! If the allocator refuses data of buffers or of `data:` URIs, the error is [`ImportErrorKind::AllocationFailed`].
//! Memory for all nodes is reserved before the first node is made; if the allocator refuses, the error is
//! [`Error::AllocationFailed`](hedgerow::Error::AllocationFailed). The program aborts if the allocator refuses data no
//! larger than the JSON, such as names. It also aborts if the Draco decoder gets no scratch memory: about six bytes for
//! each decoded byte. One stream may decode to at most an eighth of what is left of [`ImportOptions::with_max_bytes`].
//!
//! # Features
//!
//! Both features are off by default, and neither has unsafe code.
//!
//! | feature | reads | by |
//! |---|---|---|
//! | `draco` | `KHR_draco_mesh_compression` | the crate `draco-core` |
//! | `meshopt` | `EXT_meshopt_compression` and `KHR_meshopt_compression`, all modes and filters | this crate |
//!
//! Compressed data is preferred to an uncompressed fallback, whose buffers may be missing. If the extension is not
//! required and its feature is off, the fallback is read. A primitive compressed by Draco must consist of triangles;
//! attributes that are not in the stream are read from their accessors. The stream's counts and types override those of
//! the accessors.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod document;
#[cfg(feature = "draco")]
mod draco;
mod error;
mod extras;
mod file;
mod imported;
pub mod material;
mod mesh;
#[cfg(feature = "meshopt")]
mod meshopt;
mod motion;
mod node;
mod options;

pub use error::{BufferProblem, ImportError, ImportErrorKind, Item, ItemKind, OtherFile, Warning, WarningKind};
pub use extras::{Extensions, Extras};
pub use file::stored::{AccessorNumbers, ImportedAccessor, PrimitiveAccessors};
pub use hedgerow_character::{
    self as character, AnimationPlayer, CharacterError, Deformed, DeformedMesh, JointBounds, MorphChannels, MorphNode,
    Rig, RigPlace, anim,
};
pub use imported::{CoarserMeshes, Imported, ImportedDrawable, ImportedScene, Skipped};
pub use mesh::{
    AttributeValues, ImportedMesh, ImportedPrimitive, MeshData, MeshIds, MorphDeltas, Topology, VertexAttribute,
};
pub use motion::{ImportedAnimation, ImportedClip, ImportedSkin, TriangleTrees};
pub use node::{Camera, ImportedNode, Light, LightKind, Projection};
pub use options::{ImportOptions, Instances, Parts};
pub use serde_json;

use hedgerow::Scene;
use std::path::Path;

/// A new scene made from a file, and the other items of the file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Import {
    /// The scene, not updated yet.
    pub scene: Scene,
    /// The other items of the file, and the handles of nodes by glTF index.
    pub imported: Imported,
}

/// Reads a `.gltf` or `.glb` file into a new scene, below the scene's root.
///
/// The scene has the default configuration, without world boxes. For culling, use [`ImportOptions::with_config`], or
/// read into your own scene with [`ImportOptions::load_into`]. For several files in one scene, use
/// [`ImportOptions::after`].
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

/// Reads the bytes of a `.gltf` or `.glb` file into a new scene, below the scene's root.
///
/// Separate buffer and image files are looked for in `base_dir`; pass `None` if there are no separate files.
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

/// The example of the README, tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
