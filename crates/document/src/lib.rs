//! draft

mod error;
mod library;
mod order;
mod patch;
mod path;
mod value;

pub use error::{Error, PatchError};
pub use library::Library;
pub use order::Order;
pub use patch::{Entry, Key, Patch};
pub use path::Path;
pub use value::{Field, LocalValue, Spot, Value};
