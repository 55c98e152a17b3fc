//! Documents of [`hedgerow`] scenes: nested prefabs with overrides, undo in any order, merges, and files that last.
//!
//! | task | items |
//! |---|---|
//! | what is stated: levels, prefabs, variants, overrides | [`Library`], its keys [`Key`], [`Path`], [`Field`], its values [`Value`], [`Spot`], [`Order`], where new nodes go [`At`] |
//! | a definition in a scene: commit, undo, follow | [`Document`], its steps [`History`], [`Step`] |
//! | changes as values: apply, invert, join, merge | [`Patch`], [`Entry`], [`Merged`] |
//! | several writers at the same time | [`Link`], [`Message`] |
//! | what has no effect now, and why | [`Note`] |
//! | files | [`Library::to_bytes`], and text with the feature `serde`: `text` |
//!
#![doc = include_str!("../GUIDE.md")]
//!
//! # Features
//!
//! | feature | adds | default |
//! |---|---|---|
//! | `serde` | `Serialize` and `Deserialize` for [`Library`] and [`Patch`] | no |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod bytes;
mod commit;
mod convert;
mod copies;
mod document;
mod error;
mod expand;
mod history;
mod library;
mod make;
mod merge;
mod operations;
mod order;
mod overrides;
mod patch;
mod path;
mod places;
mod resolve;
mod structure;
#[cfg(feature = "serde")]
pub mod text;
mod value;

pub use document::Document;
pub use error::Error;
pub use expand::Note;
pub use history::{History, Step};
pub use library::Library;
pub use merge::{Conflict, Link, Merged, Message, Renumbered};
pub use order::Order;
pub use patch::{Entry, Key, Patch};
pub use path::Path;
pub use value::{At, Field, LocalValue, Spot, Value};

/// The pages of the crate whose examples are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
