//! Saving and loading a scene, beside a plain read and a plain copy of the same bytes.
//!
//! The cases are described in `hedgerow_experiments::experiments::snapshot`.

mod front;

use hedgerow_experiments::experiments::snapshot;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("snapshot", snapshot::run)
}
