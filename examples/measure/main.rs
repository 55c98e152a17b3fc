//! Quick side-by-side figures of `hedgerow` and the thesis's naive scene graph, one heap allocation a node; in `pauses`, of
//! two storage policies.
//!
//! ```text
//! cargo run --release --example measure -- EXPERIMENT [--json]
//! ```
//!
//! Each experiment takes under a minute, `pauses` two, and prints a table, or with `--json` one JSON object a line with the
//! fields `experiment`, `case`, `n` (nodes), `ns` (a node), `baseline`, `baseline_ns` (a node) and `ratio`
//! (baseline ÷ ours: above 1 is better). Cases that are counted in bytes have bytes a node in the two `ns` fields; those of
//! `pauses`, and `idle` of `moved`, have nanoseconds an edit or a call.
//!
//! Both sides have the same mathematics, matrix type, allocator and compiler flags; both recompute every world matrix and
//! list every draw into reused arrays. Their rounds take turns, and medians are compared. The matrices and draws that the
//! two computed are compared bit by bit, as sums over hashes; the program fails if these differ.

mod batches;
mod bitsquid_clip;
mod build;
mod changes;
mod cull;
mod draws;
mod memory;
mod molecule_mesh;
mod molecule_skeleton;
mod molecule_skinning;
mod moved;
mod pauses;
mod report;
mod snapshot;
mod sockets;
mod thesis_dynamic;
mod thesis_static;
#[cfg(feature = "rayon")]
mod threads;
mod timing;

use report::Report;
use std::error::Error;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Something that can be measured by name.
struct Experiment {
    name: &'static str,
    about: &'static str,
    run: fn(&mut Report) -> Result<(), Box<dyn Error>>,
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "thesis-static",
        about: "transform pass, render pass and both, on trees that do not change",
        run: thesis_static::run,
    },
    Experiment {
        name: "thesis-dynamic",
        about: "frames that remove and insert a tenth of the nodes, then run both passes; memory",
        run: thesis_dynamic::run,
    },
    Experiment { name: "build", about: "building a random tree by single inserts", run: build::run },
    Experiment { name: "moved", about: "updates after all, some or none of the nodes moved", run: moved::run },
    Experiment { name: "draws", about: "draw lists kept from frame to frame, beside listing anew", run: draws::run },
    Experiment { name: "changes", about: "updates and edits with the change feed, and without", run: changes::run },
    Experiment { name: "pauses", about: "single edits and the updates behind them, up to the worst", run: pauses::run },
    Experiment {
        name: "memory",
        about: "bytes of a tree of transforms, before and after maintenance",
        run: memory::run,
    },
    Experiment { name: "batches", about: "edits in batches, against the same ones by one", run: batches::run },
    Experiment { name: "cull", about: "culling 100,000 boxes flat, and a town of a million shapes", run: cull::run },
    Experiment {
        name: "molecule-mesh",
        about: "culling and drawing sub-mesh sets, against a heap object a sub-mesh",
        run: molecule_mesh::run,
    },
    Experiment {
        name: "bitsquid-clip",
        about: "playing a clip forward, backward and by seeks, against a search in every track",
        run: bitsquid_clip::run,
    },
    Experiment {
        name: "molecule-skinning",
        about: "skinning, against the first implementation and the steps that make it faster",
        run: molecule_skinning::run,
    },
    Experiment {
        name: "snapshot",
        about: "loading a snapshot, every check included, beside a plain read of its bytes",
        run: snapshot::run,
    },
    Experiment {
        name: "molecule-skeleton",
        about: "1000 characters of 96 joints, from local transforms to model matrices and palettes",
        run: molecule_skeleton::run,
    },
    Experiment {
        name: "sockets",
        about: "nodes that follow joints beside nodes that are set, and boxes that follow poses",
        run: sockets::run,
    },
    #[cfg(feature = "rayon")]
    Experiment { name: "threads", about: "updates, culling and lists on two threads against one", run: threads::run },
];

/// What the arguments ask for.
enum Request {
    Help,
    Run { experiment: &'static Experiment, json: bool },
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
        Request::Run { experiment, json } => (experiment.run)(&mut Report::new(experiment.name, json)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("measure: {error}");
            ExitCode::FAILURE
        }
    }
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
    let experiment = EXPERIMENTS.iter().find(|experiment| experiment.name == name);
    let experiment = experiment.ok_or_else(|| format!("there is no experiment `{name}`"))?;
    Ok(Request::Run { experiment, json })
}

fn usage() -> String {
    let mut text = String::from("Usage: measure EXPERIMENT [--json]\n\nExperiments:\n");
    for Experiment { name, about, .. } in EXPERIMENTS {
        let _ = writeln!(text, "  {name:<15} {about}");
    }
    text.push_str("\nOptions:\n  --json          one JSON object a line instead of a table\n");
    text.push_str("  -h, --help      this text");
    text
}
