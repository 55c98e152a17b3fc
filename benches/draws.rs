//! Draw lists that are kept from frame to frame, beside listing anew, and grouped.
//!
//! The cases are described in `hedgerow_experiments::experiments::draws`.

mod front;

use hedgerow_experiments::experiments::draws;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("draws", draws::run)
}
