//! Drives all edits of a scene in any configuration and mode, and compares with the naive model after each.

use super::expect_sound;
use crate::model::{Step, decode, oracle};

/// A configuration, and edits.
pub type Input = crate::Input<{ decode::POLICY_BYTES }, { decode::STEP_BYTES }>;

/// The greatest number of steps; more steps find no more faults.
const MOST_STEPS: usize = 400;

pub fn run(input: &Input) {
    let steps: Vec<Step> = input.steps.iter().take(MOST_STEPS).map(decode::step).collect();
    let mut oracle = oracle::from_bytes(input.head);
    let played = oracle.run(&steps);
    expect_sound(&oracle, &steps, played);
}
