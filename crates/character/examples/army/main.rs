//! A thousand characters, each with its own clip, time, speed and place: played, posed, culled and skinned, then drawn. Each
//! has an animator: its footsteps are events, and some have a layer for an arm.
//!
//! Distant characters are posed every second or fourth frame, and then advance by the whole time passed.
//!
//! `cargo run --release --example army -- --picture army.png` plays 120 frames, prints the cost of each stage, and
//! draws the last frame: people who walk, run, sneak and stand on a plain, with shadows. `--sheet sheet.png` draws a
//! character in eight steps of each clip. `-- --help` lists all options.
//!
//! | file | what |
//! |---|---|
//! | `army` | the characters; the stages of a frame |
//! | `play` | the frames, and the time of each stage |
//! | `report` | the table |
//! | `view`, `sheet` | the contents of the two pictures |
//! | `picture`, `camera`, `raster`, `sun` | a small software renderer |
//!
//! `examples/puppet` makes the people procedurally.

mod arguments;
mod army;
mod camera;
#[path = "../common/console.rs"]
mod console;
#[path = "../common/dice.rs"]
mod dice;
mod picture;
mod play;
#[path = "../puppet/mod.rs"]
mod puppet;
mod raster;
mod report;
mod sheet;
mod sun;
#[path = "../common/table.rs"]
mod table;
#[path = "../common/times.rs"]
mod times;
mod view;

use arguments::{Arguments, HELP};
use army::Army;
use picture::Picture;
use report::Report;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    console::answer("army", HELP, arguments::parse(std::env::args_os().skip(1)), run)
}

/// Plays the frames, draws the wanted pictures, and returns the report.
fn run(arguments: &Arguments) -> Result<String, Box<dyn Error>> {
    let start = Instant::now();
    let mut army = Army::muster(arguments.characters.get(), arguments.seed)?;
    let built = start.elapsed();

    let camera = view::camera(arguments.characters.get(), arguments.width);
    let eye = (!arguments.full_rate).then(|| camera.eye());
    let run = play::play(&mut army, (&camera.frustum()?, eye), arguments.frames.get())?;

    let mut drawn = None;
    if let Some(path) = &arguments.picture {
        let start = Instant::now();
        let picture = view::picture(&army, &camera, arguments.width);
        drawn = Some(start.elapsed());
        write(&picture, path)?;
    }
    if let Some(path) = &arguments.sheet {
        write(&sheet::sheet(&army)?, path)?;
    }
    let report = Report { army: &army, run: &run, arguments, built, drawn };
    Ok(if arguments.json { report.json() } else { report.table() })
}

fn write(picture: &Picture, path: &Path) -> Result<(), Box<dyn Error>> {
    picture.write(path).map_err(|error| format!("cannot write {}: {error}", path.display()).into())
}
