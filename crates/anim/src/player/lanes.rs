//! The active array of a player, and its values at a time.

use crate::clip::format::{
    CHANNELS, CUBICS, NO_PART, PART_CHANNEL, PART_ROTATION, PART_SCALE, PLAIN, ROTATIONS, Ranges, SCALES, TRANSLATIONS,
    Tables, Target,
};
use crate::clip::{ClipNumber, Precision};
use crate::sampling::{self, Active, LANES, LaneKeys, Word};
use crate::transform_lanes::PoseBlock;
use crate::{Error, Pose, Transform};
use glam::{Quat, Vec3};
use smallvec::SmallVec;

/// The active array and its targets.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    pub(super) active: Words,
    /// The targets of rotations, translations and scales, copied from the clip so that they are in the cache.
    targets: SmallVec<[Target; 16]>,
    /// A copy of the clip's number.
    clip: ClipNumber,
}

/// The keys of each track before and after the current time, in blocks of eight tracks.
#[derive(Clone, Debug)]
pub(super) enum Words {
    Compact(Vec<Active<u16>>),
    Tight(Vec<Active<u32>>),
}

/// Runs the same code for words of either width.
macro_rules! with {
    ($lanes:expr, $active:ident => $work:expr) => {
        match $lanes {
            $crate::player::lanes::Words::Compact($active) => $work,
            $crate::player::lanes::Words::Tight($active) => $work,
        }
    };
}
pub(super) use with;

impl Lanes {
    /// Creates the state at time 0.
    pub(super) fn new(tables: &Tables) -> Self {
        let blocks = tables.head().all_blocks();
        let mut active = match tables.head().precision {
            Precision::Compact => Words::Compact(vec![Active::default(); blocks]),
            Precision::Tight => Words::Tight(vec![Active::default(); blocks]),
        };
        with!(&mut active, active => sampling::restore(tables.first_frame(), active));
        let targets = [ROTATIONS, TRANSLATIONS, SCALES].into_iter().flat_map(|kind| tables.targets(kind));
        Self { active, targets: targets.copied().collect(), clip: tables.number() }
    }

    /// Writes the whole pose at a time in the clip's units.
    #[inline]
    pub(super) fn sample(&self, tables: &Tables, time: f32, pose: &mut Pose) -> Result<(), Error> {
        tables.expect_joints(pose.len())?;
        let blocks = pose.show(self.clip, |blocks| tables.write_constants(blocks));
        with!(&self.active, active => sample(active, &self.targets, tables, time, blocks));
        Ok(())
    }

    /// Writes only the values of joint tracks.
    pub(super) fn sample_over(&self, tables: &Tables, time: f32, pose: &mut Pose) -> Result<(), Error> {
        tables.expect_joints(pose.len())?;
        let blocks = pose.blocks_mut();
        tables.write_constants(blocks);
        with!(&self.active, active => sample(active, &self.targets, tables, time, blocks));
        Ok(())
    }

    pub(super) fn sample_channels(&self, tables: &Tables, time: f32, out: &mut [f32]) -> Result<(), Error> {
        tables.expect_channels(out.len())?;
        tables.write_constant_channels(out);
        with!(&self.active, active => {
            let singles = &active[tables.blocks(CHANNELS)];
            sampling::singles(singles, tables.targets(CHANNELS), tables.ranges(CHANNELS), time, out);
            cubics(active, tables, time, |number, part, value| {
                if let Some(out) = out.get_mut(number).filter(|_| part == PART_CHANNEL) {
                    *out = value;
                }
            });
        });
        Ok(())
    }

    /// Returns one joint's transform. Parts without a track come from `rest`.
    pub(super) fn sample_joint(&self, tables: &Tables, time: f32, joint: u16, rest: Transform) -> Transform {
        with!(&self.active, active => sample_joint(|block, lane| active[block].lane(lane), tables, time, joint, rest))
    }
}

fn sample<W: Word>(active: &[Active<W>], targets: &[Target], tables: &Tables, time: f32, pose: &mut [PoseBlock]) {
    let of = |kind: usize| (&active[tables.blocks(kind)], &targets[tables.blocks(kind)]);
    let head = tables.head();
    if head.blocks[ROTATIONS] > 0 {
        let (active, targets) = of(ROTATIONS);
        sampling::rotations(active, targets, time, pose);
    }
    if head.blocks[TRANSLATIONS] > 0 {
        let (active, targets) = of(TRANSLATIONS);
        sampling::vectors::<W, false>(active, targets, tables.ranges(TRANSLATIONS), time, pose);
    }
    if head.blocks[SCALES] > 0 {
        let (active, targets) = of(SCALES);
        sampling::vectors::<W, true>(active, targets, tables.ranges(SCALES), time, pose);
    }
    if head.blocks[CUBICS] > 0 {
        sample_cubics(active, tables, time, pose);
    }
}

fn sample_cubics<W: Word>(active: &[Active<W>], tables: &Tables, time: f32, pose: &mut [PoseBlock]) {
    let mut rotation = [0.0; 4];
    cubics(active, tables, time, |joint, part, value| {
        let Some(block) = pose.get_mut(joint / LANES).filter(|_| part < PART_CHANNEL) else { return };
        let lane = joint % LANES;
        if part < PART_ROTATION {
            block.translation[usize::from(part)][lane] = value;
        } else if part >= PART_SCALE {
            block.scale[usize::from(part - PART_SCALE)][lane] = value;
        } else {
            // The four numbers of a rotation arrive one after the other.
            rotation[usize::from(part - PART_ROTATION)] = value;
            if part + 1 == PART_SCALE {
                let unit = unit(rotation).to_array();
                block.rotation.iter_mut().zip(unit).for_each(|(vector, number)| vector[lane] = number);
            }
        }
    });
}

