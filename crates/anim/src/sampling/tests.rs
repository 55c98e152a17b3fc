#![allow(clippy::cast_possible_truncation, reason = "random words, cut to size")]
use super::*;
use crate::clip::format::{PADDING, PLAIN, Record};
use crate::transform_lanes::PoseBlock;
use fastrand::Rng;
use hedgerow_math::internal::level::at_levels;

/// A word that tests choose at random; a word of 32 bits is a number in −1..1.
trait Any: Word {
    fn any(dice: &mut Rng) -> Self;
    fn time(at: u16) -> Self;
}

impl Any for u16 {
    fn any(dice: &mut Rng) -> Self {
        dice.u32(..) as Self
    }

    fn time(at: u16) -> Self {
        at
    }
}

impl Any for u32 {
    fn any(dice: &mut Rng) -> Self {
        (f32::from((dice.u32(..) >> 16) as u16) / 32_768.0 - 1.0).to_bits()
    }

    fn time(at: u16) -> Self {
        f32::from(at).to_bits()
    }
}

fn block<W: Any>(dice: &mut Rng) -> Active<W> {
    let mut active = Active::<W>::default();
    for pair in &mut active.pairs[1..] {
        *pair = core::array::from_fn(|_| core::array::from_fn(|_| W::any(dice)));
    }
    for lane in 0..LANES {
        let from = (dice.u32(..) % 100) as u16;
        active.pairs[0][0][lane] = <W as Any>::time(from);
        active.pairs[0][1][lane] = <W as Any>::time(from + 1 + (dice.u32(..) % 50) as u16);
    }
    active
}

/// Returns records of random lanes of random blocks.
fn group<W: Any>(dice: &mut Rng, blocks: u16, singles: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..dice.u32(..) % 12 {
        let head = Record { block: dice.u32(..) as u16 % blocks, lanes: dice.u32(..) as u8, time: W::any(dice) };
        let lanes = if dice.u32(..).is_multiple_of(3) { u8::MAX } else { head.lanes };
        let keys: Vec<[W; NUMBERS]> = (0..lanes.count_ones()).map(|_| core::array::from_fn(|_| W::any(dice))).collect();
        Record { lanes, ..head }.write(&keys, usize::from(head.block) >= singles, &mut bytes);
    }
    bytes
}

/// Fetches the keys of records, or takes them back, one lane at a time.
fn turn_plainly<W: Word, const FORWARD: bool>(mut bytes: &[u8], active: &mut [Active<W>], singles: usize) {
    while let Some(head) = Record::<W>::read(bytes) {
        let end = Record::<W>::bytes(head.keys(), usize::from(head.block) >= singles);
        scalar::turn_one::<W, FORWARD>(&mut active[usize::from(head.block)], head, &bytes[Record::<W>::HEAD..end]);
        bytes = &bytes[end..];
    }
}

fn every_level_fetches_the_same_keys<W: Any>() {
    let mut dice = Rng::with_seed(3);
    for round in 0..500 {
        let mut bytes = group::<W>(&mut dice, 5, 4);
        let length = bytes.len();
        bytes.resize(length + PADDING, 0xa5);
        let start: Vec<Active<W>> = (0..5).map(|_| block(&mut dice)).collect();
        let mut expected = start.clone();
        turn_plainly::<W, true>(&bytes[..length], &mut expected, 4);
        let forward = expected.clone();
        // Turning back restores the start only if each block occurs once in the group.
        turn_plainly::<W, false>(&bytes[..length], &mut expected, 4);
        at_levels(|level| {
            let mut found = start.clone();
            assert!(turn::<W, true>(&bytes, 0..length, &mut found, 4));
            assert_eq!(forward, found, "round {round} at {level:?}");
            assert!(turn::<W, false>(&bytes, 0..length, &mut found, 4));
            assert_eq!(expected, found, "round {round} at {level:?}, backward");
        });
    }
}

#[test]
fn every_level_fetches_the_same_keys_of_16_bits() {
    every_level_fetches_the_same_keys::<u16>();
}

