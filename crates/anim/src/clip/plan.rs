//! Converts tracks to lanes: finds constant tracks, puts the other tracks into blocks, and quantises keys to words.

use super::format::{
    CHANNELS, CUBICS, CubicTarget, NO_PART, PART_CHANNEL, PART_ROTATION, PART_SCALE, ROTATIONS, SCALES, TRANSLATIONS,
    Target, cubic_lanes,
};
use super::quantise::{Quantise, Range, angle_to, parameters, parts};
use super::{ClipReport, Precision};
use crate::sampling::{LANES, NUMBERS, rotation};
use crate::{
    RawClip,
    raw::{Interpolation, Track, TrackValue},
};
use glam::{DQuat, Quat, Vec3};

/// The keys of one lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Lane<W> {
    pub(super) times: Vec<W>,
    pub(super) keys: Vec<[W; NUMBERS]>,
    pub(super) ranges: [Range; NUMBERS],
}

/// Eight lanes of one kind; unused lanes have no keys.
#[derive(Clone, Debug)]
pub(super) struct Block<W> {
    /// The targets of lanes that are not cubic.
    pub(super) target: Target,
    /// The targets of cubic lanes.
    pub(super) cubic: CubicTarget,
    pub(super) lanes: [Lane<W>; LANES],
}

impl<W: Quantise> Block<W> {
    fn new(block: u16) -> Self {
        let [low, high] = block.to_le_bytes();
        Self {
            target: [low, high, 0, 0],
            cubic: [[0, 0, NO_PART, 0]; LANES],
            lanes: core::array::from_fn(|_| Lane::default()),
        }
    }
}

impl<W> Block<W> {
    /// Returns the lanes that have a track, one bit each.
    pub(super) fn live(&self) -> u8 {
        self.target[2] | cubic_lanes(&self.cubic)
    }
}

/// The contents of a clip before the clip is written.
#[derive(Debug)]
pub(super) struct Plan<W> {
    /// The blocks, in the order of the active array.
    pub(super) blocks: [Vec<Block<W>>; 5],
    pub(super) rotations: Vec<(u16, Quat)>,
    pub(super) translations: Vec<(u16, Vec3)>,
    pub(super) scales: Vec<(u16, Vec3)>,
    pub(super) channels: Vec<(u32, f32)>,
    /// The number of keys of constant tracks.
    pub(super) constant_keys: usize,
    /// The greatest angle between the quaternions of two neighbouring keys, in radians.
    pub(super) widest: f64,
    /// The duration of the clip, in seconds.
    duration: f32,
    rate: f32,
    arc_error: f32,
}

impl<W: Quantise> Plan<W> {
    /// Plans all tracks of a clip.
    pub(super) fn new(clip: &RawClip, rate: f32, arc_error: f32, report: &mut ClipReport) -> Self {
        let mut plan = Self {
            blocks: Default::default(),
            rotations: Vec::new(),
            translations: Vec::new(),
            scales: Vec::new(),
            channels: Vec::new(),
            constant_keys: 0,
            widest: 0.0,
            duration: clip.duration(),
            rate,
            arc_error,
        };
        // Rotations come first, so that the four lanes of a cubic rotation fit in one block.
        for joint in joints(clip) {
            if let Some(track) = clip.rotation(joint) {
                plan.rotation(joint, track, report);
            }
        }
        for joint in joints(clip) {
            if let Some(track) = clip.translation(joint) {
                plan.vector::<false>(joint, track, report);
            }
            if let Some(track) = clip.scale(joint) {
                plan.vector::<true>(joint, track, report);
            }
        }
        for channel in 0..clip.channels() {
            plan.channel(channel, clip.channel(channel), report);
        }
        plan
    }

    /// Returns the number of keys of all lanes and of constant tracks.
    pub(super) fn keys(&self) -> usize {
        let lanes = self.blocks.iter().flatten().flat_map(|block| &block.lanes);
        self.constant_keys + lanes.map(|lane| lane.keys.len()).sum::<usize>()
    }

