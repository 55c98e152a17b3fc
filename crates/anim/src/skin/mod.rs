//! Skinning on the CPU: vertices that follow the joints of a skeleton.
//!
//! A [`Skin`] makes a [`Palette`] from the joints' model matrices, which count the skeleton's joints: the palette
//! counts the skin's, as vertices do. It moves a [`SkinnedMesh`], after the mesh's morph targets if there are any; the
//! mesh refuses the palette of a skin that it was not built for. A [`SkinBatch`] does this for the visible ones of many
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
