//! What each fuzz target does with an input, so that tests can do the same with inputs that were kept.
//!
//! A driver returns if all is well, and panics with what was played if not. The fuzz targets and `crates/soak` include
//! this folder and [`model`](crate::model) unchanged.

pub(crate) mod batches;

pub(crate) mod clip;
pub(crate) mod dice;
pub(crate) mod edits;
mod input;
#[cfg(feature = "serde")]
pub(crate) mod json;
pub(crate) mod patch;
pub(crate) mod skeleton;
pub(crate) mod skin;
pub(crate) mod snapshot;
#[cfg(feature = "serde")]
pub(crate) mod text;
pub(crate) mod visit_mutate;

pub(crate) use input::Input;

use crate::model::Step;
use crate::model::oracle::Oracle;

/// Panics unless all went well, with the configuration and the steps that were played.
pub(crate) fn expect_sound(oracle: &Oracle, steps: &[Step], played: crate::model::Check) {
    if let Err(mismatch) = played {
        let played: Vec<String> = steps.iter().take(oracle.counts.steps).map(|step| format!("{step:?}")).collect();
        panic!("{:?}\n{}\n{mismatch}", oracle.scene.config(), played.join("\n"));
    }
}
