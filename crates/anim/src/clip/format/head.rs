//! The head of a clip: counts and section offsets.

use super::{CubicTarget, PADDING, Ranges, Target};
use crate::clip::Precision;
use crate::raw::ClipError;
use crate::sampling::{Active, LANES, NUMBERS};
use core::ops::Range;
use hedgerow_math::internal::file_header::HEADER_BYTES;

/// The size of the file header and the head, in bytes.
pub(crate) const HEAD_BYTES: usize = HEADER_BYTES + 4 * FIELDS;

/// The size of a [`GroupHead`](super::GroupHead), in bytes.
pub(crate) const GROUP_HEAD: usize = 12;

const FIELDS: usize = 21;

/// The counts after the 32 bytes of the file header: words of 32 bits, in the order of [`write`](Self::write).
///
/// Fields that players read at each step come first, in one cache line with the start of [`Tables`](super::Tables).
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Head {
    /// The duration of the clip, in seconds.
    pub(crate) duration: f32,
    /// The number of time units per second: the tick rate, or 1 in a tight clip.
    pub(crate) rate: f32,
    /// The number of blocks of each kind: rotations, translations, scales, cubic tracks, channels.
    pub(crate) blocks: [u16; 5],
    pub(crate) joints: u16,
    pub(crate) precision: Precision,
    pub(crate) channels: u32,
    /// The numbers of constant rotations, translations, scales and channels.
    pub(crate) constants: [u32; 4],
    /// The size of the channels' names and of the events, in bytes.
    pub(crate) names: u32,
    /// The size of the stream, in bytes.
    pub(crate) stream: u32,
    /// The size of the longest group in the stream, in bytes.
    pub(crate) longest: u32,
    /// The number of groups in the stream.
    pub(crate) groups: u32,
    /// The greatest number of stream bytes that a seek reads.
    pub(crate) seek: u32,
    /// The number of keys of all tracks, including one key for each constant track.
    pub(crate) keys: u32,
    /// The number of jump frames, not counting the frame at time 0.
    pub(crate) frames: u32,
}

/// The kinds of blocks in the active array.
pub(crate) const ROTATIONS: usize = 0;
pub(crate) const TRANSLATIONS: usize = 1;
pub(crate) const SCALES: usize = 2;
pub(crate) const CUBICS: usize = 3;
pub(crate) const CHANNELS: usize = 4;

/// The size of a constant track, in bytes: a joint with three or four floats, or a channel with one float.
pub(super) const CONSTANT_BYTES: [usize; 4] = [2 + 16, 2 + 12, 2 + 12, 4 + 4];

