//! Compiled clips, which a [`Player`](crate::Player) plays: one block of bytes, the same in memory as in a file.
//!
//! | you want | use |
//! |---|---|
//! | to compile an authored clip | [`ClipBuilder`], with [`Precision`] and [`JumpSpacing`] |
//! | the size and the errors of the result | [`ClipReport`], [`Clip::stats`] |
//! | to save and load it | [`Clip::to_bytes`], [`Clip::from_bytes`] |
//! | to play it | [`Player`](crate::Player), or [`StreamPlayer`](crate::player::StreamPlayer) while it is loading |
//! | to sample one joint at any time | [`Clip::sample_joint`] |
//! | errors | [`ClipError`] |

// | file | what |
// |---|---|
// | `format` | the bytes: where what lies, reading, writing |
// | `quantise` | times and numbers as words of 16 or 32 bits |
// | `plan` | from tracks to lanes of eight |
// | `builder` | the settings of a compilation |
// | `number` | which clip a pose shows |

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
use format::{Tables, Width};
use hedgerow_math::internal::fallible;
use std::io::{ErrorKind, Read};

/// A compiled clip: one block of bytes, the same in memory as in a file, which a [`Player`](crate::Player) plays.
///
/// One stream has the keys of all tracks, sorted by the time at which a player needs them: when it reaches the previous
/// key of the track. A player moves along the stream in either direction. Its *active array* holds, for each track, the
/// keys before and after the current time. *Jump frames* are copies of the active array at intervals; a seek starts
/// from one of them.
///
/// For each key, the stream stores the XOR with the key two before it in the same track. When playing forward, the
/// active array still has that key, and the new key replaces it; playing backward reverses this. So a stream is read in
/// both directions at the same speed and with the same bits as a result.
///
/// | | [compact](crate::clip::Precision::Compact) | [tight](crate::clip::Precision::Tight) |
/// |---|---|---|
/// | a rotation's key | 48 bits, within 1.1e-4 radians | 96 bits, within 1e-6 radians |
/// | other numbers | 16 bits, within 1/131,000 of the track's range | 32 bits, exact |
/// | times | 16 bits: exact on a common grid, else within half a tick | 32 bits, exact |
/// | overhead per eight joints with keys at the same time | 5 bytes | 7 bytes |
/// | the state of a player, and a jump frame | 16 bytes a joint | 32 bytes |
///
/// A tick is 1/65,500 of the duration, at most 1 ms; if keys of a track are closer together, their times are within a
/// whole tick. Constant tracks are stored once, unquantised, and cost nothing while a pose shows the same clip: see
/// [`Player::sample`](crate::Player::sample).
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
/// *Source:* N. Frykholm, *Low Level Animation*, part 2. New here: reading backward, and lanes.
#[derive(Clone, Debug)]
pub struct Clip {
    tables: Tables,
    /// The least distance between two jump frames, in units of time.
    gap: f32,
}

/// The size of a clip, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClipStats {
    /// The whole clip.
    pub bytes: usize,
    /// The stream of keys.
    pub stream_bytes: usize,
    /// How many keys the tracks have, including constant ones.
    pub keys: usize,
    /// How many groups the stream has. The keys of a group are needed at the same time.
    pub groups: usize,
    /// How many jump frames there are, including the one at time 0.
    pub jump_frames: usize,
    /// The size of all jump frames.
    pub jump_frame_bytes: usize,
    /// The greatest number of stream bytes that a seek reads, after it copied one jump frame.
    pub seek_bytes: usize,
    /// The size of a player's active array for the clip, in addition to the size of [`Player`](crate::Player) itself.
    pub player_bytes: usize,
}

impl Clip {
    /// Makes a clip from bytes that [`to_bytes`](Self::to_bytes) returned, after checking the checksum and the whole
    /// header. Keys are not checked here: a player checks them as it reads them. Any bytes with a valid checksum play
    /// without a panic, but may play nonsense.
    ///
    /// Runs in **O(bytes)** for the checksum, and **O(tracks + jump frames)** for the rest.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NotAClip`], [`ClipError::Version`], [`ClipError::Length`],
    /// [`ClipError::Checksum`] or [`ClipError::Malformed`].
    pub fn from_bytes(bytes: impl Into<Box<[u8]>>) -> Result<Self, Error> {
        let bytes = bytes.into();
        format::check(&bytes)?;
        let tables = Tables::new(bytes)?;
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

    /// Reads to the end and makes a clip from the result: see [`Clip::from_bytes`].
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::Read`] and the kind of the reader's error; the errors of [`Clip::from_bytes`].
    pub fn read_from(from: impl Read) -> Result<Self, Error> {
        let bytes = fallible::read_whole(from).map_err(ClipError::Read)?;
        Self::from_bytes(fallible::boxed(bytes).map_err(|_| ClipError::Read(ErrorKind::OutOfMemory))?)
    }

    /// The clip as bytes, exactly as in memory. Runs in **O(1)**.
    #[must_use]
    pub const fn to_bytes(&self) -> &[u8] {
        self.tables.bytes()
    }

    /// The duration of the clip, in seconds: finite and above zero.
    #[must_use]
    pub const fn duration(&self) -> f32 {
        self.tables.head().duration
    }

    /// How many joints the clip is for.
    #[must_use]
    pub const fn joints(&self) -> usize {
        self.tables.head().joints as usize
    }

    /// How many channels it has.
    #[must_use]
    pub const fn channels(&self) -> usize {
        self.tables.head().channels as usize
    }

    /// A channel's name; `None` if there is no such channel. Runs in **O(channels)**.
    #[must_use]
    pub fn channel_name(&self, channel: usize) -> Option<&str> {
        self.tables.names().nth(channel).flatten()
    }

    /// The number of the first channel with this name. Runs in **O(channels)**.
    #[must_use]
    pub fn find_channel(&self, name: &str) -> Option<usize> {
        self.tables.names().position(|found| found == Some(name))
    }

    /// How precisely keys are stored.
    #[must_use]
    pub const fn precision(&self) -> Precision {
        match self.tables.head().width {
            Width::Compact => Precision::Compact,
            Width::Tight => Precision::Tight,
        }
    }

    /// The size of the clip, and of its parts.
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

    /// The least distance between two jump frames, in units of time.
    #[inline]
    pub(crate) const fn gap(&self) -> f32 {
        self.gap
    }

    /// The stream with the bytes after it, and its length.
    #[inline]
    pub(crate) fn stream(&self) -> (&[u8], usize) {
        self.tables.stream()
    }

    /// The time of each jump frame, and its place in the stream, as bytes; without the first one, at time 0.
    #[inline]
    pub(crate) fn jump_index(&self) -> &[[[u8; 4]; 2]] {
        self.tables.bytes()[self.tables.sections().index.clone()].as_chunks::<4>().0.as_chunks::<2>().0
    }

    /// The active array of a jump frame; `None` means the first one, at time 0.
    #[inline]
    pub(crate) fn frame_bytes(&self, frame: Option<usize>) -> &[u8] {
        let Some(frame) = frame else { return self.tables.first_frame() };
        let bytes = self.tables.head().frame_bytes();
        let frames = &self.tables.bytes()[self.tables.sections().frames.clone()];
        &frames[frame * bytes..(frame + 1) * bytes]
    }
}

impl PartialEq for Clip {
    /// Whether the bytes are the same.
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}
