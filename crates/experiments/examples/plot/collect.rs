//! Results: measured here, or read from what `measure --json` printed.

use hedgerow_experiments::clock::{median, nanoseconds};
use hedgerow_experiments::front::{Calls, Scale};
use hedgerow_experiments::rounds::{Rounds, Trial};
use hedgerow_experiments::{Case, Failure, Front, Outcome};
use indicatif::ProgressBar;
use std::time::{Duration, Instant};

/// One line of an experiment.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    experiment: String,
    pub(crate) case: String,
    pub(crate) nodes: f64,
    pub(crate) ours: f64,
    pub(crate) baseline: f64,
}

/// Figures of an experiment that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Curves {
    experiment: String,
    case: String,
    pub(crate) nodes: f64,
    pub(crate) ours: Vec<f64>,
    pub(crate) baseline: Vec<f64>,
}

/// All lines and curves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Results {
    lines: Vec<Line>,
    curves: Vec<Curves>,
}

impl Results {
    /// The lines of one case, by the number of nodes: the last one for each.
    pub(crate) fn of(&self, experiment: &str, case: &str) -> Vec<&Line> {
        let mut lines: Vec<&Line> =
            self.lines.iter().rev().filter(|line| line.experiment == experiment && line.case == case).collect();
        // Stable: of lines with as many nodes the last one that was read stays the first.
        lines.sort_by(|a, b| a.nodes.total_cmp(&b.nodes));
        lines.dedup_by(|a, b| a.nodes == b.nodes);
        lines
    }

    /// The curves of one case, of as many nodes as said, or of the most nodes: the last ones.
    pub(crate) fn curves(&self, experiment: &str, case: &str, nodes: Option<f64>) -> Option<&Curves> {
        let of_case = self.curves.iter().filter(|curves| curves.experiment == experiment && curves.case == case);
        let wanted = of_case.filter(|curves| nodes.is_none_or(|nodes| nodes == curves.nodes));
        wanted.max_by(|a, b| a.nodes.total_cmp(&b.nodes))
    }

    /// Adds the lines of a record.
    pub(crate) fn read(&mut self, text: &str) -> Result<(), Failure> {
        for line in text.lines().filter(|line| !line.is_empty()) {
            let missing = |name: &str| format!("a line without `{name}`: {line}");
            let value: serde_json::Value = serde_json::from_str(line)?;
            let text = |name: &str| value[name].as_str().map(String::from).ok_or_else(|| missing(name));
            let number = |name: &str| value[name].as_f64().ok_or_else(|| missing(name));
            if let Ok(peer) = text("peer") {
                // Of benches/peers: one side by itself.
                self.lines.push(Line {
                    experiment: format!("peers/{peer}/{}", number("threads")?),
                    case: format!("{}/{}", text("shape")?, text("work")?),
                    nodes: number("n")?,
                    ours: number("value")?,
                    baseline: f64::NAN,
                });
                continue;
            }
            if value["curve"].is_array() {
                let curve = |name: &str| -> Result<Vec<f64>, String> {
                    let figures = value[name].as_array().ok_or_else(|| missing(name))?;
                    figures.iter().map(|figure| figure.as_f64().ok_or_else(|| missing(name))).collect()
                };
                self.curves.push(Curves {
                    experiment: text("experiment")?,
                    case: text("case")?,
                    nodes: number("n")?,
                    ours: curve("curve")?,
                    baseline: curve("baseline_curve")?,
                });
                continue;
            }
            self.lines.push(Line {
                experiment: text("experiment")?,
                case: text("case")?,
                nodes: number("n")?,
                ours: number("ns")?,
                baseline: number("baseline_ns")?,
            });
        }
        Ok(())
    }
}

/// Measures for pictures: fewer turns than a table takes, by far fewer where it is to be quick.
pub(crate) struct Collect {
    experiment: &'static str,
    quick: bool,
    bar: ProgressBar,
    results: Results,
}

impl Collect {
    /// Adds the lines of an experiment to these.
    pub(crate) const fn new(experiment: &'static str, quick: bool, bar: ProgressBar, results: Results) -> Self {
        Self { experiment, quick, bar, results }
    }

    pub(crate) fn into_results(self) -> Results {
        self.results
    }

    fn show(&self, name: &str, nodes: usize) {
        self.bar.set_message(format!("{} {name} {nodes}", self.experiment));
        self.bar.tick();
    }
}

impl Front for Collect {
    fn scale(&self) -> Scale {
        if self.quick { Scale::Short } else { Scale::Full }
    }

    fn calls<A, B>(&mut self, calls: Calls<'_, A, B>, check: impl FnOnce(&mut A, &mut B) -> Outcome) -> Outcome {
        let Calls { case, per, repeats, sides: (a, b), ours, baseline } = calls;
        self.show(case.name, case.nodes);
        let turns = if self.quick { 3 } else { 15 };
        let [mut samples_a, mut samples_b] = [Vec::new(), Vec::new()];
        for _ in 0..=turns {
            samples_a.push(nanoseconds(|| (0..repeats).for_each(|_| ours(a))));
            samples_b.push(nanoseconds(|| (0..repeats).for_each(|_| baseline(b))));
        }
        check(a, b)?;
        let per = (per * repeats) as f64;
        // The first turn warms up.
        self.report(&case, median(&mut samples_a[1..]) / per, median(&mut samples_b[1..]) / per)
    }

    fn rounds<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        rounds: &Rounds<'_, PARTS>,
        trial: &mut T,
    ) -> Result<Option<Vec<[f64; PARTS]>>, Failure> {
        self.show(rounds.parts[0], rounds.nodes);
        let pace = rounds.pace;
        let (budget, most) = if self.quick { (Duration::ZERO, 3) } else { (pace.budget, pace.least.max(7)) };
        let least = if self.quick { pace.least.min(most) } else { pace.least };
        let mut times = vec![Vec::new(); rounds.ways.len()];
        let (mut played, start) = (0, Instant::now());
        while played < least || (played < most && start.elapsed() < budget) {
            trial.begin();
            for (way, times) in times.iter_mut().enumerate() {
                trial.prepare(way);
                times.push(trial.play(way));
            }
            trial.check()?;
            played += 1;
        }
        trial.check_last()?;
        let of = |times: &Vec<[f64; PARTS]>, part: usize| {
            median(&mut times.iter().map(|times| times[part]).collect::<Vec<_>>()) / rounds.per as f64
        };
        Ok(Some(times.iter().map(|times| core::array::from_fn(|part| of(times, part))).collect()))
    }

    fn alone(&mut self, _: &str, _: usize, _: usize, _: impl FnMut()) {}

    fn report(&mut self, case: &Case<'_>, ours: f64, baseline: f64) -> Outcome {
        self.results.lines.push(Line {
            experiment: self.experiment.to_owned(),
            case: case.name.to_owned(),
            nodes: case.nodes as f64,
            ours,
            baseline,
        });
        Ok(())
    }

    fn curve(&mut self, case: &Case<'_>, ours: &[f64], baseline: &[f64]) -> Outcome {
        self.results.curves.push(Curves {
            experiment: self.experiment.to_owned(),
            case: case.name.to_owned(),
            nodes: case.nodes as f64,
            ours: ours.to_vec(),
            baseline: baseline.to_vec(),
        });
        Ok(())
    }

    fn on_one_thread(&mut self, work: impl FnOnce(&mut Self) -> Result<(), String> + Send) -> Outcome {
        Ok(work(self)?)
    }
}
