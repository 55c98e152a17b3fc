use super::format::{CLIP, GroupHead, HEAD_BYTES, Head};
use super::quantise::{Quantise, Range, angle_to, parameters, parts, rate};
use super::*;
use crate::sampling::Word;
use crate::{Player, Pose, RawClip, SkeletonBuilder, Transform, raw::Track};
use glam::{DQuat, DVec3, Quat, Vec3};
use hedgerow_math::internal::file_header::{Format, Kind};
use std::sync::LazyLock;

/// Returns rotations from all parts of the sphere of quaternions.
fn rotations() -> impl Iterator<Item = DQuat> {
    (0..20_000_u32).map(|number| {
        let turn = |step: f64| (f64::from(number) * step).fract() * core::f64::consts::TAU;
        DQuat::from_euler(glam::EulerRot::XYZ, turn(0.618_034), turn(0.754_878), turn(0.569_840))
    })
}

#[test]
fn a_compact_rotation_is_within_the_angle_that_is_guaranteed() {
    let mut most = 0.0_f32;
    for wanted in rotations() {
        let words = parameters(wanted).map(|number| u16::quantise(number, Range::ROTATION));
        most = most.max(angle_to(wanted, words.map(|word| word.restore(Range::ROTATION))));
    }
    assert!((5e-5..1.1e-4).contains(&most), "{most}");
}

#[test]
fn a_tight_rotation_is_within_the_angle_that_is_guaranteed() {
    let most = rotations().map(|wanted| angle_to(wanted, parameters(wanted))).fold(0.0, f32::max);
    assert!(most < 1e-6, "{most}");
}

#[test]
fn a_compact_number_is_within_half_a_step_of_its_range() {
    let numbers: Vec<f32> = (0..10_000).map(|number| (number as f32 * 0.37).sin() * 3.0 + 1.0).collect();
    let range = u16::range(numbers.iter().copied());
    for &number in &numbers {
        let found = u16::quantise(number, range).restore(range);
        assert!((found - number).abs() <= 6.0 / 131_000.0, "{found} of {number}");
    }
    for [least, most] in [[0.0, 0.0], [5.0, 5.0], [f32::MIN, f32::MAX]] {
        let range = u16::range([least, most].into_iter());
        for number in [least, most] {
            let found = u16::quantise(number, range).restore(range);
            assert!((found - number).abs() <= number.abs() * 1e-6, "{found} of {number}");
        }
    }
}

#[test]
fn times_on_a_grid_lie_on_ticks() {
    for frames in [24.0_f32, 25.0, 30.0, 60.0, 48.0] {
        // Like a reduced clip: some frames are missing, and all gaps are multiples of the frame time.
        let times: Vec<f32> =
            (0..200).filter(|frame| frame % 5 == 0 || frame % 5 == 2).map(|frame| frame as f32 / frames).collect();
        let rate = rate(&times, 200.0 / frames).expect("ticks");
        assert!(200.0 / frames * rate < 65_536.0 && rate / frames >= 100.0, "{rate} ticks a second");
        for &time in &times {
            let tick = f64::from(time) * f64::from(rate);
            assert!((tick - tick.round()).abs() < 1.0 / 32.0, "{tick} at {frames} frames a second");
        }
    }
}

#[test]
fn times_on_no_grid_are_within_half_a_tick() {
    let times = [0.0, 0.1, 0.217_3, 1.0, 9.999];
    let rate = rate(&times, 10.0).expect("ticks");
    let ticks = u16::times(&times, 10.0, rate).expect("room");
    assert!(times.iter().zip(ticks).all(|(time, tick)| (time - tick.time() / rate).abs() <= 10.0 / 131_000.0));
    assert_eq!(super::quantise::rate(&times, 100.0), None, "ticks of more than a millisecond");
}

#[test]
fn keys_on_the_same_tick_are_kept_apart() {
    let ticks = |times: &[f32], duration| u16::times(times, duration, 1.0);
    assert_eq!(ticks(&[0.0, 1.0, 1.1, 65_534.0, 65_534.4], 65_535.0), Some(vec![0, 1, 2, 65_534, 65_535]));
    // A time in the second half of a tick may be rounded down.
    assert_eq!(ticks(&[0.0, 4.6, 4.7, 5.3], 9.0), Some(vec![0, 4, 5, 6]));
    assert_eq!(ticks(&[0.0, 6.9, 7.0], 7.0), Some(vec![0, 6, 7]));
}

