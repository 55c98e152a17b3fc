//! The naive model of a scene, and the oracle, which plays the same edits on both.
//!
//! Data flows in this order: [`op`] defines edits and [`decode`] makes them from bytes. [`tree`] is the naive scene
//! (`Vec`s of children, nothing packed). [`world`] is its transforms in double precision, with a bound on the error of
//! single precision. [`oracle`] plays an edit on both, and [`compare`], [`spatial`] and [`probe`] find any difference.
//! The fuzz targets include this folder unchanged.

/// Returns a [`Mismatch`] unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        match $condition {
            true => {}
            false => return Err($crate::model::Mismatch(format!($($message)+))),
        }
    };
}

pub(crate) mod batches;
pub(crate) mod checksum;
pub(crate) mod column;
pub(crate) mod compare;
pub(crate) mod components;
pub(crate) mod copies;
pub(crate) mod decode;
pub(crate) mod draws;
pub(crate) mod dump;
pub(crate) mod feed;
pub(crate) mod forged;
pub(crate) mod inherited;
pub(crate) mod interrupted;
pub(crate) mod many;
pub(crate) mod moves;
pub(crate) mod op;
pub(crate) mod oracle;
pub(crate) mod probe;
pub(crate) mod queue;
pub(crate) mod readers;
pub(crate) mod renderer;
pub(crate) mod spatial;
pub(crate) mod storage;
pub(crate) mod subtrees;
pub(crate) mod tree;
pub(crate) mod upkeep;
pub(crate) mod visits;
pub(crate) mod world;

pub(crate) use op::Step;

/// A description of how a scene differs from the model.
pub(crate) struct Mismatch(pub(crate) String);

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

pub(crate) type Check<T = ()> = Result<T, Mismatch>;
