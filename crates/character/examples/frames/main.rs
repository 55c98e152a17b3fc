//! The main job of the crate, on a built-in town or a glTF file: edit a scene every frame, and get world transforms and
//! a draw list.
//!
//! `cargo run --release --example frames` builds a town of about 100,000 nodes, plays 300 frames, and prints the cost
//! of each phase. Cars drive, doors turn, houses are torn down and built, and two hundred people walk the streets. The
//! people are characters: skeletons play clips, boxes follow poses, and the lamps in their hands follow a joint.
//! `--people 0` leaves them out.
//!
//! `cargo run --release --example frames -- FILE.glb` plays a file: its animations one after the other, and edits of
//! other parts that are later undone. `-- --help` lists all options.

mod arguments;
#[path = "../common/console.rs"]
mod console;
#[path = "../common/dice.rs"]
mod dice;
mod file;
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
use hedgerow::{Scene, SceneConfig};
use life::TownLife;
use report::Report;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use turn::Life;

fn main() -> ExitCode {
    console::answer("frames", HELP, arguments::parse(std::env::args_os().skip(1)), run)
}

/// A scene and its life.
struct Stage {
    title: String,
    scene: Scene,
    life: Box<dyn Life>,
}

impl Stage {
    fn set(arguments: &Arguments) -> Result<Self, Box<dyn Error>> {
        let seed = arguments.seed;
        match &arguments.file {
            Some(path) => Self::of_file(path, seed),
            None => {
                let (mut scene, town) = town::build(seed, SceneConfig::DEFAULT)?;
                let life = Box::new(TownLife::new(&mut scene, town, arguments.people, seed)?);
                Ok(Self { title: format!("town, seed {seed}"), scene, life })
            }
        }
    }
}

impl Stage {
    fn of_file(path: &Path, seed: u64) -> Result<Self, Box<dyn Error>> {
        let import = file::load(path)?;
        let life = Box::new(file::FileLife::new(&import.scene, &import.imported, seed)?);
        Ok(Self { title: format!("{}, seed {seed}", path.display()), scene: import.scene, life })
    }
}

/// Plays the frames, checks the scene, and returns the report.
fn run(arguments: &Arguments) -> Result<String, Box<dyn Error>> {
    let start = Instant::now();
    let Stage { title, mut scene, mut life } = Stage::set(arguments)?;
    let build = start.elapsed();

    let run = play::play(&mut scene, life.as_mut(), arguments.frames.get())?;
    life.end(&mut scene)?;
    scene.validate().map_err(|violation| format!("the edited scene is damaged: {violation}"))?;
    let (frames, characters) = (arguments.frames.get(), life.characters());
    let report = Report { title, frames, characters, build, run, stats: scene.stats() };
    Ok(if arguments.json { report.json() } else { report.table() })
}
