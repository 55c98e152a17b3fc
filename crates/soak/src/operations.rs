//! Makes random edits and batches on a scene and on the naive model.
//!
//! The result of each edit is compared, and so is the whole scene after each update and after every `--every` steps. A
//! hundred million edits take about an hour; if scenes have few steps, comparing after each step takes about as long.
//! The seed and the greatest number of steps determine all edits; each scene has its own policy and mode. If a scene
//! differs from the model, its steps are reduced to a few with which it still differs. They are an input of a fuzz
//! target, for `fuzz/regressions`.

use crate::Options;
use crate::reduce::reduced;
use fastrand::Rng;
use hedgerow_testkit::model::oracle::{Counts, Oracle, from_bytes};
use hedgerow_testkit::model::{Check, Mismatch, Step, decode};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, iter};

/// Returns random bytes, like the input of a fuzz target.
fn bytes<const N: usize>(dice: &mut Rng) -> [u8; N] {
    let mut bytes = [0; N];
    dice.fill(&mut bytes);
    bytes
}

/// The input of one scene, in the form of the fuzz targets: a policy, a mode and steps.
struct Input {
    /// Whether the steps are batches and queues, instead of single edits of all kinds.
    is_batches: bool,
    policy: [u8; decode::POLICY_BYTES],
    steps: Vec<[u8; decode::STEP_BYTES]>,
}

impl Input {
    fn of_seed(seed: u64, most_steps: usize) -> Self {
        let mut dice = Rng::with_seed(seed);
        let policy = bytes(&mut dice);
        let steps = (0..dice.usize(1..=most_steps)).map(|_| bytes(&mut dice)).collect();
        Self { is_batches: !seed.is_multiple_of(2), policy, steps }
    }

    /// Returns the name of the fuzz target that takes this input.
    fn target(&self) -> &'static str {
        if self.is_batches { "batches" } else { "edits" }
    }

    /// Plays steps, and compares everything after every `every` steps. A panic is a mismatch, too.
    fn play(&self, steps: &[[u8; decode::STEP_BYTES]], every: usize) -> (Counts, Check) {
        let mut oracle: Oracle = from_bytes(self.policy);
        let played = catch_unwind(AssertUnwindSafe(|| {
            if self.is_batches {
                oracle.run_batches(steps, every)
            } else {
                let steps: Vec<Step> = steps.iter().map(decode::step).collect();
                oracle.run_sparsely(&steps, every)
            }
        }));
        (oracle.counts, played.unwrap_or_else(|_| Err(Mismatch("a panic, see above".into()))))
    }

    /// Returns a shortened input that still fails, as bytes, and the number of steps after which everything is
    /// compared. This number is 1 if the input also fails then.
    fn least(&self, every: usize) -> (Vec<u8>, usize) {
        let told = take_hook();
        set_hook(Box::new(|_| {}));
        // The failing run only updated the scene where it compared.
        let mut quiet = self.steps.clone();
        for (_, step) in quiet.iter_mut().enumerate().filter(|(number, _)| !number.is_multiple_of(every)) {
            step[1] |= decode::NO_UPDATE;
        }
        let all = [(quiet, 1), (self.steps.clone(), 1), (self.steps.clone(), every)];
        let fails = |steps: &[_], every| self.play(steps, every).1.is_err();
        let failing = all.into_iter().find(|(steps, every)| fails(steps, *every));
        let (steps, every) = failing.unwrap_or_else(|| (self.steps.clone(), every));
        let steps = reduced(steps, |steps| fails(steps, every));
        set_hook(told);
        (self.policy.into_iter().chain(steps.iter().flat_map(|step| iter::once(1).chain(*step))).collect(), every)
    }
}

/// Plays an input of a fuzz target again, and prints its steps.
fn replay(file: &Path) -> Result<(), String> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let Some((policy, rest)) = bytes.split_first_chunk() else { return Err("an input begins with a policy".into()) };
    let steps = rest.chunks_exact(1 + decode::STEP_BYTES).filter_map(|step| step[1..].try_into().ok()).collect();
    let is_batches = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("batches"));
    let input = Input { is_batches, policy: *policy, steps };
    println!("{:?}", from_bytes(input.policy).scene.config());
    let step = if is_batches { decode::batch_step } else { decode::step };
    input.steps.iter().enumerate().for_each(|(number, bytes)| println!("{number}: {:?}", step(bytes)));
    input.play(&input.steps, 1).1.map_err(|mismatch| mismatch.to_string())
}

/// Plays scenes until the requested number of edits is reached.
pub(crate) fn run(options: &Options) -> Result<(), String> {
    if let Some(file) = &options.play {
        return replay(file);
    }
    if let Some(folder) = &options.keep {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let start = Instant::now();
    let mut told = start;
    let mut totals = [Counts::default(); 2];
    let mut divergences = 0;
    for seed in options.seed.. {
        let input = Input::of_seed(seed, options.steps);
        let (counts, played) = input.play(&input.steps, options.every);
        let total = &mut totals[usize::from(seed % 2 == 1)];
        *total = total.plus(&counts);
        if let Err(mismatch) = played {
            println!("DIVERGENCE at --seed {seed} --every {} --steps {}: {mismatch}", options.every, options.steps);
            divergences += 1;
            if let Some(folder) = &options.keep {
                let file = folder.join(format!("{}-{seed}", input.target()));
                let (least, every) = input.least(options.every);
                fs::write(&file, least).map_err(|error| format!("{}: {error}", file.display()))?;
                println!("the least of it is in {}, compared after each {every}", file.display());
            }
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
