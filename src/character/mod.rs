//! Joins characters to a scene: nodes that follow joints, and boxes that follow poses.
//!
//! Poses are given as model matrices or palettes, however they were made. Sockets go by the skeleton's numbers of
//! joints, and so by model matrices; boxes go by the skin's, and so by palettes. Both are called after poses are made
//! and before [`Scene::update`](crate::Scene::update): the page [`guide::characters`](crate::guide::characters) has a
//! whole frame, and says which matrix a skinned draw needs.
//!
//! A socket takes over the whole matrix of its joint, scale included: in files whose joints are scaled (by 100, where
//! they were modelled in centimetres), what hangs from a socket needs an offset with the inverse scale.

mod bounds;
mod error;
mod local;
mod sockets;

pub use bounds::JointBounds;
pub use error::CharacterError;
pub use sockets::Sockets;
