//! Bytes of libraries and patches of documents, with a valid checksum: each is refused, or is sound.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::library_bytes(bytes));
