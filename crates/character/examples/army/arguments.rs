//! The command line.

use crate::console::{Request, number};
use lexopt::prelude::*;
use std::ffi::OsString;
use std::num::NonZeroU32;

pub(crate) const HELP: &str = "\
Plays, poses, culls and skins many characters every frame, and tells what each stage costs.

Usage: cargo run --release --example army -- [OPTIONS]

Options:
  --characters N   how many there are, 1 to 20000 (default 1000)
  --frames N       frames to play at 60 a second, at least 1 (default 120)
  --seed N         seed of who is where and does what (default 1)
  --full-rate      pose everybody in every frame, also those who are far away
  -h, --help       this text

With `--features rayon` before the `--`, posing, culling and skinning go to several threads.
";

/// The greatest number of characters; the vertices of each take 60 kB.
const MOST: u32 = 20_000;

/// The parsed command line.
pub(crate) struct Arguments {
    pub(crate) characters: NonZeroU32,
    pub(crate) frames: NonZeroU32,
    pub(crate) seed: u64,
    pub(crate) full_rate: bool,
}

/// Parses the arguments after the program's name.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request<Arguments>, lexopt::Error> {
    let some = |number| NonZeroU32::new(number).expect("the defaults are not zero");
    let mut parsed = Arguments { characters: some(1000), frames: some(120), seed: 1, full_rate: false };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("characters") => {
                let expected = "--characters takes a number from 1 to 20000";
                parsed.characters = number(&mut parser, expected)?;
                if parsed.characters.get() > MOST {
                    return Err(format!("{expected}, not {}", parsed.characters).into());
                }
            }
            Long("frames") => parsed.frames = number(&mut parser, "--frames takes a number of at least 1")?,
            Long("seed") => parsed.seed = number(&mut parser, "--seed takes a number from 0 to 2^64 - 1")?,
            Long("full-rate") => parsed.full_rate = true,
            Short('h') | Long("help") => return Ok(Request::Help),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(Request::Play(parsed))
}
