//! Transitions, conditions, and fades that do not jump.

use crate::{clip, machine, near, pose, root, x};
use hedgerow_anim::Pose;
use hedgerow_anim::glam::Quat;
use hedgerow_anim::player::Playback;
use hedgerow_animator::{Animator, Condition, Curve, Fade, Motion, Transition};

#[test]
fn a_transition_waits_for_all_its_conditions_and_uses_up_its_trigger() {
    let machine = machine(|m, base| {
        let (speed, go) = (m.parameter("speed", 0.0), m.trigger("go"));
        let idle = m.state(base, "idle", clip(1.0, [0.0, 0.0], &[]));
        let walk = m.state(base, "walk", clip(2.0, [10.0, 12.0], &[]));
        m.transition(Transition::new(idle, walk).when(speed.above(1.0)).when(go).fade(0.5));
        m.transition(Transition::new(walk, idle).when(speed.below(0.5)).fade(Fade::CUT));
    });
    let [idle, walk] = ["idle", "walk"].map(|name| machine.state(name).unwrap());
    let (base, speed, go) =
        (machine.layer("base").unwrap(), machine.parameter("speed").unwrap(), machine.trigger("go").unwrap());
    let mut animator = Animator::new(&machine);
    animator.fire(go);
    animator.advance(0.25);
    assert_eq!((animator.state(base), machine.name(idle)), (idle, "idle"));
    animator.set(speed, 2.0);
    animator.set(speed, f32::NAN);
    animator.advance(0.25);
    assert_eq!((animator.state(base), animator.faded(base), animator.get(speed)), (walk, 0.5, 2.0));
    // Halfway from 0 to the place after a quarter of a second.
    near(x(&mut animator, 0), 0.5 * 10.25);
    animator.advance(0.25);
    near(x(&mut animator, 0), 10.5);
    assert_eq!((animator.faded(base), animator.duration(base), animator.phase(base)), (1.0, 2.0, 0.25));
    animator.set(speed, 0.0);
    animator.advance(0.0);
    assert_eq!(animator.state(base), idle);
    animator.set(speed, 2.0);
    animator.advance(0.1);
    assert_eq!(animator.state(base), idle, "the trigger was used");
    animator.fire(go);
    animator.withdraw(go);
    animator.advance(0.1);
    assert_eq!(animator.state(base), idle);
}

#[test]
fn ends_and_phases_are_met_exactly_whatever_the_steps() {
    // A strike of 0.5 s whose last 0.1 s fade to idle; idle strikes again at phase 0.25; a wave turns around.
    let machine = machine(|m, base| {
        let idle = m.state(base, "idle", clip(1.0, [0.0, 1.0], &[]));
        let strike = m.one_shot(base, "strike", clip(0.5, [0.0, 8.0], &[]), 0.1);
        let wave = m.state(base, "wave", Motion::from(clip(0.25, [0.0, 2.0], &[])).playback(Playback::PingPong));
        m.transition(Transition::new(idle, strike).when(Condition::phase(0.25..=0.25)).fade(Fade::CUT));
        m.transition(Transition::new(idle, wave).when(Condition::end()).fade(0.2));
        m.transition(
            Transition::new(wave, idle).when(Condition::phase(0.5..=0.75)).after_fade().fade(Fade::inertial(0.1)),
        );
        m.transition(Transition::from_any(wave).when(Condition::phase(0.3..=0.3)).fade(0.3));
    });
    let base = machine.layer("base").unwrap();
    let mut dice = fastrand::Rng::with_seed(11);
    for case in 0..crate::cases(40) {
        let (mut whole, mut split) = (Animator::new(&machine), Animator::new(&machine));
        for _ in 0..50 {
            let seconds: f32 = 0.7 * dice.f32() * dice.f32();
            let parts = dice.u16(1..8);
            whole.advance(seconds);
            let state = whole.state(base);
            let rounds: i32 = (0..parts)
                .map(|_| {
                    split.advance(seconds / f32::from(parts));
                    split.rounds(base)
                })
                .sum();
            assert_eq!(whole.state(base), split.state(base), "case {case}");
            assert!(state != whole.state(base) || rounds == whole.rounds(base), "case {case}");
            assert!((whole.phase(base) - split.phase(base)).abs() < 1e-5, "case {case}");
            let (a, b) = (x(&mut whole, 1), x(&mut split, 1));
            assert!((a - b).abs() < 1e-2, "case {case}: {a} and {b}");
        }
    }
    // Idle, the wave at the end; it turns, and waits until its fade is over.
    let mut animator = Animator::new(&machine);
    animator.seek(base, 0.5);
    animator.advance(0.5);
    let at = |name| machine.state(name).unwrap();
    assert_eq!((animator.phase(base), animator.state(base)), (1.0, at("idle")), "a change comes with the next step");
    animator.advance(0.15);
    assert_eq!(animator.state(base), at("wave"));
    animator.advance(0.2125);
    assert_eq!(animator.state(base), at("idle"), "on its way back");
    near(animator.faded(base), 0.5);
    animator.play(at("strike"), 0.0);
    animator.seek(base, 0.5);
    animator.advance(0.2);
    assert_eq!(animator.state(base), at("idle"), "a one-shot ends with its fade");
    near(animator.faded(base), 0.5);
}

