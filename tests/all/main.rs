//! All tests through the public interface, in one binary.

mod appends;
mod arrows;
mod batches;
mod bulk;
mod cached_handles;
mod changes;
mod changes_by_kind;
#[cfg(feature = "counters")]
mod cliffs;
mod contract;
mod culling;
mod deep;
mod detached;
mod draws;
mod drivers;
mod editors;
mod edits;
mod errors;
mod examples;
mod far_worlds;
#[cfg(feature = "gltf")]
mod gltf;
#[cfg(feature = "gltf")]
mod gltf_animation;
#[cfg(feature = "gltf")]
mod gltf_characters;
#[cfg(feature = "gltf")]
mod gltf_file;
#[cfg(feature = "gltf")]
mod gltf_play;
#[cfg(feature = "gltf")]
mod gltf_surfaces;
#[cfg(feature = "gltf")]
mod gltf_whole;
mod handles;
mod inherited;
mod joint_bounds;
mod kept_inputs;
mod levels;
mod maintenance;
mod meshes;
mod missed_updates;
mod model;
mod moves;
mod node_map;
mod pair;
mod queries;
mod queue;
mod random;
#[cfg(feature = "serde")]
mod readable;
mod regressions;
mod renderers;
mod reparents;
mod shapes;
#[cfg(feature = "gltf")]
mod shipped_models;
mod shown_materials;
mod sizes;
mod slices;
mod snapshot;
mod sockets;
mod sorts;
mod threads;
mod trees;
#[cfg(feature = "bytemuck")]
mod uploads_as_bytes;
mod visitors;
mod watched;
mod worlds;

// By the name that it has where the fuzz targets include it.
#[cfg(feature = "gltf")]
use gltf_characters::small;
