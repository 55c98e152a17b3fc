//! What a renderer does with a scene in a frame: lists, groups, a buffer with all matrices, lists relative to a camera.
//!
//! The cases are described in `hedgerow_experiments::experiments::renderer`.

mod front;

use hedgerow_experiments::experiments::renderer;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("renderer", renderer::run)
}