#[test]
fn a_state_that_is_left_at_once_is_left_in_the_same_step() {
    let machine = machine(|m, base| {
        let (ground, go) = (m.parameter("ground", 1.0), m.trigger("go"));
        let jump = m.state(base, "jump", clip(0.25, [0.0, 1.0], &[]));
        let fall = m.state(base, "fall", clip(1.0, [0.0, 1.0], &[]));
        let land = m.state(base, "land", clip(1.0, [0.0, 1.0], &[]));
        let [a, b] = ["a", "b"].map(|name| m.state(base, name, Motion::none()));
        m.transition(Transition::new(jump, fall).when(Condition::end()));
        m.transition(Transition::new(fall, land).when(ground.above(0.5)));
        // A circle ends.
        m.transition(Transition::new(land, a).when(go));
        m.transition(Transition::new(a, b));
        m.transition(Transition::new(b, a));
    });
    let base = machine.layer("base").unwrap();
    for parts in [1_u8, 2, 5] {
        let mut animator = Animator::new(&machine);
        (0..parts).for_each(|_| animator.advance(0.5 / f32::from(parts)));
        assert_eq!(machine.name(animator.state(base)), "land");
        assert!((animator.phase(base) - 0.25).abs() < 1e-6);
        animator.fire(machine.trigger("go").unwrap());
        animator.advance(0.5);
        assert_eq!(machine.name(animator.state(base)), "b");
    }
}

#[test]
fn a_state_begins_again_in_the_moment_of_its_end() {
    let machine = machine(|m, base| {
        let (button, hurry) = (m.parameter("button", 1.0), m.parameter("hurry", 1.0));
        let idle = m.state(base, "idle", Motion::none());
        let attack = m.state(base, "attack", Motion::from(clip(0.5, [0.0, 1.0], &[(0.25, "strike")])).once());
        let rush = m.state(base, "rush", Motion::none());
        m.transition(Transition::new(idle, rush).when(button.above(0.5)));
        m.transition(Transition::new(rush, attack).when(hurry.above(0.5)));
        m.transition(Transition::new(attack, idle).when(Condition::end()));
    });
    for steps in [640_u16, 160, 30, 10, 1] {
        let mut animator = Animator::new(&machine);
        let strikes: usize = (0..steps)
            .map(|_| {
                animator.advance(10.0 / f32::from(steps));
                animator.events().count()
            })
            .sum();
        assert_eq!(strikes, 20, "{steps} steps");
    }
}

#[test]
fn before_the_end_counts_seconds_at_the_present_speed() {
    let machine = machine(|m, base| {
        m.state(base, "idle", clip(1.0, [0.0, 0.0], &[]));
        m.one_shot(base, "wave", Motion::from(clip(1.0, [0.0, 1.0], &[])).speed(2.0), 0.2);
    });
    let (base, wave) = (machine.layer("base").unwrap(), machine.state("wave").unwrap());
    let mut animator = Animator::new(&machine);
    animator.play(wave, 0.0);
    animator.advance(0.25);
    assert_eq!(animator.state(base), wave);
    animator.advance(0.15);
    assert_eq!(machine.name(animator.state(base)), "idle");
    near(animator.faded(base), 0.5);
}

#[test]
fn curves_begin_and_end_where_they_say() {
    for (curve, half) in [(Curve::Linear, 0.5), (Curve::EaseIn, 0.25), (Curve::EaseOut, 0.75), (Curve::Smooth, 0.5)] {
        let machine = machine(|m, base| {
            m.state(base, "a", clip(1.0, [0.0, 0.0], &[]));
            m.state(base, "b", clip(1.0, [1.0, 1.0], &[]));
        });
        let mut animator = Animator::new(&machine);
        animator.play(machine.state("b").unwrap(), Fade::cross(1.0).curve(curve));
        for (seconds, expected) in [(0.0, 0.0), (0.5, half), (0.5, 1.0)] {
            animator.advance(seconds);
            near(x(&mut animator, 0), expected);
        }
    }
}

