//! The part of a clip before its stream, which describes the tracks.

use super::head::{CHANNELS, CUBICS, Head, ROTATIONS, Sections};
use super::{CubicTarget, NO_PART, PART_CHANNEL, Ranges, Target, block_of, cubic_lanes};
use crate::clip::{ClipNumber, Event, Precision};
use crate::raw::ClipError;
use crate::sampling::LANES;
use crate::transform_lanes::PoseBlock;
use crate::{Error, skeleton::SkeletonError};
use core::ops::Range;
use glam::{Quat, Vec3};

/// A clip's parsed head, and its bytes at least up to the start of the stream.
///
/// Only the description of the tracks is checked here; a player checks the stream as it reads it.
///
/// To play a clip, a player reads the first cache line of this struct, the stream, and the ranges of translations and
/// scales.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Tables {
    bytes: Box<[u8]>,
    /// The start of the stream and its length, in bytes.
    stream: [u32; 2],
    head: Head,
    sections: Sections,
    number: ClipNumber,
}

impl Tables {
    /// Parses and checks the tables at the start of the bytes. Runs in **O(tracks)**.
    pub(crate) fn new(bytes: Box<[u8]>) -> Result<Self, ClipError> {
        let head = Head::read(&bytes)?;
        let sections = head.sections().filter(|sections| sections.stream.start <= bytes.len());
        let sections = sections.ok_or(ClipError::Malformed("the size of its tables"))?;
        let start = u32::try_from(sections.stream.start).map_err(|_| ClipError::Malformed("the size of its tables"))?;
        let number = ClipNumber::next();
        let mut tables = Self { bytes, stream: [start, head.stream], head, sections, number };
        tables.find_events()?;
        tables.check()?;
        Ok(tables)
    }

    /// Finds the events after the names of the channels, and checks them.
    fn find_events(&mut self) -> Result<(), ClipError> {
        let names = self.sections.names.clone();
        let (mut end, mut known) = (names.start, 0_u32);
        for name in self.names().take(self.head.channels as usize) {
            end += 4 + name.ok_or(ClipError::Malformed("a channel's name"))?.len();
            known += 1;
        }
        // Each channel takes bytes here, so that their number is bounded by that of the file.
        if known != self.head.channels {
            return Err(ClipError::Malformed("a channel's name"));
        }
        self.sections.names.end = end;
        if end == names.end {
            return Ok(());
        }
        let wrong = ClipError::Malformed("its events");
        let (count, rest) = self.bytes[end..names.end].split_first_chunk::<4>().ok_or(wrong)?;
        let size = (u32::from_le_bytes(*count) as usize).checked_mul(12).filter(|&size| size > 0).ok_or(wrong)?;
        let (events, text) = rest.split_at_checked(size).ok_or(wrong)?;
        let text = core::str::from_utf8(text).map_err(|_| wrong)?;
        let (mut last, mut start) = (0.0, 0);
        for [time, _, end] in events.as_chunks::<4>().0.as_chunks::<3>().0 {
            let (time, end) = (f32::from_le_bytes(*time), u32::from_le_bytes(*end) as usize);
            if !(last..=self.head.duration).contains(&time) || text.get(start..end).is_none() {
                return Err(wrong);
            }
            (last, start) = (time, end);
        }
        if start != text.len() {
            return Err(wrong);
        }
        self.sections.events = end + 4..end + 4 + size;
        self.sections.event_names = end + 4 + size..names.end;
        Ok(())
    }

    /// Returns time, number and the name's end of each event, as bytes.
    pub(crate) fn events(&self) -> &[[[u8; 4]; 3]] {
        self.bytes[self.sections.events.clone()].as_chunks::<4>().0.as_chunks().0
    }

