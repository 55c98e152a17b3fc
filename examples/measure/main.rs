//! Quick side-by-side figures of `hedgerow` and other people's ways to do the same: of the thesis's naive scene graph,
//! one heap allocation a node; in `pauses`, of two storage policies.
//!
//! ```text
//! cargo run --release --example measure -- EXPERIMENT [--json] [--tiny]
//! cargo run --release --features rayon --example measure -- EXPERIMENT --threads 2
//! cargo run --release --features _levels --example measure -- EXPERIMENT --level sse2
//! RUSTFLAGS="-C target-cpu=native" cargo run --release --example measure -- EXPERIMENT
//! ```
//!
//! Each line says how many threads either side used, and which vectors: `avx512, sse2` for a baseline that was compiled
//! for every x86-64, as programs are that do not say otherwise, where our kernels find out what the machine has. The
//! third command gives both sides SSE2, the fourth both what the machine has; what is left of a ratio then is the
//! layout's. Everything runs on one thread that does not say otherwise.
//!
//! Most experiments take under a minute, `layouts` a minute and a half, `thesis-dynamic` three. Each prints a table, or
//! with `--json` one JSON object a line with the fields `experiment`, `case`, `n` (nodes), `unit`, `ns` (a node),
//! `baseline`, `baseline_ns` (a node), `ratio` (baseline ÷ ours: above 1 is better), `threads`, `baseline_threads`,
//! `level`, `baseline_level` (the vectors), `features`, `compiler`, and for medians `quartiles` and
//! `baseline_quartiles`. Cases that are counted in bytes have bytes a node in the two `ns` fields; those of `pauses`,
//! and `idle` of `moved`, have nanoseconds an edit or a call. `pauses` and `memory` print curves besides, for charts:
//! lines with `curve` and `baseline_curve` in place of figures.
//!
//! Both sides have the same mathematics, matrix type, allocator and compiler flags; both recompute every world matrix
//! and list every draw into reused arrays. Their rounds take turns, and medians are compared. The matrices and draws
//! that the two computed are compared bit by bit, as sums over hashes; the program fails if these differ.
//!
//! What each experiment is made of stands in `crates/experiments`.

mod pool;
mod report;
mod turns;

use hedgerow_experiments::experiments::{self, Experiment};
use hedgerow_experiments::front::Scale;
use hedgerow_experiments::heap::Counting;
use report::Report;
use std::fmt::Write as _;
use std::process::ExitCode;
use turns::Turns;

/// Counts for the experiments that report memory.
#[global_allocator]
static HEAP: Counting = Counting;

/// What the arguments ask for.
enum Request {
    Help,
    Run { experiment: Experiment<Turns>, options: Options },
}

/// How it is to be run.
#[derive(Default)]
struct Options {
    json: bool,
    tiny: bool,
    /// One, if nothing is said.
    threads: Option<usize>,
    #[cfg(feature = "_levels")]
    level: Option<String>,
}

fn main() -> ExitCode {
    let request = match parse() {
        Ok(request) => request,
        Err(error) => {
            eprintln!("measure: {error}\n\n{}", usage());
            return ExitCode::from(2);
        }
    };
    let outcome = match request {
        Request::Help => {
            println!("{}", usage());
            Ok(())
        }
        Request::Run { experiment, options } => run(&experiment, &options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("measure: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs an experiment as the options say.
fn run(experiment: &Experiment<Turns>, options: &Options) -> Result<(), String> {
    let threads = options.threads.unwrap_or(1);
    let scale = if options.tiny { Scale::Tiny } else { Scale::Full };
    let work = || {
        let mut front = Turns::new(Report::new(experiment.name, options.json, threads), scale);
        (experiment.run)(&mut front).map_err(|error| error.to_string())
    };
    pool::on_threads(threads, || {
        #[cfg(feature = "_levels")]
        if let Some(level) = &options.level {
            return pool::at_level(level, work);
        }
        work()
    })
}

fn parse() -> Result<Request, lexopt::Error> {
    use lexopt::prelude::{Long, Short, Value, ValueExt as _};

    let mut name = None;
    let mut options = Options::default();
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Request::Help),
            Long("json") => options.json = true,
            Long("tiny") => options.tiny = true,
            #[cfg(feature = "rayon")]
            Long("threads") => {
                options.threads = Some(arguments.value()?.parse_with(|text| match text.parse::<usize>() {
                    Ok(threads @ 1..=256) => Ok(threads),
                    _ => Err("from 1 to 256 threads"),
                })?);
            }
            #[cfg(feature = "_levels")]
            Long("level") => options.level = Some(arguments.value()?.string()?),
            Value(value) if name.is_none() => name = Some(value.string()?),
            _ => return Err(argument.unexpected()),
        }
    }
    let name = name.ok_or("no experiment named")?;
    let experiment = experiments::all().into_iter().find(|experiment| experiment.name == name);
    let experiment = experiment.ok_or_else(|| format!("there is no experiment `{name}`"))?;
    #[cfg(feature = "_levels")]
    if options.level.is_some() && options.threads.is_some_and(|threads| threads > 1) {
        return Err("--level holds for one thread only".into());
    }
    Ok(Request::Run { experiment, options })
}

fn usage() -> String {
    let mut text = String::from("Usage: measure EXPERIMENT [OPTIONS]\n\nExperiments:\n");
    for Experiment { name, about, .. } in experiments::all::<Turns>() {
        let _ = writeln!(text, "  {name:<15} {about}");
    }
    text.push_str("\nOptions:\n  --json          one JSON object a line instead of a table\n");
    text.push_str("  --tiny          the smallest sizes: whether both sides agree, and no figures to speak of\n");
    if cfg!(feature = "rayon") {
        text.push_str("  --threads N     on that many threads instead of one\n");
    }
    if cfg!(feature = "_levels") {
        text.push_str("  --level LEVEL   our kernels with these vectors: fallback, sse2, sse4.2, avx2, avx512\n");
    }
    text.push_str("  -h, --help      this text");
    text
}
