//! Batches and edit queues among other edits, compared with the naive model after each.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::batches(bytes));
