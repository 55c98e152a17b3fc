//! Counts the instructions of single operations of `hedgerow`, and fails if an operation exceeds its limit.
//!
//! ```text
//! cargo run --release -p hedgerow-instructions -- [OPERATION ...] [--json]
//! ```
//!
//! Unlike a time, a count is the same in every run, so its limit can be close; the [`limits`] are in `limits.txt`. A
//! count does not include waiting for memory. Each operation runs twice under callgrind, a tool of valgrind, with more
//! repetitions in the second run. The cost of one operation is the difference between the runs, divided by the number
//! of additional repetitions, minus the cost of an empty loop.

mod count;
mod dice;
mod limits;
mod operations;
mod warm;

use count::Idle;
use operations::{ALL, NOTHING, Operation};
use serde_json::json;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// The parsed arguments.
enum Request {
    Help,
    /// Counts these operations.
    Count {
        operations: Vec<&'static Operation>,
        json: bool,
    },
    /// Repeats this operation `times` times without counting.
    Play {
        operation: &'static Operation,
        times: u32,
    },
}

fn main() -> ExitCode {
    let request = match parse() {
        Ok(request) => request,
        Err(error) => {
            eprintln!("instructions: {error}\n\n{}", usage());
            return ExitCode::from(2);
        }
    };
    let outcome = match request {
        Request::Help => {
            println!("{}", usage());
            Ok(())
        }
        Request::Count { operations, json } => count_all(&operations, json),
        Request::Play { operation, times } => {
            (operation.run)(times);
            Ok(())
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Counts the operations and prints a line for each. If operations exceed their limits, returns them as the error.
fn count_all(operations: &[&Operation], json: bool) -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    if !json {
        writeln!(out, "{:<28}{:>9}{:>9}  instructions of", "operation", "counted", "limit")?;
    }
    let idle = Idle::count()?;
    let mut over = Vec::new();
    for operation in operations {
        let Operation { name, about, nodes, .. } = operation;
        let (counted, limit) = (idle.cost_of(operation)?, limits::limit(name)?);
        if json {
            let line = json!({
                "experiment": "instructions", "case": name, "n": nodes, "instructions": counted, "limit": limit
            });
            writeln!(out, "{line}")?;
        } else {
            writeln!(out, "{name:<28}{counted:>9}{limit:>9}  {about}")?;
        }
        out.flush()?;
        if counted > limit {
            over.push(format!("`{name}` takes {counted} instructions, and its limit is {limit}"));
        }
    }
    if over.is_empty() { Ok(()) } else { Err(over.join("\ninstructions: ").into()) }
}

fn parse() -> Result<Request, lexopt::Error> {
    use lexopt::prelude::{Long, Short, Value, ValueExt as _};

    let (mut names, mut json, mut times) = (Vec::new(), false, None);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Request::Help),
            Long("json") => json = true,
            Long("times") => times = Some(arguments.value()?.parse()?),
            Value(name) => names.push(name.string()?),
            _ => return Err(argument.unexpected()),
        }
    }
    match (times, &names[..]) {
        (None, []) => Ok(Request::Count { operations: ALL.iter().collect(), json }),
        (None, names) => {
            let operations: Result<_, String> = names.iter().map(|name| find(name)).collect();
            Ok(Request::Count { operations: operations?, json })
        }
        (Some(times), [name]) if name == NOTHING.name => Ok(Request::Play { operation: &NOTHING, times }),
        (Some(times), [name]) => Ok(Request::Play { operation: find(name)?, times }),
        (Some(_), _) => Err("--times takes one operation".into()),
    }
}

fn find(name: &str) -> Result<&'static Operation, String> {
    let known = ALL.iter().find(|operation| operation.name == name);
    known.ok_or_else(|| format!("unknown operation `{name}`"))
}

fn usage() -> String {
    let mut text =
        String::from("Usage: instructions [OPERATION ...] [--json]\n\nOperations (all, where none is named):\n");
    for Operation { name, about, .. } in ALL {
        let _ = writeln!(text, "  {name:<28}{about}");
    }
    text.push_str("\nOptions:\n");
    text.push_str("  --json          one JSON object a line instead of a table\n");
    text.push_str("  --times N       do one operation N times and count nothing: what runs under callgrind\n");
    text.push_str("  -h, --help      this text");
    text
}