#[test]
fn keys_that_would_have_to_go_further_than_a_tick_are_none_for_ticks() {
    let ticks = |times: &[f32], duration| u16::times(times, duration, 1.0);
    assert_eq!(ticks(&[1.0, 1.000_001, 1.000_002, 1.000_003], 9.0), None);
    assert_eq!(ticks(&[0.0, 0.1, 0.2], 9.0), None);
    assert_eq!(ticks(&[5.0, 6.8, 6.9, 7.0], 7.0), None);
    let mut raw = RawClip::new(10.0, 0).expect("a sound clip");
    let times = vec![0.0, 3.333_7, 4.0, 4.000_01, 4.000_02, 4.000_03, 4.000_04];
    let values = times.iter().zip(0_u8..).map(|(_, key)| f32::from(key)).collect();
    raw.add_channel("crowd", Track::linear(times, values).expect("keys")).expect("a channel");
    let (clip, report) = ClipBuilder::new().build(&raw).expect("a sound clip");
    assert_eq!((clip.precision(), report.time_error), (Precision::Tight, 0.0));
}

#[test]
fn keys_that_are_inserted_keep_apart() {
    for span in 1..50_u16 {
        for parts in 1..70 {
            let inserted: Vec<u16> = u16::between(7, 7 + span, parts).map(|(tick, _)| tick).collect();
            assert!(inserted.iter().all(|tick| (8..7 + span).contains(tick)), "{inserted:?} of {span}");
            assert!(inserted.is_sorted_by(|a, b| a < b), "{inserted:?} of {span}");
            assert_eq!(inserted.len(), usize::from(span).min(parts as usize) - 1);
            // Below 2 s, words that store seconds are twice as dense as above 2 s.
            let (from, to) = (2.0_f32.to_bits() - 9, 2.0_f32.to_bits() - 9 + u32::from(span));
            let inserted: Vec<u32> = u32::between(from, to, parts).map(|(time, _)| time).collect();
            assert!(inserted.iter().all(|time| from < *time && *time < to), "{inserted:?} of {span}");
            assert!(inserted.is_sorted_by(|a, b| a < b), "{inserted:?} of {span}");
        }
    }
}

#[test]
fn a_jump_at_the_very_end_is_seen_there() {
    let end = 10.0_f32;
    let mut raw = RawClip::new(end, 0).expect("a sound clip");
    let jump = Track::step(vec![0.0, 3.333_7, end.next_down(), end], vec![0.0, 1.0, 2.0, 3.0]).expect("keys");
    raw.add_channel("jump", jump).expect("a channel");
    let (clip, report) = ClipBuilder::new().build(&raw).expect("a sound clip");
    let (mut player, mut shown) = (Player::new(&clip), [9.0]);
    player.seek(end);
    player.sample_channels(&mut shown).unwrap();
    assert!((shown[0] - 3.0).abs() < 1e-4, "{shown:?}, {report:?}");
}

#[test]
fn arcs_are_cut_where_sums_would_leave_them() {
    for error in [1e-2_f32, 1e-3, 1e-5] {
        for angle in [0.01, 0.1, 0.5, 1.0, 1.57] {
            let parts = parts(angle, error);
            let far = |angle: f64| {
                (0..=1000).map(|share| f64::from(share) / 1000.0).fold(0.0_f64, |most, share| {
                    let sum = (share * angle.sin()).atan2(1.0 - share + share * angle.cos());
                    most.max(2.0 * (sum - share * angle).abs())
                })
            };
            assert!(far(angle / f64::from(parts)) <= f64::from(error) * 1.01, "{parts} parts of {angle}");
            assert!(
                parts == 1 || far(angle / f64::from(parts - 1)) > f64::from(error) * 0.5,
                "{parts} parts of {angle}"
            );
        }
    }
}

#[test]
fn a_turn_too_small_for_words_is_constant_and_its_error_is_told() {
    let built = |turns: [f32; 3]| {
        let turns = turns.map(Quat::from_rotation_x).to_vec();
        let mut raw = RawClip::new(1.0, 1).expect("a sound clip");
        raw.set_rotation(0, Track::linear(vec![0.0, 0.5, 1.0], turns).expect("keys")).expect("a joint");
        ClipBuilder::new().build(&raw).expect("a sound clip")
    };
    // The two ends of the interval of numbers that are stored as the same word.
    let (clip, report) = built([-5.5e-5, 0.0, 5.5e-5]);
    assert_eq!((report.constant_tracks, clip.stats().player_bytes), (1, 0));
    assert!((5e-5..1.1e-4).contains(&report.rotation_error), "{report:?}");
    let shown = clip.sample_joint(1.0, 0, Transform::IDENTITY).rotation;
    assert!(2.0 * (shown - Quat::from_rotation_x(5.5e-5)).length() <= 1.01 * report.rotation_error, "{shown}");
    // A rotation that does not turn at all is stored unchanged.
    let (clip, report) = built([0.3; 3]);
    assert_eq!(clip.sample_joint(0.7, 0, Transform::IDENTITY).rotation, Quat::from_rotation_x(0.3));
    assert_eq!(report.rotation_error, 0.0);
}

