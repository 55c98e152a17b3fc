//! A thousand characters, each with its own clip, time, speed and place: played, posed, culled and skinned. Each
//! has an animator: its footsteps are events, and some have a layer for an arm.
//!
//! Distant characters are posed every second or fourth frame, and then advance by the whole time passed.
//!
//! `cargo run --release --example army` plays 120 frames and prints the cost of each stage; `-- --help` lists all
//! options. The viewer draws the same army.
//!
//! | file | what |
//! |---|---|
//! | `army` | the characters; the stages of a frame |
//! | `play` | the frames, and the time of each stage |
//! | `report` | the table |
//!
//! `examples/puppet` makes the people procedurally.

mod arguments;
mod army;
#[path = "../common/console.rs"]
mod console;
#[path = "../common/dice.rs"]
mod dice;
mod play;
#[path = "../puppet/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the army needs no figures at rest, and no colours")]
mod puppet;
mod report;
#[path = "../common/table.rs"]
mod table;
#[path = "../common/times.rs"]
mod times;

use arguments::{Arguments, HELP};
use army::Army;
use report::Report;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    console::answer("army", HELP, arguments::parse(std::env::args_os().skip(1)), run)
}

/// Plays the frames, and returns the report.
fn run(arguments: &Arguments) -> Result<String, Box<dyn Error>> {
    let start = Instant::now();
    let mut army = Army::muster(arguments.characters.get(), arguments.seed)?;
    let built = start.elapsed();

    let (frustum, eye) = play::view(arguments.characters.get())?;
    let run = play::play(&mut army, (&frustum, (!arguments.full_rate).then_some(eye)), arguments.frames.get())?;
    Ok(Report { army: &army, run: &run, arguments, built }.table())
}
