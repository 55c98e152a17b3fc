//! Libraries and patches as bytes.

use crate::random::{edits, library, run_corpus, seeds};
use fastrand::Rng;
use hedgerow::Tree;
use hedgerow::snapshot::SnapshotError;
use hedgerow_document::{Library, Patch};
use hedgerow_testkit::{drivers, forged};

#[test]
fn bytes_are_read_as_what_they_are_alone() {
    let (library, patch) = (Library::new().to_bytes(), Patch::new().to_bytes());
    assert_eq!(Library::from_bytes(&patch), Err(SnapshotError::Kind { found: "Patch" }));
    assert_eq!(Patch::from_bytes(&library), Err(SnapshotError::Kind { found: "Library" }));
    assert_eq!(Tree::from_bytes(&library), Err(SnapshotError::Kind { found: "Library" }));
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn any_bytes_are_safe() {
    run_corpus("library_bytes", drivers::library::bytes);
    for seed in seeds(100) {
        let rng = &mut Rng::with_seed(seed);
        let base = library(rng);
        for mut bytes in [base.to_bytes(), edits(rng, &base, 12, true).to_bytes()] {
            bytes.drain(..32);
            for _ in 0..4 {
                forged::bend(&mut bytes, core::array::from_fn(|_| rng.u8(..)));
                drivers::library::bytes(&bytes);
            }
        }
    }
}
