//! Importing a glTF file: its nodes alone, against everything (feature `gltf`).
//!
//! The cases are described in `hedgerow_experiments::experiments::import`.

mod front;
#[path = "../examples/measure/import.rs"]
mod ways;

use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("import", ways::run)
}
