//! Writes a store as bytes and reads it back: the body of a snapshot.
//!
//! All data is little-endian and unaligned, with fields in order and nothing between them. Numbers are `u32` unless
//! stated otherwise. A *list* is a length followed by that many numbers. [`NIL`](crate::store::NIL) is 2³² − 1.
//!
//! ```text
//! store     configuration: list │ reconstitutions u64
//!           tables: count, then of each: entries │ how many were cut off │ their generation
//!           │ states 4 B │ of those that live: slice and row 8 B
//!           the pool's open tables: list
//!           slices: count, then of each a head, and if it is in use its arrays
//!           slices that wait for maintenance: list │ small ones that wait for a partner: list
//!           topmost slices of detached subtrees: list │ of what waits to be freed: list
//!           words of draws: count, then of each node that has one, by handle: handle u64 │ word
//! head      flags │ first and last top row │ misplaced │ for each of six storages: end │ capacity │ holes
//!           counts of sheared transforms, remainders, children, tables, open tables                      108 B
//! arrays    the holes of each storage that has any, as words of 64 bits
//!           ranks 4 B (see `check`) and rows 48 B │ transforms: parents 4 B, locals 40 B, world matrices 48 B
//!           visibilities: parents, masks, effective masks, 4 B each │ materials 8 B
//!           shapes: records 24 B, bounds 24 B
//!           names: lengths, then texts in UTF-8 │ sheared transforms: slots, then matrices 48 B
//!           remainders of translations: slots, doubled, and 1 more where nothing shears, then x, y and z
//!           children │ tables │ open tables
//! ```
//!
//! Every row, slot and entry keeps its place. So handles, including stale ones, and retired indices are kept, and later
//! edits have the same results. Room reserved for future slices, and marks, are not kept. Derived values (world
//! matrices and the like) are those of the last update; they are not checked, and the next update computes them again.
//!
//! The bytes are not trusted. Lengths are compared with the bytes present before anything is allocated. Unused room is
//! allocated for at most sixteen times the bytes. Every invariant is checked (see `check` and `join`).

mod check;
mod config;
mod head;
mod join;
mod read;
mod tables;
#[cfg(test)]
mod tests;
mod words;
mod write;
