//! What each fuzz target does with an input, so that tests can do the same with inputs that were kept.
//!
//! A driver returns if all is well, and panics with what was played if not. The fuzz targets and `crates/soak` include
//! this folder and [`model`](crate::model) unchanged.

pub(crate) mod batches;

pub(crate) mod clip;
pub(crate) mod dice;
pub(crate) mod edits;
#[cfg(feature = "gltf")]
pub(crate) mod gltf;
#[cfg(feature = "gltf")]
pub(crate) mod gltf_text;
#[cfg(any(feature = "gltf", feature = "serde"))]
pub(crate) mod json;
#[cfg(feature = "serde")]
pub(crate) mod readable;
pub(crate) mod skeleton;
pub(crate) mod skin;
pub(crate) mod snapshot;
pub(crate) mod visit_mutate;

use crate::model::Step;
use crate::model::oracle::Oracle;

/// An input: settings, and steps of equal size.
///
/// As bytes it is what `arbitrary` reads as an array and a vector of arrays: the settings, then for each step an odd
/// byte and the step. What is missing at the end is zero, and an even byte ends the list. The fuzz targets check at
/// each run that both readings are the same.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Input<const HEAD: usize, const STEP: usize> {
    pub(crate) head: [u8; HEAD],
    pub(crate) steps: Vec<[u8; STEP]>,
}

impl<const HEAD: usize, const STEP: usize> Input<HEAD, STEP> {
    /// The input that these bytes stand for.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut rest = bytes.iter().copied();
        let head = core::array::from_fn(|_| rest.next().unwrap_or(0));
        let mut steps = Vec::new();
        while rest.next().is_some_and(|more| more & 1 == 1) {
            steps.push(core::array::from_fn(|_| rest.next().unwrap_or(0)));
        }
        Self { head, steps }
    }
}

/// Panics unless all went well, with the configuration and the steps that were played.
pub(crate) fn expect_sound(oracle: &Oracle, steps: &[Step], played: crate::model::Check) {
    if let Err(mismatch) = played {
        let played: Vec<String> = steps.iter().take(oracle.counts.steps).map(|step| format!("{step:?}")).collect();
        panic!("{:?}\n{}\n{mismatch}", oracle.scene.config(), played.join("\n"));
    }
}
