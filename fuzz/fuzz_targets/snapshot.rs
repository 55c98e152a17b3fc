//! Snapshots with changed bytes and a valid checksum: each is refused, or is a scene that works.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::snapshot(bytes));
