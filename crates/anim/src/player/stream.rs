//! Playing a clip while it is being read.

use super::clock::Clock;
use super::lanes::{Lanes, with};
use crate::clip::format::{GROUP_HEAD, GroupHead, HEAD_BYTES, PADDING, Tables, check_header};
use crate::sampling;
use crate::{Error, Pose, raw::ClipError};
use hedgerow_math::internal::fallible;
use hedgerow_math::internal::file_header::HEADER_BYTES;
use std::io::{ErrorKind, Read};

/// Plays a clip forward while reading it from a file or a connection, so that a long cut-scene need not fit in memory.
///
/// The player holds the clip's tables, the active array and one group of keys. Each read is one group, often only a few
/// hundred bytes, so wrap a file in a [`BufReader`](std::io::BufReader). The checksum covers the whole clip and cannot
/// be verified while streaming, but any bytes play without a panic.
///
/// ```
/// use hedgerow_anim::{ClipBuilder, Pose, RawClip, glam::Vec3, player::StreamPlayer, raw::Track};
///
/// let mut raw = RawClip::new(2.0, 1)?;
/// raw.set_translation(0, Track::linear(vec![0.0, 2.0], vec![Vec3::ZERO, Vec3::X])?)?;
/// raw.add_channel("blink", Track::linear(vec![0.0, 1.0, 1.5], vec![0.0, 0.0, 1.0])?)?;
/// let (clip, _) = ClipBuilder::new().build(&raw)?;
///
/// let mut player = StreamPlayer::new(clip.to_bytes())?;     // any `Read`
/// player.advance(1.25)?;
/// let mut weights = [0.0];
/// player.sample_channels(&mut weights)?;
/// assert!((weights[0] - 0.5).abs() < 1e-3);
/// let mut pose = Pose::new(player.joints());
/// player.sample_over(&mut pose)?;
/// assert!((pose.get(0).translation.x - 0.625).abs() < 1e-3);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct StreamPlayer<R> {
    from: R,
    tables: Tables,
    lanes: Lanes,
    /// The head of the next group, whose keys were not read yet.
    next: GroupHead,
    remaining: usize,
    buffer: Vec<u8>,
    clock: Clock,
    failed: Option<ClipError>,
}

