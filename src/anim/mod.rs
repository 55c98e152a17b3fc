//! Characters: what moves joints, and what becomes of that. Knows [`math`](crate::math) and [`simd`](crate::simd) only.

mod raw;

pub use raw::{ClipError, Interpolation, RawClip, Track, TrackName, TrackPart, TrackValue};
