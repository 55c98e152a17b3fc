//! The main job of the crate, on a scene of its own or on a glTF file: change a scene every frame, and get world
//! transforms and a draw list from it.
//!
//! `cargo run --release --example frames` builds a town of about 100,000 nodes, plays 300 frames in which cars drive,
//! doors turn, houses are torn down and built, and ends with a table of what each phase of a frame costs.
//! `cargo run --release --features gltf --example frames -- FILE.glb` does the same on a file. `-- --help` tells more.

mod arguments;
mod dice;
mod file;
mod house;
mod life;
mod parts;
mod play;
mod report;
mod town;

use arguments::{Arguments, HELP, Request};
use file::Unrest;
use hedgerow::Scene;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use life::TownLife;
use play::Life;
use report::Report;
use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let request = match Request::parse(std::env::args_os().skip(1)) {
        Ok(request) => request,
        Err(error) => {
            complain(&format!("{error}; --help lists the options"));
            return ExitCode::from(2);
        }
    };
    let text = match request {
        Request::Help => Ok(HELP.to_owned()),
        Request::Play(arguments) => run(&arguments),
    };
    match text {
        Ok(text) => print(&text),
        Err(error) => {
            complain(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// A scene and what happens in it.
struct Stage {
    title: String,
    scene: Scene,
    life: Box<dyn Life>,
}

impl Stage {
    /// Reads the file, or builds the town.
    fn set(arguments: &Arguments) -> Result<Self, Box<dyn Error>> {
        let seed = arguments.seed;
        match &arguments.file {
            Some(path) => {
                let scene = file::load(path)?;
                let life = Box::new(Unrest::new(&scene, seed));
                Ok(Self { title: format!("{}, seed {seed}", path.display()), scene, life })
            }
            None => {
                let (mut scene, town) = town::build(seed)?;
                let life = Box::new(TownLife::new(&mut scene, town, seed)?);
                Ok(Self { title: format!("town, seed {seed}"), scene, life })
            }
        }
    }
}

/// Plays the frames, checks the scene, and returns the report.
fn run(arguments: &Arguments) -> Result<String, Box<dyn Error>> {
    let start = Instant::now();
    let Stage { title, mut scene, mut life } = Stage::set(arguments)?;
    let build = start.elapsed();

    let bar = progress(arguments);
    let run = play::play(&mut scene, life.as_mut(), arguments.frames.get(), &bar);
    bar.finish_and_clear();
    let run = run?;

    scene.validate().map_err(|violation| format!("the edited scene is damaged: {violation}"))?;
    let report = Report { title, frames: arguments.frames.get(), build, run, stats: scene.stats() };
    Ok(if arguments.json { report.json() } else { report.table() })
}

/// A bar on stderr; hidden with `--json`, and where stderr is not a terminal.
fn progress(arguments: &Arguments) -> ProgressBar {
    let target = if arguments.json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style =
        ProgressStyle::with_template("{bar:40} {pos}/{len} frames, {eta} left").expect("the template is well formed");
    ProgressBar::with_draw_target(Some(arguments.frames.get().into()), target).with_style(style)
}

/// Writes to stdout; a reader who has gone away is no failure.
fn print(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("cannot write to the standard output: {error}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Writes to stderr, where there is nobody left to tell if that fails.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "frames: {message}");
}
