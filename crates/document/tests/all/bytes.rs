//! Libraries and patches as bytes.

use crate::random::{edits, library, seeds};
use fastrand::Rng;
use hedgerow_document::{Library, Patch};

#[test]
fn any_library_and_any_patch_are_read_as_they_were_written() {
    for seed in seeds(200) {
        let rng = &mut Rng::with_seed(seed);
        let base = library(rng);
        let bytes = base.to_bytes();
        let again = Library::from_bytes(&bytes).unwrap_or_else(|error| panic!("{seed}: {error}"));
        assert_eq!(again, base, "{seed}");
        assert_eq!(again.to_bytes(), bytes);
        let patch = edits(rng, &base, 12, true);
        assert_eq!(Patch::from_bytes(&patch.to_bytes()), Ok(patch), "{seed}");
    }
}
