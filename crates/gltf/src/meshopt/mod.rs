//! Buffer views compressed with `EXT_meshopt_compression` or `KHR_meshopt_compression`.
//!
//! The extension names a stream of bytes, which is decoded when the view is first read. The decoders follow the
//! appendices of `KHR_meshopt_compression`, which cover the streams of the older extension.
//!
//! | file | what |
//! |---|---|
//! | `views` | finds compressed views, and keeps their contents |
//! | `attributes`, `triangles`, `indices` | the three modes of a stream |
//! | `filters` | conversion of decoded attributes |
//! | `stream` | shared reader, writer and error of the decoders |

mod attributes;
mod filters;
mod indices;
mod stream;
mod triangles;
mod views;

pub(crate) use views::{Description, Views, fallbacks};

use stream::{Bytes, Fault, IndexWriter};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Attributes(Filter),
    Triangles,
    Indices,
}

/// The conversion of decoded attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Filter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

impl Mode {
    /// Returns the field at fault and its allowed values if the mode cannot store `count` elements of `stride` bytes.
    fn refuses(self, count: u64, stride: usize) -> Option<(&'static str, &'static str)> {
        let is_attribute = stride.is_multiple_of(4) && (4..=256).contains(&stride);
        let of_stride = match self {
            Self::Attributes(_) if !is_attribute => Some("it must be a multiple of 4, up to 256"),
            Self::Attributes(Filter::Octahedral | Filter::Color) if stride > 8 => {
                Some("it must be 4 or 8 for this filter")
            }
            Self::Attributes(Filter::Quaternion) if stride != 8 => Some("it must be 8 for this filter"),
            Self::Triangles | Self::Indices if stride != 2 && stride != 4 => Some("it must be 2 or 4 for indices"),
            _ => None,
        };
        match of_stride {
            Some(problem) => Some(("byteStride", problem)),
            None if self == Self::Triangles && !count.is_multiple_of(3) => {
                Some(("count", "it must be a multiple of 3 for triangles"))
            }
            None => None,
        }
    }

    /// Returns the least number of bytes of a stream with `count` elements.
    fn least(self, stream: &[u8], count: u64, stride: usize) -> u64 {
        match self {
            Self::Attributes(_) => attributes::least(stream, count, stride),
            Self::Triangles => triangles::least(count),
            Self::Indices => indices::least(count),
        }
    }

