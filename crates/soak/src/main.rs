//! Long runs of a scene and of players, each of which ends with status 1 if it finds a defect.
//!
//! ```text
//! soak operations [--edits 1e8] [--seed 1] [--every 64]    random edits and batches against the naive model, compared
//!                 [--steps 1499]                           after every so many steps; the most steps of a scene
//!                 [--keep FOLDER]                          what fails is reduced, and put there
//!                 [--play FILE]                            such an input again (its name begins with its target's)
//! soak restores   [--count 1e5] [--seed 1] [--steps 120]   games with rollback, compared with the naive model, and with
//!                                                          games that never go back
//! soak cycles     [--count 1e7]                            nodes made and removed: memory stays as it is
//! soak frames     [--seconds 600] [--seed 1]               frames with random edits, each validated
//! soak players    [--days 1]                               the clocks of players, against double precision
//! ```
//!
//! With the feature `rayon`, a run is in a pool of `--threads` (2) threads. With `--cfg hedgerow_shared`, updates of
//! small scenes share their work, too.

mod cycles;
mod frames;
mod operations;
mod players;
mod reduce;
mod restores;

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;

/// Cycles compare what it counts with what a scene reports.
#[global_allocator]
static HEAP: hedgerow_testkit::memory::Heap = hedgerow_testkit::memory::Heap;

/// The options of the command line; each run uses those that it needs.
struct Options {
    edits: u64,
    seed: u64,
    every: usize,
    steps: usize,
    count: u64,
    seconds: u64,
    threads: usize,
    days: u32,
    keep: Option<PathBuf>,
    play: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("soak: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    use lexopt::prelude::{Long, Value, ValueExt};
    let mut options = Options {
        edits: 100_000_000,
        seed: 1,
        every: 64,
        steps: 1499,
        count: 10_000_000,
        seconds: 600,
        threads: 2,
        days: 1,
        keep: None,
        play: None,
    };
    let mut which = None;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next().map_err(text)? {
        match argument {
            Value(name) if which.is_none() => which = Some(name.string().map_err(text)?),
            Long("edits") => options.edits = number(&mut parser)?,
            Long("seed") => options.seed = number(&mut parser)?,
            Long("every") => options.every = usize::try_from(number(&mut parser)?).map_err(text)?.max(1),
            Long("steps") => options.steps = usize::try_from(number(&mut parser)?).map_err(text)?.max(1),
            Long("play") => options.play = Some(parser.value().map_err(text)?.into()),
            Long("keep") => options.keep = Some(parser.value().map_err(text)?.into()),
            Long("count") => options.count = number(&mut parser)?,
            Long("seconds") => options.seconds = number(&mut parser)?,
            Long("threads") => options.threads = usize::try_from(number(&mut parser)?).map_err(text)?,
            Long("days") => options.days = u32::try_from(number(&mut parser)?).map_err(text)?,
            other => return Err(other.unexpected().to_string()),
        }
    }
    on_threads(options.threads, || match which.as_deref() {
        Some("operations") => operations::run(&options),
        Some("restores") => restores::run(&options),
        Some("cycles") => cycles::run(options.count).map(|line| println!("{line}")),
        Some("frames") => frames::run(&options),
        Some("players") => players::run(options.days.saturating_mul(24)).map(|line| println!("{line}")),
        _ => Err("which run? operations, restores, cycles, frames or players".into()),
    })
}

/// Runs in a pool with this many threads.
#[cfg(feature = "rayon")]
fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started").install(run)
}

#[cfg(not(feature = "rayon"))]
fn on_threads<T>(_threads: usize, run: impl FnOnce() -> T) -> T {
    run()
}

fn text(error: impl Display) -> String {
    error.to_string()
}

/// Returns a whole number, which may be written like 1e8.
fn number(parser: &mut lexopt::Parser) -> Result<u64, String> {
    use lexopt::prelude::ValueExt;
    let word = parser.value().map_err(text)?.string().map_err(text)?;
    let parsed = match word.split_once('e') {
        Some((digits, zeros)) => digits.parse().ok().zip(zeros.parse().ok()).and_then(|(digits, zeros): (u64, u32)| {
            10_u64.checked_pow(zeros).and_then(|power| digits.checked_mul(power))
        }),
        None => word.parse().ok(),
    };
    parsed.ok_or_else(|| format!("'{word}' is not a number"))
}
