//! [hedgerow]: hedgerow
#![doc = include_str!("../README.md")]
//!
#![doc = include_str!("../GUIDE.md")]

mod buffers;
mod cull;
mod tables;
mod textures;

pub use hedgerow_gpu as gpu;
pub use tables::SceneTables;
