//! Mode `INDICES`: indices of any topology, each as a difference from one of two before.

use super::{Bytes, Fault, IndexWriter};

/// The first byte of a stream.
const HEADER: u8 = 0xd1;
/// How many bytes of padding end a stream.
const TAIL: usize = 4;

/// How many bytes a stream of this many indices has at least: one for each.
pub(super) fn least(count: u64) -> u64 {
    count.saturating_add(1 + TAIL as u64)
}

/// Decodes as many indices as there is room for, of 2 or 4 bytes each.
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
