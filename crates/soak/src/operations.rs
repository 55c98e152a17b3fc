//! Random edits and batches on a scene and on the naive model.
//!
//! What each edit returns is compared, and all of the scene after each update and after every so many steps, which makes
//! a hundred million edits a matter of an hour. A run is given by its seed alone; it is a scene of its own, under a
//! policy and in a mode of its own.

use crate::Options;
use crate::model::oracle::{Counts, Oracle, from_bytes};
use crate::model::{Check, Step, decode};
use fastrand::Rng;
use std::time::{Duration, Instant};

/// The most steps on one scene.
const MOST_STEPS: usize = 1500;

/// Bytes as a fuzz target has them.
fn bytes<const N: usize>(dice: &mut Rng) -> [u8; N] {
    let mut bytes = [0; N];
    dice.fill(&mut bytes);
    bytes
}

/// Plays one scene: edits of all kinds where the seed is even, else batches and queues.
fn play(seed: u64, every: usize) -> (Counts, Check) {
    let mut dice = Rng::with_seed(seed);
    let mut oracle: Oracle = from_bytes(bytes(&mut dice));
    let steps: Vec<_> = (0..dice.usize(1..MOST_STEPS)).map(|_| bytes(&mut dice)).collect();
    let played = if seed.is_multiple_of(2) {
        let steps: Vec<Step> = steps.iter().map(decode::step).collect();
        oracle.run_sparsely(&steps, every)
    } else {
        oracle.run_batches(&steps, every)
    };
    (oracle.counts, played)
}

/// Plays scenes until so many edits were made.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let start = Instant::now();
    let mut told = start;
    let mut totals = [Counts::default(); 2];
    let mut divergences = 0;
    for seed in options.seed.. {
        let (counts, played) = play(seed, options.every);
        let total = &mut totals[usize::from(seed % 2 == 1)];
        *total = total.plus(&counts);
        if let Err(mismatch) = played {
            println!("DIVERGENCE at --seed {seed} --every {}: {mismatch}", options.every);
            divergences += 1;
        }
        let edits: usize = totals.iter().map(|total| total.edits).sum();
        let done = edits as u64 >= options.edits;
        if done || told.elapsed() > Duration::from_secs(20) {
            told = Instant::now();
            let seconds = start.elapsed().as_secs();
            println!(
                "{edits} edits in {seconds} s, next seed {}, {divergences} divergences; {}; {}",
                seed + 1,
                line("edits", &totals[0]),
                line("batches", &totals[1]),
            );
        }
        if done {
            break;
        }
    }
    if divergences > 0 { Err(format!("{divergences} scenes differ from the model")) } else { Ok(()) }
}

fn line(what: &str, counts: &Counts) -> String {
    let Counts { steps, edits, looks, structural, refused, updates, batches, .. } = counts;
    format!(
        "{what}: {edits} edits in {steps} steps, {structural} structural, {refused} edits refused, {batches} batches, \
         {updates} updates, {looks} whole comparisons"
    )
}
