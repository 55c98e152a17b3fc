//! Events of clips: kept by files and reductions, and passed exactly once.

use hedgerow_anim::clip::Event;
use hedgerow_anim::glam::Vec3;
use hedgerow_anim::player::Playback;
use hedgerow_anim::raw::{ClipError, Reduction, Track};
use hedgerow_anim::root_motion::{RootMotion, RootMotionOptions};
use hedgerow_anim::{Clip, ClipBuilder, Error, Player, RawClip, SkeletonBuilder, Transform};

fn walk() -> RawClip {
    let mut clip = RawClip::new(2.0, 1).unwrap();
    let places = vec![Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
    clip.set_translation(0, Track::linear(vec![0.0, 1.0, 2.0], places).unwrap()).unwrap();
    clip.add_channel("smile", Track::constant(1.0).unwrap()).unwrap();
    clip.add_event(2.0, 7, "").unwrap();
    clip.add_event(0.5, 1, "left").unwrap();
    clip.add_event(0.0, 3, "begin").unwrap();
    clip.add_event(0.5, 2, "Fuß").unwrap();
    clip
}

const EVENTS: [(f32, u32, &str); 4] = [(0.0, 3, "begin"), (0.5, 1, "left"), (0.5, 2, "Fuß"), (2.0, 7, "")];

fn are<'e>(events: impl Iterator<Item = Event<'e>>) {
    assert_eq!(events.map(|event| (event.time, event.number, event.name)).collect::<Vec<_>>(), EVENTS);
}

#[test]
fn events_are_kept_in_order_of_time_by_clips_bytes_reductions_and_root_motion() {
    let raw = walk();
    are(raw.events());
    let (clip, _) = ClipBuilder::new().build(&raw).unwrap();
    are(clip.events());
    are(Clip::from_bytes(clip.to_bytes().to_vec()).unwrap().events());
    assert_eq!((clip.channel_name(0), clip.channel_name(1), clip.find_channel("left")), (Some("smile"), None, None));
    let mut builder = SkeletonBuilder::new();
    builder.joint("", None, Transform::IDENTITY);
    let skeleton = builder.build().unwrap().0;
    let reduced = raw.reduced(&skeleton, &Reduction::new(1e-3, 0.1)).unwrap();
    assert_eq!(reduced.keys(), 3);
    are(reduced.events());
    are(RootMotion::extract(&raw, 0, Transform::IDENTITY, RootMotionOptions::default()).unwrap().1.events());
    let mut fewer = raw;
    fewer.retain_events(|event| event.number == 2);
    assert_eq!(fewer.events().map(|event| event.name).collect::<Vec<_>>(), ["Fuß"]);
}

#[test]
fn events_outside_of_the_clip_are_refused() {
    let mut clip = walk();
    for time in [-0.1, 2.1, f32::NAN, f32::INFINITY] {
        let refused = clip.add_event(time, 0, "late").unwrap_err();
        let Error::Clip(ClipError::EventTime { time: found, duration: 2.0 }) = refused else { panic!("{refused:?}") };
        assert_eq!(found.to_bits(), time.to_bits());
    }
    are(clip.events());
}

fn names(player: &mut Player<&Clip>, seconds: f32) -> Vec<String> {
    player.advance_events(seconds).map(|event| event.name.to_owned()).collect()
}

#[test]
fn the_step_after_a_seek_passes_the_events_where_it_starts() {
    let (clip, _) = ClipBuilder::new().build(&walk()).unwrap();
    let mut player = Player::new(&clip);
    assert_eq!(names(&mut player, 0.0), [""; 0]);
    assert_eq!(names(&mut player, 0.5), ["begin", "left", "Fuß"]);
    assert_eq!(names(&mut player, 0.25), [""; 0]);
    assert_eq!(names(&mut player, -0.25), ["Fuß", "left"]);
    player.seek(0.5);
    assert_eq!(names(&mut player, -1.0), ["Fuß", "left", "begin"]);
    assert_eq!(names(&mut player, f32::NAN), [""; 0]);
    assert_eq!(names(&mut player, 1e30), ["left", "Fuß", ""]);
    assert_eq!(names(&mut player, 1e30), [""; 0]);
    player.set_playback(Playback::Loop);
    let mut all = player.advance_events(-1e30);
    assert_eq!((all.rounds(), all.by_ref().take(4_000_000).count()), (i32::MIN, 4_000_000));
}

/// A place in a clip of `ticks` ticks, and its direction: the rules of playing, tick by tick.
struct Oracle {
    ticks: i64,
    at: i64,
    /// On the way back of ping-pong.
    back: bool,
    playback: Playback,
    /// Whether the events here are still to come.
    fresh: bool,
}

