//! What the lanes of a block are of, and in which ranges their numbers are.

use crate::sampling::{LANES, NUMBERS};

/// The target of a block's eight lanes, four bytes: the number of a block of the pose or of the channels (`u16`,
/// little-endian); which lanes have a track; which of these are step tracks.
pub(crate) type Target = [u8; 4];

/// The target of a lane in a block of cubic tracks, four bytes: joint or channel (`u16`), the number within it, zero.
pub(crate) type CubicTarget = [[u8; 4]; LANES];

/// The block that a target names.
#[inline]
pub(crate) fn block_of(target: Target) -> usize {
    usize::from(u16::from_le_bytes([target[0], target[1]]))
}

/// The part of a joint that a cubic lane holds: x, y, z of its translation, x, y, z, w of its rotation, x, y, z of its
/// scale; then channels, and no part.
pub(crate) const PART_ROTATION: u8 = 3;
pub(crate) const PART_SCALE: u8 = 7;
pub(crate) const PART_CHANNEL: u8 = 10;
pub(crate) const NO_PART: u8 = u8::MAX;

/// The lanes of a block of cubic tracks that have one, one bit each.
pub(crate) fn cubic_lanes(target: &CubicTarget) -> u8 {
    let lane = |(lane, target): (usize, &[u8; 4])| u8::from(target[2] != NO_PART) << lane;
    target.iter().enumerate().map(lane).sum()
}

/// The middles of eight tracks' ranges and the sizes of their steps: x, y, z and x, y, z, as little-endian floats.
pub(crate) type Ranges = [u8; 2 * NUMBERS * LANES * 4];

/// Ranges of tracks whose numbers are stored as they are.
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
