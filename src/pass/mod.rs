//! Passes over a scene in a frame: find what is visible, and list what to draw.

mod box_index;
mod cull;
mod cursor;
mod detail;
mod draw;
mod pick;
mod render;
#[cfg(feature = "rayon")]
mod threads;
mod transform;

pub use box_index::BoxIndex;
pub(crate) use cull::{Found, MOST_PROBES, Probe, Sieve};
pub(crate) use cursor::{Change, Computed, Look};
pub use cursor::{ChangedSlices, ChangedSlots, SliceChange, SliceCursor};
pub use detail::{DetailView, LevelsOfDetail};
pub use draw::{DepthView, DrawCommand, DrawGroup, DrawGroups, DrawOrder, depth_key};
pub(crate) use draw::{Joined, Movable, WideWorlds};
pub(crate) use pick::Met;
pub use render::{DrawList, RenderPass};
pub use transform::TransformPass;
