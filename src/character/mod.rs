//! Joins characters to a scene: nodes that follow joints, and boxes that follow poses.
//!
//! Depends on the scene and `math`; poses are given as model matrices or palettes, however they were made.

mod bounds;
mod error;
mod local;
mod sockets;

pub use bounds::JointBounds;
pub use error::CharacterError;
pub use sockets::Sockets;
