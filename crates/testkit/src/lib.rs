//! What tests share: the naive [`model`] of a scene, the [`drivers`] of fuzz targets, [`hostile`] files, small [`gltf`]
//! files, [`frames`] of random edits, generated meshes ([`triangles`]), [`memory`] that is counted and refused, and
//! random numbers ([`dice`]). What is optimised is in `crates/model`.
//!
//! Tests of the libraries, `crates/soak` and the fuzz targets use this crate. It is not published. Without features it
//! needs neither scenes nor animation.

pub mod checksum;
#[cfg(feature = "anim")]
pub mod clips;
pub mod drivers;
pub mod forged;
pub mod gltf;
pub mod hostile;
pub mod input;
pub mod json;

pub use hedgerow_model::{Dice, dice, memory, triangles};
#[cfg(feature = "scene")]
pub use hedgerow_model::{frames, model};
pub use input::Input;
