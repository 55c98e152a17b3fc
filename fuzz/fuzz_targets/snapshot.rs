//! Snapshots bent into other bytes, under a checksum that fits: each is refused, or is a scene to live on with.

#![no_main]

#[allow(dead_code, reason = "the tests use more of the model")]
#[path = "../../tests/all/model/mod.rs"]
mod model;

use arbitrary::Arbitrary;
use hedgerow::Scene;
use libfuzzer_sys::fuzz_target;
use model::{Step, decode, seal, twin};

/// More steps than this find nothing that fewer do not.
const MOST_STEPS: usize = 60;
/// More bends than this leave nothing of a scene.
const MOST_BENDS: usize = 8;

#[derive(Arbitrary, Debug)]
struct Input {
    policy: [u8; decode::POLICY_BYTES],
    bends: Vec<[u8; seal::BEND_BYTES]>,
    steps: Vec<[u8; decode::STEP_BYTES]>,
}

fuzz_target!(|input: Input| {
    let steps: Vec<Step> = input.steps.iter().take(MOST_STEPS).map(decode::step).collect();
    let mut twin = twin::from_bytes(input.policy);
    twin.run(&steps).unwrap_or_else(|mismatch| panic!("{mismatch}"));
    let mut bytes = twin.scene.save();
    let loaded = Scene::load(&bytes).expect("a scene that was saved");
    assert_eq!(loaded.dump(), twin.scene.dump());

    // Bent one upon the other: what passes after one bend may be what the next one breaks.
    for &how in input.bends.iter().take(MOST_BENDS) {
        seal::bend(&mut bytes, how);
        seal::seal(&mut bytes);
        if let Ok(scene) = Scene::load(&bytes) {
            seal::live_on(scene).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        }
    }
    let mut part = twin.scene.save_subtree(twin.scene.root()).expect("the root lives");
    for &how in input.bends.iter().take(MOST_BENDS) {
        seal::bend(&mut part, how);
        seal::seal(&mut part);
        let (len, root) = (twin.scene.len(), twin.scene.root());
        let added = twin.scene.load_subtree(&part, root).map_or(0, |map| map.len());
        assert_eq!(twin.scene.len(), len + added);
        assert_eq!(twin.scene.validate(), Ok(()));
    }
});
