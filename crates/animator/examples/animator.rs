//! A character that idles, walks, runs and waves, from the commands of a game; prints a line for each change.
//!
//! ```text
//! cargo run -p hedgerow-animator --example animator
//! ```

use hedgerow_anim::blend::JointMask;
use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::raw::Track;
use hedgerow_anim::root_motion::{RootMotion, RootMotionOptions};
use hedgerow_anim::{ClipBuilder, Pose, RawClip, Skeleton, SkeletonBuilder, Transform};
use hedgerow_animator::{Animator, Fade, LayerOptions, MachineBuilder, Motion, MotionClip, Transition};

const FRAME: f32 = 1.0 / 60.0;

/// What the game wants: from a time in seconds on, a speed in metres per second, and perhaps a wave.
const COMMANDS: [(f32, f32, bool); 6] =
    [(0.0, 0.0, false), (0.5, 1.5, false), (1.5, 3.0, true), (2.2, 0.0, false), (2.3, 4.0, false), (4.0, 0.0, true)];

/// Returns a clip with a swinging arm, which takes the character `stride` metres forward in two steps.
fn clip(skeleton: &Skeleton, seconds: f32, stride: f32, swing: f32) -> Result<MotionClip, hedgerow_anim::Error> {
    let mut raw = RawClip::new(seconds, skeleton.len())?;
    raw.set_translation(0, Track::linear(vec![0.0, seconds], vec![Vec3::Y, Vec3::new(0.0, 1.0, stride)])?)?;
    let turns = [0.0, swing, 0.0].map(Quat::from_rotation_x).to_vec();
    raw.set_rotation(1, Track::linear(vec![0.0, 0.5 * seconds, seconds], turns)?)?;
    if stride > 0.0 {
        raw.add_event(0.25 * seconds, 0, "left foot")?;
        raw.add_event(0.75 * seconds, 1, "right foot")?;
    }
    let (motion, in_place) = RootMotion::extract(&raw, 0, skeleton.rest(0), RootMotionOptions::WALK)?;
    Ok((ClipBuilder::new().build(&in_place)?.0, motion).into())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut joints = SkeletonBuilder::new();
    let hip = joints.joint("hip", None, Transform::from_xyz(0.0, 1.0, 0.0));
    joints.joint("arm", Some(hip), Transform::from_xyz(0.2, 0.5, 0.0));
    let (skeleton, _) = joints.build()?;

    // Once: idle, and a blend of walk and run whose feet come down together; a wave on the arm.
    let mut m = MachineBuilder::new(&skeleton);
    let speed = m.parameter("speed", 0.0);
    let steps = m.sync_group(&["left foot", "right foot"]);
    let body = m.layer("body", LayerOptions::default());
    let idle = m.state(body, "idle", clip(&skeleton, 2.0, 0.0, 0.05)?);
    let gaits = [(1.5, clip(&skeleton, 1.0, 1.5, 0.4)?), (4.0, clip(&skeleton, 0.6, 2.4, 0.9)?)];
    let moves = m.state(body, "moves", Motion::line(speed, gaits).sync(steps));
    m.transition(Transition::new(idle, moves).when(speed.above(0.1)).fade(0.2));
    m.transition(Transition::new(moves, idle).when(speed.below(0.1)).fade(Fade::inertial(0.3)));
    let mut mask = JointMask::new(skeleton.len(), 0.0)?;
    mask.set(1, 1.0)?;
    let arms = m.layer("arms", LayerOptions::masked(mask));
    m.state(arms, "free", Motion::none());
    let wave = m.one_shot(arms, "wave", clip(&skeleton, 0.8, 0.0, 2.5)?, 0.15);
    let machine = m.build()?;

    // For each character.
    let (mut animator, mut pose) = (Animator::new(&machine), Pose::rest(&skeleton));
    let (mut character, mut commands, mut shown, mut feet) = (Transform::IDENTITY, COMMANDS.iter().peekable(), None, 0);
    for frame in 0_u16..300 {
        let time = f32::from(frame) * FRAME;
        while let Some(&(_, wanted, waves)) = commands.next_if(|command| command.0 <= time) {
            animator.set(speed, wanted);
            if waves {
                animator.play(wave, 0.15);
            }
        }
        animator.advance(FRAME);
        character = RootMotion::apply(animator.root_motion(), character);
        for step in animator.events().filter(|step| step.leads && step.layer == body) {
            println!(
                "{time:5.2} s  {:>10} at {:4.2} m, weight {:.2}",
                step.event.name, character.translation.z, step.weight
            );
            feet += 1;
        }
        animator.sample(&mut pose)?;
        let states = [body, arms].map(|layer| machine.name(animator.state(layer)));
        if shown.replace(states) != Some(states) {
            println!("{time:5.2} s  {states:?}, {} bytes", animator.to_bytes().len());
        }
    }
    println!("{feet} steps, {:.2} m", character.translation.z);
    assert!((8..16).contains(&feet) && (6.0..12.0).contains(&character.translation.z));
    Ok(())
}
