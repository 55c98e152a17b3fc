//! Events and root motion of the blend.

use crate::{cases, clip, machine, near, root, skeleton};
use hedgerow_anim::blend::JointMask;
use hedgerow_anim::player::Playback;
use hedgerow_anim::root_motion::RootMotion;
use hedgerow_anim::{Player, Transform};
use hedgerow_animator::{
    Animator, Condition, Fade, Layer, LayerOptions, Machine, MachineBuilder, Motion, State, Transition,
};
use std::collections::BTreeMap;

/// Three states, with their duration, playback, and the times of their events, in parts of 1/64 s.
const STATES: [(i64, Playback, &[i64]); 4] = [
    (64, Playback::Loop, &[0, 16, 16, 64]),
    (32, Playback::Clamp, &[0, 8, 32]),
    (128, Playback::PingPong, &[0, 5, 128]),
    (16, Playback::Loop, &[7]),
];

fn eventful() -> (Machine, [State; 4], Layer) {
    let mut states = Vec::new();
    let machine = machine(|m, base| {
        for (number, (duration, playback, events)) in STATES.iter().enumerate() {
            let events: Vec<_> = events.iter().map(|&time| (time as f32 / 64.0, "event")).collect();
            let clip = clip(*duration as f32 / 64.0, [0.0, 1.0], &events);
            states.push(m.state(base, &format!("{number}"), Motion::from(clip).playback(*playback)));
        }
    });
    let base = machine.layer("base").unwrap();
    (machine, states.try_into().unwrap(), base)
}

/// A naive motion: its place in all rounds together, in parts of 1/64 s.
#[derive(Clone, Copy)]
struct Run {
    state: usize,
    place: i64,
    passed: bool,
}

impl Run {
    /// Moves, and returns the numbers of the passed events.
    fn step(&mut self, by: i64) -> Vec<(usize, u32)> {
        let (duration, playback, events) = STATES[self.state];
        let (from, with_from) = (self.place, !self.passed);
        self.place += by;
        if playback == Playback::Clamp {
            self.place = self.place.clamp(0, duration);
        }
        self.passed |= by != 0;
        let period = if playback == Playback::PingPong { 2 * duration } else { duration };
        let mut found = Vec::new();
        // Twice the time, because the end of a round comes just before the beginning of the next.
        let rounds = if playback == Playback::Clamp {
            0..=0
        } else {
            from.min(self.place).div_euclid(period) - 1..=from.max(self.place).div_euclid(period) + 1
        };
        for round in rounds {
            for (number, &time) in (0..).zip(events) {
                let turns = playback == Playback::PingPong && time != 0 && time != duration;
                for time in [Some(time), turns.then_some(period - time)].into_iter().flatten() {
                    let ends = playback == Playback::Loop && time == duration;
                    let at = 2 * (round * period + time) - i64::from(ends);
                    let (from, to) = (2 * from, 2 * self.place);
                    let inside = if by > 0 { from < at && at <= to } else { to <= at && at < from };
                    if inside || by != 0 && at == from && with_from {
                        found.push((self.state, number));
                    }
                }
            }
        }
        found
    }
}

