//! What random tests wait for: the naive [`model`] of a scene, [`frames`] of random edits, generated meshes
//! ([`triangles`]), [`memory`] that is counted and refused, and random numbers ([`dice`]). Tests use this crate through
//! `hedgerow-testkit`.

pub mod dice;
#[cfg(feature = "scene")]
pub mod frames;
pub mod memory;
#[cfg(feature = "scene")]
pub mod model;
pub mod triangles;

pub use dice::Dice;
