//! The errors of clips.

use crate::Error;
use core::fmt;
use hedgerow_math::internal::file_header::Unread;

/// One of the three tracks of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrackPart {
    /// The translation of the joint in its parent's space.
    Translation,
    /// The rotation of the joint.
    Rotation,
    /// The scale along each axis of the joint.
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

/// The name of a track of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrackName {
    /// A track of a joint.
    Joint(u16, TrackPart),
    /// A channel of numbers, given by its index.
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

/// The reason why a track or clip is invalid, or why a call failed. A failed call changes nothing.
///
/// Returned as [`Error::Clip`].
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
    /// The duration is not finite or not above zero.
    Duration(f32),
    /// There are more than 65,535 joints.
    TooManyJoints(usize),
    /// A track has no keys.
    NoKeys,
    /// The number of values does not match the number of keys.
    ValueCount {
        /// The number of keys.
        keys: usize,
        /// The number of values per key: 3 if the interpolation is cubic, else 1.
        per_key: usize,
        /// The number of values.
        values: usize,
    },
    /// The time of a key is negative, infinite or NaN.
    Time {
        /// The number of the key.
        key: usize,
        /// The time of the key, in seconds.
        time: f32,
    },
    /// A key is not later than the previous key.
    TimeOrder {
        /// The later of the two keys.
        key: usize,
        /// The time of the earlier key.
        before: f32,
        /// The time of the later key.
        time: f32,
    },
    /// A value or tangent of a key is infinite or NaN, or the product of a tangent and a time between keys overflows.
    NotFinite {
        /// The number of the key.
        key: usize,
    },
    /// The value of a rotation key is zero, which is not a rotation.
    NotRotation {
        /// The number of the key.
        key: usize,
    },
    /// The time of an event is not from 0 to the duration.
    EventTime {
        /// The time of the event, in seconds.
        time: f32,
        /// The duration of the clip, in seconds.
        duration: f32,
    },
    /// A key comes after the end of the clip.
    BeyondEnd {
        /// The track.
        track: TrackName,
        /// The number of the first key after the end.
        key: usize,
        /// The time of the key, in seconds.
        time: f32,
        /// The duration of the clip.
        duration: f32,
    },
    /// The clip has no joint with this number.
    NoSuchJoint {
        /// The number of the joint.
        joint: u16,
        /// The clip's number of joints.
        joints: usize,
    },
    /// The clip and the skeleton have different numbers of joints.
    JointCount {
        /// The clip's number of joints.
        clip: usize,
        /// The skeleton's number of joints.
        skeleton: usize,
    },
    /// The number of values differs from the clip's number of channels.
    ChannelCount {
        /// The clip's number of channels.
        expected: usize,
        /// The number of values.
        found: usize,
    },
    /// A bound for the key reduction is negative, infinite or NaN.
    Bound {
        /// The name of the invalid field of [`Reduction`](crate::raw::Reduction).
        field: &'static str,
        /// The value of the field.
        found: f32,
    },
    /// A track needs more than 1,048,576 additional straight lines to stay within its bound, and cannot stay cubic.
    TooManyLines(TrackName),
    /// There are more tracks, keys or jump frames than a compiled clip can count.
    TooLarge,
    /// The spacing of jump frames is not above zero.
    JumpSpacing(f32),
    /// The error bound of rotations is not above zero; it is in radians.
    ArcError(f32),
    /// The bytes are not a compiled clip.
    NotAClip,
    /// The bytes are newer than the crate, or older than its first release.
    Version {
        /// The version of the bytes.
        found: u32,
        /// The newest version that this crate reads.
        newest: u32,
    },
    /// The number of bytes differs from the length in the header.
    Length {
        /// The length in the header, in bytes.
        expected: u64,
        /// The number of bytes.
        found: u64,
    },
    /// The checksum does not match, so the bytes are damaged.
    Checksum,
    /// The bytes are not a valid clip, because the named part is wrong.
    Malformed(&'static str),
}

impl fmt::Display for ClipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duration(found) => write!(
                f,
                "a duration of {found} seconds is invalid; pass a finite one above zero, any for a single pose"
            ),
            Self::TooManyJoints(found) => {
                write!(f, "{found} joints are more than the 65,535 that a skeleton can have; split it")
            }
            Self::NoKeys => f.write_str("a track needs at least one key; leave the track out instead"),
            Self::ValueCount { keys, per_key, values } => write!(
                f,
                "{keys} keys need {} values, {per_key} per key, but the track has {values}; add or drop values",
                keys.saturating_mul(*per_key)
            ),
            Self::Time { key, time } => {
                write!(f, "key {key} is at {time} seconds; times must be finite and not negative")
            }
            Self::TimeOrder { key, before, time } => write!(
                f,
                "key {key} is at {time} seconds, not after the key before it at {before}; sort the keys and drop duplicates"
            ),
            Self::NotFinite { key } => write!(f, "key {key} has a number that is not finite; drop or repair the key"),
            Self::NotRotation { key } => {
                write!(f, "key {key} is a zero quaternion; drop or repair the key")
            }
            Self::EventTime { time, duration } => {
                write!(f, "an event at {time} s is outside of the clip, which has {duration} s; clamp its time")
            }
            Self::BeyondEnd { track, key, time, duration } => write!(
                f,
                "key {key} of {track} is at {time} seconds, after the clip's end at {duration}; make the clip longer"
            ),
            Self::NoSuchJoint { joint, joints } => write!(
                f,
                "the clip has {joints} joints but no joint {joint}; make it with the skeleton's number of joints"
            ),
            Self::JointCount { clip, skeleton } => write!(
                f,
                "the clip has {clip} joints but the skeleton has {skeleton}; pass the skeleton that the clip was made for"
            ),
            Self::ChannelCount { expected, found } => {
                write!(f, "{found} numbers were passed for {expected} channels; pass one for each channel of the clip")
            }
            Self::Bound { field, found } => {
                write!(f, "Reduction::{field} is {found}; it must be finite and not negative")
            }
            Self::TooManyLines(track) => write!(
                f,
                "{track} takes more than 1,048,576 straight lines within its bound; let cubic tracks stay cubic, or allow a larger error"
            ),
            Self::TooLarge => f.write_str("the clip has more tracks or keys than a compiled clip can count; split it"),
            Self::JumpSpacing(found) => {
                write!(f, "a jump spacing of {found} is invalid; pass a number above zero")
            }
            Self::ArcError(found) => {
                write!(f, "an arc error of {found} radians is invalid; pass a number above zero")
            }
            Self::NotAClip => f.write_str("the bytes are not a compiled clip; pass the result of Clip::to_bytes"),
            &Self::Version { found, newest } => Unread { found, newest }.fmt(f),
            Self::Length { expected, found } => {
                write!(f, "the clip should have {expected} bytes but has {found}; read the whole file again")
            }
            Self::Checksum => f.write_str("the checksum of the clip is wrong; the file is damaged, use another copy"),
            Self::Malformed(part) => write!(f, "the bytes are not a valid clip: {part} is wrong; compile it again"),
        }
    }
}

impl core::error::Error for ClipError {}

impl From<ClipError> for Error {
    fn from(error: ClipError) -> Self {
        Self::Clip(error)
    }
}
