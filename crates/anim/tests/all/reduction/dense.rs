//! Compares reduced tracks with original tracks at many times, in double precision.

use super::chain;
use hedgerow_anim::glam::{DAffine3, DQuat, DVec3, DVec4, Quat, Vec3};
use hedgerow_anim::{
    Error, RawClip,
    clip::ClipError,
    raw::{Interpolation, Reduction, Track, TrackName, TrackPart, TrackValue},
};
use hedgerow_testkit::Dice;

/// The type of a track's keys in double precision, and its interpolation.
trait Number: TrackValue {
    fn wide(self) -> DVec4;
    /// Normalises a sum of keys, if they are rotations.
    fn normalised(wide: DVec4) -> DVec4;
    /// Interpolates linearly: exactly, and as a player does.
    fn lines(a: DVec4, b: DVec4, share: f64) -> [DVec4; 2];
}

macro_rules! plain {
    ($value:ty, $wide:expr) => {
        impl Number for $value {
            fn wide(self) -> DVec4 {
                $wide(self)
            }
            fn normalised(wide: DVec4) -> DVec4 {
                wide
            }
            fn lines(a: DVec4, b: DVec4, share: f64) -> [DVec4; 2] {
                [a.lerp(b, share); 2]
            }
        }
    };
}
plain!(f32, |number: f32| DVec4::new(number.into(), 0.0, 0.0, 0.0));
plain!(Vec3, |vector: Vec3| vector.as_dvec3().extend(0.0));

impl Number for Quat {
    fn wide(self) -> DVec4 {
        DVec4::from(self.as_dquat())
    }
    fn normalised(wide: DVec4) -> DVec4 {
        wide.try_normalize().unwrap_or(DVec4::W)
    }
    fn lines(a: DVec4, b: DVec4, share: f64) -> [DVec4; 2] {
        let b = if a.dot(b) < 0.0 { -b } else { b };
        let exact = DQuat::from_vec4(a).slerp(DQuat::from_vec4(b), share);
        [exact.into(), a.lerp(b, share).normalize()]
    }
}

/// Evaluates a track: exactly, and as a player does.
fn at<V: Number>(track: &Track<V>, time: f64) -> [DVec4; 2] {
    let times = track.times();
    let next = times.partition_point(|&key| f64::from(key) <= time);
    let value = |key: usize| track.value(key).wide();
    if next == 0 || next == times.len() {
        return [V::normalised(value(next.saturating_sub(1))); 2];
    }
    let (from, to) = (f64::from(times[next - 1]), f64::from(times[next]));
    let (span, t) = (to - from, (time - from) / (to - from));
    match track.interpolation() {
        Interpolation::Step => [V::normalised(value(next - 1)); 2],
        Interpolation::Linear => V::lines(V::normalised(value(next - 1)), V::normalised(value(next)), t),
        Interpolation::Cubic => {
            let (out, into) = (track.tangents(next - 1).1.wide() * span, track.tangents(next).0.wide() * span);
            let (t2, t3) = (t * t, t * t * t);
            let sum = value(next - 1) * (2.0 * t3 - 3.0 * t2 + 1.0)
                + out * (t3 - 2.0 * t2 + t)
                + value(next) * (3.0 * t2 - 2.0 * t3)
                + into * (t3 - t2);
            [V::normalised(sum); 2]
        }
    }
}

/// Returns the times of the keys of both tracks, and some times in between.
fn moments<V: Number>(tracks: [&Track<V>; 2], duration: f32, parts: u16) -> Vec<f64> {
    let mut keys: Vec<f32> = tracks.iter().flat_map(|track| track.times().iter().copied()).collect();
    keys.push(duration);
    keys.sort_by(f32::total_cmp);
    let between = keys.windows(2).flat_map(|pair| {
        (0..=parts).map(move |part| pair[0] + (pair[1] - pair[0]) * f32::from(part) / f32::from(parts))
    });
    between.map(f64::from).collect()
}

/// Returns the greatest distance of a reduced track from the original, and the greatest value of the measure.
fn furthest<V: Number>(
    raw: &Track<V>,
    reduced: &Track<V>,
    duration: f32,
    apart: impl Fn(DVec4, DVec4) -> f64,
) -> (f64, f64) {
    let parts = if raw.len() + reduced.len() < 400 { 24 } else { 3 };
    moments([raw, reduced], duration, parts).into_iter().fold((0.0, 0.0), |(most, size), time| {
        let exact = at(raw, time)[0];
        let away = at(reduced, time).map(|found| apart(found, exact));
        (away[0].max(away[1]).max(most), exact.length().max(size))
    })
}

