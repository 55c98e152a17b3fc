//! The stream: groups of records. A player needs the keys of a group at the same time.

use super::head::GROUP_HEAD;

/// The head of a group in the stream: three words of 32 bits.
///
/// ```text
/// │ need f32 │ bytes u24 │ full u8 │ bytes before u32 │ records …
/// │ need     │ bytes     │ full    │ bytes before     │ records …
/// │ ∞        │ 0         │ 0       │ bytes before     │
/// ```
///
/// `need` is the time at which a player needs the keys, in the clip's units. `bytes` is the length of the group,
/// including its head; `bytes before` is the length of the previous group, for reading backward. A lane has at most one
/// key in a group, so 24 bits hold any length. The last head in the stream has no group, and its `need` is infinite.
///
/// The records of the first `full` blocks have a key for every lane with a track; `full` is at most 255. The offsets of
/// these records are [stored](super::Tables::starts), so that a player finds one record without reading the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GroupHead {
    pub(crate) need: f32,
    pub(crate) bytes: u32,
    pub(crate) full: u8,
    pub(crate) before: u32,
}

/// The mask that selects the group's length in the word that also holds `full`.
const LENGTH: u32 = (1 << 24) - 1;

impl GroupHead {
    /// Reads the head of the group at an offset.
    #[inline]
    pub(crate) fn read(stream: &[u8], at: usize) -> Option<Self> {
        let bytes: &[u8; GROUP_HEAD] = stream.get(at..)?.first_chunk()?;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Some(Self { need: f32::from_bits(word(0)), bytes: word(4) & LENGTH, full: bytes[7], before: word(8) })
    }

    /// Reads the head of the group at an offset. Also returns the group's end, which must not exceed `length`.
    #[inline]
    pub(crate) fn whole(stream: &[u8], at: usize, length: usize) -> Option<(Self, usize)> {
        // A group shorter than its head would never advance.
        let head = Self::read(stream, at).filter(|head| head.bytes as usize >= GROUP_HEAD)?;
        let end = at.checked_add(head.bytes as usize).filter(|&end| end <= length)?;
        Some((head, end))
    }

    /// Returns the start of the group that ends at `place`.
    #[inline]
    pub(crate) fn start_before(stream: &[u8], place: usize) -> Option<usize> {
        let before = Self::read(stream, place).map_or(0, |head| head.before as usize);
        place.checked_sub(before).filter(|_| before >= GROUP_HEAD)
    }

    /// Writes the head at an offset.
    pub(super) fn write(self, stream: &mut [u8], at: usize) {
        debug_assert!(self.bytes <= LENGTH, "a group of more bytes than its lanes have");
        let words = [self.need.to_bits(), self.bytes | u32::from(self.full) << 24, self.before];
        for (index, word) in words.into_iter().enumerate() {
            stream[at + 4 * index..at + 4 * index + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
}
