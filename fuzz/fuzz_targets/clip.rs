//! Clips compared with what they are made of; changed bytes are refused or play.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::clip(bytes));
