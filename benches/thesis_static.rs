//! The thesis's static evaluation (section 5.1, figures 6.1 to 6.3): both traversals on random trees that do not
//! change.
//!
//! The cases are described in `hedgerow_experiments::experiments::thesis_static`.

mod front;

use hedgerow_experiments::experiments::thesis_static;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("thesis-static", thesis_static::run)
}
