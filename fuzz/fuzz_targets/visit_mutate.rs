//! Visitors and closures that write, stop, prune and panic, compared with the naive model.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::visit_mutate(bytes));