    /// Fills `elements` with decoded elements of `stride` bytes.
    fn decode(self, stream: &[u8], stride: usize, elements: &mut [u8]) -> Result<(), Fault> {
        match self {
            Self::Attributes(filter) => {
                attributes::decode(stream, stride, elements)?;
                match filter {
                    Filter::None => {}
                    Filter::Octahedral => filters::octahedral(elements, stride),
                    Filter::Quaternion => filters::quaternion(elements),
                    Filter::Exponential => filters::exponential(elements),
                    Filter::Color => filters::color(elements, stride),
                }
                Ok(())
            }
            Self::Triangles => triangles::decode(stream, stride, elements),
            Self::Indices => indices::decode(stream, stride, elements),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    const MODES: [Mode; 7] = [
        Mode::Attributes(Filter::None),
        Mode::Attributes(Filter::Octahedral),
        Mode::Attributes(Filter::Quaternion),
        Mode::Attributes(Filter::Exponential),
        Mode::Attributes(Filter::Color),
        Mode::Triangles,
        Mode::Indices,
    ];

    #[test]
    fn any_bytes_are_refused_or_decoded() {
        let mut dice = Rng::with_seed(3);
        let mut taken = [0; MODES.len()];
        for _ in 0..3_000 {
            let number = dice.usize(..MODES.len());
            let is_index = number > 4;
            let (mode, count) = (MODES[number], dice.u32(..if is_index { 20 } else { 50 }));
            let stride = if is_index { dice.usize(1..=2) * 2 } else { dice.usize(1..=4) * 4 };
            if mode.refuses(count.into(), stride).is_some() {
                continue;
            }
            let mut stream: Vec<u8> = (0..200).map(|_| dice.u8(..) & dice.u8(..)).collect();
            stream[0] = [0xe1, 0xd1, 0xa0, 0xa1][if is_index { number - 5 } else { dice.usize(2..4) }];
            if mode == Mode::Triangles {
                stream[1..8].iter_mut().for_each(|code| *code |= 0xf0);
            }
            let mut elements = vec![0; usize::try_from(count).expect("a small number") * stride];
            for length in 0..stream.len() {
                if mode.decode(&stream[..length], stride, &mut elements).is_ok() {
                    assert!(mode.least(&stream, count.into(), stride) <= length as u64, "{mode:?} {count} {stride}");
                    taken[number] += 1;
                }
            }
        }
        assert!(taken.iter().all(|&taken| taken > 0), "{taken:?}");
    }

    #[test]
    fn elements_that_end_a_block_are_decoded() {
        // The header 0xa1, a byte per block for its four unchanged lanes, and a tail of 24 bytes with the first value.
        for count in [1, 255, 256, 257, 512, 513_usize] {
            let mut stream = vec![0xa1];
            stream.extend(vec![0b10_10_10_10; count.div_ceil(256)]);
            stream.resize(stream.len() + 24 - 5, 0);
            stream.extend([7, 8, 9, 10, 0]);
            let mut elements = vec![0; 4 * count];
            assert_eq!(Mode::Attributes(Filter::None).decode(&stream, 4, &mut elements), Ok(()));
            assert_eq!(elements, [7, 8, 9, 10].repeat(count));
            assert_eq!(Mode::Attributes(Filter::None).least(&stream, count as u64, 4), 4 + count.div_ceil(256) as u64);

            // In version 0, each group of each lane has two zero bits, and a tail of 32 bytes ends with the value.
            stream = vec![0; 1 + 4 * count.div_ceil(64) + 32 - 4];
            stream[0] = 0xa0;
            stream.extend([7, 8, 9, 10]);
            elements.fill(0);
            assert_eq!(Mode::Attributes(Filter::None).decode(&stream, 4, &mut elements), Ok(()));
            assert_eq!(elements, [7, 8, 9, 10].repeat(count));
            let least = 4 + 4 * count.div_ceil(64) as u64;
            assert_eq!(Mode::Attributes(Filter::None).least(&stream, count as u64, 4), least);
        }
    }

    #[test]
    fn elements_longer_than_32_bytes_have_blocks_of_at_most_8192() {
        // 170 elements of 48 bytes fit in 8192 bytes, but a block has whole groups of 16 elements.
        for count in [160, 161, 320_usize] {
            let mut stream = vec![0xa1];
            stream.extend(vec![0b10_10_10_10; 12 * count.div_ceil(160)]);
            stream.extend([9; 48].into_iter().chain([0; 12]));
            let mut elements = vec![0; 48 * count];
            assert_eq!(Mode::Attributes(Filter::None).decode(&stream, 48, &mut elements), Ok(()));
            assert_eq!(elements, [9].repeat(48 * count));
        }
    }

    #[test]
    fn differences_of_32_bits_are_rotated() {
        // Two elements with literal lanes. The first value is 0xff0000ff, and the mode is a rotation by 4.
        let mut stream = vec![0xa1, 255, 1, 0xf0, 2, 0, 3, 0, 4, 0];
        stream.resize(stream.len() + 24 - 5, 0);
        stream.extend([255, 0, 0, 255, 0x42]);
        let mut elements = [0; 8];
        assert_eq!(Mode::Attributes(Filter::None).decode(&stream, 4, &mut elements), Ok(()));
        assert_eq!(elements, [0xdf, 0x30, 0x40, 0xef, 0xd0, 0x30, 0x40, 0xef]);
    }

    #[test]
    fn indices_go_forth_and_back_and_each_takes_a_byte() {
        // The first difference is 5, and the second is -3.
        let (stream, mut indices) = ([0xd1, 20, 10, 0, 0, 0, 0], [0; 4]);
        assert_eq!(Mode::Indices.decode(&stream, 2, &mut indices), Ok(()));
        assert_eq!(indices, [5, 0, 2, 0]);
        assert_eq!(Mode::Indices.least(&stream, 2, 2), 7);
        assert_eq!(Mode::Triangles.least(&[], 6, 2), 1 + 2 + 16);
    }

    #[test]
    fn bent_elements_have_numbers_after_a_filter() {
        // The number that encodes 1 is 0, and no bit of alpha is set, so alpha does not give the bit depth.
        let mut elements = [127, 128, 0, 5, 1, 2, 0, 0];
        filters::octahedral(&mut elements, 4);
        assert_eq!((elements[3], elements[7]), (5, 0));
        let mut elements = [255, 1, 1, 0];
        filters::color(&mut elements, 4);
        assert_eq!(elements, [255, 255, 255, 0]);
        let mut elements = [0, 0, 0, 0, 0, 0, 4, 0];
        filters::quaternion(&mut elements);
        assert_eq!(elements, [255, 127, 0, 0, 0, 0, 0, 0]);
        // The smallest components are 3/7, -2/7 and 5/7, times √½. The greatest component is the second.
        let numbers = [3, -2, 5, 4 | 1_i16].map(i16::to_le_bytes);
        let mut elements: [u8; 8] = core::array::from_fn(|at| numbers[at / 2][at % 2]);
        filters::quaternion(&mut elements);
        let found = elements.as_chunks::<2>().0.iter().map(|bytes| i16::from_le_bytes(*bytes));
        assert_eq!(found.collect::<Vec<i16>>(), [16550, 25639, 9930, -6620]);
        let mut elements = [1, 0, 0, 127, 1, 0, 0, 128, 255, 255, 255, 3, 0, 0, 0, 100];
        filters::exponential(&mut elements);
        let floats = elements.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        assert_eq!(floats.collect::<Vec<f32>>(), [2_f32.powi(127), f32::from_bits(1 << 21), -8.0, 0.0]);
    }
}