    /// Returns an event.
    pub(crate) fn event(&self, at: usize) -> Event<'_> {
        let events = self.events();
        let end = |at: usize| u32::from_le_bytes(events[at][2]) as usize;
        let names = &self.bytes[self.sections.event_names.clone()];
        let name = &names[at.checked_sub(1).map_or(0, end)..end(at)];
        let [time, number, _] = events[at];
        Event {
            time: f32::from_le_bytes(time),
            number: u32::from_le_bytes(number),
            name: core::str::from_utf8(name).expect("names are checked when they come in"),
        }
    }

    fn check(&self) -> Result<(), ClipError> {
        let joints = usize::from(self.head.joints);
        let within = |block: usize, live: u8, count: usize| {
            // The highest lane with a track must belong to an existing joint or channel.
            live == 0 || block * LANES + (7 - live.leading_zeros() as usize) < count
        };
        for kind in 0..=CHANNELS {
            let count = if kind == CHANNELS { self.head.channels as usize } else { joints };
            let all = kind == CUBICS
                || self.targets(kind).iter().all(|&target| {
                    let [.., live, step] = target;
                    within(block_of(target), live, count) && live & step == step
                });
            if !all {
                return Err(ClipError::Malformed("the target of a track"));
            }
        }
        for &[low, high, part, _] in self.cubic_targets().as_flattened() {
            let number = usize::from(u16::from_le_bytes([low, high]));
            let of_channel = part == PART_CHANNEL && number < self.head.channels as usize;
            if part != NO_PART && !of_channel && (part >= PART_CHANNEL || number >= joints) {
                return Err(ClipError::Malformed("the target of a track"));
            }
        }
        if !self.starts_known() {
            return Err(ClipError::Malformed("the first key of a block"));
        }
        let joints_known = (0..3).all(|kind| self.constants(kind).all(|(number, _)| (number as usize) < joints));
        if !joints_known || !self.constants(3).all(|(number, _)| number < self.head.channels) {
            return Err(ClipError::Malformed("the target of a constant track"));
        }
        Ok(())
    }

    /// Returns whether the stored offsets of records match the offsets in a full group.
    fn starts_known(&self) -> bool {
        let mut at = 0;
        self.starts().iter().enumerate().all(|(block, start)| {
            let known = u32::from_le_bytes(*start) == at;
            at += self.head.precision.record_bytes(self.live(block), block >= self.singles());
            known
        })
    }

    /// Returns which lanes of a block of the active array have a track, one bit per lane.
    #[inline]
    pub(crate) fn live(&self, block: usize) -> u8 {
        let cubics = self.blocks(CUBICS);
        if cubics.contains(&block) {
            return self.cubic_targets().get(block - cubics.start).map_or(0, cubic_lanes);
        }
        // The targets of all blocks are contiguous: 32 bytes for a cubic block, and four bytes for any other block.
        let cubic_bytes = if block < cubics.start { 0 } else { 28 * cubics.len() };
        let targets = &self.bytes[self.sections.targets[ROTATIONS].start..self.sections.starts.start];
        targets.get(cubic_bytes + 4 * block + 2).copied().unwrap_or(0)
    }

    #[inline]
    pub(crate) const fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    #[inline]
    pub(crate) const fn head(&self) -> &Head {
        &self.head
    }

    #[inline]
    pub(crate) const fn sections(&self) -> &Sections {
        &self.sections
    }

    pub(crate) const fn number(&self) -> ClipNumber {
        self.number
    }

    /// Returns the targets of the blocks of this kind, except [`CUBICS`].
    #[inline]
    pub(crate) fn targets(&self, kind: usize) -> &[Target] {
        self.bytes[self.sections.targets[kind].clone()].as_chunks().0
    }

    /// Returns the targets of the blocks of cubic tracks.
    #[inline]
    pub(crate) fn cubic_targets(&self) -> &[CubicTarget] {
        self.bytes[self.sections.targets[CUBICS].clone()].as_chunks::<4>().0.as_chunks().0
    }

    /// Returns the offset of each block's record in a full group, in bytes from the first record.
    #[inline]
    pub(crate) fn starts(&self) -> &[[u8; 4]] {
        self.bytes[self.sections.starts.clone()].as_chunks().0
    }

    /// Returns the ranges of the blocks of this kind, or an empty slice if words have 32 bits.
    #[inline]
    pub(crate) fn ranges(&self, kind: usize) -> &[Ranges] {
        self.bytes[self.sections.ranges[kind].clone()].as_chunks().0
    }

    /// Returns all bytes from the start of the stream to the end, and the length of the stream.
    #[inline]
    pub(crate) fn stream(&self) -> (&[u8], usize) {
        (&self.bytes[self.stream[0] as usize..], self.stream[1] as usize)
    }

    /// Returns the bytes of the active array at time 0.
    pub(crate) fn first_frame(&self) -> &[u8] {
        &self.bytes[self.sections.first_frame.clone()]
    }

    /// Returns the joint or channel with the numbers, for each constant track of a kind. Kind 3 means channels.
    pub(crate) fn constants(&self, kind: usize) -> impl Iterator<Item = (u32, [f32; 4])> {
        let number_bytes = if kind == 3 { 4 } else { 2 };
        let bytes = &self.bytes[self.sections.constants[kind].clone()];
        let entries = bytes.chunks_exact(super::head::CONSTANT_BYTES[kind]);
        entries.map(move |entry| (number(entry, number_bytes), floats(&entry[number_bytes..])))
    }

    /// Returns the names of the channels, with `None` in place of an invalid name.
    pub(crate) fn names(&self) -> impl Iterator<Item = Option<&str>> {
        let mut rest = &self.bytes[self.sections.names.clone()];
        core::iter::from_fn(move || {
            let (length, names) = rest.split_first_chunk::<4>()?;
            let name = names.get(..u32::from_le_bytes(*length) as usize);
            rest = name.map_or(&[][..], |name| &names[name.len()..]);
            Some(name.and_then(|name| core::str::from_utf8(name).ok()))
        })
    }

    /// Returns the range of one kind's blocks in the active array.
    #[inline]
    pub(crate) fn blocks(&self, kind: usize) -> Range<usize> {
        self.head.blocks_of(kind)
    }

    /// Returns the active array's first block with one number per key.
    #[inline]
    pub(crate) fn singles(&self) -> usize {
        self.blocks(CHANNELS).start
    }

    /// Converts a time to the clip's units.
    ///
    /// Rounds a time to a whole tick that is within 1/32 tick, so that a key's time does not end up before the key.
    #[inline]
    pub(crate) fn units(&self, seconds: f32) -> f32 {
        /// Adding this to a number of ticks below 2¹⁷ rounds the number to an integer.
        const WHOLE: f32 = 8_388_608.0;
        let time = seconds * self.head.rate;
        if self.head.precision == Precision::Tight {
            return time;
        }
        let tick = (time + WHOLE) - WHOLE;
        if (time - tick).abs() < 1.0 / 32.0 { tick } else { time }
    }

    /// Returns the block of the joint's track, and whether the track is a step track. `kind` is not [`CUBICS`].
    #[inline]
    pub(crate) fn find(&self, kind: usize, joint: u16) -> Option<(usize, bool)> {
        if self.head.blocks[kind] == 0 {
            return None;
        }
        let (wanted, lane) = (joint / 8, usize::from(joint) % LANES);
        let targets = self.targets(kind);
        // The index of the target, provided that all earlier blocks of joints have tracks.
        let near = usize::from(wanted);
        let block = match targets.get(near) {
            Some(target) if block_of(*target) == near => near,
            _ => search_targets(targets, wanted)?,
        };
        let [.., live, step] = targets[block];
        (live >> lane & 1 == 1).then_some((block, step >> lane & 1 == 1))
    }

    /// Returns a joint's constant rotation, if any.
    #[inline]
    pub(crate) fn constant_rotation(&self, joint: u16) -> Option<Quat> {
        self.constant::<18, 4>(ROTATIONS, joint).map(Quat::from_array)
    }

    /// Returns a joint's constant translation or scale, if any.
    #[inline]
    pub(crate) fn constant_vector(&self, kind: usize, joint: u16) -> Option<Vec3> {
        self.constant::<14, 3>(kind, joint).map(Vec3::from_array)
    }

    /// Returns the numbers of a joint's constant track; an entry has `BYTES` bytes.
    #[inline]
    fn constant<const BYTES: usize, const NUMBERS: usize>(&self, kind: usize, joint: u16) -> Option<[f32; NUMBERS]> {
        const { assert!(BYTES == 2 + 4 * NUMBERS) };
        let entries = &self.bytes[self.sections.constants[kind].clone()];
        let [low, high] = joint.to_le_bytes();
        // The offset of the entry, provided that all earlier joints have a constant track.
        let near = usize::from(joint) * BYTES;
        let entry = match entries.get(near..near + BYTES).and_then(<[u8]>::first_chunk::<BYTES>) {
            Some(entry) if entry[..2] == [low, high] => entry,
            _ => search_constants(entries, joint)?,
        };
        let (floats, _) = entry[2..].as_chunks::<4>();
        Some(core::array::from_fn(|number| f32::from_le_bytes(floats[number])))
    }

    /// Writes the joints' constant values to the blocks of a pose with as many joints as the clip.
    pub(crate) fn write_constants(&self, blocks: &mut [PoseBlock]) {
        for kind in 0..3 {
            for (joint, numbers) in self.constants(kind) {
                let (block, lane) = (&mut blocks[joint as usize / LANES], joint as usize % LANES);
                let vectors: &mut [[f32; LANES]] = match kind {
                    0 => &mut block.rotation,
                    1 => &mut block.translation,
                    _ => &mut block.scale,
                };
                vectors.iter_mut().zip(numbers).for_each(|(vector, number)| vector[lane] = number);
            }
        }
    }

    /// Writes the values of constant channels to a list of all channels.
    pub(crate) fn write_constant_channels(&self, channels: &mut [f32]) {
        for (channel, [number, ..]) in self.constants(3) {
            channels[channel as usize] = number;
        }
    }

    /// Returns an error if the clip is for a different number of joints.
    #[inline]
    pub(crate) fn expect_joints(&self, found: usize) -> Result<(), Error> {
        let expected = usize::from(self.head.joints);
        if expected == found { Ok(()) } else { Err(SkeletonError::JointCount { expected, found }.into()) }
    }

    /// Returns an error if the clip has a different number of channels.
    pub(crate) fn expect_channels(&self, found: usize) -> Result<(), Error> {
        let expected = self.head.channels as usize;
        if expected == found { Ok(()) } else { Err(ClipError::ChannelCount { expected, found }.into()) }
    }
}

/// Reads a little-endian number of `count` bytes.
fn number(bytes: &[u8], count: usize) -> u32 {
    bytes[..count].iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// Reads up to four floats; missing floats are 0.
fn floats(bytes: &[u8]) -> [f32; 4] {
    let mut numbers = [0.0; 4];
    for (number, float) in numbers.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *number = f32::from_le_bytes(*float);
    }
    numbers
}

/// Searches for the target of a block of the pose, and returns the target's index.
#[inline(never)]
fn search_targets(targets: &[Target], block: u16) -> Option<usize> {
    targets.binary_search_by_key(&usize::from(block), |target| block_of(*target)).ok()
}

/// Returns a joint's entry among constant tracks.
#[inline(never)]
fn search_constants<const BYTES: usize>(entries: &[u8], joint: u16) -> Option<&[u8; BYTES]> {
    let entries = entries.as_chunks::<BYTES>().0;
    let found = entries.binary_search_by_key(&joint, |entry| u16::from_le_bytes([entry[0], entry[1]])).ok()?;
    Some(&entries[found])
}
