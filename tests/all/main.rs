//! All tests through the public interface, in one binary.

mod anchored;
mod batches;
mod boxes;
mod bulk;
mod changes;
mod checkpoints;
mod culling;
mod deep;
mod detail;
mod draws;
mod editors;
mod edits;
mod equal_sets;
mod errors;
mod eyes;
mod far_worlds;
mod formats;
mod forms;
mod handles;
mod inherited;
mod kept_inputs;
mod kept_worlds;
mod large_trees;
mod maintenance;
mod memory;
mod mirrors;
mod missed_updates;
mod node_map;
mod picking;
mod queries;
mod queue;
mod random;
mod renderers;
mod set_worlds;
mod slices;
mod smooth;
mod snapshot;
#[cfg(feature = "serde")]
mod text;
mod threads;
mod trees;
mod updates;
#[cfg(feature = "bytemuck")]
mod uploads_as_bytes;
mod visitors;
mod world_space;
