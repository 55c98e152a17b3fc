//! Quick side-by-side figures of `hedgerow` and other people's ways to do the same: of the thesis's naive scene graph,
//! one heap allocation a node; in `pauses`, of two storage policies.
//!
//! ```text
//! cargo run --release --example measure -- EXPERIMENT [--json]
//! ```
//!
//! Each experiment takes under a minute, `pauses` two, and prints a table, or with `--json` one JSON object a line with
//! the fields `experiment`, `case`, `n` (nodes), `ns` (a node), `baseline`, `baseline_ns` (a node) and `ratio`
//! (baseline ÷ ours: above 1 is better). Cases that are counted in bytes have bytes a node in the two `ns` fields;
//! those of `pauses`, and `idle` of `moved`, have nanoseconds an edit or a call.
//!
//! Both sides have the same mathematics, matrix type, allocator and compiler flags; both recompute every world matrix
//! and list every draw into reused arrays. Their rounds take turns, and medians are compared. The matrices and draws
//! that the two computed are compared bit by bit, as sums over hashes; the program fails if these differ.
//!
//! What each experiment is made of stands in `crates/experiments`.

#[cfg(feature = "gltf")]
mod import;
mod report;
mod turns;

use hedgerow_experiments::experiments::{self, Experiment};
use report::Report;
use std::fmt::Write as _;
use std::process::ExitCode;
use turns::Turns;

/// What the arguments ask for.
enum Request {
    Help,
    Run { experiment: Experiment<Turns>, json: bool },
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
        Request::Run { experiment, json } => (experiment.run)(&mut Turns::new(Report::new(experiment.name, json))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("measure: {error}");
            ExitCode::FAILURE
        }
    }
}

/// All experiments that this build has.
fn all() -> Vec<Experiment<Turns>> {
    #[cfg_attr(not(feature = "gltf"), expect(unused_mut, reason = "one more with the feature"))]
    let mut experiments = experiments::all();
    #[cfg(feature = "gltf")]
    experiments.push(Experiment {
        name: "import",
        about: "a glTF file: its nodes alone, against everything",
        run: import::run,
    });
    experiments
}

fn parse() -> Result<Request, lexopt::Error> {
    use lexopt::prelude::{Long, Short, Value, ValueExt as _};

    let mut name = None;
    let mut json = false;
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Request::Help),
            Long("json") => json = true,
            Value(value) if name.is_none() => name = Some(value.string()?),
            _ => return Err(argument.unexpected()),
        }
    }
    let name = name.ok_or("no experiment named")?;
    let experiment = all().into_iter().find(|experiment| experiment.name == name);
    let experiment = experiment.ok_or_else(|| format!("there is no experiment `{name}`"))?;
    Ok(Request::Run { experiment, json })
}

fn usage() -> String {
    let mut text = String::from("Usage: measure EXPERIMENT [--json]\n\nExperiments:\n");
    for Experiment { name, about, .. } in all() {
        let _ = writeln!(text, "  {name:<15} {about}");
    }
    text.push_str("\nOptions:\n  --json          one JSON object a line instead of a table\n");
    text.push_str("  -h, --help      this text");
    text
}
