//! Snapshots with changed bytes and a valid checksum: each is refused, or is a scene that works.

#![no_main]

#[allow(dead_code, reason = "the tests use more of the model")]
#[path = "../../tests/all/model/mod.rs"]
mod model;

use arbitrary::Arbitrary;
use hedgerow::Scene;
use libfuzzer_sys::fuzz_target;
use model::{Step, decode, forged, oracle};

/// More steps than this find nothing that fewer steps do not find.
const MOST_STEPS: usize = 60;
/// More changes than this leave nothing of a scene.
const MOST_BENDS: usize = 8;

#[derive(Arbitrary, Debug)]
struct Input {
    policy: [u8; decode::POLICY_BYTES],
    bends: Vec<[u8; forged::BEND_BYTES]>,
    steps: Vec<[u8; decode::STEP_BYTES]>,
}

fuzz_target!(|input: Input| {
    let steps: Vec<Step> = input.steps.iter().take(MOST_STEPS).map(decode::step).collect();
    let mut oracle = oracle::from_bytes(input.policy);
    oracle.run(&steps).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let mut bytes = oracle.scene.save();
    let loaded = Scene::load(&bytes).expect("a scene that was saved");
    assert_eq!(loaded.dump(), oracle.scene.dump());

    // Changes accumulate: what passes after one may break with the next.
    for &how in input.bends.iter().take(MOST_BENDS) {
        forged::bend(&mut bytes, how);
        forged::set_checksum(&mut bytes);
        if let Ok(scene) = Scene::load(&bytes) {
            forged::live_on(scene).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        }
    }
    let mut part = oracle.scene.save_subtree(oracle.scene.root()).expect("the root lives");
    for &how in input.bends.iter().take(MOST_BENDS) {
        forged::bend(&mut part, how);
        forged::set_checksum(&mut part);
        let (len, root) = (oracle.scene.len(), oracle.scene.root());
        let added = oracle.scene.load_subtree(&part, root).map_or(0, |map| map.len());
        assert_eq!(oracle.scene.len(), len + added);
        assert_eq!(oracle.scene.validate(), Ok(()));
    }
});
