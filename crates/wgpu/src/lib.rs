//! [hedgerow]: hedgerow
#![doc = include_str!("../README.md")]
//!
#![doc = include_str!("../GUIDE.md")]

mod buffers;
mod cull;
mod occlusion;
mod pipelines;
mod tables;
mod textures;

pub use hedgerow_gpu as gpu;
pub use occlusion::Occlusion;
pub use tables::SceneTables;
