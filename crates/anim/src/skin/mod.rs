//! Skinning on the CPU: vertices that follow the joints of a skeleton.
//!
//! A [`Skin`] computes a [`Palette`] from model matrices. Model matrices are indexed by the skeleton's joints, palettes
//! and vertices by the skin's. The palette then deforms a [`SkinnedMesh`], after the mesh's morph targets if there are
//! any. A mesh only accepts palettes of the skin that it was built for. A [`SkinBatch`] skins the visible ones of many
//! characters.

mod batch;
mod builder;
mod bytes;
mod error;
mod id;
mod influence;
pub(crate) mod kernels;
mod mesh;
mod morph;
mod output;
mod palette;
#[cfg(feature = "rayon")]
mod threads;

pub use crate::skin::kernels::VertexStream;
pub use batch::SkinBatch;
pub use builder::SkinnedMeshBuilder;
pub use error::SkinError;
pub use id::SkinId;
pub use influence::Pruned;
pub use mesh::SkinnedMesh;
pub use morph::{MorphBuffer, MorphTarget};
pub use output::SkinOutput;
pub(crate) use palette::Slot;
pub use palette::{Palette, Skin};
