//! Nodes that follow joints beside nodes that are set, and boxes that follow poses.
//!
//! The cases are described in `hedgerow_experiments::experiments::sockets`.

mod front;

use hedgerow_experiments::experiments::sockets;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("sockets", sockets::run)
}
