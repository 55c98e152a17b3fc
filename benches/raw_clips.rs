//! Clips as authors have them: sampled exactly, and their keys reduced.
//!
//! The cases are described in `hedgerow_experiments::experiments::raw_clips`.

mod front;

use hedgerow_experiments::experiments::raw_clips;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("raw-clips", raw_clips::run)
}
