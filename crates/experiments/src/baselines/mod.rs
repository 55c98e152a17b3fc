//! The baselines: other people's solutions that `hedgerow` is compared with.
//!
//! - [`Graph`] is the thesis's naive scene graph (section 4.2). Each node is a heap allocation with eight inline child
//!   pointers and a parent pointer; there are three kinds of nodes and two recursive traversals (section 4.3).
//! - [`SliceGraph`] is the thesis's dynamic structure (section 4.4): node objects in slices that are rebuilt when full.
//! - [`Character`] and [`Flattened`] are a character's joints, as objects with children and as arrays of 4×4 matrices.
//! - [`KeyTracks`] is a clip player with keys sorted by track; it searches each track or remembers its current key.
//! - [`SeedSkin`] skins a character with the source's first implementation and with its fastest one.
//!
//! All use `hedgerow`'s matrix and transform types, so they compute the same results; a
//! [`Checksum`](crate::sides::Checksum) of matrices and draws confirms this bit for bit. The entry points are not
//! inlined, because those of `hedgerow` come from another crate and are not inlined either.

mod graph;
mod joints;
mod key_tracks;
mod skinning;
mod thesis;

pub use graph::{DrawCommand, Draws, Graph, NodeGraph, NodePtr};
pub use joints::{Character, Flattened, Joints};
pub use key_tracks::{KeyPlaces, KeyTracks};
pub use skinning::{SeedSkin, WholeVertex, WideVertex};
pub use thesis::{SliceGraph, SliceHandle};