impl<R: Read> StreamPlayer<R> {
    /// Reads all bytes before the keys, and starts at the beginning of the clip.
    ///
    /// Runs in **O(tracks)**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::Read`], [`ClipError::NotAClip`], [`ClipError::Version`] or
    /// [`ClipError::Malformed`].
    pub fn new(mut from: R) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        // Check the header before reading more.
        fill(&mut from, &mut bytes, HEADER_BYTES)?;
        check_header(&bytes)?;
        fill(&mut from, &mut bytes, HEAD_BYTES - HEADER_BYTES)?;
        let head: &[u8; HEAD_BYTES] = bytes.first_chunk().expect("so much was read");
        let rest = Tables::bytes_of(head)?.saturating_sub(HEAD_BYTES);
        fill(&mut from, &mut bytes, rest)?;
        let bytes = fallible::boxed(bytes).map_err(|_| ClipError::Read(ErrorKind::OutOfMemory))?;
        let tables = Tables::new(bytes)?;
        let mut remaining = tables.head().stream as usize;
        let mut buffer = Vec::new();
        let next = next_head(&mut from, &mut buffer, &mut remaining)?;
        let lanes = Lanes::new(&tables);
        Ok(Self { from, lanes, next, remaining, buffer, clock: Clock::default(), failed: None, tables })
    }

    /// Returns the duration of the clip, in seconds.
    #[must_use]
    pub const fn duration(&self) -> f32 {
        self.tables.head().duration
    }

    /// Returns the number of joints of the clip.
    #[must_use]
    pub const fn joints(&self) -> usize {
        self.tables.head().joints as usize
    }

    /// Returns the number of channels of the clip.
    #[must_use]
    pub const fn channels(&self) -> usize {
        self.tables.head().channels as usize
    }

    /// Returns the time in the clip, in seconds, from 0 to the clip's duration.
    #[must_use]
    pub fn time(&self) -> f32 {
        self.clock.time(self.duration())
    }

    /// Advances by this many seconds, at most to the end of the clip, then reads the keys needed at the new time.
    /// Ignores numbers that are negative or not finite.
    ///
    /// Runs in **O(keys passed)**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::Read`] or [`ClipError::Malformed`]. All later calls return the same error. The
    /// keys that were already read can still be sampled.
    pub fn advance(&mut self, seconds: f32) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err((*error).into());
        }
        // A stream cannot be played backwards.
        if seconds > 0.0 {
            self.clock.advance(seconds, self.duration());
        }
        let time = self.tables.units(self.time());
        while time >= self.next.need {
            // If the reader panics, the place in the stream is lost, so all later calls return this error.
            self.failed = Some(ClipError::Read(ErrorKind::Interrupted));
            self.failed = self.fetch().err();
            if let Some(error) = self.failed {
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Reads the next group and the head of the group after it.
    fn fetch(&mut self) -> Result<(), ClipError> {
        let malformed = ClipError::Malformed("its stream");
        let records = (self.next.bytes as usize).checked_sub(GROUP_HEAD).filter(|records| *records <= self.remaining);
        let records = records.ok_or(malformed)?;
        if self.next.bytes > self.tables.head().longest {
            return Err(malformed);
        }
        self.buffer.clear();
        fill(&mut self.from, &mut self.buffer, records)?;
        self.remaining -= records;
        self.buffer.resize(records + PADDING, 0);
        let singles = self.tables.singles();
        let sound = with!(&mut self.lanes.active, active => turn(&self.buffer, records, active, singles));
        if !sound {
            return Err(malformed);
        }
        self.next = next_head(&mut self.from, &mut self.buffer, &mut self.remaining)?;
        Ok(())
    }

    /// Writes the whole pose at the current time, with the same bits as [`Player::sample`](crate::Player::sample).
    ///
    /// # Errors
    /// [`Error::Skeleton`] with [`SkeletonError::JointCount`](crate::skeleton::SkeletonError::JointCount) if the pose
    /// has a different number of joints.
    pub fn sample(&self, pose: &mut Pose) -> Result<(), Error> {
        self.lanes.sample(&self.tables, self.tables.units(self.time()), pose)
    }

    /// Like [`sample`](Self::sample), but parts of joints without a track stay the same.
    ///
    /// # Errors
    /// The errors of [`sample`](Self::sample).
    pub fn sample_over(&self, pose: &mut Pose) -> Result<(), Error> {
        self.lanes.sample_over(&self.tables, self.tables.units(self.time()), pose)
    }

    /// Writes all channels at the current time.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::ChannelCount`] unless the slice has one number for each channel.
    pub fn sample_channels(&self, channels: &mut [f32]) -> Result<(), Error> {
        self.lanes.sample_channels(&self.tables, self.tables.units(self.time()), channels)
    }
}

fn turn<W: sampling::Word>(buffer: &[u8], records: usize, active: &mut [sampling::Active<W>], singles: usize) -> bool {
    sampling::turn::<W, true>(buffer, 0..records, active, singles)
}

/// Reads the head of the next group. At the end of the stream, returns a head whose group is never needed.
fn next_head(from: &mut impl Read, buffer: &mut Vec<u8>, remaining: &mut usize) -> Result<GroupHead, ClipError> {
    buffer.clear();
    *remaining = remaining.checked_sub(GROUP_HEAD).ok_or(ClipError::Malformed("its stream"))?;
    fill(from, buffer, GROUP_HEAD)?;
    GroupHead::read(buffer, 0).ok_or(ClipError::Malformed("its stream"))
}

/// Reads and appends exactly this many bytes. Memory use is bounded by the number of bytes that the reader has.
fn fill(from: &mut impl Read, buffer: &mut Vec<u8>, bytes: usize) -> Result<(), ClipError> {
    match fallible::read_to_end(from.take(bytes as u64), buffer) {
        Ok(read) if read == bytes => Ok(()),
        Ok(_) => Err(ClipError::Read(ErrorKind::UnexpectedEof)),
        Err(reason) => Err(ClipError::Read(reason)),
    }
}
