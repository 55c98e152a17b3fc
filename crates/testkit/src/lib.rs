//! What tests share: the naive [`model`] of a scene, the [`drivers`] of fuzz targets, [`hostile`] files, small [`gltf`]
//! files, [`frames`] of random edits, generated meshes ([`triangles`]), [`memory`] that is counted and refused, and
//! random numbers ([`dice`]).
//!
//! Tests of the libraries, `crates/soak` and the fuzz targets use this crate. It is not published. Without features it
//! needs neither scenes nor animation.

pub mod checksum;
#[cfg(feature = "anim")]
pub mod clips;
pub mod dice;
pub mod drivers;
pub mod forged;
#[cfg(feature = "scene")]
pub mod frames;
pub mod gltf;
pub mod hostile;
pub mod input;
pub mod json;
pub mod memory;
#[cfg(feature = "scene")]
pub mod model;
pub mod triangles;

pub use dice::Dice;
pub use input::Input;
