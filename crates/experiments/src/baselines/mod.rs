//! Other people's ways: what ours is compared with.
//!
//! - [`Graph`] is the thesis's naive scene graph (section 4.2): one heap allocation a node, children in inline storage
//!   for eight pointers, a parent pointer, three kinds of nodes, and its two recursive traversals (section 4.3).
//! - [`Nodes`] are the thesis's node objects in each of the orders that it compares, and [`SliceGraph`] is its own
//!   dynamic structure (section 4.4): such objects in slices that are rebuilt when they are full.
//! - [`Meshes`] are what an object-oriented engine makes of meshes: culled sub-mesh by sub-mesh, rendered mesh by mesh;
//!   [`MeshColumns`] the same as arrays with bools.
//! - [`Character`] and [`Flattened`] are a character's joints as objects with children and as arrays of 4×4 matrices.
//! - [`KeyTracks`] is a player of clips that has keys sorted by track: it searches each, or keeps its place in it.
//! - [`SeedSkin`] skins a character in the way in which that is first written down, and in the fastest that comes of
//!   it.
//!
//! All have `hedgerow`'s matrix and transform types and so the same mathematics; a [`Checksum`](crate::sides::Checksum)
//! of matrices and draws shows it to the bit. What is called from outside is not inlined there, since ours, which comes
//! from another crate, is not either.

mod graph;
mod joints;
mod key_tracks;
mod meshes;
mod skinning;
mod thesis;

pub use graph::{DrawCommand, Draws, Graph, NodeGraph, NodePtr};
pub use joints::{Character, Flattened, Joints};
pub use key_tracks::{KeyPlaces, KeyTracks};
pub use meshes::{MeshColumns, Meshes};
pub use skinning::{SeedSkin, WholeVertex, WideVertex};
pub use thesis::{Nodes, Order, SliceGraph, SliceHandle};
