//! Difficult clips: keys at most a tick apart, wide turns between keys, long durations.

use super::{Sample, builders};
use hedgerow_anim::glam::Quat;
use hedgerow_anim::{
    Clip, ClipBuilder, Player, RawClip,
    clip::{ClipReport, JumpSpacing},
    player::Playback,
    raw::{Interpolation, Track},
};
use hedgerow_testkit::Dice;
use proptest::prelude::{prop_assert_eq, proptest};
use proptest::test_runner::Config;

/// A curve with closely spaced keys: a channel, or the turn of a joint about an axis in radians.
#[derive(Clone, Debug)]
struct Line {
    step: bool,
    times: Vec<f32>,
    values: Vec<f32>,
}

impl Line {
    /// Creates keys with random spacings, from one word (if `nearest` is 0) to a fifth of the clip.
    fn new(duration: f32, nearest: u32, dice: &mut Dice) -> Self {
        let tick = duration / 65_534.0;
        let (mut times, mut values) = (vec![], vec![]);
        // Some lines start at the very end of the clip, where no key can be delayed.
        let mut now = if dice.below(4) == 0 { duration - 4.0 * tick } else { dice.share() * duration * 0.5 };
        let mut value = 0.0;
        for _ in 0..2 + dice.below(24) {
            if now > duration {
                break;
            }
            times.push(now);
            values.push(value);
            value += dice.number() * if dice.below(3) == 0 { 0.1 } else { 3.1 };
            let next = match nearest + dice.below(8 - nearest) {
                0 => now.next_up(),
                1 => now + dice.share() * 8.0 * (now.next_up() - now),
                2 => now + dice.share() * tick,
                3 => now + tick,
                4 => now + dice.share() * 4.0 * tick,
                5 => now + dice.share() * 40.0 * tick,
                6 => duration.min(now + 0.1 * duration),
                _ => now + dice.share() * 0.2 * duration,
            };
            now = next.max(now.next_up());
        }
        Self { step: dice.below(4) == 0, times, values }
    }

    fn interpolation(&self) -> Interpolation {
        if self.step { Interpolation::Step } else { Interpolation::Linear }
    }

    fn at(&self, time: f64) -> f64 {
        let key = self.times.partition_point(|&key| f64::from(key) <= time);
        let value = |key: usize| f64::from(self.values[key]);
        if key == 0 || key == self.times.len() || self.step {
            return value(key.saturating_sub(1));
        }
        let (from, to) = (f64::from(self.times[key - 1]), f64::from(self.times[key]));
        value(key - 1) + (value(key) - value(key - 1)) * (time - from) / (to - from)
    }

    /// Returns the least and the greatest value within `by` of a time.
    fn around(&self, time: f32, by: f64) -> (f64, f64) {
        let (from, to) = (f64::from(time) - by, f64::from(time) + by);
        let keys = self.times.iter().zip(&self.values).filter(|(time, _)| (from..=to).contains(&f64::from(**time)));
        let keys = keys.map(|(_, value)| f64::from(*value));
        let all = keys.chain([self.at(from), self.at(to)]);
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)))
    }
}

/// Returns a clip with closely spaced keys in all kinds of tracks, the turns of joints 0 to 2, and channels 0 to 2.
fn crowded(dice: &mut Dice) -> (RawClip, [Line; 3], [Line; 3]) {
    let duration = [1.0, 10.0, 55.0, 0.01, 700.0, 3600.0][dice.below(6) as usize];
    let mut clip = RawClip::new(duration, 4).expect("a sound clip");
    // With more than three keys within a tick, the clip becomes tight.
    let nearest = [0, 3, 4, 5][dice.below(4) as usize];
    let [turns, weights] = [0, 1].map(|_| core::array::from_fn(|_| Line::new(duration, nearest, dice)));
    for (joint, line) in (0..).zip(&turns) {
        let turns = line.values.iter().map(|angle| Quat::from_rotation_y(*angle)).collect();
        let track = Track::new(line.interpolation(), line.times.clone(), turns).expect("sound");
        clip.set_rotation(joint, track).expect("a joint");
    }
    for line in &weights {
        let track = Track::new(line.interpolation(), line.times.clone(), line.values.clone()).expect("sound");
        clip.add_channel("weight", track).expect("a channel");
    }
    let bent = Line::new(duration, nearest, dice);
    let curve = bent.values.iter().flat_map(|&angle| [0.1, angle, -0.1].map(Quat::from_rotation_x)).collect();
    clip.set_rotation(3, Track::cubic(bent.times.clone(), curve).expect("sound")).expect("a joint");
    let curve = bent.values.iter().flat_map(|&value| [1.0, value, -1.0]).collect();
    clip.add_channel("bent", Track::cubic(bent.times, curve).expect("sound")).expect("a channel");
    (clip, turns, weights)
}

