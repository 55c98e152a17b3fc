//! Runs variants of a file, and watches what each takes.

use crate::memory;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Makes the variant of a number: given all files, which of them it is of, the number, and whether they are sealed.
pub(crate) type Change = fn(&[Vec<u8>], usize, u64, bool) -> Vec<u8>;

/// A kind of file.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Whether it has the header with a checksum.
    pub(crate) sealed: bool,
    pub(crate) change: Change,
    /// What may be in use at a time while it is read, as a multiple of the file, besides `spare` bytes.
    pub(crate) multiple: f64,
    pub(crate) spare: usize,
    pub(crate) files: fn() -> Vec<Vec<u8>>,
    /// Reads and uses it. Returns whether it was taken.
    pub(crate) read: fn(&[u8]) -> bool,
}

/// No variant takes longer on the slowest machine. Where the system tells, the time is that of the processor, not the
/// clock's: others may have the machine to themselves for minutes.
const LIMIT: Duration = Duration::from_secs(60);

/// How many variants of each file the short form takes.
const SHORT: u64 = 300;

/// What became of the variants of a file.
#[derive(Default)]
pub(crate) struct Result {
    pub(crate) taken: u64,
    pub(crate) refused: u64,
    /// The greatest memory in use at a time beyond what each may have, as a multiple of the file.
    multiple: f64,
    /// The same as bytes, all of them.
    pub(crate) most: usize,
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
pub(crate) fn run(kind: &'static Kind, files: &[Vec<u8>], number: usize, variants: Range<u64>) -> Result {
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

/// The numbers of the variants, or of the share of them that the short form takes of a model that is not shipped.
pub(crate) fn variants(share: u64) -> Range<u64> {
    let number =
        |name, default| std::env::var(name).map_or(default, |count| count.parse().expect("a number of variants"));
    let first = number("HEDGEROW_HOSTILE_FROM", 0);
    first..first + number("HEDGEROW_HOSTILE", SHORT / share)
}

/// Whether a kind, or a model, is to be taken.
pub(crate) fn is_asked_for(name: &str) -> bool {
    std::env::var("HEDGEROW_HOSTILE_ONLY").map_or(true, |only| name.contains(&only))
}
