//! Any JSON, and scenes as text with changes: each is refused, or is a scene that works and is written as it was read.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::serde(bytes));
