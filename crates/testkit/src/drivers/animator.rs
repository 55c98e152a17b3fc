//! Animators. What is written goes on like the original; changed bytes are refused or give working animators.

use crate::checksum::set_checksum;
use crate::clips::{Recipe, raw_clip};
use crate::dice::Dice;
use crate::forged;
use hedgerow_anim::{ClipBuilder, Pose, SkeletonBuilder};
use hedgerow_animator::{Animator, Fade, LayerOptions, Machine, MachineBuilder, Motion, Transition};
use hedgerow_math::Transform;
use std::sync::Arc;

/// Settings; then steps of the animator, each with a change of its bytes.
pub type Input = crate::Input<12, { 1 + forged::BEND_BYTES }>;

/// The greatest number of steps; more steps find no more faults.
const MOST_STEPS: usize = 32;

pub fn run(input: &Input) {
    let mut dice = Dice::new(&input.head);
    let machine = machine(&mut dice);
    let states = ["a", "line", "none", "b"].map(|name| machine.state(name).expect("it has them"));
    let (speed, go) = (machine.parameter("speed").expect("one"), machine.trigger("go").expect("one"));
    let mut animator = Animator::new(&machine);
    for &[how, ref bend @ ..] in input.steps.iter().take(MOST_STEPS) {
        let [kind, value] = [how & 7, how >> 3].map(f32::from);
        match how & 7 {
            0 => animator.play(states[usize::from(how >> 6)], Fade::inertial(value * 0.1)),
            1 => animator.play(states[usize::from(how >> 6)], value * 0.1),
            2 => animator.set(speed, value * 0.1),
            3 => animator.fire(go),
            _ => animator.advance((kind - 4.5) * value * 0.05),
        }
        let bytes = animator.to_bytes();
        let mut read = Animator::from_bytes(&machine, &bytes).expect("what was written is read");
        assert!(read.to_bytes() == bytes);
        assert!(live_on(&mut read) == live_on(&mut animator.clone()), "what is read goes on with other bits");
        let mut changed = bytes.clone();
        forged::bend(&mut changed, *bend);
        assert!(changed == bytes || Animator::from_bytes(&machine, &changed).is_err(), "damage is not found");
        set_checksum(&mut changed);
        match Animator::from_bytes(&machine, &changed) {
            Ok(mut read) => drop(live_on(&mut read)),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Returns a machine of two layers, with clips, a line, steps in sync, and a one-shot.
pub fn machine(dice: &mut Dice) -> Machine {
    let mut joints = SkeletonBuilder::new();
    let root = joints.joint("root", None, Transform::IDENTITY);
    joints.joint("arm", Some(root), Transform::IDENTITY);
    let (skeleton, _) = joints.build().expect("a tree");
    let recipe = Recipe { joints: 2, channels: 1, keys: 5, frames: false };
    let clips = [(); 2].map(|()| {
        let mut raw = raw_clip(&recipe, dice);
        raw.add_event(0.1, 0, "step").expect("a time in the clip");
        Arc::new(ClipBuilder::new().build(&raw).expect("a clip").0)
    });
    let mut m = MachineBuilder::new(&skeleton);
    let (speed, go, steps) = (m.parameter("speed", 1.0), m.trigger("go"), m.sync_group(&["step"]));
    let base = m.layer("base", LayerOptions::default());
    let a = m.state(base, "a", Motion::from(Arc::clone(&clips[0])).sync(steps));
    let line = m.state(base, "line", Motion::line(speed, [0.5, 2.0].into_iter().zip(clips.clone())).sync(steps));
    m.transition(Transition::new(a, line).when(go).fade(0.4));
    let top = m.layer("top", LayerOptions::default().additive(None));
    m.state(top, "none", Motion::none());
    m.one_shot(top, "b", Motion::from(Arc::clone(&clips[1])).speed_by(speed), Fade::inertial(0.2));
    m.build().expect("a sound description")
}

/// Uses an animator, and returns its bytes at the end.
pub fn live_on(animator: &mut Animator) -> Vec<u8> {
    let mut pose = Pose::rest(animator.machine().skeleton());
    for seconds in [0.1, -0.2, 3.0] {
        animator.advance(seconds);
        let (events, moved) = (animator.events().count(), animator.root_motion());
        assert!(events < 1_000 && moved.checked().is_ok());
        animator.sample(&mut pose).expect("joints as many");
        let mut channels = [0.0_f32];
        animator.sample_channels(&mut channels).expect("channels as many");
        let finite = (0..2).all(|joint| pose.get(joint).to_matrix().is_finite()) && channels[0].is_finite();
        assert!(finite, "a pose is not finite");
    }
    let bytes = animator.to_bytes();
    let again = Animator::from_bytes(animator.machine(), &bytes);
    assert!(again.is_ok_and(|again| again.to_bytes() == bytes), "what it went on to is refused");
    bytes
}
