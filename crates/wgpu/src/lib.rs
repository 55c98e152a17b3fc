//! Keeps a scene of [`hedgerow`] in buffers of [`wgpu`], culls it in one compute pass, and draws it with few calls.
//!
//! [`SceneBuffers`] executes the steps of a [`GpuScene`](gpu::GpuScene). For WebGL 2, [`SceneTextures`] keeps the same tables
//! in textures, which the same shaders read; there the CPU culls.
//! Pipelines, materials, textures, vertices and lights stay yours. Shaders of yours read the records of drawables through
//! [`FETCH`](hedgerow_gpu::FETCH).
//!
//! | each frame | call |
//! |---|---|
//! | edit the scene, then update it | [`Scene::update`](hedgerow::Scene::update) |
//! | upload what changed | [`SceneBuffers::sync`] |
//! | find out what the camera and the lights see | [`SceneBuffers::cull`] |
//! | draw each batch with your pipeline | [`SceneBuffers::draw`] |
//!
//! The crate follows the versions of wgpu. It enables no backend; your own dependency on wgpu does.
//!
#![doc = include_str!("../GUIDE.md")]

mod buffers;
mod occlusion;
mod pipelines;
mod staging;
mod textures;

pub use buffers::SceneBuffers;
pub use hedgerow_gpu as gpu;
pub use occlusion::Occlusion;
pub use textures::SceneTextures;

/// The pages of the crate whose examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
