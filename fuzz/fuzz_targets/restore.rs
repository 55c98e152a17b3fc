//! Any edits with checkpoints and ways back, compared with the naive model and with games that never go back.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::restore(bytes));
