//! Characters in a scene: nodes that follow joints, and boxes that follow poses.
//!
//! Poses are passed as model matrices or palettes, however these were computed. Sockets use the skeleton's joint
//! numbers, which index model matrices; boxes use the skin's joint numbers, which index palettes. Let both follow after
//! posing and before [`Scene::update`](crate::Scene::update). The page [`guide::characters`](crate::guide::characters)
//! shows a whole frame, and says which matrix a skinned draw needs.
//!
//! A socket applies the whole matrix of its joint, including the scale. If the joints of a file are scaled, for example
//! by 100 because it was modelled in centimetres, attached nodes need an offset with the inverse scale.

mod bounds;
mod error;
mod local;
mod sockets;

pub use bounds::JointBounds;
pub use error::CharacterError;
pub use sockets::Sockets;
