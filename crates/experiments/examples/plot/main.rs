//! Draws the experiments: measures them, or takes what was measured, and writes a picture of each as SVG and PNG.
//!
//! ```text
//! cargo run --release --example figures                      # measures, then draws
//! cargo run --release --example figures -- --quick           # fewer sizes, within two minutes
//! cargo run --release --example figures -- --from FILE.jsonl # what `measure --json` printed
//! ```
//!
//! That example of the root package has `-p hedgerow-experiments --example plot` run, so that nobody who builds the
//! library's own examples and tests compiles a plotting crate.
//!
//! `--out FOLDER` is where the pictures go: if nothing is said `docs/figures`, or with `--quick` `target/figures`, so
//! that quick ones are never taken for those of the pages. `--font FILE.ttf` is what text is written with, if the usual
//! places have neither `DejaVuSans` nor the like. Colours are those of M. Okabe and K. Ito, which the colour-blind tell
//! apart, and series have marks of their own, too.

mod canvas;
mod charts;
mod collect;
mod curves;
mod figures;
mod layouts;

use collect::{Collect, Results};
use hedgerow_experiments::experiments::{self, Experiment};
use hedgerow_experiments::heap::Counting;
use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Counts for the experiments that report memory.
#[global_allocator]
static HEAP: Counting = Counting;

/// The experiments that are drawn.
const DRAWN: [&str; 8] = [
    "layouts",
    "thesis-dynamic",
    "memory",
    "moved",
    "pauses",
    "molecule-skeleton",
    "molecule-skinning",
    "bitsquid-clip",
];

const USAGE: &str = "Usage: figures [--quick] [--from FILE.jsonl]... [--out FOLDER] [--font FILE.ttf]";

/// What the arguments ask for.
struct Options {
    quick: bool,
    from: Vec<PathBuf>,
    out: Option<PathBuf>,
    font: Option<PathBuf>,
}

fn main() -> ExitCode {
    let outcome = match parse() {
        Ok(Some(options)) => run(&options),
        Ok(None) => {
            println!("{USAGE}");
            Ok(())
        }
        Err(error) => {
            eprintln!("figures: {error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("figures: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse() -> Result<Option<Options>, lexopt::Error> {
    use lexopt::prelude::{Long, Short};

    let mut options = Options { quick: false, from: Vec::new(), out: None, font: None };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("quick") => options.quick = true,
            Long("from") => options.from.push(arguments.value()?.into()),
            Long("out") => options.out = Some(arguments.value()?.into()),
            Long("font") => options.font = Some(arguments.value()?.into()),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(Some(options))
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    canvas::load_font(options.font.as_deref())?;
    let usual = if options.quick { "target/figures" } else { "docs/figures" };
    let out = options.out.as_deref().unwrap_or(Path::new(usual));
    std::fs::create_dir_all(out)?;
    let mut results = Results::default();
    for file in &options.from {
        results.read(&std::fs::read_to_string(file)?)?;
    }
    if options.from.is_empty() {
        measure(options.quick, &mut results)?;
    }
    for picture in figures::draw(&results, out)?.into_iter().chain(layouts::draw(out)?) {
        println!("{}", picture.display());
    }
    Ok(())
}

/// Measures all that is drawn.
fn measure(quick: bool, results: &mut Results) -> Result<(), Box<dyn Error>> {
    let all = experiments::all::<Collect>().into_iter();
    let drawn: Vec<Experiment<Collect>> = all.filter(|experiment| DRAWN.contains(&experiment.name)).collect();
    let bar = ProgressBar::new(drawn.len() as u64);
    bar.set_style(ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}")?);
    for experiment in drawn {
        let mut front = Collect::new(experiment.name, quick, bar.clone(), core::mem::take(results));
        (experiment.run)(&mut front)?;
        *results = front.into_results();
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}
