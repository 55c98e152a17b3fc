//! Plays many short sequences of edits, each on a scene of its own and on a model that keeps nothing but what was set.
//!
//! After each update the scene is validated, and worlds, layers, materials, children, previous worlds and what two
//! readers of changes report are compared with the model. Slices have 8 to 64 nodes or the default number, and the
//! history of changes is short, so that a few dozen nodes reach every branch of the update. Translations are whole
//! numbers, so world matrices have no rounding errors. A seed determines its sequence; what fails is reduced.

mod world;

use crate::Options;
use crate::reduce::reduced;
use fastrand::Rng;
use hedgerow::{Keep, SceneConfig, Visibility};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use world::{Check, World};

/// The most nodes that a sequence makes at the beginning, the most frames, and the most edits of a frame.
const MOST_NODES: usize = 40;
const MOST_FRAMES: usize = 10;
const MOST_EDITS: usize = 10;

/// A node of the model, by a number that is reduced to one that exists.
type Pick = u8;

#[derive(Clone, Copy, Debug)]
enum Step {
    Insert(Pick, u8, u8),
    Remove(Pick),
    Move {
        node: Pick,
        to: Pick,
        place: u8,
        keep: Keep,
    },
    Detach(Pick),
    SetLocal(Pick, Option<i8>),
    SetAnchored(Pick, bool),
    SetMaterial(Pick, Option<u32>),
    SetLayers(Pick, Option<u32>),
    SetVisibility(Pick, Visibility),
    SetUserData(Pick, u32),
    Update,
    Maintain(usize),
    Shrink,
    /// Sets every local transform of the slices whose number has a bit in the mask.
    Visit(u8, i8),
}

/// A configuration, the number of updates between two reads of each reader, and steps.
struct Sequence {
    config: SceneConfig,
    rhythms: [usize; 2],
    steps: Vec<Step>,
}

/// Returns the sequence of a seed.
fn sequence(seed: u64) -> Sequence {
    let mut dice = Rng::with_seed(seed);
    let max_nodes = match dice.u32(..116) {
        // Small slices are cut and merged more often, so every second sequence has them.
        some @ ..57 => 8 + some,
        57 => SceneConfig::DEFAULT.max_nodes,
        some => 8 + some % 8,
    };
    let change_history = [0, 1, 2, 40][dice.usize(..4)];
    let config = SceneConfig { max_nodes, change_history, changes: true, bounds: dice.bool() };
    let rhythms = [dice.usize(1..=3), dice.usize(1..=7)];
    let nodes = dice.usize(..=MOST_NODES);
    let mut steps: Vec<Step> = (0..nodes).map(|_| Step::Insert(dice.u8(..), dice.u8(..), dice.u8(..))).collect();
    for _ in 0..dice.usize(1..=MOST_FRAMES) {
        steps.extend((0..dice.usize(..=MOST_EDITS)).map(|_| step(&mut dice)));
        steps.push(Step::Update);
        // After the second update, matrices are at rest, and nothing may be left to report.
        steps.extend(dice.bool().then_some(Step::Update));
        steps.extend(dice.bool().then(|| Step::Maintain(if dice.bool() { usize::MAX } else { 0 })));
    }
    Sequence { config, rhythms, steps }
}

fn step(dice: &mut Rng) -> Step {
    let node = dice.u8(..);
    match dice.u8(..50) {
        ..14 => Step::Insert(node, dice.u8(..), dice.u8(..)),
        14..18 => Step::Remove(node),
        18..29 => {
            let keep = if dice.u8(..4) == 0 { Keep::World } else { Keep::Local };
            Step::Move { node, to: dice.u8(..), place: dice.u8(..), keep }
        }
        29..32 => Step::Detach(node),
        32..37 => Step::SetLocal(node, Some(dice.i8(..))),
        37..41 => Step::SetLocal(node, None),
        41 => Step::SetAnchored(node, dice.bool()),
        42..44 => Step::SetMaterial(node, dice.bool().then(|| dice.u32(..3))),
        44 => Step::SetLayers(node, dice.bool().then(|| dice.u32(..8))),
        45 => {
            Step::SetVisibility(node, [Visibility::Inherited, Visibility::Hidden, Visibility::Shown][dice.usize(..3)])
        }
        46 => Step::SetUserData(node, dice.u32(..3)),
        47 => Step::Shrink,
        48 => Step::Visit(dice.u8(..), dice.i8(..)),
        _ => Step::Update,
    }
}

impl Sequence {
    /// Plays steps in a new scene, and one update more. Returns what was told. A panic is an error, too.
    fn play_once(&self, steps: &[Step]) -> Check<String> {
        let played = catch_unwind(AssertUnwindSafe(|| {
            let mut world = World::new(self.config, self.rhythms)?;
            steps.iter().chain(&[Step::Update]).try_for_each(|&step| world.play(step))?;
            Ok(world.told)
        }));
        played.unwrap_or_else(|_| Err("a panic".into()))
    }

    #[cfg(not(feature = "rayon"))]
    fn play(&self, steps: &[Step]) -> Check {
        self.play_once(steps).map(drop)
    }

    /// Plays on one thread and on two; the same is reported, in the same order.
    #[cfg(feature = "rayon")]
    fn play(&self, steps: &[Step]) -> Check {
        thread_local! {
            static POOLS: [rayon::ThreadPool; 2] = [1, 2].map(|threads| {
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started")
            });
        }
        let [one, two] = POOLS.with(|pools| pools.each_ref().map(|pool| pool.install(|| self.play_once(steps))));
        let (one, two) = (one?, two?);
        if one == two {
            return Ok(());
        }
        let differ = one.lines().zip(two.lines()).find(|(one, two)| one != two);
        Err(format!("on one thread and on two: {differ:?}"))
    }
}

/// Plays sequences on this many threads, and reduces the first that fails.
pub(crate) fn run(options: &Options) -> Check {
    let start = Instant::now();
    let (next, end) = (AtomicU64::new(options.seed), options.seed + options.count);
    let told = take_hook();
    set_hook(Box::new(|_| {}));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return Ok(());
            }
            if seed.is_multiple_of(1_000_000) {
                println!("seed {seed} after {} s", start.elapsed().as_secs());
            }
            let sequence = sequence(seed);
            if let Err(message) = sequence.play(&sequence.steps) {
                next.store(end, Ordering::Relaxed);
                return Err((seed, message));
            }
        }
    };
    let failed = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.threads.max(1)).map(|_| scope.spawn(work)).collect();
        let ended = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|cause| resume_unwind(cause)));
        ended.filter_map(Result::err).min()
    });
    if let Some((seed, message)) = &failed {
        let sequence = sequence(*seed);
        let least = reduced(sequence.steps.clone(), |steps| sequence.play(steps).is_err());
        println!("{:?}, readers after {:?} updates\n{least:?}\n{message}", sequence.config, sequence.rhythms);
    }
    set_hook(told);
    let seconds = start.elapsed().as_secs_f64();
    match failed {
        Some((seed, _)) => Err(format!("the sequence with --seed {seed} --count 1 fails, the least of it is above")),
        None => {
            println!("{} sequences in {seconds:.1} s, none differs from the model", options.count);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sequence;

    #[test]
    fn short_sequences_of_edits_leave_what_the_model_says() {
        for seed in 0..200 {
            let sequence = sequence(seed);
            assert_eq!(sequence.play(&sequence.steps), Ok(()), "seed {seed}");
        }
    }
}
