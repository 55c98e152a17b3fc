//! Clips in the form of an author or an importer: tracks of keys, at full precision.
//!
//! | file | what |
//! |---|---|
//! | `error` | the errors of clips, and names of tracks |
//! | `value` | the types of keys: [`Vec3`](glam::Vec3), [`Quat`](glam::Quat), `f32` |
//! | `track` | keys of one value over time |
//! | `clip` | the tracks of all joints, and channels |
//! | `sample` | the pose of a clip at a time |
//! | `reduce` | fewer keys within a bound in model space |

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
