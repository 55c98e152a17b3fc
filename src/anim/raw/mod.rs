//! Clips as an author or an importer has them: tracks of keys, at full precision.
//!
//! | file | what |
//! |---|---|
//! | `error` | what a clip is refused for, and what names a track |
//! | `value` | what a key may hold: [`Vec3`](glam::Vec3), [`Quat`](glam::Quat), `f32` |
//! | `track` | keys of one value over time |
//! | `clip` | the tracks of all joints, and channels |

mod clip;
mod error;
mod track;
mod value;

pub use clip::RawClip;
pub use error::{ClipError, TrackName, TrackPart};
pub use track::{Interpolation, Track};
pub use value::TrackValue;
pub(crate) use value::sealed;
