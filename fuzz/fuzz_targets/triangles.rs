//! Trees over triangles compared with tests of every triangle; changed bytes are refused or make working trees.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::triangles(bytes));
