//! Merges of two patches.

use crate::random::{edits, library};
use fastrand::Rng;
use hedgerow_document::{Conflict, Key, Library, Patch};
use std::collections::BTreeSet;

#[test]
fn any_two_patches_merge_into_one_that_their_library_accepts() {
    let mut reached = [0; 4];
    for seed in 0..3000 {
        let rng = &mut Rng::with_seed(seed);
        let base = library(rng);
        let [ours, theirs] = [(); 2].map(|()| edits(rng, &base, 12, seed % 2 == 0));
        let merged = Patch::merge(&base, &ours, &theirs).unwrap();
        let mut result = base.clone();
        result.apply(&merged.patch).unwrap_or_else(|error| panic!("{seed}: {error}"));
        _ = &mut reached;
    }
}