/// Checks a player's values against the lines, with the reported errors of time and value.
fn assert_shown(player: &Player<&Clip>, report: &ClipReport, turns: &[Line; 3], weights: &[Line; 3]) {
    let (time, shown) = (player.time(), Sample::shown(player));
    // A time is exact to a 32nd of a tick, apart from rounding.
    let tick = f64::from(player.clip().duration()) / 65_534.0;
    let by = f64::from(report.time_error) + 0.1 * tick;
    for (line, transform) in turns.iter().zip(&shown.joints) {
        let (least, most) = line.around(time, by);
        let [x, y, z, w] = transform.rotation.to_array().map(f64::from);
        assert!(x.abs().max(z.abs()) < 1e-4, "about the axis y alone: {transform:?}");
        let round = core::f64::consts::TAU;
        let angle = (2.0 * y.atan2(w) - least).rem_euclid(round);
        let bound = f64::from(report.rotation_error + 1.01 * report.arc_error) + 1e-6;
        let is_near = angle <= most - least + bound || angle >= round - bound;
        assert!(is_near, "{angle} past {least} to {most} at {time} of {line:?}, {report:?}");
    }
    for (line, &shown) in weights.iter().zip(&shown.channels) {
        let (least, most) = line.around(time, by);
        let bound = f64::from(report.channel_error) + 1e-5;
        let is_near = (least - bound..=most + bound).contains(&f64::from(shown));
        assert!(is_near, "{shown}, not {least} to {most} at {time} of {line:?}, {report:?}");
    }
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(150) })]

    #[test]
    fn keys_that_crowd_are_shown_in_their_order_on_every_way(builder in builders(), fine: bool, seed: u64) {
        let mut dice = Dice::with_seed(seed);
        let (raw, turns, weights) = crowded(&mut dice);
        let builder = if fine { builder.arc_error(1e-6) } else { builder };
        let (built, report) = builder.build(&raw).expect("a sound clip");
        let (plain, _) = builder.jump_frames(JumpSpacing::Seconds(f32::INFINITY)).build(&raw).expect("a sound clip");
        let clip = Clip::from_bytes(built.to_bytes().to_vec()).expect("its own bytes");
        let keys: Vec<f32> = turns.iter().chain(&weights).flat_map(|line| line.times.iter().copied()).collect();
        let mut player = Player::new(&clip);
        let mut looped = Player::new(&clip);
        looped.set_playback(Playback::Loop);
        let mut moments: Vec<f32> = vec![0.0, clip.duration()];
        for _ in 0..50 {
            let key = keys[dice.below(keys.len() as u32) as usize];
            let near = key + dice.number() * clip.duration() / 30_000.0;
            moments.push([key, key.next_down(), near, dice.share() * clip.duration()][dice.below(4) as usize]);
        }
        for &moment in &moments {
            match dice.below(3) {
                0 => player.seek(moment),
                1 => _ = player.advance(moment - player.time()),
                // Forward, then backward.
                _ => {
                    player.advance(dice.number() * clip.duration());
                    player.advance(moment - player.time());
                }
            }
            let mut direct = Player::new(&plain);
            direct.seek(player.time());
            let shown = Sample::shown(&player);
            prop_assert_eq!(shown.bits(), Sample::shown(&direct).bits(), "at {}", player.time());
            looped.advance(moment + clip.duration() - looped.time());
            let mut direct = Player::new(&plain);
            direct.seek(looped.time());
            prop_assert_eq!(Sample::shown(&looped).bits(), Sample::shown(&direct).bits(), "at {}", looped.time());
            assert_shown(&player, &report, &turns, &weights);
        }
    }
}

#[test]
fn a_wide_turn_within_a_few_ticks_is_over_when_it_should_be() {
    // A turn within half a millisecond of ten seconds, and within a few frames of ten minutes.
    let frames = |frames: [f32; 5], rate: f32| frames.map(|frame| frame / rate).to_vec();
    for (duration, times) in [
        (10.0, vec![0.0, 2.0, 2.000_5, 5.0, 9.7]),
        (10.0, vec![0.0, 2.0, 2.000_3, 5.0, 9.7]),
        (700.0, frames([0.0, 100.0, 102.0, 300.0, 42_000.0], 60.0)),
        (1900.0, frames([0.0, 100.0, 104.0, 300.0, 57_000.0], 30.0)),
        (3600.0, vec![0.0, 720.0, 720.000_5, 1800.0, 3492.0]),
    ] {
        for turn in [1.5_f32, 2.6, 3.05] {
            let values = vec![0.0, 0.2, 0.2 + turn, 0.3 + turn, 0.5];
            let line = Line { step: false, times: times.clone(), values };
            let turns = line.values.iter().map(|angle| Quat::from_rotation_y(*angle)).collect();
            let mut raw = RawClip::new(duration, 1).expect("a sound clip");
            raw.set_rotation(0, Track::linear(times.clone(), turns).expect("keys")).expect("a joint");
            for precision in [hedgerow_anim::clip::Precision::Compact, hedgerow_anim::clip::Precision::Tight] {
                let (clip, report) = ClipBuilder::new().precision(precision).build(&raw).expect("a sound clip");
                let lines = core::array::from_fn(|_| line.clone());
                let none = core::array::from_fn(|_| line.clone());
                let mut player = Player::new(&clip);
                for step in 0..=3000_u16 {
                    player.seek(duration * f32::from(step) / 3000.0);
                    assert_shown(&player, &report, &lines, &none);
                }
            }
        }
    }
}
