//! Libraries and patches as bytes.

use crate::random::run_corpus;
use hedgerow::Tree;
use hedgerow::snapshot::SnapshotError;
use hedgerow_document::{Entry, Field, Key, Library, Patch, Value};
use hedgerow_testkit::checksum::set_checksum;
use hedgerow_testkit::drivers;

#[test]
fn bytes_are_read_as_what_they_are_alone() {
    let (library, patch) = (Library::new().to_bytes(), Patch::new().to_bytes());
    assert_eq!(Library::from_bytes(&patch), Err(SnapshotError::Kind { found: "Patch" }));
    assert_eq!(Patch::from_bytes(&library), Err(SnapshotError::Kind { found: "Library" }));
    assert_eq!(Tree::from_bytes(&library), Err(SnapshotError::Kind { found: "Library" }));
}

#[test]
fn statements_are_read_in_any_order_but_each_once() {
    let unused = |id: u64| Entry { key: Key::new("lamp", id, Field::Use), before: None, after: Some(Value::Use(None)) };
    let patch = Patch::from_entries(vec![unused(1), unused(2)]).unwrap();
    let bytes = patch.to_bytes();
    // Of each of the two groups at the end: definition, count of ids, id, mask, count of own data, use.
    let [first, second] = [bytes.len() - 10, bytes.len() - 4];
    assert_eq!([bytes[first], bytes[second]], [1, 2]);
    let read = |ids: [u8; 2]| {
        let mut bytes = bytes.clone();
        [bytes[first], bytes[second]] = ids;
        set_checksum(&mut bytes);
        Patch::from_bytes(&bytes)
    };
    assert_eq!(read([2, 1]), Ok(patch));
    assert!(matches!(read([1, 1]), Err(SnapshotError::Invalid { .. })));
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn kept_bytes_are_safe() {
    run_corpus("library_bytes", drivers::library::bytes);
}
