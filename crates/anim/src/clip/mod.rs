//! Compiled clips: the keys of all tracks in one stream, sorted by the time when they are needed.
//!
//! | file | what |
//! |---|---|
//! | `head` | the sections of a clip's bytes |
//! | `tables` | what comes before the stream: what the tracks are, and constant ones |
//! | `group` | the stream |
//! | `quantise` | times and numbers as words of 16 or 32 bits |
//! | `plan` | from tracks to lanes of eight |
//! | `write` | from lanes to bytes: sorting, jump frames |
//! | `builder` | the settings of all this |

mod builder;
mod group;
mod head;
mod plan;
mod quantise;
mod tables;
#[cfg(test)]
mod tests;
mod write;

pub use builder::{ClipBuilder, ClipReport, JumpSpacing, Precision};
pub(crate) use group::GroupHead;
pub(crate) use head::{CHANNELS, CUBICS, GROUP_HEAD, HEAD_BYTES, ROTATIONS, SCALES, TRANSLATIONS, Width};
pub(crate) use plan::{NO_PART, PART_CHANNEL, PART_ROTATION, PART_SCALE};
pub(crate) use tables::Tables;

pub use crate::raw::ClipError;
use crate::{Error, Pose};
use head::VERSION;
use hedgerow_math::internal::file_header::{Broken, Kind, checked_body};
use std::io::Read;

/// A compiled clip: one block of bytes, in memory as in a file, that a [`Player`](crate::Player) plays.
///
/// The keys of all tracks lie in one stream, sorted by the time when they are needed: a key is needed when the one before it of
/// its track is reached. A player goes along the stream in either direction and keeps, in its *active array*, the two keys that
/// each track is between. *Jump frames*, copies of the active array every so often, are where a seek begins.
///
/// What is stored is the bits in which a key differs from the last key but one of its track: forward, these are known from
/// the active array, which then has the next key; backward it is the same the other way round. So a stream is read in both directions
/// at the same speed and arrives at the same bits, whichever way it came.
///
/// | | [compact](crate::clip::Precision::Compact) | [tight](crate::clip::Precision::Tight) |
/// |---|---|---|
/// | a rotation's key | 48 bits, within 1.1e-4 radians | 96 bits, within 1e-6 radians |
/// | other numbers | 16 bits, within 1/131,000 of the track's range | 32 bits, exact |
/// | times | 16 bits, exact on a common grid, else within half a tick: 1/131,000 of the duration, at most 0.5 ms; within a whole one where keys of a track are nearer than that | 32 bits, exact |
/// | besides, for each eight joints' keys at a time | 5 bytes | 7 bytes |
/// | a player's state, and a jump frame | 16 bytes a joint | 32 bytes |
///
/// Tracks that are constant are stored once, as they are, and cost nothing while playing:
/// [`write_constants`](Self::write_constants).
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
/// clip.write_constants(&mut pose, &mut [])?;
/// player.advance(0.25);
/// player.sample(&mut pose)?;
/// assert!(pose.get(1).rotation.angle_between(Quat::from_rotation_z(0.25)) < 2e-4);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
///
/// *Source:* N. Frykholm, *Low Level Animation*, part 2. What is new: reading backward, and lanes.
#[derive(Clone, Debug)]
pub struct Clip {
    tables: Tables,
    /// The least distance of two jump frames, in units of time.
    gap: f32,
}

/// What a clip takes, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClipStats {
    /// The whole.
    pub bytes: usize,
    /// The stream of keys.
    pub stream_bytes: usize,
    /// How many keys the tracks have, constant ones included.
    pub keys: usize,
    /// How many groups of keys that are needed at the same time the stream has.
    pub groups: usize,
    /// How many jump frames there are, that at time 0 included.
    pub jump_frames: usize,
    /// What these take together.
    pub jump_frame_bytes: usize,
    /// The most bytes of the stream that a seek goes through, besides copying one jump frame.
    pub seek_bytes: usize,
    /// What a player needs for the clip, besides its own size: the active array.
    pub player_bytes: usize,
}

