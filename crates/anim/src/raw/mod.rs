//! Clips as authored or imported: tracks of keys at full precision.
//!
//! | you want | use |
//! |---|---|
//! | the keys of one value over time: steps, lines or cubic curves | [`Track`], [`Interpolation`] |
//! | the tracks of all joints, and channels of numbers | [`RawClip`] |
//! | exact samples, as a reference | [`RawClip::sample`] |
//! | fewer keys, within a bound in model space | [`RawClip::reduced`], [`Reduction`] |
//! | to play a clip | [`ClipBuilder::build`](crate::ClipBuilder::build) first, then a [`Player`](crate::Player) |
//! | errors, and the name of the track that caused an error | [`ClipError`], [`TrackName`] |
//!
//! A clip may have tracks for some joints only, and fewer than three tracks for a joint. Sampling takes the missing
//! parts from the rest pose of the pose's skeleton.

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