#[test]
fn events_come_exactly_once_whatever_the_steps() {
    let (machine, states, base) = eventful();
    let mut dice = fastrand::Rng::with_seed(19);
    let mut animator = Animator::new(&machine);
    let mut runs = vec![Run { state: 0, place: 0, passed: false }];
    let mut fade = (0, 0);
    for step in 0..25_000 * cases(2) {
        if dice.u8(..8) == 0 {
            let (state, seconds) = (dice.usize(..4), dice.i64(0..40));
            animator.play(states[state], seconds as f32 / 64.0);
            // A fade that is interrupted holds its pose, which yields no events.
            runs = if fade.0 < fade.1 || seconds == 0 { Vec::new() } else { vec![runs[0]] };
            runs.insert(0, Run { state, place: 0, passed: false });
            fade = (0, seconds);
        }
        let by = match dice.u8(..10) {
            0 => 0,
            1 => dice.i64(0..500),
            2 | 3 => -dice.i64(0..50),
            _ => dice.i64(0..12),
        };
        animator.advance(by as f32 / 64.0);
        let before = fade.0;
        fade.0 += by.abs();
        let mut expected: Vec<(usize, u32)> = Vec::new();
        for (number, run) in runs.iter_mut().enumerate() {
            // The state before plays until the fade ends.
            let by = if number == 0 { by } else { by.clamp(before - fade.1, fade.1 - before) };
            expected.extend(run.step(by));
        }
        if fade.0 >= fade.1 {
            runs.truncate(1);
        }
        let mut found: Vec<(usize, u32)> = Vec::new();
        for passed in animator.events() {
            assert!(passed.weight > 0.0 && passed.layer == base);
            found.push((states.iter().position(|&state| state == passed.state).unwrap(), passed.event.number));
        }
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "step {step}: {by} from state {}", runs[0].state);
    }
}

/// Blends, transitions, cuts and fades with speeds and times that binary fractions do not hold.
#[test]
fn events_of_blends_and_transitions_do_not_depend_on_the_steps() {
    let machine = machine(|m, base| {
        let by = m.parameter("by", 0.3);
        let clips = [(0.7, 0.11), (1.1, 0.9), (0.37, 0.0)]
            .map(|(duration, time)| clip(duration, [0.0, 1.0], &[(time, "event"), (duration, "end")]));
        let go = Motion::line(by, [0.0, 0.5, 1.0].into_iter().zip(clips.clone())).speed(1.3);
        let go = m.state(base, "go", go);
        let once = m.one_shot(base, "once", Motion::from(clips[1].clone()).speed(1.7), Fade::cross(0.13));
        m.transition(Transition::new(go, once).when(Condition::phase(0.83..=0.9)).after_fade().fade(0.09));
        let arms = m.layer("arms", LayerOptions::default());
        let back = m.state(arms, "back", Motion::from(clips[0].clone()).speed(-0.9));
        let turn = m.state(arms, "turn", Motion::from(clips[2].clone()).playback(Playback::PingPong));
        m.transition(Transition::new(back, turn).when(Condition::end()).after_fade().fade(0.3));
        m.transition(Transition::new(turn, back).when(Condition::phase(0.2..=0.4)).fade(Fade::inertial(0.05)));
    });
    let mut dice = fastrand::Rng::with_seed(31);
    let (mut whole, mut split) = (Animator::new(&machine), Animator::new(&machine));
    let mut counts = [BTreeMap::<_, i64>::new(), BTreeMap::new()];
    let mut total = 0_i64;
    for step in 0..3000 * cases(1) {
        // Their sums are exact: else, after many steps, rounding would put a transition into different steps of the
        // two.
        let (part, parts) = (f32::from(dice.u8(..)) * f32::from(dice.u8(..)) / 262_144.0, dice.u16(1..9));
        let mut advance = |animator: &mut Animator, seconds: f32, of: usize| {
            animator.advance(seconds);
            for passed in animator.events() {
                *counts[of].entry((passed.state, passed.event.number, passed.event.name.to_owned())).or_default() += 1;
            }
        };
        advance(&mut whole, part * f32::from(parts), 0);
        (0..parts).for_each(|_| advance(&mut split, part, 1));
        total = counts[0].values().sum();
        // One that falls on the end of the step may still come.
        let late: i64 = counts[0].iter().map(|(event, count)| (count - counts[1].get(event).unwrap_or(&0)).abs()).sum();
        assert!(late <= 1, "step {step}: {counts:?}");
        let bases = ["base", "arms"].map(|name| machine.layer(name).unwrap());
        if late == 0 {
            assert!(bases.iter().all(|&layer| whole.state(layer) == split.state(layer)), "step {step}");
        }
    }
    assert!(total > 3000, "{total}");
}

