//! Any bytes, and glTF files with changes: each is refused, or is a scene that is sound and plays.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hedgerow_fuzz::gltf(bytes));
