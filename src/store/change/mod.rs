//! What an edit must notify: the update, maintenance, draw lists, the change feed, boxes.

mod feed;
mod inheritors;
mod layout;
mod notify;
mod numbers;
mod trace;

pub(crate) use feed::Feed;
pub(in crate::store) use layout::Layouts;
use numbers::Numbers;
pub(in crate::store) use trace::{MaskTrace, Trace};
