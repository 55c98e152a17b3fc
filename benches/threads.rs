//! One thread against two (feature `rayon`): updates, boxes, culling and draw lists.
//!
//! The cases are described in `hedgerow_experiments::experiments::threads`.

mod front;

use hedgerow_experiments::experiments::threads;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("threads", threads::run)
}