#[test]
fn every_level_fetches_the_same_keys_of_32_bits() {
    every_level_fetches_the_same_keys::<u32>();
}

#[test]
fn keys_that_were_fetched_are_taken_back() {
    let mut dice = Rng::with_seed(5);
    for lanes in 0..=u8::MAX {
        let start: Active<u16> = block(&mut dice);
        let keys: Vec<[u16; NUMBERS]> =
            (0..lanes.count_ones()).map(|_| core::array::from_fn(|_| <u16 as Any>::any(&mut dice))).collect();
        let mut bytes = Vec::new();
        Record { block: 0, lanes, time: 77_u16 }.write(&keys, false, &mut bytes);
        let length = bytes.len();
        bytes.resize(length + PADDING, 0);
        let mut active = [start];
        assert!(turn::<u16, true>(&bytes, 0..length, &mut active, 1));
        assert_eq!(active[0] == start, lanes == 0, "the fetched keys are others");
        assert!(turn::<u16, false>(&bytes, 0..length, &mut active, 1));
        assert_eq!(active[0], start, "lanes {lanes:08b}");
    }
}

#[test]
fn records_that_are_not_whole_are_told() {
    let mut bytes = Vec::new();
    Record { block: 1, lanes: 3, time: 7_u16 }.write(&[[1; 3], [2; 3]], false, &mut bytes);
    let length = bytes.len();
    bytes.resize(length + PADDING, 0);
    let mut active = [Active::<u16>::default(); 2];
    for end in 1..length {
        assert!(!turn::<u16, true>(&bytes, 0..end, &mut active, 2), "{end} of {length} bytes");
    }
    assert!(!turn::<u16, true>(&bytes, 0..length, &mut active[..1], 2), "a block that is not there");
    assert!(!turn::<u16, true>(&bytes[..length], 0..length + 1, &mut active, 2), "bytes that are not there");
    assert_eq!(active, [Active::default(); 2]);
}

#[test]
fn a_frame_is_read_as_it_was_written() {
    let mut dice = Rng::with_seed(9);
    let blocks: Vec<Active<u32>> = (0..3).map(|_| block(&mut dice)).collect();
    let mut bytes = Vec::new();
    blocks.iter().for_each(|block| block.write(&mut bytes));
    assert_eq!(bytes.len(), 3 * Active::<u32>::BYTES);
    at_levels(|level| {
        let mut found = vec![Active::default(); 4];
        restore(&bytes, &mut found);
        assert_eq!(found[..3], blocks, "{level:?}");
        assert_eq!(found[3], Active::default());
    });
    for (index, block) in blocks.iter().enumerate() {
        let bytes = &bytes[index * Active::<u32>::BYTES..];
        assert!((0..LANES).all(|lane| LaneKeys::of_frame(bytes, lane) == block.lane(lane)), "block {index}");
    }
}

fn pose_bits(pose: &[PoseBlock]) -> Vec<u32> {
    let numbers = |block: &PoseBlock| {
        [block.translation.as_flattened(), block.rotation.as_flattened(), block.scale.as_flattened()].concat()
    };
    pose.iter().flat_map(numbers).map(f32::to_bits).collect()
}

/// Samples lane by lane, by the formulas of the module.
fn sample_plainly<W: Word>(
    active: &[Active<W>],
    targets: &[Target],
    ranges: &[Ranges],
    time: f32,
    pose: &mut [PoseBlock],
) {
    for (index, (active, target)) in active.iter().zip(targets).enumerate() {
        let Some(pose) = pose.get_mut(usize::from(target[0])) else { continue };
        for lane in (0..LANES).filter(|lane| target[2] >> lane & 1 == 1) {
            let keys = active.lane(lane);
            let share = keys.share(time, target[3] >> lane & 1 == 1);
            let rotation = keys.rotation(share).to_array();
            (0..4).for_each(|part| pose.rotation[part][lane] = rotation[part]);
            for axis in 0..NUMBERS {
                let number = keys.number(axis, share);
                pose.translation[axis][lane] = in_range(&ranges[index], axis, lane, number);
                // All blocks except the first have plain ranges for scales.
                pose.scale[axis][lane] = in_range(if index == 0 { &ranges[0] } else { &PLAIN }, axis, lane, number);
            }
        }
    }
}

