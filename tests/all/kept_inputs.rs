//! Inputs of fuzz targets: past failures (`fuzz/regressions`), and inputs that reach most code (`fuzz/corpus`).

use fastrand::Rng;
use hedgerow_testkit::{Input, drivers};
use std::fs;
use std::path::{Path, PathBuf};

/// A target's name, and its driver.
type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("animator", |bytes| drivers::animator::run(&Input::from_bytes(bytes))),
    ("edits", |bytes| drivers::edits::run(&Input::from_bytes(bytes))),
    ("batches", |bytes| drivers::batches::run(&Input::from_bytes(bytes))),
    ("visit_mutate", |bytes| drivers::visit_mutate::run(&Input::from_bytes(bytes))),
    ("restore", |bytes| drivers::restore::run(&Input::from_bytes(bytes))),
    ("snapshot", |bytes| drivers::snapshot::run(&Input::from_bytes(bytes))),
    ("clip", |bytes| drivers::clip::run(&Input::from_bytes(bytes))),
    ("skeleton", |bytes| drivers::skeleton::run(&Input::from_bytes(bytes))),
    ("skin", |bytes| drivers::skin::run(&Input::from_bytes(bytes))),
    ("triangles", |bytes| drivers::triangles::run(&Input::from_bytes(bytes))),
    #[cfg(feature = "serde")]
    ("serde", drivers::text::run),
];

/// Returns the files of a folder in order, or none if the folder does not exist.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.sort();
    files
}

/// Runs all inputs of a kind. Returns the number of inputs per target.
fn run_all(kind: &str) -> Vec<(&'static str, usize)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz").join(kind);
    let run_each = |&(name, run): &Target| {
        let files = files(&folder.join(name));
        for file in &files {
            println!("{}", file.display());
            run(&fs::read(file).expect("a readable file"));
        }
        (name, files.len())
    };
    TARGETS.iter().map(run_each).collect()
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn inputs_that_once_failed_pass() {
    let counts = run_all("regressions");
    assert!(counts.iter().any(|&(_, count)| count > 0), "there are no regressions to run");
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "needs files")]
fn the_corpora_of_the_fuzz_targets_pass() {
    let counts = run_all("corpus");
    assert!(counts.iter().all(|&(_, count)| count > 0), "a corpus is missing: {counts:?}");
}

#[test]
fn random_inputs_pass() {
    for (seed, &(name, run)) in (0..).zip(TARGETS) {
        let mut dice = Rng::with_seed(seed);
        for turn in 0..40 {
            let mut bytes: Vec<u8> = (0..dice.usize(1..2_000)).map(|_| dice.u8(..)).collect();
            // Odd bytes continue the list of steps, wherever steps start.
            if turn % 2 == 0 {
                bytes.iter_mut().for_each(|byte| *byte |= 1);
            }
            println!("{name}, {turn}");
            run(&bytes);
        }
    }
}

#[test]
fn inputs_are_read_as_documented() {
    let input = Input::<2, 3>::from_bytes(&[7, 8, 1, 10, 11, 12, 255, 13]);
    assert_eq!(input, Input { head: [7, 8], steps: vec![[10, 11, 12], [13, 0, 0]] });
    assert_eq!(Input::<2, 3>::from_bytes(&[9]), Input { head: [9, 0], steps: vec![] });
    assert_eq!(Input::<1, 1>::from_bytes(&[0, 2, 1, 5]), Input { head: [0], steps: vec![] }, "an even byte ends it");
}
