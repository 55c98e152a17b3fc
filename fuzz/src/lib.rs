//! The fuzz targets: the drivers of the tests, with inputs read by `arbitrary`.

use arbitrary::{Arbitrary, Unstructured};
use hedgerow_testkit::{Input, drivers};

/// Settings and steps, as `arbitrary` reads them.
#[derive(Arbitrary, Debug)]
struct Structured<const HEAD: usize, const STEP: usize> {
    head: [u8; HEAD],
    steps: Vec<[u8; STEP]>,
}

/// Returns an input read by `arbitrary`. Checks that the tests read the same input; they replay kept inputs without
/// `arbitrary`.
fn structured<const HEAD: usize, const STEP: usize>(bytes: &[u8]) -> Input<HEAD, STEP> {
    let read = Structured::arbitrary_take_rest(Unstructured::new(bytes)).expect("any bytes are an input");
    let input = Input { head: read.head, steps: read.steps };
    assert_eq!(input, Input::from_bytes(bytes), "the tests read another input");
    input
}

/// See `crates/testkit/src/drivers/animator.rs`.
pub fn animator(bytes: &[u8]) {
    drivers::animator::run(&structured(bytes));
}

/// See `crates/testkit/src/drivers/edits.rs`.
pub fn edits(bytes: &[u8]) {
    drivers::edits::run(&structured(bytes));
}

/// See `crates/testkit/src/drivers/batches.rs`.
pub fn batches(bytes: &[u8]) {
    drivers::batches::run(&structured(bytes));
}

/// See `crates/testkit/src/drivers/visit_mutate.rs`.
pub fn visit_mutate(bytes: &[u8]) {
    drivers::visit_mutate::run(&structured(bytes));
}

/// See `crates/testkit/src/drivers/restore.rs`.
pub fn restore(bytes: &[u8]) {
    drivers::restore::run(&structured(bytes));
}

/// See `crates/testkit/src/drivers/snapshot.rs`.
pub fn snapshot(bytes: &[u8]) {
    drivers::snapshot::run(&structured(bytes));
}

/// See `crates/testkit/src/drivers/library.rs`.
pub fn library_bytes(bytes: &[u8]) {
    drivers::library::bytes(bytes);
}

/// See `crates/testkit/src/drivers/library.rs`.
pub fn library_text(bytes: &[u8]) {
    drivers::library::text(bytes);
}

/// See `crates/testkit/src/drivers/clip.rs`.
pub fn clip(bytes: &[u8]) {
    drivers::clip::run(&structured(bytes));
}

/// See `crates/testkit/src/drivers/skeleton.rs`.
pub fn skeleton(bytes: &[u8]) {
    drivers::skeleton::run(&structured(bytes));
}

/// See `crates/testkit/src/drivers/skin.rs`.
pub fn skin(bytes: &[u8]) {
    drivers::skin::run(&structured(bytes));
}

/// See `crates/testkit/src/drivers/triangles.rs`.
pub fn triangles(bytes: &[u8]) {
    drivers::triangles::run(&structured(bytes));
}

/// See `crates/testkit/src/drivers/text.rs`; bytes that look like JSON are passed on as they are.
pub fn serde(bytes: &[u8]) {
    drivers::text::run(bytes);
}

/// See `crates/testkit/src/drivers/gltf.rs`; bytes that look like a file are passed on unstructured.
pub fn gltf(bytes: &[u8]) {
    drivers::gltf::run(bytes);
}