    fn rotation(&mut self, joint: u16, track: &Track<Quat>, report: &mut ClipReport) {
        let normalised = |key: usize| {
            let wide = track.value(key).as_dquat();
            wide * wide.length().recip()
        };
        if track.interpolation() == Interpolation::Cubic {
            if constant(track) {
                return self.constant_rotation(joint, normalised(0), report);
            }
            let error = self.cubic(track, joint, PART_ROTATION, 4, report);
            report.rotation_error = report.rotation_error.max(error);
            return;
        }
        let times = self.times(track, report);
        let (mut all_times, mut keys, mut error, mut inserted) = (Vec::new(), Vec::new(), 0.0_f32, 0);
        let mut push = |time: W, rotation: DQuat| {
            let key = parameters(rotation).map(|number| W::quantise(number, rotation_range::<W>()));
            error = error.max(angle_to(rotation, key.map(|word| word.restore(rotation_range::<W>()))));
            all_times.push(time);
            keys.push(key);
        };
        for (key, &time) in times.iter().enumerate() {
            if key > 0 && track.interpolation() == Interpolation::Linear {
                let (from, to) = (normalised(key - 1), normalised(key));
                // Players take the shorter way, too.
                let to = if from.dot(to) < 0.0 { -to } else { to };
                // Exact at both ends, unlike the arc cosine of the product.
                let angle = 2.0 * (to - from).length().atan2((to + from).length());
                let mut last = 0.0;
                for (time, share) in W::between(times[key - 1], time, parts(angle, self.arc_error)) {
                    inserted += 1;
                    push(time, arc(from, to, angle, share));
                    self.widest = self.widest.max((share - last) * angle);
                    last = share;
                }
                self.widest = self.widest.max((1.0 - last) * angle);
            }
            push(time, normalised(key));
        }
        // Constant as authored: kept without the error of quantising.
        if (1..track.len()).all(|key| track.value(key) == track.value(0)) {
            return self.constant_rotation(joint, normalised(0), report);
        }
        report.rotation_error = report.rotation_error.max(error);
        if keys.iter().all(|key| *key == keys[0]) {
            // Use this word, because `error` was measured from it; another key may be twice as far from the first key.
            let [x, y, z, w] = rotation(keys[0].map(|word| word.restore(rotation_range::<W>()))).map(f64::from);
            return self.constant_rotation(joint, DQuat::from_xyzw(x, y, z, w).normalize(), report);
        }
        report.inserted_keys += inserted;
        let lane = Lane { times: all_times, keys, ranges: [rotation_range::<W>(); NUMBERS] };
        self.lane(ROTATIONS, usize::from(joint), track.interpolation(), lane);
    }

    fn constant_rotation(&mut self, joint: u16, rotation: DQuat, report: &mut ClipReport) {
        report.constant_tracks += 1;
        self.constant_keys += 1;
        self.rotations.push((joint, rotation.as_quat()));
    }

    fn vector<const SCALE: bool>(&mut self, joint: u16, track: &Track<Vec3>, report: &mut ClipReport) {
        if constant(track) {
            report.constant_tracks += 1;
            self.constant_keys += 1;
            let constants = if SCALE { &mut self.scales } else { &mut self.translations };
            return constants.push((joint, track.value(0)));
        }
        let error = if track.interpolation() == Interpolation::Cubic {
            self.cubic(track, joint, if SCALE { PART_SCALE } else { 0 }, 3, report)
        } else {
            let times = self.times(track, report);
            let values: Vec<[f32; NUMBERS]> = (0..track.len()).map(|key| track.value(key).to_array()).collect();
            let (lane, error) = lane(times, &values);
            self.lane(if SCALE { SCALES } else { TRANSLATIONS }, usize::from(joint), track.interpolation(), lane);
            error
        };
        let most = if SCALE { &mut report.scale_error } else { &mut report.translation_error };
        *most = most.max(error);
    }

    fn channel(&mut self, channel: usize, track: &Track<f32>, report: &mut ClipReport) {
        let number = u32::try_from(channel).unwrap_or(u32::MAX);
        if constant(track) {
            report.constant_tracks += 1;
            self.constant_keys += 1;
            return self.channels.push((number, track.value(0)));
        }
        let error = if track.interpolation() == Interpolation::Cubic {
            let target = u16::try_from(channel).expect("builders refuse more channels");
            self.cubic(track, target, PART_CHANNEL, 1, report)
        } else {
            let times = self.times(track, report);
            let values: Vec<[f32; NUMBERS]> = (0..track.len()).map(|key| [track.value(key), 0.0, 0.0]).collect();
            let (lane, error) = lane(times, &values);
            self.lane(CHANNELS, channel, track.interpolation(), lane);
            error
        };
        report.channel_error = report.channel_error.max(error);
    }

