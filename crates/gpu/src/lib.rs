//! A scene of [`hedgerow`] in buffers of a GPU, for any graphics library.
//!
//! | task | items |
//! |---|---|
//! | keep the buffers: the steps of each frame | [`GpuScene`], [`Step`], [`Buffer`] |
//! | cull many views in one compute pass, and draw what they see | [`CULL`], [`layout::View`], [`Batch`] |
//! | levels of detail and view ranges, by distance | [`GpuScene::set_levels`], [`View::with_detail`](layout::View::with_detail) |
//! | leave out what is hidden behind other drawables | [`GpuScene::with_occlusion`], [`PYRAMID`], [`OCCLUSION`] |
//! | trace rays: what changed, as instances of a TLAS | [`GpuScene::with_tlas`], [`TlasInstance`] |
//! | read the records in shaders that draw | [`FETCH`] |
//! | skin characters in shaders, with morph targets and motion vectors | [`GpuScene::set_palette`], [`SKIN`] |
//! | pose crowds in shaders, from clips that were sampled once | [`BakedClips`], [`BAKED`] |
//! | the same tables in textures, for WebGL 2 | [`GpuScene::without_compute`], [`FETCH_TEXTURES`], [`SKIN_TEXTURES`] |
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
//! | [`SCATTER`] | `scatter_items` | list: the number of indices, of words of an item, indices, items; the buffer |
//! | [`SETTLE`] | `settle_matrices` | list: as that of the scatter, without items or with them; matrices or palettes; previous ones |
//! | [`CULL`] | `cull_ranges`, `cull_drawables` | uniform: [`layout::Views`]; matrices; instances; bounds; bins; commands; visible slots; ranges; what is kept |
//! | [`PYRAMID`] | `reduce_depth`, `reduce_level` | depth or the finer level; level to write |
//! | [`CULL`] and [`OCCLUSION`] | `cull_hidden` | those of [`CULL`]; group 1: uniform (a matrix and a size); pyramid |
//! | [`FETCH`] | functions for your shaders | group 1: matrices; instances; previous matrices |
//! | [`FETCH`] and [`SKIN`] | the same, and skinning | and: palettes; previous palettes |
//! | [`BAKED`] | functions for your shaders | group 2: [`BakedClips`] |
//!
//! To cull, copy [`Buffer::Template`] to a buffer of indirect commands, and the result of [`GpuScene::next_views`] to
//! the uniform. Run `cull_ranges` over [`Views::ranges`](layout::Views::ranges) threads if there is more than one, then
//! `cull_drawables` over [`GpuScene::len`]. View *v* lists its visible slots from *v* · `capacity` on
//! ([`GpuScene::sizes`]), and its commands from *v* · `commands` on. For each [`Batch`], set the pipeline, bind the
//! list of visible slots as a vertex buffer that advances by instance, and draw the batch's commands indirectly. Bind
//! the list from its beginning in every view, since `first_instance` includes *v* · `capacity`; or bind it from
//! [`GpuScene::first_visible`] on, for devices whose indirect commands [have no first
//! instance](GpuScene::without_first_instance). Do not read the list by
//! `instance_index` instead: on Direct3D 12, that is without `first_instance` in some calls.
//!
//! For occlusion, draw view 0, then run `reduce_depth` once and `reduce_level` for each further level, in workgroups of
//! 8 by 8, then `cull_hidden` over [`GpuScene::len`] threads, and draw the list of number [`GpuScene::views`]. Set the
//! constant `REVERSED` of the pipelines if nearer depths are greater. The first level has half the size of the depth,
//! in both directions rounded up to a power of two.
//!
//! The order within a command differs from run to run, so blended drawables are better drawn from a
//! [`DrawList`](hedgerow::DrawList): give them no [key](GpuScene::with_key).
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
mod ranges;
mod scene;
mod step;
mod tlas;

pub use baked::BakedClips;
pub use bins::{Batch, MeshArgs};
pub use error::Error;
pub use scene::{GpuScene, Synced};
pub use step::{Buffer, Items, ROW, Rectangle, Step, rectangles};
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
pub const FETCH: &str = concat!(include_str!("wgsl/fetch_buffers.wgsl"), include_str!("wgsl/fetch.wgsl"));
/// The functions of [`FETCH`] with the tables in textures.
pub const FETCH_TEXTURES: &str = concat!(include_str!("wgsl/fetch_textures.wgsl"), include_str!("wgsl/fetch.wgsl"));
/// Functions for shaders that draw what joints or morph targets deform. They need [`FETCH`] before them.
pub const SKIN: &str = concat!(include_str!("wgsl/skin_buffers.wgsl"), include_str!("wgsl/skin.wgsl"));
/// The functions of [`SKIN`] with the tables in textures. They need [`FETCH_TEXTURES`] before them.
pub const SKIN_TEXTURES: &str = concat!(include_str!("wgsl/skin_textures.wgsl"), include_str!("wgsl/skin.wgsl"));
/// Functions for shaders that draw crowds with palettes of [`BakedClips`].
pub const BAKED: &str = include_str!("wgsl/baked.wgsl");

/// The pages of the crate whose examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
