//! Clips in the form of an author or an importer: tracks of keys, at full precision.
//!
//! | you want | use |
//! |---|---|
//! | keys of one value over time: steps, lines or cubic curves | [`Track`], [`Interpolation`] |
//! | the tracks of all joints, and channels of numbers | [`RawClip`] |
//! | exact samples, to compare with | [`RawClip::sample`] |
//! | fewer keys, within a bound in model space | [`RawClip::reduced`], [`Reduction`] |
//! | to play it | [`ClipBuilder::build`](crate::ClipBuilder::build) first, then a [`Player`](crate::Player) |
//! | what is refused, and of which track | [`ClipError`], [`TrackName`] |
//!
//! A clip need not have tracks of all joints, nor all three of a joint: sampling a whole pose gives such parts the rest
//! of the pose's skeleton.

// | file | what |
// |---|---|
// | `error` | the errors of clips, and names of tracks |
// | `value` | the types of keys: `Vec3`, `Quat`, `f32` |
// | `track` | keys of one value over time |
// | `clip` | the tracks of all joints, and channels |
// | `sample` | the pose of a clip at a time |
// | `reduce` | fewer keys within a bound in model space |

mod clip;
mod error;
mod reduce;
mod sample;
mod track;
mod value;

pub use clip::RawClip;
pub use error::{ClipError, TrackName, TrackPart};
pub use reduce::Reduction;
pub use track::{Interpolation, Track};
pub use value::TrackValue;
pub(crate) use value::sealed;
