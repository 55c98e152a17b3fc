//! All experiments under Criterion, as the benchmarks `EXPERIMENT/CASE/WAY/NODES`, ours being the way `hedgerow`.
//!
//! `cargo bench -p hedgerow-bench -- moved` runs those with that word in their name. What both sides compute is
//! compared where an experiment does so before it measures, and in the tests of this crate.

use criterion::{Bencher, BenchmarkId, Criterion, Throughput};
use hedgerow_experiments::experiments;
use hedgerow_experiments::front::Scale;
use hedgerow_experiments::heap::Counting;
use hedgerow_experiments::rounds::{Pace, Trial};
use hedgerow_experiments::{Case, Failure, Front, Outcome};
use std::process::ExitCode;
use std::time::Duration;

#[global_allocator]
static HEAP: Counting = Counting;

fn main() -> ExitCode {
    let criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500))
        .nresamples(10_000)
        .configure_from_args();
    let mut benches = Benches { criterion, name: "" };
    // Those alone that an argument names, for others take their time to be set up.
    let all = experiments::all();
    let is_named = |name: &str| std::env::args().any(|argument| argument.starts_with(name));
    let some = all.iter().any(|experiment| is_named(experiment.name));
    for experiment in all.iter().filter(|experiment| !some || is_named(experiment.name)) {
        benches.name = experiment.name;
        if let Err(error) = (experiment.run)(&mut benches) {
            eprintln!("{}: {error}", experiment.name);
            return ExitCode::FAILURE;
        }
    }
    benches.criterion.final_summary();
    ExitCode::SUCCESS
}

/// Has Criterion time each side by itself.
struct Benches {
    criterion: Criterion,
    name: &'static str,
}

impl Benches {
    /// One benchmark.
    fn bench(&mut self, case: &Case<'_>, way: &str, routine: impl FnMut(&mut Bencher<'_>)) {
        let mut group = self.criterion.benchmark_group(self.name);
        let id = BenchmarkId::new(format!("{}/{way}", case.name), case.nodes);
        group.throughput(Throughput::Elements(case.per as u64)).bench_function(id, routine);
        group.finish();
    }
}

impl Front for Benches {
    fn scale(&self) -> Scale {
        Scale::Short
    }

    fn calls<A, B>(
        &mut self,
        case: Case<'_>,
        (a, b): (&mut A, &mut B),
        ours: fn(&mut A),
        baseline: fn(&mut B),
        _: impl FnOnce(&mut A, &mut B) -> Outcome,
    ) -> Outcome {
        self.bench(&case, "hedgerow", |bencher| bencher.iter(|| ours(a)));
        self.bench(&case, case.baseline, |bencher| bencher.iter(|| baseline(b)));
        Ok(())
    }

    fn rounds<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        cases: &[Case<'_>; PARTS],
        pace: Pace,
        trial: &mut T,
    ) -> Result<Option<[[f64; PARTS]; 2]>, Failure> {
        let mut outcome = Ok(());
        for (part, case) in cases.iter().enumerate() {
            for (way, way_name) in ["hedgerow", case.baseline].into_iter().enumerate() {
                // One way plays without the other, so that each begins anew.
                let mut left = 0;
                self.bench(case, way_name, |bencher| {
                    bencher.iter_custom(|count| {
                        let mut total = 0.0;
                        for _ in 0..count {
                            if left == 0 {
                                left = pace.lasts.unwrap_or(usize::MAX);
                                if let Err(error) = trial.renew(0) {
                                    outcome = Err(error);
                                }
                            }
                            left -= 1;
                            trial.begin();
                            trial.prepare(way);
                            total += trial.play(way)[part];
                        }
                        Duration::from_secs_f64(total / 1e9)
                    });
                });
            }
        }
        outcome.map(|()| None)
    }

    fn report(&mut self, _: &Case<'_>, _: f64, _: f64) -> Outcome {
        Ok(())
    }
}
