//! Other people's ways: what ours is compared with.
//!
//! - [`Graph`] is the thesis's naive scene graph (section 4.2): one heap allocation a node, children in inline storage
//!   for eight pointers, a parent pointer, three kinds of nodes, and its two recursive visitors (section 4.3).
//! - [`Nodes`] are the thesis's node objects in each of the orders that it compares, and [`SliceGraph`] is its own
//!   dynamic structure (section 4.4): such objects in slices that are rebuilt when they are full.
//! - [`Cullables`] are boxes culled the object-oriented way, and [`Meshes`] what such an engine makes of meshes: culled
//!   sub-mesh by sub-mesh, rendered mesh by mesh. [`CullColumns`] and [`MeshColumns`] are the same as arrays with
//!   bools.
//! - [`Drawables`] are draws in arrays with a list of their boxes, without a hierarchy.
//! - [`Character`] and [`Flattened`] are a character's joints as objects with children and as arrays of 4×4 matrices.
//! - [`KeyTracks`] is a player of clips that has keys sorted by track: it searches each, or keeps its place in it.
//! - [`SeedSkin`] skins a character in the way in which that is first written down, and by the steps that make it
//!   faster.
//!
//! All have `hedgerow`'s matrix and transform types and so the same mathematics; a [`Checksum`](crate::sides::Checksum)
//! of matrices and draws shows it to the bit. What is called from outside is not inlined there, since ours, which comes
//! from another crate, is not either.

mod cullables;
mod drawables;
mod graph;
mod joints;
mod key_tracks;
mod meshes;
mod skinning;
mod thesis;

pub use cullables::{CullColumns, Cullable, Cullables};
pub use drawables::Drawables;
pub use graph::{DrawCommand, Draws, Graph, NodePtr};
pub use joints::{Character, Flattened, LocalPose, inverse_binds, multiply};
pub use key_tracks::{KeyPlaces, KeyTracks};
pub use meshes::{MeshColumns, Meshes, Renderable};
pub use skinning::{SeedSkin, SplitVertex, WholeVertex, WideVertex};
pub use thesis::{Layout, Nodes, Order, SliceGraph, SliceHandle, Traversal};
