//! Clocks, medians, and the check that both sides did the same work.

use hedgerow_naive::{Kind, Side};
use std::error::Error;
use std::time::{Duration, Instant};

/// The least number of rounds of each side that a median is taken of.
const MIN_ROUNDS: usize = 7;
/// A case ends after this many rounds of each side, or after this time, whichever comes first.
const MAX_ROUNDS: usize = 201;
const BUDGET: Duration = Duration::from_millis(700);

/// How long one call takes, in nanoseconds.
pub(crate) fn nanoseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e9
}

/// The median; the upper one of two. Reorders the samples.
pub(crate) fn median(samples: &mut [f64]) -> f64 {
    let middle = samples.len() / 2;
    *samples.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Lets the two sides take turns at the same work, each turn of `repeats` calls, and returns the median nanoseconds of
/// one call of each. A first turn of each is not counted.
pub(crate) fn take_turns<A, B>(
    (a, b): (&mut A, &mut B),
    repeats: usize,
    work_a: fn(&mut A),
    work_b: fn(&mut B),
) -> (f64, f64) {
    let turn_a = |a: &mut A| nanoseconds(|| (0..repeats).for_each(|_| work_a(a)));
    let turn_b = |b: &mut B| nanoseconds(|| (0..repeats).for_each(|_| work_b(b)));
    turn_a(a);
    turn_b(b);
    let start = Instant::now();
    let (mut samples_a, mut samples_b) = (Vec::new(), Vec::new());
    while samples_a.len() < MIN_ROUNDS || (samples_a.len() < MAX_ROUNDS && start.elapsed() < BUDGET) {
        samples_a.push(turn_a(a));
        samples_b.push(turn_b(b));
    }
    let calls = repeats as f64;
    (median(&mut samples_a) / calls, median(&mut samples_b) / calls)
}

/// Does something with no other thread to share it with.
#[cfg(not(feature = "rayon"))]
pub(crate) fn on_one_thread<R>(work: impl FnOnce() -> R) -> Result<R, Box<dyn Error>> {
    Ok(work())
}

/// Does something with no other thread to share it with.
#[cfg(feature = "rayon")]
pub(crate) fn on_one_thread<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, Box<dyn Error>> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(work))
}

/// Fails unless both sides listed the same draws last.
pub(crate) fn same_draws(a: &impl Side, b: &impl Side, what: &str) -> Result<(), String> {
    let (a, b) = (a.draws(), b.draws());
    if a == b { Ok(()) } else { Err(format!("{what}: the draws of the two sides differ: {a:x?} and {b:x?}")) }
}

/// Fails unless both sides have the same world matrices.
pub(crate) fn same_worlds(a: &impl Side, b: &impl Side, kinds: &[Kind], what: &str) -> Result<(), String> {
    let (a, b) = (a.worlds(kinds), b.worlds(kinds));
    if a == b { Ok(()) } else { Err(format!("{what}: the world matrices of the two sides differ: {a:x?} and {b:x?}")) }
}
