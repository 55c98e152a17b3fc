//! The joints or channels of a block's lanes, and the ranges of their numbers.

use crate::sampling::{LANES, NUMBERS};

/// The target of a block in four bytes: a little-endian `u16` with the number of the block of joints or channels, a bit
/// for each lane with a track, and a bit for each step track.
pub(crate) type Target = [u8; 4];

/// The targets of a block of cubic tracks. Each lane has four bytes: the joint or channel (`u16`), the part and a zero.
pub(crate) type CubicTarget = [[u8; 4]; LANES];

/// Returns the block of joints or channels that a target names.
#[inline]
pub(crate) fn block_of(target: Target) -> usize {
    usize::from(u16::from_le_bytes([target[0], target[1]]))
}

/// The first part of a rotation. A cubic lane's part is 0 to 2 (translation), 3 to 6 (rotation) or 7 to 9 (scale).
pub(crate) const PART_ROTATION: u8 = 3;
pub(crate) const PART_SCALE: u8 = 7;
pub(crate) const PART_CHANNEL: u8 = 10;
pub(crate) const NO_PART: u8 = u8::MAX;

/// Returns which lanes of a block of cubic tracks have a track, one bit per lane.
pub(crate) fn cubic_lanes(target: &CubicTarget) -> u8 {
    let lane = |(lane, target): (usize, &[u8; 4])| u8::from(target[2] != NO_PART) << lane;
    target.iter().enumerate().map(lane).sum()
}

/// The ranges of eight tracks as little-endian floats: middles of x, y and z, then steps of x, y and z.
pub(crate) type Ranges = [u8; 2 * NUMBERS * LANES * 4];

/// The ranges of tracks whose numbers are stored unchanged.
pub(crate) const PLAIN: Ranges = {
    let mut bytes = [0; 2 * NUMBERS * LANES * 4];
    let one = 1.0_f32.to_le_bytes();
    let mut at = bytes.len() / 2;
    while at < bytes.len() {
        bytes[at] = one[at % 4];
        at += 1;
    }
    bytes
};
