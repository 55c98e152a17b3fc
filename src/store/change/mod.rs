//! What an edit must notify: the update, maintenance, draw lists, the change feed, boxes.

pub(in crate::store) mod feed;
mod frames;
mod inheritors;
mod kinds;
mod layout;
pub(in crate::store) mod log;
mod materials;
mod notify;
mod numbers;
mod reading;
mod trace;
mod validate;

pub(crate) use feed::Feed;
pub use kinds::ChangeKinds;
pub(in crate::store) use layout::Layouts;
use numbers::Numbers;
pub(crate) use reading::{ChangeLists, ReadScratch};
pub(in crate::store) use trace::{MaskTrace, Trace};
