//! Skinning on the processor: vertices that follow the joints of a skeleton.
//!
//! A [`Skin`] makes a palette of the joints' model matrices; a [`SkinnedMesh`] is moved by it, after its morph targets if it
//! has any; a [`SkinBatch`] does that for the visible ones of many characters.

mod batch;
mod builder;
mod bytes;
mod error;
mod influence;
mod mesh;
mod morph;
mod output;
mod palette;
#[cfg(feature = "rayon")]
mod threads;

pub use crate::simd::skinning::VertexStream;
pub use batch::SkinBatch;
pub use builder::SkinnedMeshBuilder;
pub use error::SkinError;
pub use influence::Pruned;
pub use mesh::SkinnedMesh;
pub use morph::{MorphBuffer, MorphTarget};
pub use output::SkinOutput;
pub use palette::Skin;
