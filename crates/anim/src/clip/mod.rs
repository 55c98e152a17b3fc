//! Compiled clips, which a [`Player`](crate::Player) plays: one block of bytes, the same in memory as in a file.
//!
//! | you want | use |
//! |---|---|
//! | to compile an authored clip | [`ClipBuilder`], with [`Precision`] and [`JumpSpacing`] |
//! | the size and the errors of the result | [`ClipReport`], [`Clip::stats`] |
//! | to save and load a clip | [`Clip::to_bytes`], [`Clip::from_bytes`] |
//! | times at which something happens | [`RawClip::add_event`](crate::RawClip::add_event), [`Event`] |
//! | to play a clip | [`Player`](crate::Player) |
//! | to sample one joint at any time | [`Clip::sample_joint`] |
//! | errors | [`ClipError`] |

// | file | what |
// |---|---|
// | `format` | the byte layout: reading and writing |
// | `quantise` | converts times and numbers to words of 16 or 32 bits |
// | `plan` | converts tracks to blocks of eight lanes |
// | `builder` | the settings of a compilation |
// | `number` | identifies the clip that a pose shows |

mod builder;
pub(crate) mod format;
mod number;
mod plan;
mod quantise;
#[cfg(test)]
mod tests;

pub use builder::{ClipBuilder, ClipReport, JumpSpacing, Precision};
pub(crate) use number::ClipNumber;

use crate::Error;
pub use crate::raw::ClipError;
use format::{CLIP, EVENTS, Tables};

/// A compiled clip, which a [`Player`](crate::Player) plays: one block of bytes, the same in memory as in a file.
///
/// One stream holds the keys of all tracks, sorted by the time at which a player needs each key: the time of the
/// track's previous key. A player reads the stream in either direction. Its *active array* holds each track's keys
/// before and after the current time. *Jump frames* are stored copies of the active array, from which seeks start.
///
/// Each key is stored in the stream as the XOR with the key two places earlier in the same track. When a player goes
/// forward, the active array still has the earlier key, and the XOR turns this key into the new key. When a player goes
/// backward, the same XOR restores the earlier key. So both directions have the same speed and give the same bits.
///
/// | | [compact](crate::clip::Precision::Compact) | [tight](crate::clip::Precision::Tight) |
/// |---|---|---|
/// | a rotation's key | 48 bits, within 1.1e-4 radians | 96 bits, within 1e-6 radians |
/// | other numbers | 16 bits, within 1/131,000 of the track's range | 32 bits, exact |
/// | times | 16 bits: exact on a common grid, else within half a tick | 32 bits, exact |
/// | overhead per eight joints with keys at the same time | 5 bytes | 7 bytes |
/// | player state or jump frame | 16 bytes a joint | 32 bytes a joint |
///
/// A tick is about 1/65,500 of the duration, and at most 1 ms. If keys of a track are less than a tick apart, their
/// times may be off by a whole tick. A constant track is stored once, unquantised, and costs nothing while a pose shows
/// the same clip: see [`Player::sample`](crate::Player::sample).
///
/// ```
/// use hedgerow_anim::glam::Quat;
/// use hedgerow_anim::{Clip, ClipBuilder, Player, Pose, RawClip, raw::Track};
///
/// let turns = [0.0, 0.5, 1.0].map(Quat::from_rotation_z);
/// let mut wave = RawClip::new(1.0, 2)?;
/// wave.set_rotation(1, Track::linear(vec![0.0, 0.5, 1.0], turns.to_vec())?)?;
/// let (clip, report) = ClipBuilder::new().build(&wave)?;
/// assert_eq!(report.bytes, clip.to_bytes().len());
///
/// let clip = Clip::from_bytes(clip.to_bytes().to_vec())?;
/// let (mut player, mut pose) = (Player::new(&clip), Pose::new(2));
/// player.advance(0.25);
/// player.sample(&mut pose)?;
/// assert!(pose.get(1).rotation.angle_between(Quat::from_rotation_z(0.25)) < 2e-4);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
///
/// *Source:* N. Frykholm, *Low Level Animation*, part 2. Reading backward and the use of lanes are new here.
#[derive(Clone, Debug)]
pub struct Clip {
    tables: Tables,
    /// The least distance between two jump frames, in the clip's units of time.
    gap: f32,
}

/// A time in a clip at which something happens, such as a footstep: see
/// [`Player::advance_events`](crate::Player::advance_events).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'c> {
    /// The time in the clip, in seconds, from 0 to the clip's duration.
    pub time: f32,
    /// A number of your choice.
    pub number: u32,
    /// A name of your choice, or an empty one.
    pub name: &'c str,
}

/// The sizes of a clip and its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClipStats {
    /// The size of the whole clip, in bytes.
    pub bytes: usize,
    /// The size of the stream of keys, in bytes.
    pub stream_bytes: usize,
    /// The number of keys of all tracks, including one key for each constant track.
    pub keys: usize,
    /// The number of groups in the stream. A player needs the keys of a group at the same time.
    pub groups: usize,
    /// The number of jump frames, including the frame at time 0.
    pub jump_frames: usize,
    /// The size of all jump frames, in bytes.
    pub jump_frame_bytes: usize,
    /// The greatest number of stream bytes that a seek reads after copying a jump frame.
    pub seek_bytes: usize,
    /// The size of a player's active array, in bytes, in addition to the [`Player`](crate::Player) itself.
    pub player_bytes: usize,
}

