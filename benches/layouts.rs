//! The thesis's static evaluation by layout (sections 4.1 and 5.1): node objects in each order, against columns.
//!
//! The cases are described in `hedgerow_experiments::experiments::layouts`.

mod front;

use hedgerow_experiments::experiments::layouts;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("layouts", layouts::run)
}
