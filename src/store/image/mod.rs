//! A store as bytes, and back: the body of a snapshot.
//!
//! Little-endian throughout, nothing aligned, fields in order with nothing between them. Numbers are `u32` unless said
//! otherwise; a *list* is a number and as many numbers; [`NIL`](crate::store::NIL) is 2³² − 1.
//!
//! ```text
//! store     policy: list │ reconstitutions u64
//!           tables: count, then of each: entries │ entries 12 B
//!           the pool's open tables: list
//!           slices: count, then of each a head, and if it is in use its arrays
//!           slices that wait for maintenance: list │ small ones that wait for a partner: list
//!           topmost slices of detached subtrees: list │ of what waits to be freed: list
//! head      flags │ first and last top row │ misplaced │ for each of six storages: end │ capacity │ holes
//!           counts of sheared transforms, children, tables, open tables                                  104 B
//! arrays    the holes of each storage that has any, as words of 64 bits
//!           ranks 4 B (see `check`) and rows 48 B │ transforms: parents 4 B, locals 40 B, world matrices 48 B
//!           visibilities: parents, masks, effective masks, 4 B each │ materials 8 B
//!           shapes: records 24 B, bounds 24 B
//!           names: lengths, then texts in UTF-8 │ sheared transforms: slots, then matrices 48 B
//!           children │ tables │ open tables
//! ```
//!
//! Each row, slot and entry is where it was, so handles, stale ones and retired indices are kept, and what is edited later
//! goes the way it would have gone. Not kept are room reserved for slices to come, and marks: what is derived (world
//! matrices and the like) is as of the last update, is not checked, and is computed anew by the next.
//!
//! What the bytes say is not trusted. Lengths are held against the bytes that are there before anything is allocated; room
//! beyond is made for at most sixteen times the bytes. Every invariant is checked (see `check` and `join`).

mod check;
mod head;
mod join;
mod policy;
mod read;
mod tables;
#[cfg(test)]
mod tests;
mod write;
