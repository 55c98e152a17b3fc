//! What a frame does with a scene: bringing world transforms up to date, and listing what there is to draw.

mod render;
#[cfg(feature = "rayon")]
mod threads;
mod transform;
mod update;

pub use render::{DrawCommand, DrawList, RenderPass};
pub use transform::TransformPass;
