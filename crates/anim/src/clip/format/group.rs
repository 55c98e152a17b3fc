//! The stream: groups of records, each of the keys that are needed at the same time.

use super::head::GROUP_HEAD;

/// The head between two groups of a stream: three words of 32 bits.
///
/// ```text
/// │ need f32 │ bytes u32 │ bytes before u32 │ records …
/// │ need     │ bytes     │ bytes before     │ records …
/// │ ∞        │ 0         │ bytes before     │
/// ```
///
/// `need` is when the group's keys are needed, in the clip's units of time. `bytes` is the length of the group with its
/// head, and `bytes before` that of the group before, so that a stream can be read in either direction. The stream ends
/// with a head without a group, which is never needed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GroupHead {
    pub(crate) need: f32,
    pub(crate) bytes: u32,
    pub(crate) before: u32,
}

impl GroupHead {
    /// The head of a group at a place in the stream.
    #[inline]
    pub(crate) fn read(stream: &[u8], at: usize) -> Option<Self> {
        let bytes: &[u8; GROUP_HEAD] = stream.get(at..)?.first_chunk()?;
        let [a, b, c] =
            [0, 4, 8].map(|at| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
        Some(Self { need: f32::from_bits(a), bytes: b, before: c })
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
        let words = [self.need.to_bits(), self.bytes, self.before];
        for (index, word) in words.into_iter().enumerate() {
            stream[at + 4 * index..at + 4 * index + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
}
