//! Files of others: glTF, and everything that the crate writes as bytes, with bits and bytes changed, ends cut off,
//! pieces moved, doubled and taken from other files. Each is refused with an error or makes something that works: no
//! panic, no hang, and no more memory than a stated multiple of the file.
//!
//! The short form takes a few hundred variants of each kind. The long form takes as many as the environment variable
//! `HEDGEROW_HOSTILE` says, of each kind and of each model in `HEDGEROW_GLTF_DIR`:
//!
//! ```text
//! HEDGEROW_HOSTILE=100000 HEDGEROW_GLTF_DIR=... cargo test --release --all-features --test hostile -- --nocapture
//! ```
#![allow(unsafe_code, reason = "memory cannot be counted otherwise")]

mod bend;
#[path = "../all/model/checksum.rs"]
mod checksum;
mod kinds;
mod memory;

use kinds::Kind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// No variant takes longer, on the slowest machine and with others on it.
const LIMIT: Duration = Duration::from_secs(60);

/// How many variants of each file the short form takes.
const SHORT: u64 = 300;

/// What became of the variants of a file.
#[derive(Default)]
struct Result {
    taken: u64,
    refused: u64,
    /// The greatest memory in use at a time beyond what each may have, as a multiple of the file.
    multiple: f64,
    /// The same as bytes, all of them.
    most: usize,
}

/// Reads every variant of a file on a thread of its own, and watches that none takes too long.
fn run(kind: &'static Kind, files: &[Vec<u8>], number: usize, variants: u64) -> Result {
    let (tell, told) = channel();
    let files = files.to_vec();
    let work = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let mut result = Result::default();
        for variant in 0..variants {
            let bytes = bend::variant(&files, number, variant, kind.sealed);
            let before = memory::begin();
            let read = catch_unwind(AssertUnwindSafe(|| (kind.read)(&bytes)));
            let used = memory::peak_since(before);
            let Ok(read) = read else { panic!("variant {variant} of {} panics", kind.name) };
            match read {
                true => result.taken += 1,
                false => result.refused += 1,
            }
            result.most = result.most.max(used);
            let spare = used.saturating_sub(kind.spare);
            #[expect(clippy::cast_precision_loss, reason = "a ratio to be printed")]
            let multiple = spare as f64 / bytes.len().max(1) as f64;
            assert!(
                multiple <= kind.multiple,
                "variant {variant} of {}: {used} bytes for a file of {}",
                kind.name,
                bytes.len()
            );
            result.multiple = result.multiple.max(multiple);
            tell.send(variant).expect("somebody waits");
        }
        result
    });
    let work = work.expect("a thread");
    let mut last = None;
    loop {
        match told.recv_timeout(LIMIT) {
            Ok(variant) => last = Some(variant),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => panic!("the variant after {last:?} of {} takes {LIMIT:?}", kind.name),
        }
    }
    work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn variants() -> u64 {
    std::env::var("HEDGEROW_HOSTILE").map_or(SHORT, |count| count.parse().expect("a number of variants"))
}

#[test]
fn saved_bytes_that_were_changed_are_refused_or_work() {
    for kind in kinds::SAVED {
        let files = (kind.files)();
        for number in 0..files.len() {
            let result = run(kind, &files, number, variants());
            println!(
                "{:<10} {:>7} B: {:>6} taken, {:>6} refused, {:>7} B at most",
                kind.name,
                files[number].len(),
                result.taken,
                result.refused,
                result.most
            );
            assert!(result.refused > 0, "no variant of {} is refused: nothing was changed", kind.name);
            assert!(result.taken > 0, "no variant of {} is taken: nothing behind the header was tested", kind.name);
        }
    }
}

/// All glTF files in a folder and below, in order.
fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "glb" || extension == "gltf") {
            found.push(path);
        }
    }
}

#[cfg(feature = "gltf")]
#[test]
fn gltf_files_that_were_changed_are_refused_or_work() {
    let mut paths = Vec::new();
    models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models"), &mut paths);
    assert!(!paths.is_empty(), "the models of this crate are not there");
    let shipped = paths.len();
    if let Some(folder) = std::env::var_os("HEDGEROW_GLTF_DIR") {
        models(&Path::new(&folder).join("models"), &mut paths);
    }
    let long = std::env::var_os("HEDGEROW_HOSTILE").is_some();
    let mut files = Vec::new();
    for path in &paths {
        let bytes = std::fs::read(path).expect("a model");
        // The short form leaves out what takes long to read.
        if long || bytes.len() < 100_000 {
            files.push(bytes);
        }
    }
    let (mut taken, mut refused, mut most) = (0, 0, 0);
    for number in 0..files.len() {
        let few = if number < shipped || long { variants() } else { variants() / 15 };
        let result = run(&kinds::GLTF, &files, number, few);
        (taken, refused, most) = (taken + result.taken, refused + result.refused, most.max(result.most));
    }
    println!("{} models: {taken} taken, {refused} refused, {most} B at most", files.len());
    assert!(taken > 0 && refused > 0);
}
