//! Tests of animators through their public interface.

mod bytes;
mod errors;
mod events;
mod fades;
mod layers;
mod retarget;
mod springs;

use hedgerow_anim::clip::Precision;
use hedgerow_anim::glam::{DQuat, Quat, Vec3};
use hedgerow_anim::raw::Track;
use hedgerow_anim::root_motion::{RootMotion, RootMotionOptions};
use hedgerow_anim::{Clip, ClipBuilder, Pose, RawClip, Skeleton, SkeletonBuilder, Transform};
use hedgerow_animator::{Animator, LayerOptions, Machine, MachineBuilder};
use hedgerow_math::internal::sines::sin_cos;
use std::sync::Arc;

/// Returns a hip with a chest and a leg.
pub(crate) fn skeleton() -> Skeleton {
    let mut joints = SkeletonBuilder::new();
    let hip = joints.joint("hip", None, Transform::from_xyz(0.0, 1.0, 0.0));
    joints.joint("chest", Some(hip), Transform::from_xyz(0.0, 0.5, 0.0));
    joints.joint("leg", Some(hip), Transform::from_xyz(0.0, -0.5, 0.0));
    joints.build().unwrap().0
}

/// Returns a clip in which all joints move along x from one number to another, turn as far about z, and a channel too.
pub(crate) fn clip(duration: f32, [from, to]: [f32; 2], events: &[(f32, &str)]) -> Arc<Clip> {
    let mut raw = RawClip::new(duration, 3).unwrap();
    let times = || vec![0.0, duration];
    for joint in 0..3 {
        let places = [from, to].map(|x| Vec3::new(x, f32::from(joint), 0.0));
        raw.set_translation(joint, Track::linear(times(), places.to_vec()).unwrap()).unwrap();
        let turns = [from, to].map(|x| Quat::from_rotation_z(0.1 * x));
        raw.set_rotation(joint, Track::linear(times(), turns.to_vec()).unwrap()).unwrap();
    }
    raw.add_channel("smile", Track::linear(times(), vec![from, to]).unwrap()).unwrap();
    for (number, &(time, name)) in (0..).zip(events) {
        raw.add_event(time, number, name).unwrap();
    }
    Arc::new(ClipBuilder::new().precision(Precision::Tight).build(&raw).unwrap().0)
}

/// Returns the root motion of a clip that moves along z by this much, and turns by `yaw`.
pub(crate) fn root(duration: f32, z: f32, yaw: f32) -> RootMotion {
    let mut raw = RawClip::new(duration, 1).unwrap();
    let times = || vec![0.0, duration];
    raw.set_translation(0, Track::linear(times(), vec![Vec3::ZERO, Vec3::new(0.0, 0.0, z)]).unwrap()).unwrap();
    // Its bits are the same on every machine, so those of root motion can be tested.
    let (sine, cosine) = sin_cos(0.5 * f64::from(yaw));
    let turn = DQuat::from_xyzw(0.0, sine, 0.0, cosine).as_quat();
    raw.set_rotation(0, Track::linear(times(), vec![Quat::IDENTITY, turn]).unwrap()).unwrap();
    RootMotion::extract(&raw, 0, Transform::IDENTITY, RootMotionOptions::WALK).unwrap().0
}

/// Builds a machine with one layer.
pub(crate) fn machine(describe: impl FnOnce(&mut MachineBuilder, hedgerow_animator::Layer)) -> Machine {
    let mut builder = MachineBuilder::new(&skeleton());
    let base = builder.layer("base", LayerOptions::default());
    describe(&mut builder, base);
    builder.build().unwrap()
}

/// Samples an animator.
pub(crate) fn pose(animator: &mut Animator) -> Pose {
    let mut pose = Pose::rest(animator.machine().skeleton());
    animator.sample(&mut pose).unwrap();
    pose
}

/// Returns the place of a joint along x.
pub(crate) fn x(animator: &mut Animator, joint: u16) -> f32 {
    pose(animator).get(joint).translation.x
}

pub(crate) fn near(found: f32, expected: f32) {
    assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
}

/// Returns how many cases a random test runs: `HEDGEROW_RANDOM_CASES`, or `usually`.
pub(crate) fn cases(usually: u64) -> u64 {
    std::env::var("HEDGEROW_RANDOM_CASES").map_or(usually, |cases| cases.parse().expect("a number of cases"))
}
