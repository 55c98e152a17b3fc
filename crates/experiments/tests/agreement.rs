//! Runs every experiment at a small size: both sides work once, and agree.

use hedgerow_experiments::front::Scale;
use hedgerow_experiments::heap::Counting;
use hedgerow_experiments::rounds::{Pace, Trial};
use hedgerow_experiments::{Case, Failure, Front, Outcome, experiments};
use std::process::Command;

#[global_allocator]
static HEAP: Counting = Counting;

/// Runs both sides once and checks their results; takes no times.
#[derive(Default)]
struct Check {
    /// The number of cases checked.
    cases: usize,
}

impl Front for Check {
    fn scale(&self) -> Scale {
        Scale::Tiny
    }

    fn calls<A, B>(
        &mut self,
        case: Case<'_>,
        (a, b): (&mut A, &mut B),
        ours: fn(&mut A),
        baseline: fn(&mut B),
        check: impl FnOnce(&mut A, &mut B) -> Outcome,
    ) -> Outcome {
        ours(a);
        baseline(b);
        self.cases += 1;
        check(a, b).map_err(|error| format!("{}: {error}", case.name).into())
    }

    fn rounds<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        cases: &[Case<'_>; PARTS],
        _: Pace,
        trial: &mut T,
    ) -> Result<Option<[[f64; PARTS]; 2]>, Failure> {
        let named = |error: Failure| Failure::from(format!("{}: {error}", cases[0].name));
        for number in 0..2 {
            if number > 0 {
                trial.renew(number).map_err(named)?;
            }
            for _ in 0..2 {
                trial.begin();
                for way in 0..2 {
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

    fn report(&mut self, case: &Case<'_>, ours: f64, baseline: f64) -> Outcome {
        if ours > 0.0 && baseline > 0.0 {
            self.cases += 1;
            return Ok(());
        }
        Err(format!("{}: {ours} and {baseline} are counted", case.name).into())
    }
}

#[test]
fn both_sides_of_every_experiment_agree() {
    for experiment in experiments::all() {
        let mut check = Check::default();
        if let Err(error) = (experiment.run)(&mut check) {
            panic!("{}: {error}", experiment.name);
        }
        assert!(check.cases > 0, "{} has no cases", experiment.name);
    }
}

#[test]
fn the_program_prints_lines_and_refuses_other_names() {
    let run = |arguments: &[&str]| Command::new(env!("CARGO_BIN_EXE_measure")).args(arguments).output().unwrap();
    let lines = run(&["snapshot", "--tiny", "--json"]);
    assert!(lines.status.success());
    let text = String::from_utf8(lines.stdout).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains(r#""experiment":"snapshot""#)).count(), 3);
    assert_eq!(run(&["no-such-experiment"]).status.code(), Some(2));
}
