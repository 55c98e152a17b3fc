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
//!
//! In pieces: `HEDGEROW_HOSTILE_FROM` is the number of the first variant, 0 unless it is set, and `HEDGEROW_HOSTILE_ONLY`
//! names the one kind that is taken, or the one model by a part of its path.
#![allow(unsafe_code, reason = "memory cannot be counted otherwise")]

mod bend;
#[path = "../all/model/checksum.rs"]
mod checksum;
#[cfg(feature = "serde")]
#[path = "../all/drivers/json.rs"]
mod json;
mod kinds;
mod memory;

use kinds::Kind;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// No variant takes longer on the slowest machine. Where the system tells, the time is that of the processor, not the
/// clock's: others may have the machine to themselves for minutes.
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

/// How long the processor has worked for this program, if the system tells.
fn worked() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Hundredths of a second in user mode and in the system are the 12th and 13th word behind the program's name.
    let (_, words) = text.rsplit_once(") ")?;
    let ticks = |at| words.split(' ').nth(at)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}

/// Reads every variant of a file on a thread of its own, and watches that none takes too long.
fn run(kind: &'static Kind, files: &[Vec<u8>], number: usize, variants: Range<u64>) -> Result {
    let (tell, told) = channel();
    let files = files.to_vec();
    let work = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let mut result = Result::default();
        for variant in variants {
            let bytes = bend::variant(&files, number, variant, kind);
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
    let (mut last, mut since) = (None, None);
    loop {
        match told.recv_timeout(LIMIT) {
            Ok(variant) => (last, since) = (Some(variant), None),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => match (since, worked()) {
                (None, Some(now)) => since = Some(now),
                (Some(before), Some(now)) if now.saturating_sub(before) < LIMIT => {}
                _ => panic!("the variant after {last:?} of {} takes {LIMIT:?}", kind.name),
            },
        }
    }
    work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The numbers of the variants, or of the share of them that the short form takes of a model that is not shipped.
fn variants(share: u64) -> Range<u64> {
    let number =
        |name, default| std::env::var(name).map_or(default, |count| count.parse().expect("a number of variants"));
    let first = number("HEDGEROW_HOSTILE_FROM", 0);
    first..first + number("HEDGEROW_HOSTILE", SHORT / share)
}

/// Whether a kind, or a model, is to be taken.
fn is_asked_for(name: &str) -> bool {
    std::env::var("HEDGEROW_HOSTILE_ONLY").map_or(true, |only| name.contains(&only))
}

#[test]
fn saved_bytes_that_were_changed_are_refused_or_work() {
    run_all(kinds::SAVED);
}

#[cfg(feature = "serde")]
#[test]
fn readable_scenes_that_were_changed_are_refused_or_work() {
    run_all(&[kinds::READABLE]);
}

/// Runs the variants of all files of some kinds.
fn run_all(kinds: &'static [Kind]) {
    for kind in kinds.iter().filter(|kind| is_asked_for(kind.name)) {
        let files = (kind.files)();
        for number in 0..files.len() {
            let result = run(kind, &files, number, variants(1));
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
    // The short form leaves out what takes long to read.
    let read = |path: PathBuf| (std::fs::read(&path).expect("a model"), path);
    let (files, paths): (Vec<Vec<u8>>, Vec<PathBuf>) =
        paths.into_iter().map(read).filter(|(bytes, _)| long || bytes.len() < 100_000).unzip();
    let (mut models, mut taken, mut refused, mut most) = (0, 0, 0, 0);
    for (number, path) in paths.iter().enumerate() {
        if !is_asked_for(&path.to_string_lossy()) {
            continue;
        }
        let share = if number < shipped { 1 } else { 15 };
        let result = run(&kinds::GLTF, &files, number, variants(share));
        (models, taken, refused) = (models + 1, taken + result.taken, refused + result.refused);
        most = most.max(result.most);
    }
    println!("{models} models: {taken} taken, {refused} refused, {most} B at most");
    assert!(models == 0 || taken > 0 && refused > 0);
}
