//! Skinned meshes compared with sums in double precision; changed bytes are refused or make working meshes.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::skin(bytes));
