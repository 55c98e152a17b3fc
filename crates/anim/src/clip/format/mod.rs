//! The byte layout of a clip.
//!
//! ```text
//! header │ head │ targets, starts, ranges │ constants │ names, events │ first frame │ stream │ index │ jump frames │ padding
//! └─────────────────────────────── tables ──────────────────────────────────────────┘
//! stream   group │ group │ … │ end
//! group    need f32 │ bytes u24 │ full u8 │ bytes before u32 │ records in the order of their blocks …
//! record   block u16 │ lanes u8 │ time │ x of each lane │ y … │ z …
//! frame    the blocks of the active array
//! ```
//!
//! | file | what |
//! |---|---|
//! | `head` | the counts and the section offsets |
//! | `targets` | the joint or channel of each lane, and the ranges of the lane's numbers |
//! | `tables` | reading the part before the stream |
//! | `group` | the heads between the groups of the stream |
//! | `record` | the keys of one block in a group |
//! | `frame` | the active array as a jump frame |
//! | `write` | writes lanes: sorts keys, makes jump frames |

mod frame;
mod group;
mod head;
mod record;
mod tables;
mod targets;
mod write;

pub(crate) use group::GroupHead;
pub(crate) use head::{CHANNELS, CUBICS, GROUP_HEAD, HEAD_BYTES, Head, ROTATIONS, SCALES, TRANSLATIONS};
pub(crate) use record::{LanePlace, PADDING, Record};
pub(crate) use tables::Tables;
pub(crate) use targets::{
    CubicTarget, NO_PART, PART_CHANNEL, PART_ROTATION, PART_SCALE, PLAIN, Ranges, Target, block_of, cubic_lanes,
};
pub(super) use write::write;

use crate::raw::ClipError;
use hedgerow_math::internal::file_header::{Broken, Format, Kind};

pub(super) const CLIP: Format = Format::new(Kind::Clip, 4, 5);

/// The first version whose clips have events.
pub(super) const EVENTS: u32 = 5;

/// Checks the file header, length and checksum of a clip, and returns the version.
pub(super) fn check(bytes: &[u8]) -> Result<u32, ClipError> {
    let body = CLIP.body(bytes).map_err(|broken| match broken {
        Broken::Magic | Broken::Kind(_) => ClipError::NotAClip,
        Broken::Version { found, newest } => ClipError::Version { found, newest },
        Broken::Length { expected, found } => ClipError::Length { expected, found },
        Broken::Checksum => ClipError::Checksum,
    })?;
    Ok(body.0)
}
