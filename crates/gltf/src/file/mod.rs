//! Reads a file from its bytes: the JSON, the buffers, and the numbers that accessors describe.
//!
//! | file | what |
//! |---|---|
//! | `source` | containers, versions, required extensions: bytes to JSON |
//! | `repair` | repairs JSON that the parser refuses although its meaning is plain |
//! | `inner` | the extensions of objects that are no items |
//! | `weight` | estimates the memory of JSON before parsing |
//! | `buffers` | the sources of buffers and images |
//! | `accessor` | the layout of an accessor, with every range checked |
//! | `stored` | the numbers of accessors as they are in the file |
//! | `read` | the elements of accessors as lists, and the memory budget of an import |

mod accessor;
mod buffers;
mod inner;
mod read;
mod repair;
mod source;
pub(super) mod stored;
mod weight;

pub(super) use accessor::{Layout, SPARSE_ORDER, check, columns, number, read_index, scaled, with_number};
pub(super) use buffers::{Buffers, Files, Source, find, in_folder, read_whole};
pub(super) use read::{Budget, Numbers, Reader, expect_count};
pub(super) use repair::{NO_NODE, Unknown};
pub(super) use source::{Blob, Parsed, is_handled, parse};
