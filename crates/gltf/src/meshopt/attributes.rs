//! Mode `ATTRIBUTES`: elements of equal size, stored as differences from the previous element.
//!
//! A stream has a header byte, blocks of up to 256 elements, and a tail that holds the element before the first. A
//! block stores byte 0 of all elements (a *lane*), then byte 1, and so on. A lane has groups of 16 differences; in a
//! group, each difference has 0, 1, 2, 4 or 8 bits. Four lanes form a channel. A channel stores differences of bytes.
//! In version 1, it may instead store differences of 16-bit integers, or the XOR of 32 bits.

use super::{Bytes, Fault};

/// The first byte of a stream, without the bits of the version.
const HEADER: u8 = 0xa0;
/// The number of elements in a group.
const GROUP: usize = 16;
/// The greatest number of elements and bytes in a block.
const BLOCK_ELEMENTS: usize = 256;
const BLOCK_BYTES: usize = 8192;
/// The longest element that the extensions allow, in bytes.
const MOST_STRIDE: usize = 256;

/// The differences of the four lanes of a channel.
type Lanes = [[u8; BLOCK_ELEMENTS]; 4];

/// Returns the least number of bytes of a stream with `count` elements, reached if all differences are zero. The first
/// byte of `stream` gives the version.
pub(super) fn least(stream: &[u8], count: u64, stride: usize) -> u64 {
    let blocks = count.div_ceil(block_elements(stride) as u64);
    let bytes = if stream.first() == Some(&HEADER) {
        // Two bits for each group of each lane.
        blocks.saturating_mul(stride as u64).max(count.div_ceil(4 * GROUP as u64).saturating_mul(stride as u64))
    } else {
        blocks.saturating_mul(stride as u64 / 4)
    };
    bytes.saturating_add(stride as u64)
}

/// Fills `elements` with decoded elements of `stride` bytes.
pub(super) fn decode(stream: &[u8], stride: usize, elements: &mut [u8]) -> Result<(), Fault> {
    debug_assert!((4..=MOST_STRIDE).contains(&stride) && stride.is_multiple_of(4), "the caller checked the stride");
    let (&header, stream) = stream.split_first().ok_or(Fault::SHORT)?;
    let is_first_version = match header {
        HEADER => true,
        0xa1 => false,
        _ => return Err(Fault::HEADER),
    };
    let channels = stride / 4;
    let used = if is_first_version { stride } else { stride + channels };
    let tail = used.max(if is_first_version { 32 } else { 24 });
    let (data, tail) = stream.split_at(stream.len().checked_sub(tail).ok_or(Fault::SHORT)?);
    let (baseline, modes) = tail[tail.len() - used..].split_at(stride);
    let mut before = [0; MOST_STRIDE];
    before[..stride].copy_from_slice(baseline);

    let mut data = Bytes(data);
    let mut lanes = [[0; BLOCK_ELEMENTS]; 4];
    for block in elements.chunks_mut(block_elements(stride) * stride) {
        let count = block.len() / stride;
        let controls = if is_first_version { &[] } else { data.take(channels)? };
        for channel in 0..channels {
            for (number, lane) in lanes.iter_mut().enumerate() {
                let widths = match controls.get(channel).map(|control| control >> (2 * number) & 3) {
                    None => [0, 2, 4, 8],
                    Some(0) => [0, 1, 2, 4],
                    Some(1) => [1, 2, 4, 8],
                    Some(2) => {
                        lane[..count].fill(0);
                        continue;
                    }
                    Some(_) => {
                        lane[..count].copy_from_slice(data.take(count)?);
                        continue;
                    }
                };
                read_lane(&mut data, widths, &mut lane[..count.next_multiple_of(GROUP)])?;
            }
            let mode = modes.get(channel).copied().unwrap_or(0);
            let at = 4 * channel;
            let (of_channel, last) = (block[at..].chunks_mut(stride), &mut before[at..at + 4]);
            add_up(&lanes, mode, last, of_channel)?;
        }
    }
    data.expect_end()
}

/// Returns the number of elements in a block; the last block may have fewer.
fn block_elements(stride: usize) -> usize {
    ((BLOCK_BYTES / stride) & !(GROUP - 1)).min(BLOCK_ELEMENTS)
}

