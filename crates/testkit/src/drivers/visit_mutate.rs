//! Drives visitors, comparisons and closures that write, stop, prune and panic, and compares with the naive model.

use super::expect_sound;
use crate::model::{Check, Step, decode, oracle};

/// A configuration, and visits among other edits.
pub type Input = crate::Input<{ decode::POLICY_BYTES }, { decode::STEP_BYTES }>;

/// The greatest number of steps; more steps find no more faults.
const MOST_STEPS: usize = 300;

pub fn run(input: &Input) {
    let bytes = &input.steps[..input.steps.len().min(MOST_STEPS)];
    let mut oracle = oracle::from_bytes(input.head);
    let steps: Vec<Step> = bytes.iter().map(decode::visit_step).collect();
    let played = steps.iter().zip(bytes).try_for_each(|(step, bytes)| -> Check {
        oracle.step(step)?;
        oracle.interrupt(bytes)
    });
    let played = played.and_then(|()| oracle.compare_stats());
    expect_sound(&oracle, &steps, played);
}
