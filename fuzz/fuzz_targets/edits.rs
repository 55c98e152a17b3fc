//! Any edits under any policy, compared with the naive model after each.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::edits(bytes));
