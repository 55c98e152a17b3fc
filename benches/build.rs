//! Building the thesis's random tree: by single inserts, from a list of all nodes, and with boxed nodes.
//!
//! The cases are described in `hedgerow_experiments::experiments::build`.

mod front;

use hedgerow_experiments::experiments::build;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("build", build::run)
}
