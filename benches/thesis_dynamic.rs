//! The thesis's dynamic evaluation (section 5.1.1, figures 6.4 to 6.6): a tenth of the nodes removed and as many
//! inserted before each frame.
//!
//! The cases are described in `hedgerow_experiments::experiments::thesis_dynamic`.

mod front;

use hedgerow_experiments::experiments::thesis_dynamic;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("thesis-dynamic", thesis_dynamic::run)
}
