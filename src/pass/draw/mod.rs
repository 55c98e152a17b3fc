//! Draw lists: the visible drawables of a scene, which a list keeps from frame to frame.

mod cache;
mod changed;
mod command;
mod groups;
mod listing;
mod motion;
mod order;
mod relative;
mod wide;

pub(crate) use cache::{Cache, Segment};
pub(crate) use changed::{ChangedDraws, Joined};
pub use command::DrawCommand;
pub use groups::{DrawGroup, DrawGroups};
pub(crate) use listing::{Listing, Part, VisibleDraw, mark};
pub(crate) use motion::Motion;
pub use order::{DepthView, DrawOrder, depth_key};
pub(crate) use relative::Relative;
pub(crate) use wide::{Movable, WideSlice, WideWorlds};