/// Returns the greatest distance between two poses, in any number.
fn distance(a: &Pose, b: &Pose) -> f32 {
    let of = |joint: u16| {
        let (a, b) = (a.get(joint), b.get(joint));
        let turn = (a.rotation * a.rotation.dot(b.rotation).signum() - b.rotation).length();
        (a.translation - b.translation).abs().max_element().max((a.scale - b.scale).abs().max_element()).max(turn)
    };
    (0..3).map(of).fold(0.0, f32::max)
}

#[test]
fn no_fade_jumps_and_an_inertial_one_keeps_the_velocity() {
    let machine = machine(|m, base| {
        for (name, ends, z) in [("a", [0.0, 90.0], 30.0), ("b", [5.0, -140.0], 90.0), ("c", [-4.0, 50.0], 0.0)] {
            m.state(base, name, (clip(30.0, ends, &[]), root(30.0, z, 0.3 * z)));
        }
    });
    let states = ["a", "b", "c"].map(|name| machine.state(name).unwrap());
    let mut dice = fastrand::Rng::with_seed(3);
    for case in 0..crate::cases(60) {
        let mut animator = Animator::new(&machine);
        for _ in 0..12 {
            animator.advance(0.02 + 0.2 * dice.f32());
            // A moment before and after.
            let step = 1.0 / 8192.0;
            animator.advance(step);
            let (before, speed) = (pose(&mut animator), animator.root_motion().translation / step);
            animator.advance(step);
            let now = pose(&mut animator);
            let inertial = dice.bool();
            let next = dice.usize(..3);
            let fade = if inertial { Fade::inertial(0.3) } else { Fade::cross(0.3) };
            let was_fading = animator.faded(machine.layer("base").unwrap()) < 1.0;
            animator.play(states[next], fade);
            assert!(distance(&pose(&mut animator), &now) < 1e-5, "case {case}");
            animator.advance(step);
            let after = pose(&mut animator);
            let jump = distance(&after, &now);
            assert!(jump < 0.01, "case {case}: {jump}");
            if inertial {
                for joint in 0..3 {
                    let [a, b, c] = [&before, &now, &after].map(|pose| pose.get(joint));
                    let change = (c.translation - b.translation - (b.translation - a.translation)) / step;
                    assert!(change.length() < 0.6, "case {case}: the velocity jumps by {change}");
                    let spin = |a: Quat, b: Quat| (b * a.inverse()).to_scaled_axis();
                    let change = (spin(b.rotation, c.rotation) - spin(a.rotation, b.rotation)) / step;
                    assert!(change.length() < 0.15, "case {case}: the spin jumps by {change}");
                }
            }
            if inertial || was_fading {
                let change = (animator.root_motion().translation / step - speed).length();
                assert!(change < 0.15, "case {case}: the speed jumps by {change}");
            }
        }
        animator.advance(0.4);
        let mut alone = Animator::new(&machine);
        let base = machine.layer("base").unwrap();
        alone.play(animator.state(base), Fade::CUT);
        alone.seek(base, animator.phase(base));
        assert_eq!(pose(&mut animator), pose(&mut alone), "after a fade, only the new state is left");
    }
}

/// Returns a machine with a state that stands still, a once-only one and a loop that move on by 10 and 2, and nothing.
fn moves() -> (hedgerow_animator::Machine, [hedgerow_animator::State; 4]) {
    let machine = machine(|m, base| {
        m.state(base, "still", clip(1.0, [0.0, 0.0], &[]));
        m.state(base, "once", Motion::from((clip(1.0, [0.0, 10.0], &[]), root(1.0, 10.0, 0.0))).once());
        m.state(base, "walk", (clip(1.0, [0.0, 2.0], &[(0.5, "step")]), root(1.0, 2.0, 0.0)));
        m.state(base, "none", Motion::none());
    });
    let states = ["still", "once", "walk", "none"].map(|name| machine.state(name).unwrap());
    (machine, states)
}

