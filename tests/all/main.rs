//! All tests through the public interface, in one binary.

mod batches;
mod bulk;
mod changes;
mod changes_by_kind;
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
mod handles;
mod inherited;
mod joint_bounds;
mod kept_inputs;
mod maintenance;
mod missed_updates;
mod model;
mod node_map;
mod pair;
mod patches;
mod promises;
mod queries;
mod queue;
mod random;
mod regressions;
mod renderers;
mod reparents;
mod shapes;
mod shown_materials;
mod slices;
mod snapshot;
mod sockets;
#[cfg(feature = "serde")]
mod text;
mod threads;
mod trees;
#[cfg(feature = "bytemuck")]
mod uploads_as_bytes;
mod visitors;
mod watched;
mod worlds;
