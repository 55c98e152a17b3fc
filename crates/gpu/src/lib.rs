//! A scene of [`hedgerow`] in buffers of a GPU, for any graphics library.
//!
//! | task | items |
//! |---|---|
//! | keep the buffers: the steps of each frame | [`GpuScene::sync`], [`Step`], [`Buffer`] |
//! | cull many views in one pass, and draw what they see | [`GpuScene::cull`], [`layout::View`], [`GpuScene::calls`] |
//! | levels of detail and view ranges, by distance | [`GpuScene::set_levels`], [`View::with_detail`](layout::View::with_detail) |
//! | leave out what is hidden behind other drawables | [`GpuScene::with_occlusion`], [`GpuScene::cull_hidden`] |
//! | trace rays: what changed, as instances of a TLAS | [`GpuScene::with_tlas`], [`TlasInstance`] |
//! | read the records in shaders that draw | [`FETCH`] |
//! | skin characters in shaders, with morph targets and motion vectors | [`GpuScene::set_palette`], [`SKIN`] |
//! | pose crowds in shaders, from clips that were sampled once | [`BakedClips`], [`BAKED`] |
//! | the same tables in textures, for WebGL 2 | [`GpuScene::without_compute`], [`FETCH_TEXTURES`], [`SKIN_TEXTURES`] |
//! | records as they are in memory | [`layout`] |
//!
//! `hedgerow-wgpu` executes the steps with wgpu. With another library, do it yourself: a step is a resize, a write, a
//! copy, or a dispatch of a [`Pass`], which tells its shader and what it binds. In each frame, execute the steps of
//! [`sync`](GpuScene::sync), then those of [`cull`](GpuScene::cull), then draw the calls of each batch.
//!
//! # Shaders
//!
//! All are WGSL text within the default limits of WebGPU. Put functions for your shaders before your own text.
//!
//! Devices without compute shaders and without storage buffers, such as WebGL 2, read the tables from textures:
//! [`Buffer::texel`] bytes a texel, [`ROW`] texels a row; a write is a few [`rectangles`]. The CPU lists what is seen
//! there, and draws it by its [slots](GpuScene::slot).
//!
//! Scenes that are only drawn so need neither [boxes](hedgerow::SceneConfig::bounds) nor
//! [changes](hedgerow::SceneConfig::changes), without which updates of many moved nodes are twice as fast.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod baked;
mod bins;
mod culling;
mod deform;
mod error;
mod items;
pub mod layout;
mod pass;
mod ranges;
mod scene;
mod step;
mod tlas;

pub use baked::BakedClips;
pub use bins::{Batch, Call, MeshArgs};
pub use error::Error;
pub use pass::{Binding, Pass};
pub use scene::{GpuScene, Synced};
pub use step::{Buffer, Items, ROW, Rectangle, Step, rectangles};
pub use tlas::TlasInstance;

/// Functions for shaders that draw: matrices, normals, records. Group 1: matrices; instances; previous matrices.
pub const FETCH: &str = concat!(include_str!("wgsl/fetch_buffers.wgsl"), include_str!("wgsl/fetch.wgsl"));
/// The functions of [`FETCH`] with the tables in textures.
pub const FETCH_TEXTURES: &str = concat!(include_str!("wgsl/fetch_textures.wgsl"), include_str!("wgsl/fetch.wgsl"));
/// Functions for shaders that draw what joints or morph targets deform. They need [`FETCH`] before them. Behind
/// its bindings: palettes; previous palettes.
pub const SKIN: &str = concat!(include_str!("wgsl/skin_buffers.wgsl"), include_str!("wgsl/skin.wgsl"));
/// The functions of [`SKIN`] with the tables in textures. They need [`FETCH_TEXTURES`] before them.
pub const SKIN_TEXTURES: &str = concat!(include_str!("wgsl/skin_textures.wgsl"), include_str!("wgsl/skin.wgsl"));
/// Functions for shaders that draw crowds with palettes of [`BakedClips`]. Group 2: its bytes.
pub const BAKED: &str = include_str!("wgsl/baked.wgsl");

/// The pages of the crate whose examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
