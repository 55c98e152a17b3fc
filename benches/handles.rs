//! Local transforms set by handles, by cached handles and through pointers.
//!
//! The cases are described in `hedgerow_experiments::experiments::handles`.

mod front;

use hedgerow_experiments::experiments::handles;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("handles", handles::run)
}
