//! Runs variants of a file, and limits the memory and time of each.

pub mod bend;

use crate::memory;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Makes a variant: given all files, the index of one, the variant's number, and whether files have a checksum.
pub type Change = fn(&[Vec<u8>], usize, u64, bool) -> Vec<u8>;

/// A kind of file.
pub struct Kind {
    pub name: &'static str,
    /// Whether the file has the header with a checksum.
    pub sealed: bool,
    pub change: Change,
    /// The memory limit of reading, as a multiple of the file, in addition to `spare` bytes.
    pub multiple: f64,
    pub spare: usize,
    pub files: fn() -> Vec<Vec<u8>>,
    /// Reads the file and uses the result. Returns whether the file was accepted.
    pub read: fn(&[u8]) -> bool,
}

/// The time limit of a variant on the slowest machine. It is processor time where the system reports that, because
/// other programs may occupy the machine for minutes.
const LIMIT: Duration = Duration::from_secs(60);

/// The number of variants of each file in the short form.
const SHORT: u64 = 300;

/// The results of the variants of a file.
#[derive(Default)]
pub struct Result {
    pub taken: u64,
    pub refused: u64,
    /// The greatest memory in use beyond `spare` bytes, as a multiple of the file.
    pub multiple: f64,
    /// The greatest memory in use in bytes.
    pub most: usize,
}

/// Returns the processor time of this program, if the system reports it.
fn worked() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The 12th and 13th word after the program's name are hundredths of a second in user mode and in the system.
    let (_, words) = text.rsplit_once(") ")?;
    let ticks = |at| words.split(' ').nth(at)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}

/// Reads every variant of a file on its own thread, and checks that none takes too long.
pub fn run(kind: &'static Kind, files: &[Vec<u8>], number: usize, variants: Range<u64>) -> Result {
    let (tell, told) = channel();
    let files = files.to_vec();
    let work = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let mut result = Result::default();
        for variant in variants {
            let bytes = (kind.change)(&files, number, variant, kind.sealed);
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

/// Returns the numbers of the variants. In the short form, a model that is not shipped gets one in `share`.
pub fn variants(share: u64) -> Range<u64> {
    let number =
        |name, default| std::env::var(name).map_or(default, |count| count.parse().expect("a number of variants"));
    let first = number("HEDGEROW_HOSTILE_FROM", 0);
    first..first + number("HEDGEROW_HOSTILE", SHORT / share)
}

/// Returns whether a kind or a model is selected.
pub fn is_asked_for(name: &str) -> bool {
    std::env::var("HEDGEROW_HOSTILE_ONLY").map_or(true, |only| name.contains(&only))
}
