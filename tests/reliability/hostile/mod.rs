//! Hostile files: everything that is written as bytes or text, with bits and bytes changed, ends cut
//! off, pieces moved, copied and taken from other files. Each is refused with an error or gives a working value: no
//! panic, no hang, and memory of at most a stated multiple of the file.
//!
//! The short form tests a few hundred variants of each kind. For the long form, `HEDGEROW_HOSTILE` sets the number:
//!
//! ```text
//! HEDGEROW_HOSTILE=100000 cargo test --release --all-features --test reliability -- hostile:: --nocapture
//! ```
//!
//! To run a part, set `HEDGEROW_HOSTILE_FROM`, the number of the first variant (default 0), and
//! `HEDGEROW_HOSTILE_ONLY`, a part of the names of kinds. The test of this name in `crates/gltf` changes glTF files
//! likewise.

mod kinds;
#[cfg(feature = "serde")]
mod text;

use hedgerow_testkit::hostile::{Kind, is_asked_for, run, variants};

#[test]
fn saved_bytes_that_were_changed_are_refused_or_work() {
    run_all(kinds::SAVED);
}

#[cfg(feature = "serde")]
#[test]
fn text_and_documents_that_were_changed_are_refused_or_work() {
    run_all(text::READABLE);
}

/// Runs the variants of all files of some kinds.
fn run_all(kinds: &'static [Kind]) {
    for kind in kinds.iter().filter(|kind| is_asked_for(kind.name)) {
        let files = (kind.files)();
        for number in 0..files.len() {
            let result = run(kind, &files, number, variants(1));
            println!(
                "{:<16} {:>7} B: {:>6} taken, {:>6} refused, {:>7} B at most, {:.1} times the file",
                kind.name,
                files[number].len(),
                result.taken,
                result.refused,
                result.most,
                result.multiple
            );
            assert!(result.refused > 0, "no variant of {} is refused: nothing was changed", kind.name);
            assert!(result.taken > 0, "no variant of {} is taken: nothing behind the header was tested", kind.name);
        }
    }
}