#[test]
fn an_inertial_fade_begins_with_the_velocity_that_is_seen() {
    let (machine, [still, once, walk, none]) = moves();
    let mut animator = Animator::new(&machine);
    let begin = |animator: &mut Animator, from, seconds, to| {
        animator.play(from, 0.0);
        animator.advance(seconds);
        animator.play(to, Fade::inertial(0.3));
        let before = x(animator, 0);
        animator.advance(1.0 / 1024.0);
        [1024.0 * (x(animator, 0) - before), 1024.0 * animator.root_motion().translation.z]
    };
    // A motion that has ended stands still; a loop at its beginning, or just before its end, moves on.
    for (from, seconds, speed) in [(once, 5.0, 0.0), (walk, 0.0, 2.0), (walk, 0.9996, 2.0)] {
        for found in begin(&mut animator, from, seconds, still) {
            assert!((found - speed).abs() < 0.2, "{seconds}: {found} is not {speed}");
        }
    }
    // A fade from nothing that is interrupted at half has half of the speed.
    animator.play(none, 0.0);
    animator.play(walk, 1.0);
    animator.advance(0.5);
    animator.play(none, 1.0);
    animator.advance(1.0 / 1024.0);
    assert!((animator.root_motion().translation.z * 1024.0 - 1.0).abs() < 0.01);
    // To nothing, it is a crossfade: the old state plays on, and its events come.
    animator.play(walk, 0.0);
    animator.advance(0.25);
    animator.play(none, Fade::inertial(0.5));
    animator.advance(0.375);
    near(pose(&mut animator).get(0).translation.x, 0.25 * 1.25);
    assert_eq!(animator.events().count(), 1);
}

#[test]
fn layers_in_step_have_the_pace_of_their_group() {
    let mut m = hedgerow_animator::MachineBuilder::new(&crate::skeleton());
    let steps = m.sync_group(&[]);
    let [base, arms] = ["base", "arms"].map(|name| m.layer(name, hedgerow_animator::LayerOptions::default()));
    m.state(base, "run", Motion::from(clip(0.5, [0.0, 0.0], &[])).sync(steps));
    m.state(arms, "carry", Motion::from(clip(1.0, [0.0, 2.0], &[])).sync(steps));
    let still = m.state(arms, "still", clip(1.0, [0.0, 0.0], &[]));
    let nothing = m.state(base, "nothing", Motion::none().sync(steps));
    let machine = m.build().unwrap();
    // What plays nothing has no part in the pace, and a seek moves all of the group.
    let mut animator = Animator::new(&machine);
    animator.play(nothing, 0.0);
    animator.play(machine.state("run").unwrap(), 1.0);
    animator.advance(0.125);
    assert!((animator.phase(base) - 0.25).abs() < 1e-6);
    animator.seek(arms, 0.5);
    animator.advance(0.0625);
    assert!((animator.phase(base) - 0.625).abs() < 1e-6);

    let mut animator = Animator::new(&machine);
    animator.play(still, Fade::inertial(0.3));
    animator.advance(1.0 / 1024.0);
    let speed = 1024.0 * x(&mut animator, 0);
    assert!((speed - 4.0).abs() < 0.2, "{speed}");
}

#[test]
fn seeks_and_playbacks_are_those_of_players() {
    let machine = machine(|m, base| {
        m.state(base, "a", Motion::from(clip(2.0, [0.0, 2.0], &[])).speed(2.0));
        m.state(base, "nothing", Motion::none());
    });
    let base = machine.layer("base").unwrap();
    let mut animator = Animator::new(&machine);
    animator.seek(base, 0.75);
    near(x(&mut animator, 2), 1.5);
    animator.advance(0.5);
    assert_eq!((animator.phase(base), animator.rounds(base)), (0.25, 1));
    animator.advance(-1.75);
    assert_eq!((animator.phase(base), animator.rounds(base)), (0.5, -2));
    animator.set_playback(base, Playback::Clamp);
    animator.advance(100.0);
    assert_eq!((animator.phase(base), animator.rounds(base)), (1.0, 0));
    near(x(&mut animator, 2), 2.0);
    animator.seek(base, f64::NAN);
    animator.set_playback(base, Playback::PingPong);
    animator.advance(1.25);
    assert_eq!((animator.phase(base), animator.rounds(base)), (0.75, 1));
    animator.play(machine.state("nothing").unwrap(), 1.0);
    animator.advance(0.5);
    assert_eq!((animator.duration(base), animator.phase(base)), (0.0, 0.0));
    animator.advance(0.5);
    assert_eq!(pose(&mut animator), Pose::rest(machine.skeleton()));
}
