//! Small glTF files, made by code and ready to be broken.

mod file;
mod man;
mod text;

pub use file::{GltfFile, glb};
pub use man::man;
pub use text::{bytes, change, sample};