#[test]
fn more_keys_than_ticks_and_a_shorter_clip_than_ticks_become_tight_clips() {
    let built = |duration: f32, times: Vec<f32>| {
        let mut raw = RawClip::new(duration, 0).expect("a sound clip");
        let values = (0..times.len()).map(|key| (key % 7) as f32).collect();
        raw.add_channel("noise", Track::linear(times, values).expect("keys")).expect("a channel");
        ClipBuilder::new().build(&raw).expect("a sound clip").0
    };
    let clip = built(10.0, (0..70_000_u32).map(|key| key as f32 / 7000.0).collect());
    assert_eq!((clip.precision(), clip.stats().keys), (Precision::Tight, 70_000));
    let clip = built(1e-40, vec![0.0, 5e-41, 1e-40]);
    let mut player = Player::new(&clip);
    let mut shown = [9.0];
    player.advance(5e-41);
    player.sample_channels(&mut shown).unwrap();
    assert_eq!((clip.precision(), shown), (Precision::Tight, [1.0]));
}

#[test]
fn a_clip_of_as_many_joints_as_numbers_name_plays_the_last_of_them() {
    let mut raw = RawClip::new(1.0, 65_535).expect("a sound clip");
    for joint in [0, 65_534] {
        let turns = [0.0, 1.0, 0.5].map(Quat::from_rotation_z).to_vec();
        raw.set_rotation(joint, Track::linear(vec![0.0, 0.5, 1.0], turns).expect("keys")).expect("a joint");
    }
    let built = ClipBuilder::new().build(&raw).expect("a sound clip").0;
    let clip = Clip::from_bytes(built.to_bytes().to_vec()).expect("its own bytes");
    let (mut player, mut pose) = (Player::new(&clip), Pose::new(65_535));
    player.seek(0.75);
    player.sample(&mut pose).expect("joints as many");
    assert!((pose.get(65_534).rotation - Quat::from_rotation_z(0.75)).length() < 1e-3);
    assert_eq!(pose.get(65_534), clip.sample_joint(0.75, 65_534, Transform::IDENTITY));
    assert_eq!(pose.get(65_533), Transform::IDENTITY);
}

#[test]
fn bytes_of_another_kind_are_no_clip() {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..100_u16 {
        builder.joint("", joint.checked_sub(1), Transform::IDENTITY);
    }
    let bytes = builder.build().expect("a chain").0.to_bytes();
    assert_eq!(Clip::from_bytes(bytes).map(|_| ()), Err(Error::Clip(ClipError::NotAClip)));
}

/// Builds a clip with every kind of track, and with closely spaced jump frames.
fn mixed(precision: Precision) -> Clip {
    let mut raw = RawClip::new(2.0, 11).expect("a sound clip");
    let times: Vec<f32> = (0..50).map(|key| key as f32 / 25.0).collect();
    for joint in 0..10 {
        let angle = |key: usize| (key as f32 * 0.3 + f32::from(joint)).sin();
        let turns = (0..50).map(|key| Quat::from_rotation_x(angle(key))).collect();
        raw.set_rotation(joint, Track::linear(times.clone(), turns).expect("keys")).expect("a joint");
        let moves = (0..50).map(|key| Vec3::splat(angle(key))).collect();
        raw.set_translation(joint, Track::step(times.clone(), moves).expect("keys")).expect("a joint");
        let sizes = (0..150).map(|key| Vec3::ONE + 0.1 * Vec3::splat(angle(key))).collect();
        raw.set_scale(joint, Track::cubic(times.clone(), sizes).expect("keys")).expect("a joint");
    }
    let turns = (0..150).map(|key| Quat::from_rotation_y(key as f32 * 0.01)).collect();
    raw.set_rotation(10, Track::cubic(times.clone(), turns).expect("keys")).expect("a joint");
    raw.set_scale(10, Track::constant(Vec3::ONE).expect("a value")).expect("a joint");
    let weights = (0..50).map(|key| key as f32 * 0.02).collect();
    raw.add_channel("smile", Track::linear(times, weights).expect("keys")).expect("a channel");
    raw.add_channel("frown", Track::constant(0.5).expect("a value")).expect("a channel");
    for (number, time) in (0..).zip([0.0, 0.5, 2.0]) {
        raw.add_event(time, number, "step").expect("a time in the clip");
    }
    ClipBuilder::new().precision(precision).jump_frames(JumpSpacing::Bytes(500)).build(&raw).expect("a sound clip").0
}

