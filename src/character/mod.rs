//! Where characters and the scene meet: nodes that follow joints, and boxes that follow poses.
//!
//! Knows the scene and `math`; poses come as model matrices or palettes, whatever made them.

mod bounds;
mod error;
mod local;
mod sockets;

pub use bounds::JointBounds;
pub use error::CharacterError;
pub use sockets::Sockets;
