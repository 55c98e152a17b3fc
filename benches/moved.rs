//! Updates after all, some or none of the nodes of a tree of transforms were given new local transforms.
//!
//! The cases are described in `hedgerow_experiments::experiments::moved`.

mod front;

use hedgerow_experiments::experiments::moved;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("moved", moved::run)
}