impl Head {
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let width = match self.precision {
            Precision::Compact => 16,
            Precision::Tight => 32,
        };
        let [a, b, c, d, e] = self.blocks.map(u32::from);
        let [f, g, h, i] = self.constants;
        let fields: [u32; FIELDS] = [
            width,
            self.duration.to_bits(),
            self.rate.to_bits(),
            u32::from(self.joints),
            self.channels,
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            h,
            i,
            self.names,
            self.stream,
            self.longest,
            self.groups,
            self.seek,
            self.keys,
            self.frames,
        ];
        fields.iter().for_each(|field| bytes.extend_from_slice(&field.to_le_bytes()));
    }

    /// Reads and checks the fields after the file header.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ClipError> {
        let fields = bytes.get(HEADER_BYTES..HEAD_BYTES).ok_or(ClipError::Malformed("its head"))?;
        let (fields, _) = fields.as_chunks::<4>();
        let mut fields = fields.iter().map(|field| u32::from_le_bytes(*field));
        let mut next = || fields.next().ok_or(ClipError::Malformed("its head"));
        let short = |field: u32| u16::try_from(field).map_err(|_| ClipError::Malformed("its counts"));
        let precision = match next()? {
            16 => Precision::Compact,
            32 => Precision::Tight,
            _ => return Err(ClipError::Malformed("the width of its numbers")),
        };
        let head = Self {
            precision,
            duration: f32::from_bits(next()?),
            rate: f32::from_bits(next()?),
            joints: short(next()?)?,
            channels: next()?,
            blocks: [short(next()?)?, short(next()?)?, short(next()?)?, short(next()?)?, short(next()?)?],
            constants: [next()?, next()?, next()?, next()?],
            names: next()?,
            stream: next()?,
            longest: next()?,
            groups: next()?,
            seek: next()?,
            keys: next()?,
            frames: next()?,
        };
        let times = [head.duration, head.rate, head.duration * head.rate];
        // Their product is the end in ticks, which must be finite, too.
        if !times.iter().all(|number| number.is_finite() && *number > 0.0) {
            return Err(ClipError::Malformed("its duration"));
        }
        let joints = u32::from(head.joints);
        let [rotations, translations, scales, channels] = head.constants;
        if rotations.max(translations).max(scales) > joints || channels > head.channels {
            return Err(ClipError::Malformed("the number of its constant tracks"));
        }
        if usize::from(u16::MAX) < head.all_blocks() {
            return Err(ClipError::Malformed("the number of its tracks"));
        }
        Ok(head)
    }

    /// Returns the number of blocks in the active array.
    pub(crate) fn all_blocks(&self) -> usize {
        self.blocks.iter().map(|&count| usize::from(count)).sum()
    }

    /// Returns the range of one kind's blocks in the active array.
    #[inline]
    pub(crate) fn blocks_of(&self, kind: usize) -> Range<usize> {
        let start = self.blocks[..kind].iter().map(|&count| usize::from(count)).sum();
        start..start + usize::from(self.blocks[kind])
    }

    /// Returns the size of a jump frame, in bytes.
    pub(crate) fn frame_bytes(&self) -> usize {
        self.all_blocks()
            * match self.precision {
                Precision::Compact => Active::<u16>::BYTES,
                Precision::Tight => Active::<u32>::BYTES,
            }
    }

    /// Returns the byte ranges of the sections, or `None` if an offset exceeds `usize`.
    pub(crate) fn sections(&self) -> Option<Sections> {
        let mut at = HEAD_BYTES;
        let mut section = |count: usize, bytes: usize| -> Option<Range<usize>> {
            let start = at;
            // Counts are not yet trusted, and may overflow.
            at = start.checked_add(count.checked_mul(bytes)?)?;
            Some(start..at)
        };
        let [rotations, translations, scales, cubics, channels] = self.blocks.map(usize::from);
        let ranges = match self.precision {
            Precision::Compact => size_of::<Ranges>(),
            Precision::Tight => 0,
        };
        Some(Sections {
            targets: [
                section(rotations, size_of::<Target>())?,
                section(translations, size_of::<Target>())?,
                section(scales, size_of::<Target>())?,
                section(cubics, size_of::<CubicTarget>())?,
                section(channels, size_of::<Target>())?,
            ],
            starts: section(self.all_blocks(), 4)?,
            ranges: [
                section(0, ranges)?,
                section(translations, ranges)?,
                section(scales, ranges)?,
                section(cubics, ranges)?,
                section(channels, ranges)?,
            ],
            constants: [
                section(self.constants[0] as usize, CONSTANT_BYTES[0])?,
                section(self.constants[1] as usize, CONSTANT_BYTES[1])?,
                section(self.constants[2] as usize, CONSTANT_BYTES[2])?,
                section(self.constants[3] as usize, CONSTANT_BYTES[3])?,
            ],
            names: section(self.names as usize, 1)?,
            events: 0..0,
            event_names: 0..0,
            first_frame: section(1, self.frame_bytes())?,
            stream: section(self.stream as usize, 1)?,
            index: section(self.frames as usize, 8)?,
            frames: section(self.frames as usize, self.frame_bytes())?,
            end: section(1, PADDING)?.end,
        })
    }
}

/// The byte ranges of a clip's sections.
///
/// ```text
/// header        see `file_header`                                                  32 B
/// head          see `Head`                                                  84 B
/// targets       joints or channels of the lanes of a block                   4 B a block; 32 B if cubic
/// starts        offset of the record of a block in a full group              4 B a block
/// ranges        16 bits: middles and steps of the tracks of a block        192 B a block; none for rotations
/// constants     joint u16, then 3 or 4 floats; channel u32, then one float
/// names         of channels: bytes u32, then UTF-8
/// events        if any, from version 5 on: count u32, then time f32, number u32 and the name's end u32 of each, then names
/// first frame   the active array at time 0                                 128 B a block (256 B at 32 bits)
/// stream        groups of keys
/// index         time and stream offset of each later jump frame              8 B a frame
/// jump frames   the active array at these times                            128 B a block (256 B at 32 bits)
/// padding       zeros, so that vectors may be loaded past the end           64 B
/// ```
///
/// All numbers are little-endian and unaligned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sections {
    pub(crate) targets: [Range<usize>; 5],
    pub(crate) starts: Range<usize>,
    pub(crate) ranges: [Range<usize>; 5],
    pub(crate) constants: [Range<usize>; 4],
    /// Until the tables are read, also all of the events.
    pub(crate) names: Range<usize>,
    pub(crate) events: Range<usize>,
    pub(crate) event_names: Range<usize>,
    pub(crate) first_frame: Range<usize>,
    pub(crate) stream: Range<usize>,
    pub(crate) index: Range<usize>,
    pub(crate) frames: Range<usize>,
    pub(crate) end: usize,
}

const _: () = assert!(NUMBERS == 3 && LANES == 8);
