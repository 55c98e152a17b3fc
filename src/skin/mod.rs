//! Skinning on the processor: vertices that follow the joints of a skeleton.
//!
//! A [`Skin`] makes a palette of the joints' model matrices.

mod error;
mod palette;

pub use error::SkinError;
pub use palette::Skin;
