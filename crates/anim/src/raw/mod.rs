//! Clips as an author or an importer has them: tracks of keys, at full precision.
//!
//! | file | what |
//! |---|---|
//! | `error` | what a clip is refused for, and what names a track |
//! | `value` | what a key may hold: [`Vec3`](glam::Vec3), [`Quat`](glam::Quat), `f32` |
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
