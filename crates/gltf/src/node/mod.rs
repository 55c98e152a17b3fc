//! Checks the hierarchy, number and references of nodes, and inserts the nodes into a scene.
//!
//! | file | what |
//! |---|---|
//! | `graph` | checks that nodes form trees; each node's local transform |
//! | `amount` | counts the nodes of an import before allocation |
//! | `camera`, `light` | cameras and lights |
//! | `instances` | the transforms of instanced meshes |
//! | `levels` | coarser meshes by distance |
//! | `insert` | inserts the nodes of a checked file |

pub(super) mod amount;
mod camera;
pub(super) mod graph;
pub(super) mod insert;
pub(super) mod instances;
pub(super) mod levels;
mod light;

pub use camera::{Camera, Projection};
pub(super) use light::lights;
pub use light::{Light, LightKind};

use super::error::ImportError;
use super::extras::others;
use super::file::Reader;
use super::mesh::follows_joints;
use super::{Extensions, Extras};
use gltf::json::Root;
use gltf::json::scene::Node;
use hedgerow::{Mat34, Visibility};
use serde_json::Value;

/// The references of a glTF node, by glTF index. The inserted node has its name and transform.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ImportedNode {
    /// The mesh, in [`Imported::meshes`](super::Imported::meshes).
    pub mesh: Option<usize>,
    /// The skin of this mesh, in [`Imported::skins`](super::Imported::skins).
    pub skin: Option<usize>,
    /// The camera, in [`Imported::cameras`](super::Imported::cameras), which looks along the node's -z axis.
    pub camera: Option<usize>,
    /// The light, in [`Imported::lights`](super::Imported::lights), which shines along the node's -z axis.
    pub light: Option<usize>,
    /// The matrices of the mesh's instances (`EXT_mesh_gpu_instancing`), relative to the node; empty if the mesh has
    /// none, or if [`ImportOptions::with_instances`](super::ImportOptions::with_instances) asks for nodes.
    pub instances: Vec<Mat34>,
    /// The item's `extras`.
    pub extras: Extras,
    /// The JSON of the item's extensions, by name, without `KHR_lights_punctual`.
    pub extensions: Extensions,
}

fn extension<'a>(node: &'a Node, name: &str) -> Option<&'a Value> {
    node.extensions.as_ref()?.others.get(name)
}

/// Returns the node's own visibility (`KHR_node_visibility`).
pub(super) fn visibility(node: &Node) -> Visibility {
    let visible = extension(node, "KHR_node_visibility").and_then(|json| json.get("visible"));
    if visible.is_some_and(|visible| visible == false) { Visibility::Hidden } else { Visibility::Inherited }
}

/// Returns whether a node draws its mesh itself: the mesh has only one primitive, and that primitive follows no joints.
/// If not, each primitive gets its own node.
fn draws_itself(root: &Root, node: &Node) -> bool {
    let primitives = node.mesh.map_or(&[][..], |mesh| &root.meshes[mesh.value()].primitives);
    matches!(primitives, [only] if node.skin.is_none() || !follows_joints(only))
}

pub(super) struct Nodes {
    pub(super) nodes: Vec<ImportedNode>,
    pub(super) cameras: Vec<Camera>,
    pub(super) lights: Vec<Light>,
}

impl Nodes {
    /// Reads nodes, cameras and lights of a file whose graph is checked.
    pub(super) fn read(Reader { root, .. }: Reader<'_>, extras: bool) -> Result<Self, ImportError> {
        let nodes = root.nodes.iter().map(|json| ImportedNode {
            mesh: json.mesh.map(|index| index.value()),
            skin: json.skin.map(|index| index.value()),
            camera: json.camera.map(|index| index.value()),
            light: light::of_node(json).map(|index| index.value()),
            instances: Vec::new(),
            extras: Extras::read(&json.extras, extras),
            extensions: others!(json, extras),
        });
        Ok(Self { nodes: nodes.collect(), cameras: camera::read(root, extras)?, lights: light::read(root, extras)? })
    }
}
