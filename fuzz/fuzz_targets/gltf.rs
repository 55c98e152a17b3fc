//! Any bytes, and changed glTF files: each is refused, or makes a valid scene that plays.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::gltf(bytes));
