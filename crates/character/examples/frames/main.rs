//! The main job of the crate, on a built-in town: edit a scene every frame, and get world transforms and a draw list.
//!
//! `cargo run --release -p hedgerow-character --example frames` builds a town of about 100,000 nodes, plays 300 frames,
//! and prints the cost of each phase. Cars drive, doors turn, houses are torn down and built, and two hundred people
//! walk the streets. The people are characters: skeletons play clips, boxes follow poses, and the lamps in their hands
//! follow a joint. `--people 0` leaves them out, and `-- --help` lists all options.

mod arguments;
#[path = "../common/console.rs"]
mod console;
#[path = "../common/dice.rs"]
mod dice;
mod house;
#[allow(dead_code, reason = "the viewer asks for the people")]
mod life;
mod parts;
#[allow(dead_code, reason = "the viewer shares the steps of the people out among threads")]
mod people;
mod play;
#[path = "../puppet/mod.rs"]
#[allow(dead_code, unused_imports, reason = "nobody draws the people here")]
mod puppet;
mod report;
#[path = "../common/table.rs"]
mod table;
#[path = "../common/times.rs"]
mod times;
mod town;
mod turn;

use arguments::{Arguments, HELP};
use hedgerow::SceneConfig;
use life::TownLife;
use report::Report;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;
use turn::Life;

fn main() -> ExitCode {
    console::answer("frames", HELP, arguments::parse(std::env::args_os().skip(1)), run)
}

/// Plays the frames, checks the scene, and returns the report.
fn run(arguments: &Arguments) -> Result<String, Box<dyn Error>> {
    let start = Instant::now();
    let &Arguments { frames, people, seed } = arguments;
    let (mut scene, town) = town::build(seed, SceneConfig::DEFAULT)?;
    let mut life = TownLife::new(&mut scene, town, people, seed)?;
    let build = start.elapsed();

    let run = play::play(&mut scene, &mut life, frames.get())?;
    scene.validate().map_err(|violation| format!("the edited scene is damaged: {violation}"))?;
    let (title, characters) = (format!("town, seed {seed}"), life.characters());
    Ok(Report { title, frames: frames.get(), characters, build, run, stats: scene.stats() }.table())
}
