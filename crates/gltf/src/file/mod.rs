//! The file: from bytes to JSON, buffers, and the numbers that accessors describe.
//!
//! | file | what |
//! |---|---|
//! | `source` | containers, versions, required extensions: bytes to JSON |
//! | `repair` | JSON whose meaning is plain, made such that the parser takes it |
//! | `weight` | how much memory JSON takes, before it is parsed |
//! | `buffers` | where the bytes of buffers and images are |
//! | `accessor` | what an accessor describes, with every range checked |
//! | `read` | the elements of accessors as lists, and how many bytes may be made of a file |

mod accessor;
mod buffers;
mod read;
mod repair;
mod source;
mod weight;

pub(super) use accessor::{Layout, SPARSE_ORDER, check, columns, number, read_index, scaled, with_number};
pub(super) use buffers::{Buffers, Source, find, read_whole};
pub(super) use read::{Budget, Numbers, Reader, expect_count};
pub(super) use repair::NO_NODE;
pub(super) use source::{Blob, Parsed, is_known_extension, parse};
