//! What an edit must notify: the update, maintenance, draw lists, the change feed, boxes.

mod feed;
mod frames;
mod inheritors;
mod kinds;
mod layout;
mod log;
mod materials;
mod notify;
mod numbers;
mod reading;
mod trace;

pub(crate) use feed::Feed;
pub use kinds::ChangeKinds;
pub(in crate::store) use layout::Layouts;
use numbers::Numbers;
pub(crate) use reading::{ChangeLists, ReadScratch};
pub(in crate::store) use trace::{MaskTrace, Trace};
