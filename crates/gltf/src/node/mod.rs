//! Nodes: whether they form trees, how many there are, what they refer to, and how they get into a scene.
//!
//! | file | what |
//! |---|---|
//! | `graph` | checks that nodes form trees; each node's local transform |
//! | `amount` | how many nodes a file makes, counted before the first is made |
//! | `camera`, `light` | what nodes carry besides meshes |
//! | `insert` | the nodes of a checked file into a scene |

pub(super) mod amount;
mod camera;
pub(super) mod graph;
pub(super) mod insert;
mod light;

pub use camera::{Camera, Projection};
pub(super) use light::lights;
pub use light::{Light, LightKind};

use super::Extras;
use super::error::ImportError;
use gltf::json::Root;

/// What a node of a glTF file refers to, by glTF index. Its name and transform are in the scene.
///
/// ```
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
///     "nodes": [{"name": "eye", "camera": 0, "extras": {"shake": 0.5}}],
///     "cameras": [{"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}}]
/// }"#;
/// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
/// let eye = &imported.nodes[0];
/// assert_eq!((eye.camera, eye.mesh), (Some(0), None));
/// assert_eq!(eye.extras.value().unwrap()["shake"], 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportedNode {
    /// Its mesh, in [`Imported::meshes`](super::Imported::meshes).
    pub mesh: Option<usize>,
    /// The skin with which it draws this mesh, in [`Imported::skins`](super::Imported::skins).
    pub skin: Option<usize>,
    /// Its camera, in [`Imported::cameras`](super::Imported::cameras), which looks along the node's -z axis.
    pub camera: Option<usize>,
    /// Its light, in [`Imported::lights`](super::Imported::lights), which shines along the node's -z axis.
    pub light: Option<usize>,
    /// What its author added.
    pub extras: Extras,
}

/// What nodes refer to and carry.
pub(super) struct Nodes {
    pub(super) nodes: Vec<ImportedNode>,
    pub(super) cameras: Vec<Camera>,
    pub(super) lights: Vec<Light>,
}

impl Nodes {
    /// Reads these parts of a file whose graph has been checked.
    pub(super) fn read(root: &Root, extras: bool) -> Result<Self, ImportError> {
        let nodes = root.nodes.iter().map(|json| ImportedNode {
            mesh: json.mesh.map(|index| index.value()),
            skin: json.skin.map(|index| index.value()),
            camera: json.camera.map(|index| index.value()),
            light: light::of_node(json).map(|index| index.value()),
            extras: Extras::read(&json.extras, extras),
        });
        Ok(Self { nodes: nodes.collect(), cameras: camera::read(root, extras)?, lights: light::read(root, extras)? })
    }
}
