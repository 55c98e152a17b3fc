//! Every experiment at a small size: both sides do their work once, and agree.

use hedgerow_experiments::front::{Calls, Scale};
use hedgerow_experiments::heap::Counting;
use hedgerow_experiments::rounds::{Rounds, Trial};
use hedgerow_experiments::{Case, Failure, Front, Outcome, experiments};
use std::sync::{Mutex, PoisonError};

/// Some experiments report memory.
#[global_allocator]
static HEAP: Counting = Counting;

/// Has every side work once, and checks what that comes to. Takes no times.
#[derive(Default)]
struct Check {
    /// How many cases were checked.
    cases: usize,
}

impl Front for Check {
    fn scale(&self) -> Scale {
        Scale::Tiny
    }

    fn calls<A, B>(&mut self, calls: Calls<'_, A, B>, check: impl FnOnce(&mut A, &mut B) -> Outcome) -> Outcome {
        let (a, b) = calls.sides;
        (calls.ours)(a);
        (calls.baseline)(b);
        self.cases += 1;
        check(a, b).map_err(|error| format!("{}: {error}", calls.case.name).into())
    }

    fn rounds<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        rounds: &Rounds<'_, PARTS>,
        trial: &mut T,
    ) -> Result<Option<Vec<[f64; PARTS]>>, Failure> {
        let named = |error: Failure| Failure::from(format!("{}: {error}", rounds.parts[0]));
        for number in 0..2 {
            if number > 0 {
                trial.renew(number).map_err(named)?;
            }
            for _ in 0..2 {
                trial.begin();
                for way in 0..rounds.ways.len() {
                    trial.prepare(way);
                    let times = trial.play(way);
                    assert!(times.iter().all(|time| time.is_finite() && *time >= 0.0));
                }
                trial.check().map_err(named)?;
            }
            trial.check_last().map_err(named)?;
        }
        self.cases += PARTS;
        Ok(None)
    }

    fn alone(&mut self, _: &str, _: usize, _: usize, mut work: impl FnMut()) {
        work();
        self.cases += 1;
    }

    fn report(&mut self, case: &Case<'_>, ours: f64, baseline: f64) -> Outcome {
        if ours > 0.0 && baseline > 0.0 {
            self.cases += 1;
            return Ok(());
        }
        Err(format!("{}: {ours} and {baseline} are counted", case.name).into())
    }

    fn curve(&mut self, case: &Case<'_>, ours: &[f64], baseline: &[f64]) -> Outcome {
        let is_whole = |figures: &[f64]| !figures.is_empty() && figures.iter().all(|figure| *figure > 0.0);
        if is_whole(ours) && is_whole(baseline) && ours.len() == baseline.len() {
            self.cases += 1;
            return Ok(());
        }
        Err(format!("{}: the curves {ours:?} and {baseline:?}", case.name).into())
    }

    fn on_one_thread(&mut self, work: impl FnOnce(&mut Self) -> Result<(), String> + Send) -> Outcome {
        Ok(work(self)?)
    }
}

/// One experiment at a time: what the allocator counts is of all threads.
static ALONE: Mutex<()> = Mutex::new(());

/// Fails unless an experiment has cases, and all of them agree.
fn run(name: &str, experiment: fn(&mut Check) -> Outcome) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut check = Check::default();
    if let Err(error) = experiment(&mut check) {
        panic!("{name}: {error}");
    }
    assert!(check.cases > 0, "{name} has no cases");
}

#[test]
fn both_sides_of_every_experiment_agree() {
    for experiment in experiments::all() {
        run(experiment.name, experiment.run);
    }
}

#[test]
fn authored_clips_are_sampled_as_the_searching_player_does() {
    run("raw-clips", experiments::raw_clips::run);
}