#[test]
fn a_motion_that_stands_still_at_an_end_passes_it_at_most_once() {
    for (speed, playback) in
        [0.0, -1e-18].into_iter().flat_map(|speed| [(speed, Playback::Loop), (speed, Playback::PingPong)])
    {
        let machine = machine(|m, base| {
            let speed = m.parameter("speed", speed);
            let clip = clip(1.0, [0.0, 1.0], &[(0.0, "start"), (1.0, "end")]);
            m.state(base, "a", Motion::from((clip, root(1.0, 2.0, 0.4))).speed_by(speed).playback(playback));
        });
        let mut animator = Animator::new(&machine);
        animator.seek(machine.layer("base").unwrap(), 1.0);
        let mut events = 0;
        for _ in 0..4 {
            animator.advance(1.0 / 60.0);
            events += animator.events().count();
            assert!(animator.root_motion().translation.length() < 1e-6, "{speed} {playback:?}");
        }
        assert_eq!(events, usize::from(speed != 0.0), "{speed} {playback:?}");
    }
}

#[test]
fn feet_of_clips_in_step_come_down_together() {
    // The feet of the runner are elsewhere in the clip, which begins with the right one.
    let machine = machine(|m, base| {
        let speed = m.parameter("speed", 1.0);
        let steps = m.sync_group(&["left", "right"]);
        let walk = clip(1.0, [0.0, 1.0], &[(0.1, "left"), (0.5, "creak"), (0.6, "right")]);
        let run = clip(0.6, [0.0, 1.0], &[(0.05, "right"), (0.4, "left")]);
        let limp = clip(1.6, [0.0, 1.0], &[(0.0, "left"), (1.5, "right")]);
        let sneak = m.state(base, "sneak", Motion::from(limp.clone()).sync(steps));
        m.state(base, "go", Motion::line(speed, [(1.0, walk.clone()), (3.0, run), (4.0, limp)]).sync(steps));
        let arms = m.layer("arms", LayerOptions::default());
        m.state(arms, "carry", Motion::from(walk).sync(steps));
        let _ = sneak;
    });
    let [sneak, go] = ["sneak", "go"].map(|name| machine.state(name).unwrap());
    let [base, arms] = ["base", "arms"].map(|name| machine.layer(name).unwrap());
    let speed = machine.parameter("speed").unwrap();
    let mut dice = fastrand::Rng::with_seed(23);
    let mut animator = Animator::new(&machine);
    let (mut last, mut feet) = ([String::new(), String::new()], 0);
    for _ in 0..4000 {
        if dice.u8(..10) == 0 {
            let fade = if dice.bool() { Fade::cross(0.2) } else { Fade::inertial(0.2) };
            animator.play(if dice.bool() { go } else { sneak }, fade);
        }
        animator.set(speed, 5.0 * dice.f32());
        animator.advance(0.1 * dice.f32());
        for passed in animator.events().filter(|passed| passed.leads && passed.event.name != "creak") {
            let last = &mut last[usize::from(passed.layer == arms)];
            assert_ne!(*last, passed.event.name, "feet alternate");
            *last = passed.event.name.to_owned();
            feet += 1;
        }
        assert!((animator.phase(base) - animator.phase(arms)).abs() < 1e-9, "layers stay in step");
    }
    assert!(feet > 500, "{feet}");
    // A clip alone takes its own time, from its first marker.
    let mut animator = Animator::new(&machine);
    animator.play(go, 0.0);
    animator.set(speed, 1.0);
    let mut times = Vec::new();
    for step in 1..=101_i32 {
        animator.advance(0.01);
        times.extend(
            animator.events().filter(|event| event.layer == arms).map(|event| (event.event.name.to_owned(), step)),
        );
    }
    let expected = [("left", 1), ("creak", 40), ("right", 50), ("left", 100)];
    assert_eq!(times.len(), expected.len(), "{times:?}");
    assert!(
        times.iter().zip(expected).all(|((name, at), (expected, near))| name == expected && (*at - near).abs() <= 1),
        "{times:?}"
    );
}

