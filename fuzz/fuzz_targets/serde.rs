//! Any JSON, and changed scenes as text: each is refused, or makes a working scene that is written as it was read.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::serde(bytes));
