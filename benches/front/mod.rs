//! Hands experiments to Criterion.

use criterion::{BenchmarkId, Criterion, Throughput};
use hedgerow_experiments::front::{Calls, Scale};
use hedgerow_experiments::rounds::{Rounds, Trial};
use hedgerow_experiments::{Case, Failure, Front, Outcome};
use std::process::ExitCode;
use std::time::Duration;

/// Runs an experiment as the group of benchmarks of this name: `case/way/nodes`, ours being the way `hedgerow`.
pub(crate) fn run(name: &'static str, experiment: fn(&mut Benches) -> Outcome) -> ExitCode {
    let criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500))
        .nresamples(10_000)
        .configure_from_args();
    let mut benches = Benches { criterion, name };
    let outcome = experiment(&mut benches);
    benches.criterion.final_summary();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Has Criterion time each side by itself. What both compute is compared where the experiment does so before it
/// measures, and in the tests of `hedgerow-experiments`.
pub(crate) struct Benches {
    criterion: Criterion,
    name: &'static str,
}

impl Benches {
    /// One benchmark: `per` elements in each iteration.
    fn bench(&mut self, id: BenchmarkId, per: usize, routine: impl FnMut(&mut criterion::Bencher<'_>)) {
        let mut group = self.criterion.benchmark_group(self.name);
        group.throughput(Throughput::Elements(per as u64)).bench_function(id, routine);
        group.finish();
    }
}

impl Front for Benches {
    fn scale(&self) -> Scale {
        Scale::Short
    }

    fn calls<A, B>(&mut self, calls: Calls<'_, A, B>, _: impl FnOnce(&mut A, &mut B) -> Outcome) -> Outcome {
        let Calls { case, per, sides: (a, b), ours, baseline, .. } = calls;
        let id = |way| BenchmarkId::new(format!("{}/{way}", case.name), case.nodes);
        self.bench(id("hedgerow"), per, |bencher| bencher.iter(|| ours(a)));
        self.bench(id(case.baseline), per, |bencher| bencher.iter(|| baseline(b)));
        Ok(())
    }

    fn rounds<T: Trial<PARTS>, const PARTS: usize>(
        &mut self,
        rounds: &Rounds<'_, PARTS>,
        trial: &mut T,
    ) -> Result<Option<Vec<[f64; PARTS]>>, Failure> {
        let mut outcome = Ok(());
        for (part, name) in rounds.parts.into_iter().enumerate() {
            for (way, way_name) in rounds.ways.iter().enumerate() {
                let id = BenchmarkId::new(format!("{name}/{way_name}"), rounds.nodes);
                // One way plays without the others, so that each begins anew.
                let mut left = 0;
                self.bench(id, rounds.per, |bencher| {
                    bencher.iter_custom(|count| {
                        let mut total = 0.0;
                        for _ in 0..count {
                            if left == 0 {
                                left = rounds.lasts.unwrap_or(usize::MAX);
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

    fn alone(&mut self, name: &str, nodes: usize, per: usize, mut work: impl FnMut()) {
        self.bench(BenchmarkId::new(format!("{name}/hedgerow"), nodes), per, |bencher| bencher.iter(&mut work));
    }

    fn report(&mut self, _: &Case<'_>, _: f64, _: f64) -> Outcome {
        Ok(())
    }

    fn on_one_thread(&mut self, work: impl FnOnce(&mut Self) -> Result<(), String> + Send) -> Outcome {
        Ok(work(self)?)
    }
}
