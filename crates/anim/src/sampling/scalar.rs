//! Lane by lane: for records that vectors would be loaded past the end of, for tracks by themselves, and for single
//! numbers.

use super::lanes::{Active, LANES, NUMBERS, Word};
use crate::clip::format::{PLAIN, Ranges, Record, Records, Target, block_of as block};
use core::ops::Range;

pub(super) fn turn<W: Word, const FORWARD: bool>(
    bytes: &[u8],
    range: Range<usize>,
    active: &mut [Active<W>],
    singles: usize,
) -> bool {
    let Some(bytes) = bytes.get(range) else { return false };
    let mut records = Records::<W>::new(bytes, singles);
    for (head, numbers) in records.by_ref() {
        let Some(active) = active.get_mut(usize::from(head.block)) else { return false };
        turn_one::<W, FORWARD>(active, head, numbers);
    }
    records.is_done()
}

/// Fetches the keys of one record, or takes them back.
pub(super) fn turn_one<W: Word, const FORWARD: bool>(active: &mut Active<W>, head: Record<W>, numbers: &[u8]) {
    turn_lanes::<W, FORWARD>(active, head, numbers, u8::MAX);
}

/// The same for some of the lanes, one bit each.
#[inline]
pub(crate) fn turn_lanes<W: Word, const FORWARD: bool>(
    active: &mut Active<W>,
    head: Record<W>,
    numbers: &[u8],
    wanted: u8,
) {
    let count = head.keys().max(1);
    let mut left = head.lanes & wanted;
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        let place = (head.lanes & ((1 << lane) - 1)).count_ones() as usize;
        left &= left - 1;
        let mut fetch = |pair: usize, bits: W| {
            let [from, to] = active.pairs[pair].each_mut().map(|vector| &mut vector[lane]);
            (*from, *to) = if FORWARD { (*to, from.xor(bits)) } else { (to.xor(bits), *from) };
        };
        fetch(0, head.time);
        for (number, words) in (1..).zip(numbers.chunks_exact(count * W::BYTES)) {
            fetch(number, W::read(&words[place * W::BYTES..]));
        }
    }
}

/// How far a lane is from its earlier key to its later one, 0 to 1.
#[inline]
pub(crate) fn share<W: Word>(active: &Active<W>, lane: usize, time: f32, step: bool) -> f32 {
    let [from, to] = active.pairs[0].map(|times| times[lane].time());
    if step {
        return if to <= time { 1.0 } else { 0.0 };
    }
    let share = (time - from) / (to - from);
    let share = if share > 0.0 { share } else { 0.0 };
    if share < 1.0 { share } else { 1.0 }
}

/// One number of a lane, its range not yet applied.
#[inline]
pub(crate) fn number<W: Word>(active: &Active<W>, number: usize, lane: usize, share: f32) -> f32 {
    let [from, to] = active.pairs[1 + number].map(|numbers| numbers[lane].number());
    (1.0 - share) * from + share * to
}

/// A number of a lane in its range.
#[inline]
pub(crate) fn in_range(ranges: &Ranges, index: usize, lane: usize, number: f32) -> f32 {
    let float = |index: usize| f32::from_bits(u32::read(&ranges[4 * index..]));
    float(index * LANES + lane) + float((NUMBERS + index) * LANES + lane) * number
}

/// The quaternion x, y, z, w of a rotation's three numbers.
#[inline]
pub(crate) fn rotation(parameters: [f32; NUMBERS]) -> [f32; 4] {
    let [x, y, z] = parameters;
    let twice = 2.0 / (1.0 + (x * x + y * y + z * z));
    [x * twice, y * twice, z * twice, twice - 1.0]
}

/// One lane's rotation.
#[inline]
pub(crate) fn between<W: Word>(active: &Active<W>, lane: usize, share: f32) -> [f32; 4] {
    let key =
        |of: usize| rotation(core::array::from_fn(|number| active.pairs[1 + number][of][lane].number() * W::PARAMETER));
    let (from, to) = (key(0), key(1));
    let dot = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
    let toward = if dot.is_sign_negative() { -share } else { share };
    let rest = 1.0 - share;
    let sum: [f32; 4] = core::array::from_fn(|index| rest * from[index] + toward * to[index]);
    let length = (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]).sqrt();
    let inverse = 1.0 / length;
    sum.map(|number| number * inverse)
}

/// The lanes with a track, each with whether it is a step track.
#[inline]
fn lanes(target: Target) -> impl Iterator<Item = (usize, bool)> {
    (0..LANES).filter(move |lane| target[2] >> lane & 1 == 1).map(move |lane| (lane, target[3] >> lane & 1 == 1))
}

/// Single numbers at a time. Those that `out` does not have are left out. A block without `ranges` has [`PLAIN`] ones.
pub(crate) fn singles<W: Word>(
    active: &[Active<W>],
    targets: &[Target],
    ranges: &[Ranges],
    time: f32,
    out: &mut [f32],
) {
    for (index, (active, &target)) in active.iter().zip(targets).enumerate() {
        let ranges = ranges.get(index).unwrap_or(&PLAIN);
        for (lane, step) in lanes(target) {
            if let Some(out) = out.get_mut(block(target) * LANES + lane) {
                let share = share(active, lane, time, step);
                *out = in_range(ranges, 0, lane, number(active, 0, lane, share));
            }
        }
    }
}
