//! Small glTF files, made by code and ready to be broken.

mod file;
mod man;
#[cfg(feature = "gltf")]
mod saved;
mod text;

pub use file::{GltfFile, glb};
pub use man::man;
#[cfg(feature = "gltf")]
pub use saved::saved;
pub use text::{bytes, change, sample};
