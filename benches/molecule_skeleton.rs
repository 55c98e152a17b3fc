//! A thousand characters of 96 joints, from local transforms to model matrices and palettes; blending.
//!
//! The cases are described in `hedgerow_experiments::experiments::molecule_skeleton`.

mod front;

use hedgerow_experiments::experiments::molecule_skeleton;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("molecule-skeleton", molecule_skeleton::run)
}