static MIXED: LazyLock<[Clip; 2]> = LazyLock::new(|| [Precision::Compact, Precision::Tight].map(mixed));

/// Plays arbitrary bytes with each kind of call.
fn play(bytes: Vec<u8>, times: &[f32]) {
    let mut poses = [Pose::new(11), Pose::new(3)];
    let mut channels = [0.0; 2];
    let Ok(clip) = Clip::from_bytes(bytes) else { return };
    let _ = (clip.stats(), clip.channel_name(0), clip.find_channel("smile"), clip.events().count());
    let mut player = Player::new(&clip);
    for (index, &time) in times.iter().enumerate() {
        if index % 4 == 0 {
            player.seek(time);
        } else {
            _ = player.advance_events(time - 1.0).count();
        }
        poses.iter_mut().for_each(|pose| _ = player.sample(pose));
        poses.iter_mut().for_each(|pose| _ = player.sample_over(pose));
        let _ = player.sample_channels(&mut channels);
        for joint in [0, 7, 10, 11, u16::MAX] {
            let _ =
                (player.sample_joint(joint, Default::default()), clip.sample_joint(time, joint, Default::default()));
        }
    }
}

#[test]
fn bytes_that_were_cut_changed_or_never_a_clip_are_refused() {
    let bytes = mixed(Precision::Compact).to_bytes().to_vec();
    let refusal = |bytes: &[u8]| match Clip::from_bytes(bytes.to_vec()) {
        Err(Error::Clip(error)) => error,
        other => panic!("{other:?} is no refusal"),
    };
    let found = bytes.len() as u64 - 1;
    assert_eq!(refusal(&bytes[..bytes.len() - 1]), ClipError::Length { expected: found + 1, found });
    assert_eq!(refusal(b"a skeleton"), ClipError::NotAClip);
    for at in (32..bytes.len()).step_by(97) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 4;
        assert_eq!(refusal(&bytes), ClipError::Checksum);
    }
    let mut other = bytes.clone();
    Format { kind: Kind::Skeleton, ..CLIP }.write_header(&mut other);
    assert_eq!(refusal(&other), ClipError::NotAClip);
}

#[test]
fn one_joint_alone_is_that_of_a_player_where_groups_are_full_in_part() {
    for precision in [Precision::Compact, Precision::Tight] {
        let mut raw = RawClip::new(4.0, 21).expect("a sound clip");
        let frames = |every: usize| (0..=120).step_by(every).map(|frame| frame as f32 / 30.0).collect::<Vec<f32>>();
        // The second block lacks joints; the third block's last joint has keys only in every third frame.
        for joint in [0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 15, 16, 18, 20_u16] {
            let times = frames(if joint == 20 { 3 } else { 1 });
            let turns = times.iter().map(|time| Quat::from_rotation_y((3.0 * time + f32::from(joint)).sin())).collect();
            raw.set_rotation(joint, Track::linear(times, turns).expect("keys")).expect("a joint");
        }
        for (joint, every) in [(2, 7), (15, 1)] {
            let times = frames(every);
            let places = times.iter().map(|time| Vec3::new(*time, 1.0, time.cos())).collect();
            raw.set_translation(joint, Track::linear(times, places).expect("keys")).expect("a joint");
        }
        let builder = ClipBuilder::new().precision(precision).jump_frames(JumpSpacing::Frames(3.0));
        let clip = builder.build(&raw).expect("a sound clip").0;
        let (stream, length) = clip.stream();
        let (mut place, mut full) = (0, Vec::new());
        while let Some((head, end)) = GroupHead::whole(stream, place, length) {
            full.push(head.full);
            place = end;
        }
        assert!(full.contains(&2), "{full:?}");
        let mut player = Player::new(&clip);
        for step in (0..=960).chain((0..=960).rev().step_by(7)) {
            let time = step as f32 / 240.0;
            player.seek(time);
            for joint in 0..22 {
                let [found, expected] = [
                    clip.sample_joint(time, joint, Transform::IDENTITY),
                    player.sample_joint(joint, Transform::IDENTITY),
                ];
                assert_eq!(found, expected, "joint {joint} at {time} s");
            }
        }
    }
}

