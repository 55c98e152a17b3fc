//! Updates, edits and kept draw lists with the change feed and without it.
//!
//! The cases are described in `hedgerow_experiments::experiments::changes`.

mod front;

use hedgerow_experiments::experiments::changes;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("changes", changes::run)
}
