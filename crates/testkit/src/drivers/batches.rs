//! Drives all batches and the edit queue, and compares with the naive model.

use super::expect_sound;
use crate::model::{Step, decode, oracle};

/// A configuration, and batches among other edits.
pub type Input = crate::Input<{ decode::POLICY_BYTES }, { decode::STEP_BYTES }>;

/// The greatest number of steps; more steps find no more faults.
const MOST_STEPS: usize = 300;

pub fn run(input: &Input) {
    let bytes = &input.steps[..input.steps.len().min(MOST_STEPS)];
    let mut oracle = oracle::from_bytes(input.head);
    let played = oracle.run_batches(bytes, 1);
    let steps: Vec<Step> = bytes.iter().map(decode::batch_step).collect();
    expect_sound(&oracle, &steps, played);
}