#[test]
fn where_keys_begin_in_a_full_group_is_checked_and_that_a_group_is_full_is_not_believed() {
    let times: Vec<f32> = (0..20_u8).map(|step| f32::from(step * 7 % 20) * 0.11).collect();
    for precision in [Precision::Compact, Precision::Tight] {
        let clip = mixed(precision);
        let starts = clip.tables().sections().starts.clone();
        for at in starts.step_by(4) {
            let mut bytes = clip.to_bytes().to_vec();
            bytes[at] ^= 1;
            CLIP.write_header(&mut bytes);
            let refused = Err(Error::Clip(ClipError::Malformed("the first key of a block")));
            assert_eq!(Clip::from_bytes(bytes).map(|_| ()), refused);
        }
        for full in [0, 1, 2, 200, u8::MAX] {
            let mut bytes = clip.to_bytes().to_vec();
            let (at, (stream, length)) = (clip.tables().sections().stream.start, clip.stream());
            let mut place = 0;
            while let Some((_, end)) = GroupHead::whole(stream, place, length) {
                bytes[at + place + 7] = full;
                place = end;
            }
            CLIP.write_header(&mut bytes);
            play(bytes, &times);
        }
    }
}

#[test]
fn events_that_are_not_in_order_not_in_the_clip_or_without_a_name_are_refused() {
    let clip = mixed(Precision::Compact);
    let events = clip.tables().sections().events.clone();
    let refused = Err(Error::Clip(ClipError::Malformed("its events")));
    // The count, the first time, the second, the last, and where the last name ends.
    let changes =
        [(-4, 0), (-4, 9), (0, 1.0_f32.to_bits()), (12, f32::NAN.to_bits()), (24, 2.5_f32.to_bits()), (32, 11)];
    for (at, value) in changes {
        let mut bytes = clip.to_bytes().to_vec();
        let at = events.start.checked_add_signed(at).expect("after the head");
        bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(value));
        CLIP.write_header(&mut bytes);
        assert_eq!(Clip::from_bytes(bytes).map(|_| ()), refused, "{at}: {value}");
    }
    // Version 4 had none.
    let mut bytes = clip.to_bytes().to_vec();
    Format { newest: 4, ..CLIP }.write_header(&mut bytes);
    assert_eq!(Clip::from_bytes(bytes).map(|_| ()), Err(Error::Clip(ClipError::Malformed("its names"))));
}

#[test]
fn a_clip_of_bytes_is_the_clip_that_they_were_made_of() {
    for precision in [Precision::Compact, Precision::Tight] {
        let clip = mixed(precision);
        let again = Clip::from_bytes(clip.to_bytes().to_vec()).expect("what was written");
        assert_eq!(again.to_bytes(), clip.to_bytes());
        assert_eq!((again.stats(), again.precision(), again.duration()), (clip.stats(), precision, 2.0));
        assert_eq!((again.channel_name(1), again.find_channel("smile")), (Some("frown"), Some(0)));
        assert_eq!((again.channel_name(2), again.find_channel("grin")), (None, None));
        let head = Head::read(clip.to_bytes()).expect("a head");
        assert_eq!(head.sections().expect("sections").end, clip.to_bytes().len());
    }
}

#[test]
fn rounding_a_half_turn_keeps_the_axis() {
    let wanted = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), core::f64::consts::PI);
    assert!(angle_to(wanted, parameters(wanted)) < 1e-6 && angle_to(-wanted, parameters(-wanted)) < 1e-6);
}

#[test]
fn a_head_with_more_channels_than_names_is_refused() {
    let plain = |raw: &RawClip| ClipBuilder::new().build(raw).expect("a sound clip").0;
    for clip in [&MIXED[0], &plain(&RawClip::new(1.0, 2).expect("a duration"))] {
        for at in (32..HEAD_BYTES).step_by(4) {
            let mut bytes = clip.to_bytes().to_vec();
            bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
            CLIP.write_header(&mut bytes);
            let len = bytes.len();
            let channels = Clip::from_bytes(bytes).map_or(0, |read| read.channels());
            assert!(channels <= len, "{at}: {channels} channels in {len} bytes");
        }
    }
}
