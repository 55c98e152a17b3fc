//! The naive model of a scene, and the oracle, which plays the same edits on both.
//!
//! Data flows in this order: [`op`] defines edits and [`decode`] makes them from bytes. [`tree`] is the naive scene
//! (`Vec`s of children, nothing packed). [`world`] is its transforms in double precision, with a bound on the error of
//! single precision. [`oracle`] plays an edit on both, and [`compare`], [`spatial`] and [`probe`] find any difference.

/// Returns a [`Mismatch`] unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        match $condition {
            true => {}
            false => return Err($crate::model::Mismatch(format!($($message)+))),
        }
    };
}

pub mod batches;
pub mod column;
pub mod compare;
pub mod components;
pub mod copies;
pub mod decode;
pub mod draws;
pub mod dump;
pub mod feed;
pub mod inherited;
pub mod interrupted;
pub mod large;
pub mod loaded;
pub mod many;
pub mod moves;
pub mod op;
pub mod oracle;
pub mod probe;
pub mod queue;
pub mod readers;
pub mod renderer;
pub mod restore;
pub mod smooth;
pub mod spatial;
pub mod storage;
pub mod subtrees;
pub mod tree;
pub mod upkeep;
pub mod visits;
pub mod world;

pub use op::Step;

/// A description of how a scene differs from the model.
pub struct Mismatch(pub String);

impl core::fmt::Debug for Mismatch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

pub type Check<T = ()> = Result<T, Mismatch>;
