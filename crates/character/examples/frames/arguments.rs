//! The command line.

use crate::console::{Request, number};
use lexopt::prelude::*;
use std::ffi::OsString;
use std::num::NonZeroU32;

pub(crate) const HELP: &str = "\
Plays update-heavy frames on a town of about 100,000 nodes and tells what each phase of a frame costs.

Usage: cargo run --release -p hedgerow-character --example frames -- [OPTIONS]

Options:
  --frames N   frames to play, at least 1 (default 300)
  --people N   characters in the streets of the town (default 200)
  --seed N     seed of the town and of what happens in it (default 1)
  -h, --help   this text
";

/// The parsed command line.
pub(crate) struct Arguments {
    pub(crate) frames: NonZeroU32,
    pub(crate) people: u32,
    pub(crate) seed: u64,
}

/// Parses the arguments after the program's name.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request<Arguments>, lexopt::Error> {
    let default_frames = NonZeroU32::new(300).expect("300 is not zero");
    let mut parsed = Arguments { frames: default_frames, people: 200, seed: 1 };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("frames") => parsed.frames = number(&mut parser, "--frames takes a number of at least 1")?,
            Long("people") => parsed.people = number(&mut parser, "--people takes a number from 0 on")?,
            Long("seed") => parsed.seed = number(&mut parser, "--seed takes a number from 0 to 2^64 - 1")?,
            Short('h') | Long("help") => return Ok(Request::Help),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(Request::Play(parsed))
}
