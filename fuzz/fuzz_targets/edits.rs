//! Turns bytes into a policy and a sequence of edits, and plays them on a scene and on the naive model of the tests.

#![no_main]

#[allow(dead_code, reason = "the tests use more of the model")]
#[path = "../../tests/all/model/mod.rs"]
mod model;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use model::{Step, decode, oracle};

/// More steps than this find nothing that fewer steps do not find.
const MOST_STEPS: usize = 400;

#[derive(Arbitrary, Debug)]
struct Input {
    policy: [u8; decode::POLICY_BYTES],
    steps: Vec<[u8; decode::STEP_BYTES]>,
}

fuzz_target!(|input: Input| {
    let steps: Vec<Step> = input.steps.iter().take(MOST_STEPS).map(decode::step).collect();
    let mut oracle = oracle::from_bytes(input.policy);
    if let Err(mismatch) = oracle.run(&steps) {
        let played: Vec<String> = steps[..oracle.counts.steps].iter().map(|step| format!("{step:?}")).collect();
        panic!("{:?}\n{}\n{mismatch}", oracle.scene.config(), played.join("\n"));
    }
});
