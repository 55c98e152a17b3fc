//! JSON of libraries and patches of documents: each is refused, or is sound.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::library_text(bytes));
