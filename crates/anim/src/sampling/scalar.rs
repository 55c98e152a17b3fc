//! Kernels of one lane at a time: for levels that cannot spread words over lanes, and for single numbers.

use super::lane::in_range;
use super::lanes::{Active, LANES, NUMBERS, Word};
use crate::clip::format::{PLAIN, Ranges, Record, Target, block_of as block};

pub(super) fn turn_one<W: Word, const FORWARD: bool>(active: &mut Active<W>, head: Record<W>, numbers: &[u8]) {
    let count = head.keys().max(1);
    let mut left = head.lanes;
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

/// Converts a rotation's three numbers to a quaternion x, y, z, w.
#[inline]
pub(crate) fn rotation(parameters: [f32; NUMBERS]) -> [f32; 4] {
    let [x, y, z] = parameters;
    let twice = 2.0 / (1.0 + (x * x + y * y + z * z));
    [x * twice, y * twice, z * twice, twice - 1.0]
}

/// Returns each lane that has a track, and whether the track is a step track.
#[inline]
fn lanes(target: Target) -> impl Iterator<Item = (usize, bool)> {
    (0..LANES).filter(move |lane| target[2] >> lane & 1 == 1).map(move |lane| (lane, target[3] >> lane & 1 == 1))
}

/// Samples single numbers. Skips numbers that `out` does not have. Blocks without `ranges` use [`PLAIN`].
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
                let keys = active.lane(lane);
                *out = in_range(ranges, 0, lane, keys.number(0, keys.share(time, step)));
            }
        }
    }
}
