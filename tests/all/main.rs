//! Everything that is tested from outside the crate, in one binary.

mod appends;
mod batches;
mod bulk;
mod changes;
mod clips;
mod contract;
mod deep;
mod detached;
mod draws;
mod edits;
mod examples;
#[cfg(feature = "gltf")]
mod gltf;
#[cfg(feature = "gltf")]
mod gltf_animation;
#[cfg(feature = "gltf")]
mod gltf_characters;
mod handles;
mod inherited;
mod joint_bounds;
mod levels;
mod meshes;
mod model;
mod node_map;
mod pair;
mod poses;
mod queries;
mod queue;
mod random;
mod raw_clips;
#[cfg(feature = "serde")]
mod readable;
mod reduction;
mod regressions;
mod reparents;
mod root_motion;
mod shapes;
mod skinning;
mod slices;
mod snapshot;
mod sockets;
mod threads;
mod visitors;
