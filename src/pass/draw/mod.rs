//! Draw lists: what there is to draw, kept from frame to frame.

mod cache;
mod listing;

pub(crate) use cache::Cache;
pub(crate) use listing::Listing;