#[test]
fn root_motion_is_that_of_players_and_of_blends_between() {
    let roots = [root(1.0, 2.0, 0.4), root(2.0, 1.0, -0.2)];
    let machine = machine(|m, base| {
        let speed = m.parameter("speed", 0.0);
        let clips = [clip(1.0, [0.0, 1.0], &[]), clip(2.0, [0.0, 1.0], &[])];
        let [a, b] = clips.into_iter().zip(roots.clone()).collect::<Vec<_>>().try_into().unwrap();
        m.state(base, "a", a.clone());
        m.state(base, "line", Motion::line(speed, [(0.0, a), (1.0, b)]));
        m.state(base, "still", Motion::none());
    });
    let mut animator = Animator::new(&machine);
    let mut player = Player::new(clip(1.0, [0.0, 1.0], &[]));
    player.set_playback(Playback::Loop);
    let mut dice = fastrand::Rng::with_seed(29);
    for _ in 0..500 {
        let seconds = 3.0 * (dice.f32() - 0.3) * dice.f32();
        let from = player.time();
        let loops = player.advance(seconds);
        animator.advance(seconds);
        let (expected, found) = (roots[0].between(from, player.time(), loops), animator.root_motion());
        assert!((expected.translation - found.translation).length() < 1e-4, "{expected:?} {found:?}");
        assert!(expected.rotation.angle_between(found.rotation) < 2e-3);
    }
    // A whole cycle of the blend: half of each.
    animator.play(machine.state("line").unwrap(), 0.0);
    animator.set(machine.parameter("speed").unwrap(), 0.5);
    let mut character = Transform::IDENTITY;
    for _ in 0..150 {
        animator.advance(0.01);
        character = RootMotion::apply(animator.root_motion(), character);
    }
    assert!((character.translation.z - 1.5).abs() < 0.03, "{character:?}");
    // Fading to nothing slows down evenly.
    animator.play(machine.state("still").unwrap(), 1.0);
    let way = |animator: &mut Animator| {
        animator.advance(0.125);
        animator.root_motion().translation.length()
    };
    let ways: Vec<f32> = (0..8).map(|_| way(&mut animator)).collect();
    assert!(ways.is_sorted_by(|a, b| a > b) && way(&mut animator) == 0.0, "{ways:?}");
    // Whatever the steps: half of the second, in one step that goes on after the fade, as in many.
    for steps in [1_u8, 8, 60] {
        animator.play(machine.state("a").unwrap(), 0.0);
        animator.play(machine.state("still").unwrap(), 1.0);
        let ways = (0..steps).map(|_| {
            animator.advance(1.5 / f32::from(steps));
            animator.root_motion().translation.length()
        });
        let sum: f32 = ways.sum();
        assert!((sum - 1.0).abs() < 0.02, "{steps} steps: {sum}");
    }
    // What was passed stays as it was when parameters and weights change.
    animator.play(machine.state("line").unwrap(), 0.0);
    animator.advance(0.25);
    let moved = animator.root_motion();
    animator.set(machine.parameter("speed").unwrap(), 1.0);
    animator.set_weight(machine.layer("base").unwrap(), 0.5);
    assert_eq!(animator.root_motion(), moved);
}

#[test]
fn root_motion_of_layers_counts_by_their_weights_at_the_first_joint() {
    let mut m = MachineBuilder::new(&skeleton());
    let mut mask = JointMask::new(3, 1.0).unwrap();
    mask.set(0, 0.5).unwrap();
    let options = [LayerOptions::default(), LayerOptions::masked(mask), LayerOptions::default().additive(None)];
    for (options, z) in options.into_iter().zip([2.0, 4.0, 1.0]) {
        let layer = m.layer("layer", options.weight(if z == 2.0 { 1.0 } else { 0.5 }));
        m.state(layer, "state", (clip(1.0, [0.0, 1.0], &[]), root(1.0, z, 0.0)));
    }
    let mut animator = Animator::new(&m.build().unwrap());
    animator.advance(0.5);
    near(animator.root_motion().translation.z, 0.5 * (2.0 * 0.75 + 4.0 * 0.25 + 1.0 * 0.5));
}
