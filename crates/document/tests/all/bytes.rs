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
fn a_key_is_in_each_side_of_a_patch_once() {
    let set = |id: u64, values: [Option<u32>; 2]| {
        let [before, after] = values.map(|material| material.map(|material| Value::Material(Some(material))));
        Entry { key: Key::new("lamp", id, Field::Material), before, after }
    };
    // If 2 becomes 3, the one side has 3 twice, the first time as the other side has it.
    let patch = Patch::from_entries(vec![set(2, [Some(7), None]), set(3, [Some(8), Some(7)])]).unwrap();
    let bytes = patch.to_bytes();
    let mut ids = 0;
    for at in (32..bytes.len()).filter(|&at| bytes[at] == 2) {
        let mut bytes = bytes.clone();
        bytes[at] = 3;
        set_checksum(&mut bytes);
        let read = Patch::from_bytes(&bytes);
        assert!(read.is_err(), "{at}: {read:?}");
        ids += usize::from(format!("{read:?}").contains("two"));
    }
    assert_eq!(ids, 1);
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn kept_bytes_are_safe() {
    run_corpus("library_bytes", drivers::library::bytes);
}
