//! Writes a clip: sorts the keys of all lanes by the time at which players need them, and makes jump frames.

use super::{CHANNELS, CLIP, CUBICS, GROUP_HEAD, GroupHead, HEAD_BYTES, Head, PADDING, Record};
use crate::clip::plan::{Block, Lane, Plan};
use crate::clip::quantise::Quantise;
use crate::clip::{JumpSpacing, Precision};
use crate::sampling::{self, Active, LANES, NUMBERS};
use crate::{RawClip, raw::ClipError};
use core::ops::Range;
use hedgerow_math::internal::file_header::HEADER_BYTES;

/// A key in the stream: the third or a later key of its lane.
///
/// The order of fields sorts keys by group, then by record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event<W> {
    /// The time at which a player needs the key: the time of the lane's previous key.
    need: W,
    block: u16,
    /// The XOR of the key's time with the time of the key two places earlier.
    time: W,
    lane: u8,
    numbers: [W; NUMBERS],
}

/// A jump frame: its time, the stream offset from which to continue, and the active array.
struct Frame<W> {
    time: f32,
    place: usize,
    active: Vec<Active<W>>,
}

/// The stream and its jump frames.
struct Stream<W> {
    bytes: Vec<u8>,
    groups: usize,
    longest: usize,
    frames: Vec<Frame<W>>,
}

/// Writes the whole clip.
pub(in crate::clip) fn write<W: Quantise>(
    clip: &RawClip,
    plan: &Plan<W>,
    rate: f32,
    spacing: JumpSpacing,
) -> Result<Vec<u8>, ClipError> {
    let counts = plan.blocks.each_ref().map(|blocks| blocks.len());
    let total: usize = counts.iter().sum();
    if total > usize::from(u16::MAX) {
        return Err(ClipError::TooLarge);
    }
    let first = first_frame(plan);
    let end = clip.duration() * rate;
    let stream = stream(plan, &first, end, rate, spacing);
    let mut names = Vec::new();
    for channel in 0..clip.channels() {
        let name = clip.channel_name(channel).as_bytes();
        names.extend_from_slice(&small(name.len())?.to_le_bytes());
        names.extend_from_slice(name);
    }
    if clip.events().len() > 0 {
        names.extend_from_slice(&small(clip.events().len())?.to_le_bytes());
        let mut end = 0;
        for event in clip.events() {
            end += event.name.len();
            names.extend_from_slice(&event.time.to_le_bytes());
            names.extend_from_slice(&event.number.to_le_bytes());
            names.extend_from_slice(&small(end)?.to_le_bytes());
        }
        clip.events().for_each(|event| names.extend_from_slice(event.name.as_bytes()));
    }
    let constants = [plan.rotations.len(), plan.translations.len(), plan.scales.len(), plan.channels.len()].map(small);
    let [rotations, translations, scales, channels] = constants;
    let head = Head {
        precision: W::PRECISION,
        duration: clip.duration(),
        rate,
        joints: u16::try_from(clip.joints()).map_err(|_| ClipError::TooLarge)?,
        channels: small(clip.channels())?,
        blocks: counts.map(|count| u16::try_from(count).unwrap_or(u16::MAX)),
        constants: [rotations?, translations?, scales?, channels?],
        names: small(names.len())?,
        stream: small(stream.bytes.len())?,
        longest: small(stream.longest)?,
        groups: small(stream.groups)?,
        seek: small(longest_seek(&stream, end))?,
        keys: small(plan.keys())?,
        frames: small(stream.frames.len())?,
    };
    let mut bytes = vec![0; HEADER_BYTES];
    head.write(&mut bytes);
    debug_assert_eq!(bytes.len(), HEAD_BYTES);
    for (kind, blocks) in plan.blocks.iter().enumerate() {
        for block in blocks {
            bytes.extend_from_slice(if kind == CUBICS { block.cubic.as_flattened() } else { &block.target });
        }
    }
    starts(plan, &mut bytes);
    if W::PRECISION == Precision::Compact {
        plan.blocks[1..].iter().flatten().for_each(|block| ranges(block, &mut bytes));
    }
    self::constants(plan, &mut bytes);
    bytes.extend_from_slice(&names);
    first.iter().for_each(|active| active.write(&mut bytes));
    bytes.extend_from_slice(&stream.bytes);
    for frame in &stream.frames {
        bytes.extend_from_slice(&frame.time.to_le_bytes());
        bytes.extend_from_slice(&small(frame.place)?.to_le_bytes());
    }
    stream.frames.iter().flat_map(|frame| &frame.active).for_each(|active| active.write(&mut bytes));
    bytes.resize(bytes.len() + PADDING, 0);
    CLIP.write_header(&mut bytes);
    Ok(bytes)
}

