//! World transforms of many nodes at once, and queues of edits, against the same ones by one and against a batch.
//!
//! The cases are described in `hedgerow_experiments::experiments::poses`.

mod front;

use hedgerow_experiments::experiments::poses;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("poses", poses::run)
}
