//! Scenes taken over whole, columns of one's own, loading with another configuration.
//!
//! The cases are described in `hedgerow_experiments::experiments::editor`.

mod front;

use hedgerow_experiments::experiments::editor;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("editor", editor::run)
}