fn small(count: usize) -> Result<u32, ClipError> {
    u32::try_from(count).map_err(|_| ClipError::TooLarge)
}

/// Writes the offset of each block's record in a full group.
fn starts<W: Quantise>(plan: &Plan<W>, bytes: &mut Vec<u8>) {
    let mut at = 0_u32;
    for (kind, blocks) in plan.blocks.iter().enumerate() {
        for block in blocks {
            bytes.extend_from_slice(&at.to_le_bytes());
            at += W::PRECISION.record_bytes(block.live(), kind == CHANNELS);
        }
    }
}

fn ranges<W>(block: &Block<W>, bytes: &mut Vec<u8>) {
    for number in 0..NUMBERS {
        block.lanes.iter().for_each(|lane| bytes.extend_from_slice(&lane.ranges[number].middle.to_le_bytes()));
    }
    for number in 0..NUMBERS {
        block.lanes.iter().for_each(|lane| bytes.extend_from_slice(&lane.ranges[number].step.to_le_bytes()));
    }
}

fn constants<W>(plan: &Plan<W>, bytes: &mut Vec<u8>) {
    let mut put = |joint: u16, numbers: &[f32]| {
        bytes.extend_from_slice(&joint.to_le_bytes());
        numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
    };
    plan.rotations.iter().for_each(|(joint, rotation)| put(*joint, &rotation.to_array()));
    plan.translations.iter().for_each(|(joint, vector)| put(*joint, &vector.to_array()));
    plan.scales.iter().for_each(|(joint, vector)| put(*joint, &vector.to_array()));
    for (channel, number) in &plan.channels {
        bytes.extend_from_slice(&channel.to_le_bytes());
        bytes.extend_from_slice(&number.to_le_bytes());
    }
}

/// Returns the active array at time 0: the first two keys of each lane.
fn first_frame<W: Quantise>(plan: &Plan<W>) -> Vec<Active<W>> {
    frame(plan, |_| 0)
}

/// Returns an active array of two successive keys per lane; `first` maps a lane's key count to the index of the first.
fn frame<W: Quantise>(plan: &Plan<W>, first: impl Fn(usize) -> usize) -> Vec<Active<W>> {
    let active = |block: &Block<W>| {
        let mut active = Active::default();
        for (index, lane) in block.lanes.iter().enumerate().filter(|(_, lane)| !lane.times.is_empty()) {
            for key in 0..2 {
                let from = first(lane.times.len()) + key;
                active.pairs[0][key][index] = lane.times[from];
                for number in 0..NUMBERS {
                    active.pairs[1 + number][key][index] = lane.keys[from][number];
                }
            }
        }
        active
    };
    plan.blocks.iter().flatten().map(active).collect()
}

/// Returns the third and later keys of all lanes, in stream order.
fn events<W: Quantise>(plan: &Plan<W>) -> Vec<Event<W>> {
    let mut events = Vec::new();
    for (block, lanes) in (0..=u16::MAX).zip(plan.blocks.iter().flatten().map(|block| &block.lanes)) {
        for (lane, Lane { times, keys, .. }) in (0..).zip(lanes) {
            for key in 2..times.len() {
                let numbers = core::array::from_fn(|number| keys[key][number].xor(keys[key - 2][number]));
                let time = times[key].xor(times[key - 2]);
                events.push(Event { need: times[key - 1], block, time, lane, numbers });
            }
        }
    }
    events.sort_unstable();
    events
}

