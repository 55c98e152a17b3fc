//! The file: from bytes to JSON, buffers, and the numbers that accessors describe.
//!
//! | file | what |
//! |---|---|
//! | `source` | containers, versions, required extensions: bytes to JSON |
//! | `buffers` | where the bytes of buffers and images are |
//! | `accessor` | what an accessor describes, with every range checked |
//! | `read` | the elements of accessors as lists, and how many bytes may be made of a file |

mod accessor;
mod buffers;
mod read;
mod source;

pub(super) use accessor::{Component, Layout, SPARSE_ORDER, Span, check, columns};
pub(super) use buffers::{Buffers, Source, find, read_whole};
pub(super) use read::{Budget, Numbers, Reader, expect_count, expect_finite};
pub(super) use source::{Blob, is_known_extension, parse};
