//! The check that two scene graphs did the same work.

use crate::Outcome;
use crate::sides::Side;
use crate::workloads::Kind;

/// Fails unless both sides listed the same draws last.
///
/// # Errors
/// Says which sums differ.
pub(crate) fn same_draws(a: &impl Side, b: &impl Side, what: &str) -> Outcome {
    let (a, b) = (a.draws(), b.draws());
    if a == b { Ok(()) } else { Err(format!("{what}: the draws of the two sides differ: {a:x?} and {b:x?}").into()) }
}

/// Fails unless both sides have the same world matrices.
///
/// # Errors
/// Says which sums differ.
pub(crate) fn same_worlds(a: &impl Side, b: &impl Side, kinds: &[Kind], what: &str) -> Outcome {
    let (a, b) = (a.worlds(kinds), b.worlds(kinds));
    if a == b {
        Ok(())
    } else {
        Err(format!("{what}: the world matrices of the two sides differ: {a:x?} and {b:x?}").into())
    }
}
