//! One thread against two (feature `rayon`): players, poses, crowds and whole frames of characters.
//!
//! The cases are described in `hedgerow_experiments::experiments::character_threads`.

mod front;

use hedgerow_experiments::experiments::character_threads;
use std::process::ExitCode;

fn main() -> ExitCode {
    front::run("character-threads", character_threads::run)
}