impl Clip {
    /// Takes over bytes that [`to_bytes`](Self::to_bytes) gave, once they are checked: against their checksum, and in all
    /// that the head says. Keys are not looked at: a player checks what it reads, and whatever bytes bear their right
    /// checksum play without a panic, if into nonsense.
    ///
    /// Computes in **O(bytes)** for the checksum, otherwise **O(tracks + jump frames)**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NotAClip`], [`ClipError::Version`], [`ClipError::Length`], [`ClipError::Checksum`] or
    /// [`ClipError::Malformed`].
    pub fn from_bytes(bytes: impl Into<Box<[u8]>>) -> Result<Self, Error> {
        let bytes = bytes.into();
        checked_body(Kind::Clip, VERSION, &bytes).map_err(broken)?;
        let tables = Tables::new(bytes)?;
        if tables.sections().end != tables.bytes().len() {
            return Err(ClipError::Malformed("the size of its sections").into());
        }
        let mut clip = Self { tables, gap: 0.0 };
        let mut last = 0.0;
        clip.gap = (0..clip.tables.head().frames as usize).fold(f32::INFINITY, |least, frame| {
            let time = clip.jump_frame(frame).0;
            let gap = time - last;
            last = time;
            least.min(gap)
        });
        Ok(clip)
    }

    /// Reads to the end and takes over what was read: see [`Clip::from_bytes`].
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::Read`] and the kind of what the reader answers; those of [`Clip::from_bytes`].
    pub fn read_from(mut from: impl Read) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).map_err(|error| ClipError::Read(error.kind()))?;
        Self::from_bytes(bytes)
    }

    /// The clip as bytes, which are what it is in memory. Computes in **O(1)**.
    #[must_use]
    pub const fn to_bytes(&self) -> &[u8] {
        self.tables.bytes()
    }

    /// How long the clip is, in seconds: finite and above zero.
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

    /// A channel's name; none if there is no such channel. Computes in **O(channels)**.
    #[must_use]
    pub fn channel_name(&self, channel: usize) -> Option<&str> {
        self.tables.names().nth(channel).flatten()
    }

    /// The number of the first channel of this name. Computes in **O(channels)**.
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

    /// What the clip takes.
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

    /// Writes the tracks that are constant, which sampling leaves alone. Once for a pose that is then sampled into again and
    /// again; joints and parts of joints that the clip has no tracks of are left as they are, so begin with the rest pose.
    /// Channels beyond the end of `channels` are left out.
    ///
    /// Computes in **O(constant tracks)**.
    ///
    /// # Errors
    /// [`Error::Skeleton`] with [`SkeletonError::JointCount`](crate::skeleton::SkeletonError::JointCount) where the pose is of another number of joints.
    pub fn write_constants(&self, pose: &mut Pose, channels: &mut [f32]) -> Result<(), Error> {
        self.tables.write_constants(pose, channels)
    }

    #[inline]
    pub(crate) const fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The least distance of two jump frames, in units of time.
    #[inline]
    pub(crate) const fn gap(&self) -> f32 {
        self.gap
    }

    /// The stream, with what comes behind it, and how long it is.
    #[inline]
    pub(crate) fn stream(&self) -> (&[u8], usize) {
        self.tables.stream()
    }

    /// How many jump frames there are, the first one not counted.
    #[inline]
    pub(crate) const fn jump_frames(&self) -> usize {
        self.tables.head().frames as usize
    }

    /// The time and the place in the stream of a jump frame; the first one, at time 0, is not counted.
    #[inline]
    pub(crate) fn jump_frame(&self, frame: usize) -> (f32, u32) {
        let index = &self.tables.bytes()[self.tables.sections().index.clone()];
        index
            .as_chunks::<4>()
            .0
            .as_chunks::<2>()
            .0
            .get(frame)
            .map_or((0.0, 0), |[time, place]| (f32::from_le_bytes(*time), u32::from_le_bytes(*place)))
    }

    /// The active array of a jump frame; `None` is the first one, at time 0.
    #[inline]
    pub(crate) fn frame_bytes(&self, frame: Option<usize>) -> &[u8] {
        let Some(frame) = frame else { return self.tables.first_frame() };
        let bytes = self.tables.head().frame_bytes();
        let frames = &self.tables.bytes()[self.tables.sections().frames.clone()];
        &frames[frame * bytes..(frame + 1) * bytes]
    }
}

fn broken(broken: Broken) -> Error {
    Error::Clip(match broken {
        Broken::Magic | Broken::Kind(_) => ClipError::NotAClip,
        Broken::Version(version) => ClipError::Version(version),
        Broken::Length { expected, found } => ClipError::Length { expected, found },
        Broken::Checksum => ClipError::Checksum,
    })
}

/// Checks what the first bytes of a clip say of themselves: all but the length and the checksum of the rest.
pub(crate) fn check_header(bytes: &[u8]) -> Result<(), Error> {
    match checked_body(Kind::Clip, VERSION, bytes) {
        Ok(_) | Err(Broken::Length { .. } | Broken::Checksum) => Ok(()),
        Err(other) => Err(broken(other)),
    }
}
