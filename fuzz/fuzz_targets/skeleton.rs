//! Skeletons compared with lists of children; changed bytes are refused or make working skeletons.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::skeleton(bytes));
