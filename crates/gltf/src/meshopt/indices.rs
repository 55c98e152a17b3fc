//! Mode `INDICES`: indices of any topology, each stored as a difference from one of two earlier indices.

use super::{Bytes, Fault, IndexWriter};

/// The first byte of a stream.
const HEADER: u8 = 0xd1;
/// The bytes of padding at the end of a stream.
const TAIL: usize = 4;

/// Returns the least number of bytes of a stream with `count` indices; an index takes at least one byte.
pub(super) fn least(count: u64) -> u64 {
    count.saturating_add(1 + TAIL as u64)
}

/// Fills `indices` with decoded indices of 2 or 4 bytes.
pub(super) fn decode(stream: &[u8], stride: usize, indices: &mut [u8]) -> Result<(), Fault> {
    let (&header, stream) = stream.split_first().ok_or(Fault::SHORT)?;
    if header != HEADER {
        return Err(Fault::HEADER);
    }
    let mut data = Bytes(&stream[..stream.len().checked_sub(TAIL).ok_or(Fault::SHORT)?]);
    let mut before = [0_u32; 2];
    let count = indices.len() / stride;
    let mut writer = IndexWriter::new(indices, stride);
    for _ in 0..count {
        let stored = data.varint()?;
        let difference = stored >> 2 ^ (stored >> 1 & 1).wrapping_neg();
        let index = &mut before[(stored & 1) as usize];
        *index = index.wrapping_add(difference);
        writer.write(*index);
    }
    data.expect_end()
}
