//! Plays random games with rollback: see `crates/testkit/src/drivers/restore.rs`. What fails is reduced.

use crate::Options;
use crate::reduce::reduced;
use fastrand::Rng;
use hedgerow_testkit::drivers::restore::{Input, play};
use hedgerow_testkit::model::{Mismatch, decode};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::time::{Duration, Instant};

/// The most steps of a game, which is also limited by `--steps`.
const MOST_STEPS: usize = 120;

/// Returns the game of a seed.
fn game(seed: u64, most_steps: usize) -> Input {
    let mut dice = Rng::with_seed(seed);
    let head = core::array::from_fn(|_| dice.u8(..));
    let count = dice.usize(1..=most_steps.min(MOST_STEPS));
    let steps = (0..count).map(|_| core::array::from_fn(|_| dice.u8(..))).collect();
    Input { head, steps }
}

/// Plays a game. A panic is a mismatch, too.
fn check(input: &Input) -> Result<usize, String> {
    let played = catch_unwind(AssertUnwindSafe(|| play(input)));
    match played {
        Ok((oracle, Ok(()))) => Ok(oracle.counts.edits),
        Ok((_, Err(Mismatch(told)))) => Err(told),
        Err(_) => Err("a panic".into()),
    }
}

/// Plays `--count` games, and reduces the first that fails.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    let (start, mut told, mut edits) = (Instant::now(), Instant::now(), 0);
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    for seed in options.seed..options.seed + options.count {
        let input = game(seed, options.steps);
        match check(&input) {
            Ok(more) => edits += more,
            Err(mismatch) => {
                let head = input.head;
                let steps = reduced(input.steps, |steps| check(&Input { head, steps: steps.to_vec() }).is_err());
                let least = Input { head, steps };
                set_hook(hook);
                let why = check(&least).err().unwrap_or(mismatch);
                let told = |bytes: &[u8; decode::STEP_BYTES]| {
                    format!("{bytes:?} {:.150}", format!("{:?}", decode::step(bytes)))
                };
                let steps: Vec<String> = least.steps.iter().map(told).collect();
                println!("{head:?}\n{}\n{why}", steps.join("\n"));
                return Err(format!("the game with --seed {seed} --count 1 fails, the least of it is above"));
            }
        }
        if told.elapsed() > Duration::from_secs(20) {
            told = Instant::now();
            println!("{edits} edits in {} s, next seed {}", start.elapsed().as_secs(), seed + 1);
        }
    }
    set_hook(hook);
    println!("{} games of {edits} edits in {} s, all as the model says", options.count, start.elapsed().as_secs());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{check, game};

    #[test]
    fn games_with_rollback_end_as_if_they_had_never_gone_back() {
        for seed in 0..60 {
            assert!(check(&game(seed, 120)).is_ok(), "seed {seed}");
        }
    }
}
