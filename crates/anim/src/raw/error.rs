//! What a clip is refused for.

use crate::Error;
use core::fmt;

/// Which of a joint's three tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrackPart {
    /// Where the joint lies in its parent's space.
    Translation,
    /// How it is turned.
    Rotation,
    /// The factor along each of its axes.
    Scale,
}

impl fmt::Display for TrackPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
        })
    }
}

/// Which track of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrackName {
    /// One of a joint's three.
    Joint(u16, TrackPart),
    /// A channel of numbers, by the order in which channels were added.
    Channel(usize),
}

impl fmt::Display for TrackName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Joint(joint, part) => write!(f, "the {part} of joint {joint}"),
            Self::Channel(channel) => write!(f, "channel {channel}"),
        }
    }
}

/// Why a track or a clip is refused. Nothing was changed by the attempt.
///
/// Arrives as [`Error::Clip`].
///
/// ```
/// use hedgerow_anim::{Error, raw::{ClipError, Track}};
///
/// let unordered = Track::linear(vec![0.0, 0.5, 0.5], vec![1.0, 2.0, 3.0]);
/// assert_eq!(unordered, Err(Error::Clip(ClipError::TimeOrder { key: 2, before: 0.5, time: 0.5 })));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ClipError {
    /// A clip that lasts no time, or not a finite one.
    Duration(f32),
    /// More joints than [`u16`] numbers can name.
    TooManyJoints(usize),
    /// A track without keys.
    NoKeys,
    /// Not as many values as the keys' times ask for.
    ValueCount {
        /// How many keys have a time.
        keys: usize,
        /// How many values belong to each: 3 where the interpolation is cubic, otherwise 1.
        per_key: usize,
        /// How many values there are.
        values: usize,
    },
    /// The time of a key is negative, infinite or not a number.
    Time {
        /// The key.
        key: usize,
        /// Its time.
        time: f32,
    },
    /// A key does not come after the one before it.
    TimeOrder {
        /// The later key of the two.
        key: usize,
        /// When the key before it is.
        before: f32,
        /// When it is itself.
        time: f32,
    },
    /// A value or a tangent of a key is infinite or not a number.
    NotFinite {
        /// The key.
        key: usize,
    },
    /// The value of a rotation key is zero, which is no rotation.
    NotRotation {
        /// The key.
        key: usize,
    },
    /// A key comes after the clip's end.
    BeyondEnd {
        /// The track.
        track: TrackName,
        /// The first key that comes too late.
        key: usize,
        /// When that is.
        time: f32,
        /// How long the clip is.
        duration: f32,
    },
    /// The clip has no joint of this number.
    NoSuchJoint {
        /// The number.
        joint: u16,
        /// How many joints the clip has.
        joints: usize,
    },
    /// A clip and a skeleton with different numbers of joints.
    JointCount {
        /// How many the clip has.
        clip: usize,
        /// How many the skeleton has.
        skeleton: usize,
    },
    /// A bound for the reduction of keys is negative, infinite or not a number.
    Bound {
        /// Which one, by its field of [`Reduction`](crate::raw::Reduction).
        field: &'static str,
        /// What it is.
        found: f32,
    },
    /// A track takes more than 1,048,576 straight lines besides those between its keys, to be within its bound, and may not
    /// stay cubic or is not.
    TooManyLines(TrackName),
    /// More tracks, keys or jump frames than a compiled clip can count.
    TooLarge,
    /// Jump frames cannot be this far apart.
    JumpSpacing(f32),
    /// Rotations cannot be kept within this many radians.
    ArcError(f32),
    /// The bytes do not begin as a compiled clip does, or they hold another thing.
    NotAClip,
    /// The clip is of a version of the format that this one of the crate does not know.
    Version(u32),
    /// The bytes were cut short, or more was appended.
    Length {
        /// How many bytes the clip has.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// The bytes are not those that were written.
    Checksum,
    /// The bytes describe no clip: this part of them is wrong.
    Malformed(&'static str),
    /// The bytes cannot be read.
    Read(std::io::ErrorKind),
}

impl fmt::Display for ClipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duration(found) => write!(
                f,
                "a clip of {found} seconds cannot be played; give it a finite duration above zero, for a single pose any"
            ),
            Self::TooManyJoints(found) => {
                write!(f, "{found} joints are more than the 65,535 that a skeleton can have; split it")
            }
            Self::NoKeys => f.write_str("a track needs at least one key; leave the track out instead"),
            Self::ValueCount { keys, per_key, values } => write!(
                f,
                "{keys} keys take {per_key} values each, and {values} values are there; pass {}",
                keys.saturating_mul(*per_key)
            ),
            Self::Time { key, time } => {
                write!(f, "key {key} is at {time} seconds; times must be finite and not negative")
            }
            Self::TimeOrder { key, before, time } => write!(
                f,
                "key {key} is at {time} seconds, not after the key before it at {before}; sort the keys and drop duplicates"
            ),
            Self::NotFinite { key } => write!(f, "key {key} has a number that is not finite; drop or mend the key"),
            Self::NotRotation { key } => {
                write!(f, "key {key} is a zero quaternion, which is no rotation; drop or mend the key")
            }
            Self::BeyondEnd { track, key, time, duration } => write!(
                f,
                "key {key} of {track} is at {time} seconds, after the clip's end at {duration}; make the clip longer"
            ),
            Self::NoSuchJoint { joint, joints } => write!(
                f,
                "the clip has {joints} joints and none of number {joint}; make it with the skeleton's number of joints"
            ),
            Self::JointCount { clip, skeleton } => write!(
                f,
                "the clip has {clip} joints and the skeleton {skeleton}; pass the skeleton that the clip was made for"
            ),
            Self::Bound { field, found } => {
                write!(f, "Reduction::{field} is {found}; it must be finite and not negative")
            }
            Self::TooManyLines(track) => write!(
                f,
                "{track} takes more than 1,048,576 straight lines within its bound; let cubic tracks stay cubic, or allow a larger error"
            ),
            Self::TooLarge => {
                f.write_str("the clip has more tracks or keys than a compiled one can count; cut it in pieces")
            }
            Self::JumpSpacing(found) => {
                write!(f, "jump frames cannot be {found} apart; give a number above zero")
            }
            Self::ArcError(found) => {
                write!(f, "rotations cannot be kept within {found} radians; give a number above zero")
            }
            Self::NotAClip => f.write_str("the bytes are no compiled clip; pass what Clip::to_bytes gave"),
            Self::Version(found) => {
                write!(f, "the clip is of version {found}, which is not known; compile it again with this version")
            }
            Self::Length { expected, found } => {
                write!(f, "the clip is {expected} bytes long and {found} are there; read the whole file again")
            }
            Self::Checksum => f.write_str("the checksum of the clip is wrong; the file is damaged, use another copy"),
            Self::Malformed(part) => write!(f, "the bytes describe no clip: {part} is wrong; compile it again"),
            Self::Read(reason) => write!(f, "the clip cannot be read: {reason}; check where it comes from"),
        }
    }
}

impl core::error::Error for ClipError {}

impl From<ClipError> for Error {
    fn from(error: ClipError) -> Self {
        Self::Clip(error)
    }
}
