//! Animators that are written and read; changed bytes are refused or go on.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::animator(bytes));
