//! Compares hedgerow-anim with ozz-animation-rs, the rewrite of ozz-animation's runtime in Rust: sampling and model
//! matrices of the same skeletons and clips.
//!
//! `cd benches/ozz && cargo run --release`

mod ours;
mod side;
mod theirs;

use hedgerow_experiments::clock::median;
use hedgerow_experiments::{Failure, machine};
use lexopt::prelude::*;
use ours::{Ours, Rig};
use serde_json::json;
use side::{CHARACTERS, JOBS, Side, turn};
use theirs::Theirs;

const HELP: &str = "\
hedgerow-beside-ozz [--joints N,M] [--turns N] [--iframes SECONDS] [--json]

  --joints N,M       sizes of skeletons (32,96,256)
  --turns N          turns of each job on each side (25)
  --iframes SECONDS  between iframes of ozz-animation-rs; 0 for none (0.25)
  --json             a line of JSON for each figure
";

/// Times at which model matrices of both sides are compared, as fractions of the clip: steps and jumps, both ways.
const COMPARED: [f32; 8] = [0.5, 0.51, 0.0, 0.77, 0.76, 0.21, 0.22, 1.0];
/// The tolerance of matrix elements. Both sides compress keys; hedgerow's error is up to 1.1e-4 radians per key.
const TOLERANCE: f32 = 5e-3;

struct Options {
    joints: Vec<usize>,
    turns: usize,
    iframes: f32,
    json: bool,
}

fn main() -> Result<(), Failure> {
    let mut options = Options { joints: vec![32, 96, 256], turns: 25, iframes: 0.25, json: false };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("joints") => {
                let sizes = arguments.value()?.string()?;
                options.joints = sizes.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            Long("turns") => options.turns = arguments.value()?.parse()?,
            Long("iframes") => options.iframes = arguments.value()?.parse()?,
            Long("json") => options.json = true,
            Long("help") | Short('h') => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if !options.json {
        println!("one thread; ns a joint, medians of {} turns that alternate; {}", options.turns, machine::COMPILER);
        println!("hedgerow-anim: kernels {}, compiled for {}", machine::kernels(), machine::compiled());
        println!("ozz-animation-rs: compiled for {}, iframes every {} s", machine::compiled(), options.iframes);
        println!("{:<10}{:>8}{:>12}{:>12}{:>9}", "job", "joints", "ozz", "hedgerow", "ratio");
    }
    options.joints.iter().try_for_each(|&joints| compare(&options, joints))
}

fn compare(options: &Options, joints: usize) -> Result<(), Failure> {
    let rig = Rig::new(joints)?;
    let duration = rig.clip.duration();
    let (mut ours, mut theirs) = (Ours::new(&rig)?, Theirs::new(&rig, options.iframes)?);
    agree(&mut ours, &mut theirs, duration)?;
    for character in 0..CHARACTERS {
        let seconds = duration * character as f32 / CHARACTERS as f32;
        ours.seek(character, seconds);
        theirs.seek(character, seconds);
    }
    for job in JOBS {
        // The first turns are not counted, because they warm up caches and contexts.
        turn(&mut theirs, job, duration)?;
        turn(&mut ours, job, duration)?;
        let (mut other, mut own) = (Vec::new(), Vec::new());
        for _ in 0..options.turns.max(1) {
            other.push(turn(&mut theirs, job, duration)? / joints as f64);
            own.push(turn(&mut ours, job, duration)? / joints as f64);
        }
        show(options, job, "ns/joint", joints, median(&mut other), median(&mut own));
    }
    let keys = rig.clip.keys() as f64;
    show(options, "size", "B/key", joints, theirs.bytes() as f64 / keys, ours.bytes() as f64 / keys);
    Ok(())
}

/// Fails unless both sides compute the same model matrices.
fn agree(ours: &mut impl Side, theirs: &mut impl Side, duration: f32) -> Result<(), Failure> {
    fn models(side: &mut impl Side, seconds: f32) -> Result<Vec<f32>, Failure> {
        side.seek(0, seconds);
        side.sample(0)?;
        side.models(0)?;
        Ok(side.matrices(0))
    }
    for share in COMPARED {
        let seconds = share * duration;
        let (own, other) = (models(ours, seconds)?, models(theirs, seconds)?);
        if other.len() != own.len() {
            return Err(format!("{} numbers of theirs, {} of ours", other.len(), own.len()).into());
        }
        let size = own.iter().fold(1.0_f32, |most, element| most.max(element.abs()));
        for (place, (a, b)) in own.iter().zip(&other).enumerate() {
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
            "experiment": "ozz", "case": job, "n": joints, "unit": unit, "ns": own, "baseline": "ozz-animation-rs",
            "baseline_ns": theirs, "ratio": theirs / own, "threads": 1, "baseline_threads": 1,
            "level": machine::kernels(), "baseline_level": machine::compiled(), "compiler": machine::COMPILER,
        });
        println!("{line}");
    } else {
        println!("{job:<10}{joints:>8}{theirs:>12.2}{own:>12.2}{:>9.2}  {unit}", theirs / own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow_experiments::workloads::{JOINTS, TEST_CLIP_KEYS, swaying};

    #[test]
    fn both_sides_agree_with_and_without_iframes() {
        for joints in [1, 5, 32, JOINTS] {
            let rig = Rig::new(joints).unwrap();
            for iframes in [0.0, 0.25, 10.0] {
                let (mut ours, mut theirs) = (Ours::new(&rig).unwrap(), Theirs::new(&rig, iframes).unwrap());
                agree(&mut ours, &mut theirs, rig.clip.duration()).unwrap();
            }
        }
    }

    #[test]
    fn another_clip_is_noticed() {
        let rig = Rig::new(5).unwrap();
        let other = Rig { clip: swaying(5, TEST_CLIP_KEYS, 0.05), ..Rig::new(5).unwrap() };
        let (mut ours, mut theirs) = (Ours::new(&rig).unwrap(), Theirs::new(&other, 0.25).unwrap());
        assert!(agree(&mut ours, &mut theirs, rig.clip.duration()).is_err());
    }

    #[test]
    fn every_job_can_be_done() {
        fn check(side: &mut impl Side) {
            assert!(JOBS.iter().all(|job| turn(side, job, 3.0).unwrap() > 0.0) && turn(side, "sleep", 3.0).is_err());
        }
        let rig = Rig::new(5).unwrap();
        check(&mut Ours::new(&rig).unwrap());
        check(&mut Theirs::new(&rig, 0.25).unwrap());
    }
}
