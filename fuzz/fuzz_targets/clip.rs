//! Clips compared with their keys; changed bytes are refused or play.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::clip(bytes));
