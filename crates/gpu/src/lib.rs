//! A scene of [`hedgerow`] in buffers of a GPU, for any graphics library.
//!
//! | task | items |
//! |---|---|
//! | keep the buffers: the steps of each frame | [`GpuScene`], [`Step`], [`Buffer`] |
//! | cull many views in one compute pass, and draw what they see | [`CULL`], [`layout::View`], [`Batch`] |
//! | read the records in shaders that draw | [`FETCH`] |
//! | skin characters in shaders, with morph targets and motion vectors | [`GpuScene::set_palette`], [`SKIN`] |
//! | pose crowds in shaders, from clips that were sampled once | [`BakedClips`], [`BAKED`] |
//! | records as they are in memory | [`layout`] |
//!
//! `hedgerow-wgpu` executes the steps with wgpu. With another library, do it yourself: a step is a resize, a write, or one
//! of two small compute passes.
//!
//! # Shaders
//!
//! All are WGSL text, and need no more than the default limits of WebGPU. A thread is an item, in workgroups of 64. The
//! grid may have two dimensions, since one has at most 65,535 workgroups.
//!
//! | text | entry point | bindings of group 0 |
//! |---|---|---|
//! | [`SCATTER`] | `scatter_items` | uniform: count, words of an item; indices and items; the buffer |
//! | [`SETTLE`] | `settle_matrices` | uniform: count; indices; matrices or palettes; previous ones |
//! | [`CULL`] | `cull_drawables` | uniform: [`layout::Views`]; matrices; instances; bounds; bins; commands; visible slots |
//! | [`FETCH`] | functions for your shaders | group 1: matrices; instances; previous matrices |
//! | [`FETCH`] and [`SKIN`] | the same, and skinning | and: palettes; previous palettes |
//! | [`BAKED`] | functions for your shaders | group 2: [`BakedClips`] |
//!
//! To cull, copy [`Buffer::Template`] to a buffer of indirect commands, then run the pass over
//! [`GpuScene::len`] threads. View *v* lists its visible slots from *v* · `room` on ([`GpuScene::sizes`]), and its commands
//! from *v* · `commands` on. For each [`Batch`], set the pipeline, bind the list of visible slots as a vertex buffer that
//! advances by instance, and draw the batch's commands indirectly. Do not read the list by `instance_index` instead: on
//! Direct3D 12, that is without `first_instance` in some calls.
//!
//! The order within a command differs from run to run, so blended drawables are better drawn from a
//! [`DrawList`](hedgerow::DrawList): give them no [key](GpuScene::with_key).
//!
//! Scenes that are only drawn so need neither [boxes](hedgerow::SceneConfig::bounds) nor
//! [changes](hedgerow::SceneConfig::changes), without which updates of many moved nodes are twice as fast.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod baked;
mod bins;
mod deform;
mod error;
mod items;
pub mod layout;
mod ranges;
mod scene;
mod step;
mod tlas;

pub use baked::BakedClips;
pub use bins::{Batch, MeshArgs};
pub use error::Error;
pub use scene::{GpuScene, Synced};
pub use step::{Buffer, Step};
pub use tlas::TlasInstance;

/// The shader of [`Step::Scatter`].
pub const SCATTER: &str = include_str!("wgsl/scatter.wgsl");
/// The shader of [`Step::Settle`].
pub const SETTLE: &str = include_str!("wgsl/settle.wgsl");
/// The shader that culls.
pub const CULL: &str = include_str!("wgsl/cull.wgsl");
/// The shader that makes a pyramid of depths for [`OCCLUSION`].
pub const PYRAMID: &str = include_str!("wgsl/pyramid.wgsl");
/// The shader that lists what is not hidden. It needs [`CULL`] before it.
pub const OCCLUSION: &str = include_str!("wgsl/occlusion.wgsl");
/// Functions for shaders that draw: matrices, normals, records.
pub const FETCH: &str = include_str!("wgsl/fetch.wgsl");
/// Functions for shaders that draw what joints or morph targets deform. They need [`FETCH`] before them.
pub const SKIN: &str = include_str!("wgsl/skin.wgsl");
/// Functions for shaders that draw crowds with palettes of [`BakedClips`].
pub const BAKED: &str = include_str!("wgsl/baked.wgsl");

/// The pages of the crate whose examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
