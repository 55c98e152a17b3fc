//! Clips as authors have them.
//!
//! - `sample`: the test clip sampled exactly, forward at 60 Hz; against the player that searches every track.
//! - `reduce`: fewer keys of the test clip, and of 100 joints with 1,000 keys each, within three bounds.

use crate::baselines::KeyTracks;
use crate::front::{Calls, Front, Sizes};
use crate::workloads::{swaying, test_clip};
use crate::{Case, Outcome, Unit};
use hedgerow::{
    Transform,
    anim::{Pose, RawClip, Skeleton, SkeletonBuilder, raw::Reduction},
};
use std::hint::black_box;

/// Frames of a turn, at 60 a second: the whole clip.
const FRAMES: u16 = 238;
/// Joints and keys of each in the larger clip.
const LARGE: Sizes<(usize, usize)> = Sizes { full: (100, 1000), short: (100, 1000), tiny: (10, 20) };
/// How far rotations of the two sides may be apart, in radians: what rounding leaves.
const BOUND: f32 = 1e-4;

/// Runs the experiment.
///
/// # Errors
/// Where the sides show something else, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    sample(front)?;
    let (joints, keys) = LARGE.at(front.scale());
    for (name, clip) in [("test-clip", test_clip()), ("large", swaying(joints, keys, 0.0))] {
        reduce(front, name, &clip)?;
    }
    Ok(())
}

/// The time of a frame.
fn seconds(frame: u16) -> f32 {
    f32::from(frame) / 60.0
}

fn sample<F: Front>(front: &mut F) -> Outcome {
    let clip = test_clip();
    let joints = clip.joints();
    let mut theirs = (KeyTracks::new(&clip), vec![Transform::IDENTITY; joints]);
    theirs.0.rest(&mut theirs.1);
    let mut ours = (clip, Pose::new(joints));
    let calls = Calls {
        case: Case::new("sample", joints, Unit::Each("ns/joint"), "a search in every track"),
        per: usize::from(FRAMES) * joints,
        repeats: 1,
        sides: (&mut ours, &mut theirs),
        ours: |(clip, pose)| {
            (0..FRAMES).for_each(|frame| clip.sample(black_box(seconds(frame)), pose).expect("joints as many"));
        },
        baseline: |(tracks, pose)| (0..FRAMES).for_each(|frame| tracks.sample(black_box(seconds(frame)), pose)),
    };
    front.calls(calls, |(clip, pose), (tracks, locals)| {
        for frame in 0..FRAMES {
            clip.sample(seconds(frame), pose)?;
            tracks.sample(seconds(frame), locals);
            for (joint, theirs) in (0..).zip(&*locals) {
                let (found, theirs) = (pose.get(joint).rotation, theirs.rotation.normalize());
                let nearer = if found.dot(theirs) < 0.0 { -theirs } else { theirs };
                let angle = 2.0 * (found - nearer).length();
                if angle.is_nan() || angle > BOUND {
                    return Err(format!("joint {joint} in frame {frame}: {found} and {theirs}").into());
                }
            }
        }
        Ok(())
    })
}

fn reduce<F: Front>(front: &mut F, name: &str, clip: &RawClip) -> Outcome {
    let skeleton = limbs(clip.joints())?;
    for (bound, error) in [("0.1mm", 1e-4), ("1mm", 1e-3), ("10mm", 1e-2)] {
        let reduction = Reduction::new(error, 0.03);
        front.alone(&format!("reduce/{name}/{bound}"), clip.keys(), clip.keys(), || {
            drop(black_box(clip.reduced(&skeleton, &reduction).expect("sound input")));
        });
    }
    Ok(())
}

/// A root with limbs of eight joints, a tenth of a metre each.
fn limbs(joints: usize) -> Result<Skeleton, hedgerow::anim::Error> {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..u16::try_from(joints).expect("joints have 16 bits") {
        let parent = joint.checked_sub(1).map(|before| if before % 8 == 0 { 0 } else { before });
        builder.joint("", parent, Transform::from_xyz(0.0, 0.1, 0.0));
    }
    Ok(builder.build()?.0)
}
