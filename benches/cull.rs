//! Culling strewn boxes flat and by virtual calls, and a town of a million shapes through its hierarchy and flat.
//!
//! The cases are described in `hedgerow_experiments::experiments::cull`.

mod front;

use hedgerow_experiments::experiments::cull;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("cull", cull::run)
}
