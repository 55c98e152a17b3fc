//! Skinning of characters, against the first implementation and the seed's steps; with one to four influences.
//!
//! The cases are described in `hedgerow_experiments::experiments::molecule_skinning`.

mod front;

use hedgerow_experiments::experiments::molecule_skinning;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("molecule-skinning", molecule_skinning::run)
}