impl Clip {
    /// Makes a clip from the bytes of [`to_bytes`](Self::to_bytes). Forged bytes with a valid checksum may play
    /// nonsense, but never panic.
    ///
    /// Verifies the checksum and the header; a player checks keys as it reads them.
    ///
    /// Runs in **O(bytes)** for the checksum, and **O(tracks + jump frames)** for the rest.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NotAClip`], [`ClipError::Version`], [`ClipError::Length`],
    /// [`ClipError::Checksum`] or [`ClipError::Malformed`].
    pub fn from_bytes(bytes: impl Into<Box<[u8]>>) -> Result<Self, Error> {
        let mut bytes = bytes.into();
        let version = format::check(&bytes)?;
        if version < CLIP.newest {
            // Older clips have the same layout, without events.
            CLIP.write_header(&mut bytes);
        }
        let tables = Tables::new(bytes)?;
        if version < EVENTS && !tables.events().is_empty() {
            return Err(ClipError::Malformed("its names").into());
        }
        if tables.sections().end != tables.bytes().len() {
            return Err(ClipError::Malformed("the size of its sections").into());
        }
        let mut clip = Self { tables, gap: 0.0 };
        let mut last = 0.0;
        clip.gap = clip.jump_index().iter().fold(f32::INFINITY, |least, [time, _]| {
            let time = f32::from_le_bytes(*time);
            let gap = time - last;
            last = time;
            least.min(gap)
        });
        Ok(clip)
    }

    /// Returns the clip's bytes, the same as in memory. Runs in **O(1)**.
    #[must_use]
    pub const fn to_bytes(&self) -> &[u8] {
        self.tables.bytes()
    }

    /// Returns the duration, in seconds: finite and above zero.
    #[must_use]
    pub const fn duration(&self) -> f32 {
        self.tables.head().duration
    }

    /// Returns the number of joints that the clip is for.
    #[must_use]
    pub const fn joints(&self) -> usize {
        self.tables.head().joints as usize
    }

    /// Returns the number of channels.
    #[must_use]
    pub const fn channels(&self) -> usize {
        self.tables.head().channels as usize
    }

    /// Returns a channel's name, or `None` if there is no such channel. Runs in **O(channels)**.
    #[must_use]
    pub fn channel_name(&self, channel: usize) -> Option<&str> {
        self.tables.names().nth(channel).flatten()
    }

    /// Returns the number of the first channel with this name. Runs in **O(channels)**.
    #[must_use]
    pub fn find_channel(&self, name: &str) -> Option<usize> {
        self.tables.names().position(|found| found == Some(name))
    }

    /// Returns all events, by time.
    pub fn events(&self) -> impl ExactSizeIterator<Item = Event<'_>> + DoubleEndedIterator {
        (0..self.tables.events().len()).map(|at| self.tables.event(at))
    }

    /// Returns the precision of the keys.
    #[must_use]
    pub const fn precision(&self) -> Precision {
        self.tables.head().precision
    }

    /// Returns the sizes of the clip and its parts.
    #[must_use]
    pub fn stats(&self) -> ClipStats {
        let head = self.tables.head();
        let jump_frames = head.frames as usize + 1;
        ClipStats {
            bytes: self.to_bytes().len(),
            stream_bytes: head.stream as usize,
            keys: head.keys as usize,
            groups: head.groups as usize,
            jump_frames,
            jump_frame_bytes: jump_frames * head.frame_bytes() + 8 * head.frames as usize,
            seek_bytes: head.seek as usize,
            player_bytes: head.frame_bytes(),
        }
    }

    #[inline]
    pub(crate) const fn tables(&self) -> &Tables {
        &self.tables
    }

    #[inline]
    pub(crate) const fn gap(&self) -> f32 {
        self.gap
    }

    /// Returns all bytes from the start of the stream to the end, and the length of the stream.
    #[inline]
    pub(crate) fn stream(&self) -> (&[u8], usize) {
        self.tables.stream()
    }

    /// Returns the time and the stream offset of each jump frame except the frame at time 0, as bytes.
    #[inline]
    pub(crate) fn jump_index(&self) -> &[[[u8; 4]; 2]] {
        self.tables.bytes()[self.tables.sections().index.clone()].as_chunks::<4>().0.as_chunks::<2>().0
    }

    /// Returns the active array of a jump frame; `None` means the frame at time 0.
    #[inline]
    pub(crate) fn frame_bytes(&self, frame: Option<usize>) -> &[u8] {
        let Some(frame) = frame else { return self.tables.first_frame() };
        let bytes = self.tables.head().frame_bytes();
        let frames = &self.tables.bytes()[self.tables.sections().frames.clone()];
        &frames[frame * bytes..(frame + 1) * bytes]
    }
}

impl PartialEq for Clip {
    /// Returns whether the bytes are equal.
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}
