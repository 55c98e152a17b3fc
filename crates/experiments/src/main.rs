//! Prints quick side-by-side figures of `hedgerow` and its baselines.
//!
//! ```text
//! cargo run --release -p hedgerow-experiments -- EXPERIMENT [--json] [--tiny]
//! cargo run --release -p hedgerow-experiments --features rayon -- EXPERIMENT --threads 2
//! cargo run --release -p hedgerow-experiments --features _levels -- EXPERIMENT --level sse2
//! RUSTFLAGS="-C target-cpu=native" cargo run --release -p hedgerow-experiments -- EXPERIMENT
//! ```
//!
//! Each line states how many threads each side used, unless it is one, and which vectors: those that our kernels
//! detect, and those that a baseline was compiled for. The third and the fourth command equalise the vectors.
//!
//! With `--json` each line is a JSON object with the fields `experiment`, `case`, `n` (nodes), `unit`, `ns` (in that
//! unit), `baseline`, `baseline_ns`, `ratio` (baseline ÷ ours: above 1 is better), `threads`, `baseline_threads`,
//! `level`, `baseline_level` (the vectors), `features`, `compiler`, and for medians `quartiles` and
//! `baseline_quartiles`. For cases in bytes, the two `ns` fields are bytes.
//!
//! Both sides use the same mathematics, matrix type, allocator and compiler flags. Their rounds alternate, and medians
//! are compared. The results of both sides are compared, too; the program fails if they differ.

use hedgerow_experiments::Front;
use hedgerow_experiments::experiments::{self, Experiment};
use hedgerow_experiments::heap::Counting;
use hedgerow_experiments::report::Report;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Counts allocations for the experiments that report memory.
#[global_allocator]
static HEAP: Counting = Counting;

/// The parsed arguments.
struct Request {
    experiment: Experiment,
    json: bool,
    tiny: bool,
    threads: usize,
    level: Option<String>,
}

fn main() -> ExitCode {
    match parse() {
        Err(error) => {
            eprintln!("measure: {error}\n\n{}", usage());
            ExitCode::from(2)
        }
        Ok(None) => {
            println!("{}", usage());
            ExitCode::SUCCESS
        }
        Ok(Some(request)) => match on_threads(request) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("measure: {error}");
                ExitCode::FAILURE
            }
        },
    }
}

/// Runs an experiment on the requested number of threads.
fn on_threads(request: Request) -> Result<(), String> {
    #[cfg(feature = "rayon")]
    let pool = rayon::ThreadPoolBuilder::new().num_threads(request.threads).build();
    let work = move || at_level(request);
    #[cfg(feature = "rayon")]
    return pool.map_err(|error| error.to_string())?.install(work);
    #[cfg(not(feature = "rayon"))]
    work()
}

/// Runs an experiment with the requested vectors.
fn at_level(request: Request) -> Result<(), String> {
    let Request { experiment, json, tiny, threads, level } = request;
    let work = || {
        let mut front = Front::new(Report::new(experiment.name, json, threads), tiny);
        (experiment.run)(&mut front).map_err(|error| error.to_string())
    };
    let Some(level) = level else { return work() };
    #[cfg(feature = "_levels")]
    {
        use hedgerow::math::internal::level;
        use hedgerow_experiments::machine::kernels;
        let found = level::levels().into_iter().find(|&one| level::at_level(one, kernels) == level);
        found.map_or_else(|| Err(format!("this machine has no level `{level}`")), |found| level::at_level(found, work))
    }
    #[cfg(not(feature = "_levels"))]
    Err(format!("level `{level}` takes the feature `_levels`"))
}

fn parse() -> Result<Option<Request>, lexopt::Error> {
    use lexopt::prelude::{Long, Short, Value, ValueExt as _};

    let (mut name, mut json, mut tiny, mut threads, mut level) = (None, false, false, 1, None);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("json") => json = true,
            Long("tiny") => tiny = true,
            Long("threads") if cfg!(feature = "rayon") => threads = arguments.value()?.parse::<u8>()?.max(1).into(),
            Long("level") if cfg!(feature = "_levels") => level = Some(arguments.value()?.string()?),
            Value(value) if name.is_none() => name = Some(value.string()?),
            _ => return Err(argument.unexpected()),
        }
    }
    let name = name.ok_or("no experiment named")?;
    let experiment = experiments::all().into_iter().find(|experiment| experiment.name == name);
    let experiment = experiment.ok_or_else(|| format!("unknown experiment `{name}`"))?;
    if level.is_some() && threads > 1 {
        return Err("--level holds for one thread only".into());
    }
    Ok(Some(Request { experiment, json, tiny, threads, level }))
}

fn usage() -> String {
    let mut text = String::from("Usage: measure EXPERIMENT [OPTIONS]\n\nExperiments:\n");
    for Experiment { name, about, .. } in experiments::all() {
        let _ = writeln!(text, "  {name:<18} {about}");
    }
    text.push_str(
        "
Options:
  --json          one JSON object a line instead of a table
  --tiny          the smallest sizes: whether both sides agree, and no figures to speak of
  --threads N     on that many threads instead of one (feature rayon)
  --level LEVEL   our kernels with these vectors: sse2, avx2, avx512 (feature _levels), and
                  fallback (--cfg hedgerow_fallback, too)
  -h, --help      this text",
    );
    text
}
