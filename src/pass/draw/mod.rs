//! Draw lists: what there is to draw, kept from frame to frame.

mod cache;
mod groups;
mod listing;
mod motion;
mod relative;

pub(crate) use cache::{Cache, Segment};
pub use groups::{DrawGroup, DrawGroups};
pub(crate) use listing::{Listing, Part};
pub(crate) use motion::Motion;
pub(crate) use relative::Relative;