/// Returns a track of arbitrary keys, with values and slopes of any size.
fn track<V: Number>(
    duration: f32,
    dice: &mut Dice,
    value: impl Fn(&mut Dice) -> V,
    slope: impl Fn(&mut Dice, f32) -> V,
) -> Track<V> {
    let keys = 2 + dice.below(8);
    let mut times: Vec<f32> = (0..keys).map(|_| dice.share() * duration).collect();
    if dice.below(3) == 0 {
        // Some keys are close together.
        times = times.iter().enumerate().map(|(key, time)| times[key / 2] + time * 1e-3).collect();
        times.iter_mut().for_each(|time| *time = time.min(duration));
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    let steep = [0.0, 0.1, 1.0, 10.0, 100.0][dice.below(5) as usize] / duration;
    match dice.below(6) {
        0 => {
            let values = times.iter().map(|_| value(dice)).collect();
            Track::new(if dice.below(2) == 0 { Interpolation::Step } else { Interpolation::Linear }, times, values)
        }
        _ => {
            let values = times.iter().flat_map(|_| [slope(dice, steep), value(dice), slope(dice, steep)]).collect();
            Track::cubic(times, values)
        }
    }
    .expect("sound")
}

fn settings(dice: &mut Dice) -> (f32, Reduction) {
    let duration = [0.1, 1.0, 10.0, 600.0][dice.below(4) as usize];
    let error = [1e-4, 1e-3, 1e-2, 0.1][dice.below(4) as usize];
    let mut reduction = Reduction::new(error, 0.01 + dice.share());
    reduction.channel_error = error;
    reduction.cubic = dice.below(2) == 0;
    (duration, reduction)
}

#[test]
fn a_channel_is_within_its_bound_at_every_moment() {
    let mut dice = Dice::with_seed(7);
    for case in 0..1000 {
        let (duration, reduction) = settings(&mut dice);
        let mut clip = RawClip::new(duration, 1).expect("a sound clip");
        let raw = track(duration, &mut dice, Dice::number, |dice, steep| dice.number() * steep);
        clip.add_channel("curve", raw.clone()).expect("fits");
        let reduced = clip.reduced(&chain(1), &reduction).expect("lines enough");
        let found = reduced.channel(0);
        assert!(reduction.cubic || found.interpolation() != Interpolation::Cubic, "case {case}");
        let (most, size) = furthest(&raw, found, duration, |found, exact| (found - exact).length());
        let bound = f64::from(reduction.channel_error);
        assert!(most <= bound + 1e-9 * size, "case {case}: {most} instead of {bound}, {reduction:?} of {raw:?}");
    }
}

#[test]
fn a_joint_is_within_its_bound_at_every_moment() {
    let mut dice = Dice::with_seed(8);
    for case in 0..1000 {
        let (duration, reduction) = settings(&mut dice);
        let (bound, distance) = (f64::from(reduction.error), f64::from(reduction.bound(0).1));
        let mut clip = RawClip::new(duration, 1).expect("a sound clip");
        let vector = |dice: &mut Dice, by: f32| Vec3::new(dice.number(), dice.number(), dice.number()) * by;
        if dice.below(2) == 0 {
            let raw = track(duration, &mut dice, |dice| vector(dice, 1.0), vector);
            clip.set_translation(0, raw.clone()).expect("fits");
            let reduced = clip.reduced(&chain(1), &reduction).expect("lines enough");
            let found = reduced.translation(0).expect("a track");
            let (most, size) = furthest(&raw, found, duration, |found, exact| (found - exact).length());
            assert!(most <= bound + 1e-9 * size, "case {case}: {most} instead of {bound}, {reduction:?} of {raw:?}");
            continue;
        }
        let quaternion = |dice: &mut Dice, by: f32| {
            let (v, w) = (vector(dice, by), dice.number() * by);
            Quat::from_xyzw(v.x, v.y, v.z, w)
        };
        let turn = |dice: &mut Dice| quaternion(dice, 1.0).normalize();
        let raw = track(duration, &mut dice, turn, quaternion);
        clip.set_rotation(0, raw.clone()).expect("fits");
        let reduced = clip.reduced(&chain(1), &reduction).expect("lines enough");
        let found = reduced.rotation(0).expect("a track");
        let (most, _) = furthest(&raw, found, duration, |found, exact| {
            let [found, exact] = [found, exact].map(DQuat::from_vec4);
            let apart = |axis: DVec3| (found * axis - exact * axis).length() * distance;
            apart(DVec3::X).max(apart(DVec3::Y)).max(apart(DVec3::Z))
        });
        // Keys of rotations are rounded to single precision.
        assert!(most <= bound + 1e-7, "case {case}: {most} instead of {bound}, {reduction:?} of {raw:?}");
    }
}

#[test]
fn a_long_curve_has_as_many_lines_as_it_takes() {
    let mut clip = RawClip::new(600.0, 1).expect("a sound clip");
    let raw = Track::cubic(vec![0.0, 600.0], vec![0.0, 0.0, 1.0, 1.0, 5.0, 0.0]).expect("sound");
    clip.add_channel("long", raw.clone()).expect("fits");
    let mut reduction = Reduction::new(1e-4, 0.1);
    (reduction.channel_error, reduction.cubic) = (1e-4, false);
    let reduced = clip.reduced(&chain(1), &reduction).expect("lines enough");
    let (most, _) = furthest(&raw, reduced.channel(0), 600.0, |found, exact| (found - exact).length());
    assert!(most <= 1e-4, "{most} with {} lines", reduced.keys());
    assert!(reduced.keys() > 1025);
}

#[test]
fn a_curve_that_takes_too_many_lines_is_refused_or_stays_a_curve() {
    let mut clip = RawClip::new(1e6, 1).expect("a sound clip");
    let times: Vec<f32> = (0..200_u8).map(|key| f32::from(key) * 5000.0).collect();
    let values = times.iter().flat_map(|_| [Vec3::X * 1e3, Vec3::ZERO, Vec3::X * 1e3]).collect();
    clip.set_translation(0, Track::cubic(times, values).expect("sound")).expect("fits");
    let mut reduction = Reduction::new(1e-4, 0.1);
    let reduced = clip.reduced(&chain(1), &reduction).expect("a curve");
    assert_eq!(reduced.translation(0), clip.translation(0));
    reduction.cubic = false;
    let refusal = clip.reduced(&chain(1), &reduction).map(|_| ());
    let expected = ClipError::TooManyLines(TrackName::Joint(0, TrackPart::Translation));
    assert_eq!(refusal, Err(Error::Clip(expected)));
    assert!(expected.to_string().starts_with("the translation of joint 0 takes more than 1,048,576 straight lines"));
}

/// Returns a track of few straight lines with small steps.
fn lines<V: Number>(dice: &mut Dice, next: impl Fn(&mut Dice, Option<V>) -> V) -> Track<V> {
    let keys = 2 + dice.below(12);
    let mut times: Vec<f32> = (0..keys).map(|_| dice.share()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let mut last = None;
    let values = times.iter().map(|_| {
        let value = next(dice, last);
        last = Some(value);
        value
    });
    let values = values.collect();
    Track::linear(times, values).expect("sound")
}

#[test]
fn joints_that_move_together_are_within_their_bound_at_every_moment() {
    let mut dice = Dice::with_seed(9);
    for case in 0..75 {
        let joints = 2 + u16::try_from(dice.below(4)).expect("few");
        let skeleton = chain(joints);
        let mut clip = RawClip::new(1.0, joints.into()).expect("a sound clip");
        for joint in 0..joints {
            let reach = [0.1, 1.0][dice.below(2) as usize];
            let vector = |dice: &mut Dice| Vec3::new(dice.number(), dice.number(), dice.number());
            let places = lines(&mut dice, |dice, last| last.unwrap_or(Vec3::Y) + vector(dice) * reach);
            clip.set_translation(joint, places).expect("fits");
            let turn = |dice: &mut Dice| Quat::from_scaled_axis(vector(dice) * 0.28);
            let turns = lines(&mut dice, |dice, last: Option<Quat>| last.unwrap_or(Quat::IDENTITY) * turn(dice));
            clip.set_rotation(joint, turns).expect("fits");
            if dice.below(4) == 0 {
                let sizes = lines(&mut dice, |dice, _| Vec3::ONE + vector(dice) * 0.4);
                clip.set_scale(joint, sizes).expect("fits");
            }
        }
        let error = [1e-3, 1e-2, 0.1, 0.5][dice.below(4) as usize];
        let reduction = Reduction::new(error, 0.01 + dice.share());
        let reduced = clip.reduced(&skeleton, &reduction).expect("sound");
        let models = |clip: &RawClip, time: f64, played: usize| {
            let mut models: Vec<DAffine3> = Vec::new();
            for joint in 0..joints {
                let rest = skeleton.rest(joint);
                let part = |track: Option<[DVec4; 2]>, rest: DVec4| track.map_or(rest, |found| found[played]);
                let translation = part(clip.translation(joint).map(|track| at(track, time)), rest.translation.wide());
                let rotation = part(clip.rotation(joint).map(|track| at(track, time)), rest.rotation.wide());
                let scale = part(clip.scale(joint).map(|track| at(track, time)), rest.scale.wide());
                let local = DAffine3::from_scale_rotation_translation(
                    scale.truncate(),
                    DQuat::from_vec4(rotation),
                    translation.truncate(),
                );
                models.push(models.last().map_or(local, |parent| *parent * local));
            }
            models
        };
        for moment in 0..=1500_u16 {
            let time = f64::from(f32::from(moment) / 1500.0);
            let exact = models(&clip, time, 0);
            for played in [0, 1] {
                let found = models(&reduced, time, played);
                for (joint, (found, exact)) in found.iter().zip(&exact).enumerate() {
                    let distance = f64::from(reduction.distance);
                    for axis in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z] {
                        let [found, exact] = [found, exact].map(|model| model.transform_point3(axis * distance));
                        let away = found.distance(exact);
                        assert!(
                            away <= f64::from(error) + 1e-6,
                            "case {case}: joint {joint} {away} instead of {error} at {time}, {reduction:?}"
                        );
                    }
                }
            }
        }
    }
}
