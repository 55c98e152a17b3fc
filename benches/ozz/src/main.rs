//! Compares hedgerow-anim with ozz-animation: see `benches/ozz.sh`, which builds the other side.

mod driver;
mod ours;

use driver::Driver;
use hedgerow_experiments::clock::median;
use hedgerow_experiments::{Failure, machine};
use lexopt::prelude::*;
use ours::{JOBS, Ours};
use serde_json::json;
use std::path::PathBuf;

const HELP: &str = "\
hedgerow-beside-ozz DRIVER [--joints N,M] [--turns N] [--iframes SECONDS] [--flags TEXT] [--json]

  --joints N,M       sizes of skeletons (32,96,256)
  --turns N          turns of each job on each side (25)
  --iframes SECONDS  between ozz-animation's iframes; 0 for none (0.25)
  --flags TEXT       what the driver was compiled with, to be printed
  --json             a line of JSON for each figure
";

/// Times at which model matrices of both sides are compared, as fractions of the clip.
const COMPARED: [f32; 5] = [0.0, 0.21, 0.5, 0.77, 1.0];
/// The tolerance of matrix elements. Both sides compress keys; hedgerow's error is up to 1.1e-4 radians per key.
const TOLERANCE: f32 = 5e-3;

struct Options {
    driver: PathBuf,
    joints: Vec<usize>,
    turns: usize,
    iframes: f32,
    flags: String,
    json: bool,
}

fn main() -> Result<(), Failure> {
    let mut options = Options {
        driver: PathBuf::new(),
        joints: vec![32, 96, 256],
        turns: 25,
        iframes: 0.25,
        flags: "unknown".into(),
        json: false,
    };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Value(driver) => options.driver = driver.into(),
            Long("joints") => {
                let sizes = arguments.value()?.string()?;
                options.joints = sizes.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            Long("turns") => options.turns = arguments.value()?.parse()?,
            Long("iframes") => options.iframes = arguments.value()?.parse()?,
            Long("flags") => options.flags = arguments.value()?.string()?,
            Long("json") => options.json = true,
            Long("help") | Short('h') => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if !options.json {
        println!("one thread; ns a joint, medians of {} turns that alternate", options.turns.max(1));
        println!("hedgerow-anim: {}, kernels {}", machine::COMPILER, machine::kernels());
        println!("ozz-animation: {}, iframes every {} s", options.flags, options.iframes);
        println!("{:<10}{:>8}{:>12}{:>12}{:>9}", "job", "joints", "ozz", "hedgerow", "ratio");
    }
    options.joints.iter().try_for_each(|&joints| compare(&options, joints))
}

fn compare(options: &Options, joints: usize) -> Result<(), Failure> {
    let rig = ours::Rig::new(joints)?;
    let mut driver = Driver::start(&options.driver, &rig.to_text(), options.iframes)?;
    let mut ours = Ours::new(&rig)?;
    agree(&mut ours, &mut driver)?;
    for job in JOBS {
        // The first turns are not counted, because they warm up caches and contexts.
        driver.turn(job)?;
        ours.turn(job)?;
        let (mut theirs, mut own) = (Vec::new(), Vec::new());
        for _ in 0..options.turns.max(1) {
            theirs.push(driver.turn(job)?);
            own.push(ours.turn(job)?);
        }
        show(options, job, "ns/joint", joints, median(&mut theirs), median(&mut own));
    }
    let keys = rig.clip.keys() as f64;
    show(options, "size", "B/key", joints, driver.bytes()? / keys, ours.bytes() as f64 / keys);
    Ok(())
}

/// Fails unless both sides compute the same model matrices.
fn agree(ours: &mut Ours<'_>, driver: &mut Driver) -> Result<(), Failure> {
    for share in COMPARED {
        let seconds = share * ours.duration();
        let theirs = driver.models(seconds)?;
        let own = ours.models_at(seconds)?;
        if theirs.len() != own.len() {
            return Err(format!("{} numbers of theirs, {} of ours", theirs.len(), own.len()).into());
        }
        let size = own.iter().fold(1.0_f32, |most, element| most.max(element.abs()));
        for (place, (a, b)) in own.iter().zip(&theirs).enumerate() {
            // NaN must fail, too.
            let near = (a - b).abs() <= TOLERANCE * size;
            if !near {
                return Err(format!("joint {} at {seconds} s: ours {a}, theirs {b}", place / 12).into());
            }
        }
    }
    Ok(())
}

fn show(options: &Options, job: &str, unit: &str, joints: usize, theirs: f64, own: f64) {
    if options.json {
        let line = json!({
            "experiment": "ozz", "case": job, "n": joints, "unit": unit, "ns": own, "baseline": "ozz-animation",
            "baseline_ns": theirs, "ratio": theirs / own, "threads": 1, "baseline_threads": 1,
            "level": machine::kernels(), "baseline_level": options.flags, "compiler": machine::COMPILER,
        });
        println!("{line}");
    } else {
        println!("{job:<10}{joints:>8}{theirs:>12.2}{own:>12.2}{:>9.2}  {unit}", theirs / own);
    }
}
