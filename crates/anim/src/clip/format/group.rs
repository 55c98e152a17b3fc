//! The stream: groups of records, each of the keys that are needed at the same time.

use super::head::GROUP_HEAD;

/// The head between two groups of a stream: three words of 32 bits.
///
/// ```text
/// │ need f32 │ bytes u24 │ full u8 │ bytes before u32 │ records …
/// │ need     │ bytes     │ full    │ bytes before     │ records …
/// │ ∞        │ 0         │ 0       │ bytes before     │
/// ```
///
/// `need` is when the group's keys are needed, in the clip's units of time. `bytes` is the length of the group with its
/// head, and `bytes before` that of the group before, so that a stream can be read in either direction. The stream ends
/// with a head without a group, which is never needed. As a lane has at most one key in a group, 24 bits hold the
/// length of any.
///
/// `full` is how many blocks, from the first on, have one record each with all lanes that have a track, up to 255:
/// where these records begin is [known](super::Tables::starts), so that one of them is found without reading the
/// others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GroupHead {
    pub(crate) need: f32,
    pub(crate) bytes: u32,
    pub(crate) full: u8,
    pub(crate) before: u32,
}

/// The bits of a group's length in the word that it shares with `full`.
const LENGTH: u32 = (1 << 24) - 1;

impl GroupHead {
    /// The head of a group at a place in the stream.
    #[inline]
    pub(crate) fn read(stream: &[u8], at: usize) -> Option<Self> {
        let bytes: &[u8; GROUP_HEAD] = stream.get(at..)?.first_chunk()?;
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Some(Self { need: f32::from_bits(word(0)), bytes: word(4) & LENGTH, full: bytes[7], before: word(8) })
    }

    /// The head of a group that begins at a place and ends within so many bytes, and where it ends.
    #[inline]
    pub(crate) fn whole(stream: &[u8], at: usize, length: usize) -> Option<(Self, usize)> {
        let head = Self::read(stream, at).filter(|head| head.bytes as usize >= GROUP_HEAD)?;
        let end = at.checked_add(head.bytes as usize).filter(|&end| end <= length)?;
        Some((head, end))
    }

    /// Where the group begins that ends at a place.
    #[inline]
    pub(crate) fn start_before(stream: &[u8], place: usize) -> Option<usize> {
        let before = Self::read(stream, place).map_or(0, |head| head.before as usize);
        place.checked_sub(before).filter(|_| before >= GROUP_HEAD)
    }

    /// Writes the head over the bytes at a place.
    pub(super) fn write(self, stream: &mut [u8], at: usize) {
        debug_assert!(self.bytes <= LENGTH, "a group of more bytes than its lanes have");
        let words = [self.need.to_bits(), self.bytes | u32::from(self.full) << 24, self.before];
        for (index, word) in words.into_iter().enumerate() {
            stream[at + 4 * index..at + 4 * index + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
}
