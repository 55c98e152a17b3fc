//! Libraries and patches as bytes.

use crate::random::run_corpus;
use hedgerow::Tree;
use hedgerow::snapshot::SnapshotError;
use hedgerow_document::{Library, Patch};
use hedgerow_testkit::drivers;

#[test]
fn bytes_are_read_as_what_they_are_alone() {
    let (library, patch) = (Library::new().to_bytes(), Patch::new().to_bytes());
    assert_eq!(Library::from_bytes(&patch), Err(SnapshotError::Kind { found: "Patch" }));
    assert_eq!(Patch::from_bytes(&library), Err(SnapshotError::Kind { found: "Library" }));
    assert_eq!(Tree::from_bytes(&library), Err(SnapshotError::Kind { found: "Library" }));
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn kept_bytes_are_safe() {
    run_corpus("library_bytes", drivers::library::bytes);
}
