//! Snapshots with changed bytes and a valid checksum: each is refused, or makes a working scene.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::snapshot(bytes));