impl Oracle {
    /// Moves by a tick, and adds the ticks whose events are passed.
    fn step(&mut self, forward: bool, passed: &mut Vec<(i64, bool)>) {
        if std::mem::take(&mut self.fresh) {
            passed.push((self.at, forward != self.back));
        }
        let rises = forward != self.back;
        if self.at == if rises { self.ticks } else { 0 } {
            match self.playback {
                Playback::Clamp => return,
                Playback::Loop => {
                    self.at = self.ticks - self.at;
                    passed.push((self.at, rises));
                }
                Playback::PingPong => {
                    self.back = !self.back;
                    return self.step(forward, passed);
                }
            }
        }
        self.at += if rises { 1 } else { -1 };
        passed.push((self.at, rises));
        // A looping player that reaches the end is at the beginning.
        if self.playback == Playback::Loop && forward && self.at == self.ticks {
            self.at = 0;
            passed.push((0, true));
        }
    }
}

/// `HEDGEROW_EVENT_STEPS=1000000` takes so many steps.
#[test]
fn every_event_is_passed_exactly_once_in_every_direction_and_way_of_playing() {
    let steps = std::env::var("HEDGEROW_EVENT_STEPS").map_or(40_000, |steps| steps.parse().expect("a number"));
    let mut dice = fastrand::Rng::with_seed(70);
    // Times of this kind, and their sums, are exact.
    const TICK: f32 = 1.0 / 64.0;
    let mut done = 0;
    while done < steps {
        let ticks = dice.u16(1..40);
        let mut raw = RawClip::new(f32::from(ticks) * TICK, 0).unwrap();
        let mut at: Vec<Vec<u32>> = vec![Vec::new(); usize::from(ticks) + 1];
        for number in 0..dice.u32(1..12) {
            let tick = if dice.u8(..4) == 0 { ticks * u16::from(dice.bool()) } else { dice.u16(..=ticks) };
            raw.add_event(f32::from(tick) * TICK, number, "").unwrap();
            at[usize::from(tick)].push(number);
        }
        let (clip, _) = ClipBuilder::new().build(&raw).unwrap();
        let playback = [Playback::Clamp, Playback::Loop, Playback::PingPong][dice.usize(..3)];
        let mut player = Player::new(&clip);
        player.set_playback(playback);
        let mut oracle = Oracle { ticks: ticks.into(), at: 0, back: false, playback, fresh: true };
        for _ in 0..dice.u16(1..200) {
            done += 1;
            if dice.u8(..30) == 0 {
                let tick = dice.u16(..=ticks);
                player.seek(f32::from(tick) * TICK);
                (oracle.at, oracle.back, oracle.fresh) = (tick.into(), false, true);
            }
            let longest = if dice.u8(..8) == 0 { 200 } else { 12 };
            let (step, forward) = (dice.i16(0..longest), dice.u8(..3) > 0);
            let mut passed = Vec::new();
            (0..step).for_each(|_| oracle.step(forward, &mut passed));
            let expected: Vec<u32> = passed
                .iter()
                .flat_map(|&(tick, rises)| {
                    let here = at[usize::try_from(tick).unwrap()].iter().copied();
                    if rises { here.collect::<Vec<_>>() } else { here.rev().collect() }
                })
                .collect();
            let seconds = f32::from(step) * TICK * if forward { 1.0 } else { -1.0 };
            let found: Vec<u32> = player.advance_events(seconds).map(|event| event.number).collect();
            assert_eq!(found, expected, "{playback:?} by {seconds}, {ticks} ticks");
        }
    }
}

/// Sums of these steps are rounded, so only numbers can be compared: those of many small steps and of few long ones.
#[test]
fn steps_that_are_rounded_lose_no_event() {
    let mut dice = fastrand::Rng::with_seed(71);
    for round in 0..200 {
        let mut raw = RawClip::new(dice.f32() + 0.1, 0).unwrap();
        for number in 0..5 {
            raw.add_event(raw.duration() * [0.0, 1.0, 0.3, 0.7, dice.f32()][number], 0, "").unwrap();
        }
        let (clip, _) = ClipBuilder::new().build(&raw).unwrap();
        let mut player = Player::new(&clip);
        player.set_playback(Playback::Loop);
        let (mut events, mut ends) = (0_i64, 0_i64);
        for _ in 0..200 {
            let seconds = 2.0 * dice.f32() - if round % 2 == 0 { 0.0 } else { 0.9 };
            let mut passed = player.advance_events(seconds);
            ends += i64::from(passed.rounds());
            let count = i64::try_from(passed.by_ref().count()).unwrap();
            events += if seconds > 0.0 { count } else { -count };
        }
        // Each round has five; the rest is between two of them, or at most two where it turned around at an event.
        assert!((events - 5 * ends).abs() <= 5, "round {round}: {events} events in {ends} rounds");
    }
}