fn every_level_samples_the_same_bits<W: Any>() {
    let mut dice = Rng::with_seed(7);
    for round in 0..500 {
        let active: Vec<Active<W>> = (0..3).map(|_| block(&mut dice)).collect();
        let live = |dice: &mut Rng| if dice.u32(..).is_multiple_of(2) { u8::MAX } else { dice.u32(..) as u8 };
        let targets: Vec<Target> = (0..3)
            .map(|index| {
                let live = live(&mut dice);
                [index, 0, live, if dice.u32(..).is_multiple_of(2) { 0 } else { dice.u32(..) as u8 & live }]
            })
            .collect();
        let mut ranges = [PLAIN; 3];
        for bytes in ranges.iter_mut().flat_map(|ranges| ranges.as_chunks_mut::<4>().0) {
            *bytes = (f32::from((dice.u32(..) >> 16) as u16) / 9000.0 - 3.0).to_le_bytes();
        }
        let time = (dice.u32(..) % 1700) as f32 / 10.0 - 10.0;
        // There is one block fewer than the targets name. Lanes without a track must not change.
        let mut expected = [PoseBlock::IDENTITY; 2];
        sample_plainly(&active, &targets, &ranges, time, &mut expected);
        at_levels(|level| {
            let mut found = [PoseBlock::IDENTITY; 2];
            rotations(&active, &targets, time, &mut found);
            vectors::<W, false>(&active, &targets, &ranges, time, &mut found);
            vectors::<W, true>(&active, &targets, &ranges[..1], time, &mut found);
            assert_eq!(pose_bits(&expected), pose_bits(&found), "round {round} at {level:?}");
        });
        assert!(expected.iter().zip(&targets).all(|(block, target)| {
            (0..LANES).all(|lane| target[2] >> lane & 1 == 1 || block.get(lane) == PoseBlock::IDENTITY.get(lane))
        }));
    }
}

#[test]
fn every_level_samples_the_same_bits_from_16() {
    every_level_samples_the_same_bits::<u16>();
}

#[test]
fn every_level_samples_the_same_bits_from_32() {
    every_level_samples_the_same_bits::<u32>();
}

#[test]
fn an_identity_is_kept_to_the_bit() {
    let active = [Active::<u16> {
        pairs: [[[0; LANES], [9; LANES]], Default::default(), Default::default(), Default::default()],
    }];
    let mut pose = [PoseBlock { rotation: [[0.5; LANES]; 4], ..PoseBlock::IDENTITY }];
    rotations(&active, &[[0, 0, u8::MAX, 0]], 3.0, &mut pose);
    assert_eq!(pose_bits(&pose), pose_bits(&[PoseBlock::IDENTITY]));
}

#[test]
fn of_two_keys_that_are_the_same_rotation_the_nearer_quaternion_is_taken() {
    // Half a turn about y from either side: the two quaternions are almost opposite.
    let near = |angle: f32| (glam::Quat::from_rotation_y(angle), f32::sin(angle / 4.0) / f32::cos(angle / 4.0));
    let ((from, a), (to, _)) = (near(core::f32::consts::PI - 0.01), near(core::f32::consts::PI + 0.01));
    let mut active = Active::<u32>::default();
    active.pairs[0][1] = [2.0_f32.to_bits(); LANES];
    active.pairs[2] = [[a.to_bits(); LANES], [(-a).to_bits(); LANES]];
    let mut pose = [PoseBlock::IDENTITY];
    rotations(&[active], &[[0, 0, u8::MAX, 0]], 1.0, &mut pose);
    let found = pose[0].get(3).rotation;
    assert!(found.angle_between(from) < 0.011 && found.angle_between(to) < 0.011, "{found:?}");
}
