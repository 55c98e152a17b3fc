//! Single edits below one child of the root, all of a run together, under the default policy and the thesis's.
//!
//! The cases are described in `hedgerow_experiments::experiments::pauses`.

mod front;

use hedgerow_experiments::experiments::pauses;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("pauses", pauses::run)
}
