//! draft

mod bytes;
mod commit;
mod commit_in;
mod convert;
mod copies;
mod document;
mod error;
mod expand;
mod library;
mod make;
mod merge;
mod operations;
mod order;
mod patch;
mod path;
mod places;
mod resolve;
mod structure;
#[cfg(feature = "serde")]
pub mod text;
mod value;

pub use document::Document;
pub use error::{Error, PatchError};
pub use expand::Note;
pub use library::Library;
pub use merge::{Conflict, Merged, Renumbered};
pub use order::Order;
pub use patch::{Entry, Key, Patch};
pub use path::Path;
pub use value::{Field, LocalValue, Spot, Value};
