//! The test clip played forward, backward, by seeks and one joint alone, against a search in every track; loading it.
//!
//! The cases are described in `hedgerow_experiments::experiments::bitsquid_clip`.

mod front;

use hedgerow_experiments::experiments::bitsquid_clip;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("bitsquid-clip", bitsquid_clip::run)
}
