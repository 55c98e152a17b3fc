//! Whom an edit tells: the update, maintenance, draw lists, the change feed, boxes.

mod feed;
mod inheritors;
mod layout;
mod notify;
mod trace;

pub(crate) use feed::Feed;
pub(in crate::store) use layout::Layouts;
pub(in crate::store) use trace::{MaskTrace, Trace};
