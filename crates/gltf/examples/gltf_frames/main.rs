//! Plays a glTF file and prints what each phase of a frame costs: its animations run one after the other, and parts
//! that they leave alone are edited and later put back.
//!
//! ```text
//! cargo run --release -p hedgerow-gltf --example gltf_frames -- FILE.glb [FRAMES]
//! ```

#[path = "../../../character/examples/common/dice.rs"]
mod dice;
mod file;
#[path = "../../../character/examples/frames/play.rs"]
mod play;
#[path = "../../../character/examples/frames/report.rs"]
#[allow(dead_code, reason = "no JSON is asked for")]
mod report;
#[path = "../../../character/examples/common/table.rs"]
mod table;
#[path = "../../../character/examples/common/times.rs"]
mod times;
#[path = "../../../character/examples/frames/turn.rs"]
mod turn;

use file::FileLife;
use hedgerow_gltf::{ImportOptions, Parts};
use report::Report;
use std::error::Error;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Instant;
use turn::Life as _;

const USAGE: &str = "usage: gltf_frames FILE.glb [FRAMES]; FRAMES is at least 1";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let path = PathBuf::from(arguments.next().ok_or(USAGE)?);
    let frames = arguments.next().map_or(Some(300), |frames| Some(frames.to_str()?.parse::<NonZeroU32>().ok()?.get()));
    let frames = frames.ok_or(USAGE)?;

    let start = Instant::now();
    // Without parts that only a renderer needs.
    let options = ImportOptions::new().with_parts(Parts { motion: true, ..Parts::NODES });
    let import = options.load(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut scene = import.scene;
    let mut life = FileLife::new(&scene, &import.imported)?;
    let build = start.elapsed();

    let run = play::play(&mut scene, &mut life, frames)?;
    life.end(&mut scene)?;
    scene.validate().map_err(|violation| format!("the edited scene is damaged: {violation}"))?;
    let (title, characters) = (path.display().to_string(), life.characters());
    print!("{}", Report { title, frames, characters, build, run, stats: scene.stats() }.table());
    Ok(())
}
