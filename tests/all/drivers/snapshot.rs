//! Snapshots with changed bytes and a valid checksum: each is refused, or is a scene that works.

use crate::model::checksum::set_checksum;
use crate::model::dump::dump;
use crate::model::{Step, decode, forged, oracle};
use hedgerow::Scene;

/// A configuration, and steps: of each the first bytes say how to change what was saved, all of it what to edit before.
pub(crate) type Input = super::Input<{ decode::POLICY_BYTES }, { forged::BEND_BYTES + decode::STEP_BYTES }>;

/// More steps than this find nothing that fewer steps do not find.
const MOST_STEPS: usize = 60;
/// More changes than this leave nothing of a scene.
const MOST_BENDS: usize = 8;

pub(crate) fn run(input: &Input) {
    let parts = input.steps.iter().filter_map(|step| {
        let (bend, step) = step.split_first_chunk::<{ forged::BEND_BYTES }>()?;
        Some((*bend, decode::step(step.first_chunk()?)))
    });
    let (bends, steps): (Vec<_>, Vec<Step>) = parts.take(MOST_STEPS).unzip();
    let bends = &bends[..bends.len().min(MOST_BENDS)];
    let mut oracle = oracle::from_bytes(input.head);
    let played = oracle.run(&steps);
    super::expect_sound(&oracle, &steps, played);
    let mut bytes = oracle.scene.save();
    let loaded = Scene::load(&bytes).expect("a scene that was saved");
    assert_eq!(dump(&loaded), dump(&oracle.scene));

    // Changes accumulate: what passes after one may break with the next.
    for &how in bends {
        forged::bend(&mut bytes, how);
        set_checksum(&mut bytes);
        if let Ok(scene) = Scene::load(&bytes) {
            forged::live_on(scene).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        }
    }
    let mut part = oracle.scene.save_subtree(oracle.scene.root()).expect("the root lives");
    for &how in bends {
        forged::bend(&mut part, how);
        set_checksum(&mut part);
        let (len, root) = (oracle.scene.len(), oracle.scene.root());
        let added = oracle.scene.load_subtree(&part, root).map_or(0, |map| map.len());
        assert_eq!(oracle.scene.len(), len + added);
        assert_eq!(oracle.scene.validate(), Ok(()));
    }
}
