//! Shared code of the fuzz targets: the drivers and the naive model of the tests, and inputs read by `arbitrary`.

#[path = "../../crates/gltf/tests/all/driver.rs"]
mod driver;
#[allow(dead_code, unreachable_pub, reason = "the tests use more of the drivers")]
#[path = "../../tests/all/drivers/mod.rs"]
mod drivers;
#[allow(dead_code, reason = "the tests use more of the files")]
#[path = "../../crates/gltf/tests/all/gltf_file.rs"]
mod gltf_file;
#[path = "../../crates/gltf/tests/all/gltf_text.rs"]
mod gltf_text;
#[allow(dead_code, reason = "the tests use more of the model")]
#[path = "../../tests/all/model/mod.rs"]
mod model;
#[path = "../../crates/gltf/tests/all/characters/small.rs"]
mod small;

use arbitrary::{Arbitrary, Unstructured};
use drivers::Input;

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

/// See `tests/all/drivers/edits.rs`.
pub fn edits(bytes: &[u8]) {
    drivers::edits::run(&structured(bytes));
}

/// See `tests/all/drivers/batches.rs`.
pub fn batches(bytes: &[u8]) {
    drivers::batches::run(&structured(bytes));
}

/// See `tests/all/drivers/visit_mutate.rs`.
pub fn visit_mutate(bytes: &[u8]) {
    drivers::visit_mutate::run(&structured(bytes));
}

/// See `tests/all/drivers/snapshot.rs`.
pub fn snapshot(bytes: &[u8]) {
    drivers::snapshot::run(&structured(bytes));
}

/// See `tests/all/drivers/patch.rs`.
pub fn patch(bytes: &[u8]) {
    drivers::patch::run(&structured(bytes));
}

/// See `tests/all/drivers/clip.rs`.
pub fn clip(bytes: &[u8]) {
    drivers::clip::run(&structured(bytes));
}

/// See `tests/all/drivers/skeleton.rs`.
pub fn skeleton(bytes: &[u8]) {
    drivers::skeleton::run(&structured(bytes));
}

/// See `tests/all/drivers/skin.rs`.
pub fn skin(bytes: &[u8]) {
    drivers::skin::run(&structured(bytes));
}

/// See `tests/all/drivers/text.rs`; bytes that look like JSON are passed on as they are.
pub fn serde(bytes: &[u8]) {
    drivers::text::run(bytes);
}

/// See `crates/gltf/tests/all/driver.rs`; bytes that look like a file are passed on unstructured.
pub fn gltf(bytes: &[u8]) {
    driver::run(bytes);
}
