//! The drivers: how each fuzz target runs an input. Tests run kept inputs with the same code.
//!
//! A driver returns if all checks hold, and otherwise panics with the steps. The fuzz targets and `crates/soak` include
//! this folder and [`model`](crate::model) unchanged.

pub(crate) mod batches;

pub(crate) mod clip;
pub(crate) mod dice;
pub(crate) mod edits;
pub(crate) mod forms;
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

/// Panics with the configuration and the steps if there is a mismatch.
pub(crate) fn expect_sound(oracle: &Oracle, steps: &[Step], played: crate::model::Check) {
    if let Err(mismatch) = played {
        let played: Vec<String> = steps.iter().take(oracle.counts.steps).map(|step| format!("{step:?}")).collect();
        panic!("{:?}\n{}\n{mismatch}", oracle.scene.config(), played.join("\n"));
    }
}
