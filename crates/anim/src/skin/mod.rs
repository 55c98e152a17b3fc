//! Skinning on the CPU: vertices that follow the joints of a skeleton.
//!
//! A [`Skin`] computes a [`Palette`] from model matrices. Model matrices use the skeleton's joint numbers; palettes and
//! vertices use the skin's joint numbers. The palette deforms a [`SkinnedMesh`], after any morph targets. A mesh only
//! accepts palettes of the skin that it was built for. A [`SkinBatch`] skins the visible characters of a list; a
//! [`BakedClip`] is for crowds that a shader poses.

mod bake;
mod batch;
mod builder;
mod bytes;
mod error;
mod id;
mod influence;
pub(crate) mod kernels;
mod many;
mod mesh;
mod morph;
mod output;
mod palette;
#[cfg(feature = "rayon")]
mod threads;

pub use crate::skin::kernels::VertexStream;
pub use bake::BakedClip;
pub use batch::SkinBatch;
pub use builder::SkinnedMeshBuilder;
pub use error::SkinError;
pub use id::SkinId;
pub use influence::Pruned;
pub use mesh::SkinnedMesh;
pub use morph::{MorphBuffer, MorphTarget};
pub use output::SkinOutput;
pub use palette::{Palette, Skin};