fn stream<W: Quantise>(plan: &Plan<W>, first: &[Active<W>], end: f32, rate: f32, spacing: JumpSpacing) -> Stream<W> {
    let singles = plan.blocks[..CHANNELS].iter().map(Vec::len).sum();
    let live: Vec<u8> = plan.blocks.iter().flatten().map(Block::live).collect();
    let (mut active, mut bytes, mut frames) = (first.to_vec(), Vec::new(), Vec::<Frame<W>>::new());
    let (mut groups, mut longest, mut before) = (0, 0, 0);
    // The stream offset and the time of the last frame.
    let (mut last_place, mut last_time) = (0, 0.0_f32);
    for group in events(plan).chunk_by(|a, b| a.need == b.need) {
        let need = group[0].need.time();
        let due = match spacing {
            JumpSpacing::Seconds(seconds) => need - last_time >= seconds * rate,
            JumpSpacing::Bytes(bytes_apart) => bytes.len() - last_place >= bytes_apart as usize,
            JumpSpacing::Frames(count) => {
                (bytes.len() - last_place) as f32 >= count * (active.len() * Active::<W>::BYTES) as f32
            }
        };
        // If groups were written since the last frame, a due frame gets the need time of the last group.
        if due && bytes.len() > last_place {
            let at = bytes.len() - before;
            last_time = GroupHead::read(&bytes, at).map_or(last_time, |head| head.need);
            last_place = bytes.len();
            frames.push(Frame { time: last_time, place: last_place, active: active.clone() });
        }
        let at = bytes.len();
        bytes.resize(at + GROUP_HEAD, 0);
        let mut full = 0_u8;
        for record in group.chunk_by(|a, b| (a.block, a.time) == (b.block, b.time)) {
            let numbers: Vec<[W; NUMBERS]> = record.iter().map(|event| event.numbers).collect();
            let lanes = record.iter().fold(0, |lanes, event| lanes | 1 << event.lane);
            let Event { block, time, .. } = record[0];
            if u16::from(full) == block && live[usize::from(block)] == lanes {
                full = full.saturating_add(1);
            }
            Record { block, lanes, time }.write(&numbers, usize::from(block) >= singles, &mut bytes);
        }
        let length = bytes.len() - at;
        let [length_word, before_word] = [length, before].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        GroupHead { need, bytes: length_word, full, before: before_word }.write(&mut bytes, at);
        // Whole vectors are read, beyond the last record, too.
        bytes.resize(at + length + PADDING, 0);
        let sound = sampling::turn::<W, true>(&bytes, at + GROUP_HEAD..at + length, &mut active, singles);
        bytes.truncate(at + length);
        debug_assert!(sound, "what was just written");
        (groups, longest, before) = (groups + 1, longest.max(length), length);
    }
    debug_assert_eq!(active, frame(plan, |keys| keys - 2), "playing to the end does not arrive at the last keys");
    if bytes.len() > last_place {
        frames.push(Frame { time: end, place: bytes.len(), active });
    }
    let at = bytes.len();
    bytes.resize(at + GROUP_HEAD, 0);
    let before = u32::try_from(before).unwrap_or(u32::MAX);
    GroupHead { need: f32::INFINITY, bytes: 0, full: 0, before }.write(&mut bytes, at);
    Stream { bytes, groups, longest, frames }
}

/// Returns the greatest number of stream bytes between a time and the nearest frame.
fn longest_seek<W>(stream: &Stream<W>, end: f32) -> usize {
    let groups = groups(&stream.bytes);
    // Returns the stream offset after all groups that are needed at or before `time`.
    let place = |time: f32| {
        let count = groups.partition_point(|(need, _)| *need <= time);
        count.checked_sub(1).map_or(0, |last| groups[last].1.end)
    };
    let mut longest = 0;
    let mut last = (0.0, 0);
    for (time, at) in stream.frames.iter().map(|frame| (frame.time, frame.place)).chain([(end, place(end))]) {
        let middle = place(last.0 + (time - last.0) * 0.5);
        longest = longest.max(middle.saturating_sub(last.1)).max(at.saturating_sub(middle));
        last = (time, at);
    }
    longest
}

/// Returns the need time and the byte range of each group.
fn groups(stream: &[u8]) -> Vec<(f32, Range<usize>)> {
    let mut groups = Vec::new();
    let mut at = 0;
    while let Some(head) = GroupHead::read(stream, at).filter(|head| head.bytes > 0) {
        let end = at + head.bytes as usize;
        groups.push((head.need, at..end));
        at = end;
    }
    groups
}

const _: () = assert!(LANES == 8);