/// Reads the groups of a lane. A header of two bits selects the width of each group.
fn read_lane(data: &mut Bytes<'_>, widths: [usize; 4], lane: &mut [u8]) -> Result<(), Fault> {
    let headers = data.take(lane.len().div_ceil(4 * GROUP))?;
    for (number, group) in lane.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        let width = widths[usize::from(headers[number / 4] >> (2 * (number % 4)) & 3)];
        read_group(data, width, group)?;
    }
    Ok(())
}

/// Reads 16 numbers of `width` bits. A number with all bits set is replaced by a byte that follows.
fn read_group(data: &mut Bytes<'_>, width: usize, group: &mut [u8; GROUP]) -> Result<(), Fault> {
    let packed = data.take(2 * width)?;
    match width {
        0 => group.fill(0),
        1 => group.iter_mut().enumerate().for_each(|(at, number)| *number = packed[at / 8] >> (at % 8) & 1),
        2 => group.iter_mut().enumerate().for_each(|(at, number)| *number = packed[at / 4] >> (6 - 2 * (at % 4)) & 3),
        4 => group.iter_mut().enumerate().for_each(|(at, number)| *number = packed[at / 2] >> (4 - 4 * (at % 2)) & 15),
        _ => group.copy_from_slice(packed),
    }
    if matches!(width, 1 | 2 | 4) {
        let escape = (1 << width) - 1;
        for number in group.iter_mut().filter(|number| **number == escape) {
            *number = data.byte()?;
        }
    }
    Ok(())
}

/// Adds the differences of a channel to the previous element, and writes the four bytes of each element.
fn add_up<'e>(
    lanes: &Lanes,
    mode: u8,
    last: &mut [u8],
    elements: impl Iterator<Item = &'e mut [u8]>,
) -> Result<(), Fault> {
    let [a, b, c, d] = lanes;
    let differences = a.iter().zip(b).zip(c).zip(d).map(|(((&a, &b), &c), &d)| [a, b, c, d]);
    let mut value: [u8; 4] = [last[0], last[1], last[2], last[3]];
    let steps = elements.zip(differences);
    match mode {
        0 => {
            for (element, difference) in steps {
                for (value, difference) in value.iter_mut().zip(difference) {
                    *value = value.wrapping_add(difference >> 1 ^ (difference & 1).wrapping_neg());
                }
                element[..4].copy_from_slice(&value);
            }
        }
        1 => {
            for (element, [a, b, c, d]) in steps {
                let add = |low: u8, high: u8, difference: [u8; 2]| {
                    let difference = u16::from_le_bytes(difference);
                    let difference = difference >> 1 ^ (difference & 1).wrapping_neg();
                    u16::from_le_bytes([low, high]).wrapping_add(difference).to_le_bytes()
                };
                let ([a, b], [c, d]) = (add(value[0], value[1], [a, b]), add(value[2], value[3], [c, d]));
                value = [a, b, c, d];
                element[..4].copy_from_slice(&value);
            }
        }
        _ if mode & 15 == 2 => {
            // Encoders rotate to the left, so rotate back to the right.
            let rotation = u32::from(mode >> 4);
            for (element, difference) in steps {
                let difference = u32::from_le_bytes(difference).rotate_right(rotation);
                value = (u32::from_le_bytes(value) ^ difference).to_le_bytes();
                element[..4].copy_from_slice(&value);
            }
        }
        _ => return Err(Fault("unknown channel mode")),
    }
    last.copy_from_slice(&value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_the_extension_is_read() {
        let bytes = [0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5];
        let (mut data, mut group) = (Bytes(&bytes), [0; GROUP]);
        assert_eq!(read_group(&mut data, 4, &mut group), Ok(()));
        let differences = group.map(|stored| (stored >> 1 ^ (stored & 1).wrapping_neg()).cast_signed());
        assert_eq!(differences, [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0]);
        assert_eq!(data.expect_end(), Ok(()));
        assert_eq!(read_group(&mut Bytes(&bytes[..9]), 4, &mut group), Err(Fault::SHORT));
    }
}