/// Normalises a quaternion. Returns the identity for a zero quaternion; any unit quaternion would do.
///
/// The sum is written out, because the order of additions in `Quat::length` depends on the machine.
fn unit(rotation: [f32; 4]) -> Quat {
    let [x, y, z, w] = rotation;
    let length = (x * x + y * y + z * z + w * w).sqrt();
    if (1e-15..1e15).contains(&length) {
        return Quat::from_array(rotation.map(|number| number * length.recip()));
    }
    // The squares may exceed the range of single precision.
    let wide = rotation.map(f64::from);
    let length = wide.iter().map(|number| number * number).sum::<f64>().sqrt();
    if length > 0.0 && length.is_finite() {
        Quat::from_array(wide.map(|number| {
            #[expect(clippy::cast_possible_truncation, reason = "a number of a unit quaternion")]
            let number = (number / length) as f32;
            number
        }))
    } else {
        Quat::IDENTITY
    }
}

/// Computes all numbers of all cubic tracks, and calls `put` with the joint or channel, the part and the number.
fn cubics<W: Word>(active: &[Active<W>], tables: &Tables, time: f32, mut put: impl FnMut(usize, u8, f32)) {
    let ranges = tables.ranges(CUBICS);
    for (index, (active, targets)) in active[tables.blocks(CUBICS)].iter().zip(tables.cubic_targets()).enumerate() {
        let ranges = ranges.get(index).unwrap_or(&PLAIN);
        for (lane, &[low, high, part, _]) in targets.iter().enumerate() {
            if part != NO_PART {
                let value = cubic(active.lane(lane), ranges, lane, time, tables.head().rate);
                put(usize::from(u16::from_le_bytes([low, high])), part, value);
            }
        }
    }
}

/// Evaluates the cubic Hermite spline of glTF in one lane. A key is an in-tangent, a value and an out-tangent.
fn cubic<W: Word>(keys: LaneKeys<W>, ranges: &Ranges, lane: usize, time: f32, rate: f32) -> f32 {
    let pair = |number: usize| keys.numbers(number).map(|key| sampling::in_range(ranges, number, lane, key));
    let seconds = (keys.later() - keys.earlier()) / rate;
    let ([_, into], [a, b], [out, _]) = (pair(0), pair(1), pair(2));
    let (out, into) = (out * seconds, into * seconds);
    let t = keys.share(time, false);
    let (t2, t3) = (t * t, t * t * t);
    let blend = 3.0 * t2 - 2.0 * t3;
    (1.0 - blend) * a + blend * b + (t3 - 2.0 * t2 + t) * out + (t3 - t2) * into
}

/// Computes one joint's transform. `keys` returns a lane's keys, given the block in the active array and the lane.
#[inline]
pub(super) fn sample_joint<W: Word>(
    mut keys: impl FnMut(usize, usize) -> LaneKeys<W>,
    tables: &Tables,
    time: f32,
    joint: u16,
    rest: Transform,
) -> Transform {
    let mut found = rest;
    let lane = usize::from(joint) % LANES;
    if let Some((block, step)) = tables.find(ROTATIONS, joint) {
        let keys = keys(tables.blocks(ROTATIONS).start + block, lane);
        found.rotation = keys.rotation(keys.share(time, step));
    } else if let Some(rotation) = tables.constant_rotation(joint) {
        found.rotation = rotation;
    }
    for kind in [TRANSLATIONS, SCALES] {
        let vector = if kind == SCALES { &mut found.scale } else { &mut found.translation };
        if let Some((block, step)) = tables.find(kind, joint) {
            let ranges = tables.ranges(kind).get(block).unwrap_or(&PLAIN);
            let keys = keys(tables.blocks(kind).start + block, lane);
            let share = keys.share(time, step);
            let number = |number: usize| sampling::in_range(ranges, number, lane, keys.number(number, share));
            *vector = Vec3::new(number(0), number(1), number(2));
        } else if let Some(constant) = tables.constant_vector(kind, joint) {
            *vector = constant;
        }
    }
    if tables.head().blocks[CUBICS] > 0 {
        sample_joint_cubics(keys, tables, time, joint, &mut found);
    }
    found
}

#[inline(never)]
fn sample_joint_cubics<W: Word>(
    mut keys: impl FnMut(usize, usize) -> LaneKeys<W>,
    tables: &Tables,
    time: f32,
    joint: u16,
    found: &mut Transform,
) {
    let (mut rotation, ranges) = (None, tables.ranges(CUBICS));
    for (block, lane, part) in cubic_lanes(tables, joint) {
        let keys = keys(tables.blocks(CUBICS).start + block, lane);
        let value = cubic(keys, ranges.get(block).unwrap_or(&PLAIN), lane, time, tables.head().rate);
        if part < PART_ROTATION {
            found.translation[usize::from(part)] = value;
        } else if part >= PART_SCALE {
            found.scale[usize::from(part - PART_SCALE)] = value;
        } else {
            rotation.get_or_insert([0.0; 4])[usize::from(part - PART_ROTATION)] = value;
        }
    }
    if let Some(rotation) = rotation {
        found.rotation = unit(rotation);
    }
}

/// Returns the index of the cubic block, the lane and the part, for each lane of a joint's cubic tracks.
fn cubic_lanes(tables: &Tables, joint: u16) -> impl Iterator<Item = (usize, usize, u8)> {
    let lanes = tables.cubic_targets().iter().enumerate();
    lanes.flat_map(move |(block, targets)| {
        let of_joint = targets.iter().enumerate().filter(move |(_, [low, high, part, _])| {
            u16::from_le_bytes([*low, *high]) == joint && *part < PART_CHANNEL
        });
        of_joint.map(move |(lane, &[.., part, _])| (block, lane, part))
    })
}
