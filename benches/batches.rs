//! Inserts, removals, moves and new transforms in batches of a tenth of the nodes, against the same edits one by one.
//!
//! The cases are described in `hedgerow_experiments::experiments::batches`.

mod front;

use hedgerow_experiments::experiments::batches;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("batches", batches::run)
}
