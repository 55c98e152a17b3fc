//! Checks that two scene graphs computed the same.

use crate::Outcome;
use crate::sides::{Checksum, Side};
use crate::workloads::Kind;

/// Fails with `message` unless `same` is true.
pub(crate) fn agree(same: bool, message: &'static str) -> Outcome {
    if same { Ok(()) } else { Err(message.into()) }
}

/// Fails unless both sides last listed the same draws.
pub(crate) fn same_draws(a: &impl Side, b: &impl Side, what: &str) -> Outcome {
    same_sums(a.draws(), b.draws(), &format!("{what}: the draws"))
}

/// Fails unless both sides have the same world matrices.
pub(crate) fn same_worlds(a: &impl Side, b: &impl Side, kinds: &[Kind], what: &str) -> Outcome {
    same_sums(a.worlds(kinds), b.worlds(kinds), &format!("{what}: the world matrices"))
}

/// Fails unless both sums are equal.
pub(crate) fn same_sums(a: Checksum, b: Checksum, what: &str) -> Outcome {
    if a == b { Ok(()) } else { Err(format!("{what} of the two sides differ: {a:x?} and {b:x?}").into()) }
}