    /// Makes a lane per number of a cubic track. Keys are in-tangent, value, out-tangent. Returns the greatest error.
    fn cubic<V: TrackValue>(
        &mut self,
        track: &Track<V>,
        target: u16,
        part: u8,
        numbers: usize,
        report: &mut ClipReport,
    ) -> f32 {
        let times = self.times(track, report);
        let last = track.len() - 1;
        // A track's numbers stay in one block, which a player decodes at once.
        if self.blocks[CUBICS].last().is_none_or(|block| free(block) < numbers) {
            self.blocks[CUBICS].push(Block::new(0));
        }
        let block = self.blocks[CUBICS].last_mut().expect("one was pushed");
        let first = LANES - free(block);
        let mut error = 0.0_f32;
        for number in 0..numbers {
            #[expect(clippy::cast_possible_truncation, reason = "the numbers came from single precision")]
            let of = |value: V| value.widen()[number] as f32;
            let keys: Vec<[f32; NUMBERS]> = (0..=last)
                .map(|key| {
                    let (into, out) = track.tangents(key);
                    // The first in-tangent and the last out-tangent have no effect.
                    let into = if key == 0 { 0.0 } else { of(into) };
                    let out = if key == last { 0.0 } else { of(out) };
                    [into, of(track.value(key)), out]
                })
                .collect();
            let [low, high] = target.to_le_bytes();
            #[expect(clippy::cast_possible_truncation, reason = "four at most")]
            let part = part + number as u8;
            block.cubic[first + number] = [low, high, part, 0];
            let (lane, of_number) = lane(times.clone(), &keys);
            block.lanes[first + number] = lane;
            error = error.max(of_number);
        }
        error
    }

    fn times<V: TrackValue>(&self, track: &Track<V>, report: &mut ClipReport) -> Vec<W> {
        let times = W::times(track.times(), self.duration, self.rate).expect("builders choose words that do");
        for (&wanted, time) in track.times().iter().zip(&times) {
            report.time_error = report.time_error.max((wanted - time.time() / self.rate).abs());
        }
        times
    }

    /// Returns whether all keys of a lane have different times, as players require.
    pub(super) fn is_ordered(&self) -> bool {
        let mut lanes = self.blocks.iter().flatten().flat_map(|block| &block.lanes);
        lanes.all(|lane| lane.times.is_sorted_by(|a, b| a < b))
    }

    /// Puts a lane into the block of its joint or channel.
    fn lane(&mut self, kind: usize, number: usize, interpolation: Interpolation, lane: Lane<W>) {
        let target = u16::try_from(number / LANES).expect("builders refuse more channels");
        let of_target = |block: &Block<W>| u16::from_le_bytes([block.target[0], block.target[1]]) == target;
        if !self.blocks[kind].last().is_some_and(of_target) {
            self.blocks[kind].push(Block::new(target));
        }
        let block = self.blocks[kind].last_mut().expect("one was pushed");
        block.target[2] |= 1 << (number % LANES);
        if interpolation == Interpolation::Step {
            block.target[3] |= 1 << (number % LANES);
        }
        block.lanes[number % LANES] = lane;
    }
}

fn joints(clip: &RawClip) -> impl Iterator<Item = u16> {
    (0..=u16::MAX).take(clip.joints())
}

/// Returns whether a track has the same value at all times.
fn constant<V: TrackValue>(track: &Track<V>) -> bool {
    let last = track.len() - 1;
    let still = |key: usize| {
        let (into, out) = track.tangents(key);
        track.value(key) == track.value(0) && (key == 0 || into == V::ZERO) && (key == last || out == V::ZERO)
    };
    (0..=last).all(still)
}

fn rotation_range<W: Quantise>() -> Range {
    match W::PRECISION {
        Precision::Compact => Range::ROTATION,
        Precision::Tight => Range::PLAIN,
    }
}

/// Counts the free lanes at the end of a block.
fn free<W>(block: &Block<W>) -> usize {
    block.lanes.iter().rev().take_while(|lane| lane.times.is_empty()).count()
}

/// Quantises keys into a lane. Also returns the greatest error.
fn lane<W: Quantise>(times: Vec<W>, values: &[[f32; NUMBERS]]) -> (Lane<W>, f32) {
    let mut error = 0.0_f32;
    let ranges: [Range; NUMBERS] = core::array::from_fn(|number| W::range(values.iter().map(|value| value[number])));
    let word = |value: &[f32; NUMBERS], number: usize| W::quantise(value[number], ranges[number]);
    let keys: Vec<[W; NUMBERS]> =
        values.iter().map(|value| core::array::from_fn(|number| word(value, number))).collect();
    for (key, value) in keys.iter().zip(values) {
        for number in 0..NUMBERS {
            error = error.max((key[number].restore(ranges[number]) - value[number]).abs());
        }
    }
    (Lane { times, keys, ranges }, error)
}

/// Returns the quaternion at a fraction of the arc between two quaternions that are `angle` radians apart.
fn arc(from: DQuat, to: DQuat, angle: f64, share: f64) -> DQuat {
    let sine = angle.sin();
    // For tiny angles the quotient of sines loses its digits, and the chord is the arc.
    if sine < 1e-9 {
        return (from * (1.0 - share) + to * share).normalize();
    }
    (from * (((1.0 - share) * angle).sin() / sine) + to * ((share * angle).sin() / sine)).normalize()
}
