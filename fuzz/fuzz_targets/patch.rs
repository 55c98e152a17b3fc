//! Patches with changed bytes and a valid checksum: each is refused, or applied as a whole or not at all.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::patch(bytes));
