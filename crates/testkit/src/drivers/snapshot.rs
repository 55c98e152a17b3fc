//! Snapshots with changed bytes and a valid checksum. Each is refused, or gives a working scene.

use crate::checksum::set_checksum;
use crate::forged;
use crate::model::dump::dump;
use crate::model::{Step, decode, loaded, oracle};
use hedgerow::{Scene, Tree};

/// A configuration, and steps. The first bytes of a step change the saved bytes; the rest is an edit before saving.
pub type Input = crate::Input<{ decode::POLICY_BYTES }, { forged::BEND_BYTES + decode::STEP_BYTES }>;

/// The greatest number of steps; more steps find no more faults.
const MOST_STEPS: usize = 60;
/// The greatest number of changes; more would leave nothing of a scene.
const MOST_BENDS: usize = 8;

pub fn run(input: &Input) {
    let parts = input.steps.iter().filter_map(|step| {
        let (bend, step) = step.split_first_chunk::<{ forged::BEND_BYTES }>()?;
        Some((*bend, decode::step(step.first_chunk()?)))
    });
    let (bends, steps): (Vec<_>, Vec<Step>) = parts.take(MOST_STEPS).unzip();
    let bends = &bends[..bends.len().min(MOST_BENDS)];
    let mut oracle = oracle::from_bytes(input.head);
    let played = oracle.run(&steps);
    super::expect_sound(&oracle, &steps, played);
    let mut bytes = oracle.scene.to_bytes();
    let loaded = Scene::from_bytes(&bytes).expect("a scene that was saved");
    assert_eq!(dump(&loaded), dump(&oracle.scene));

    // Changes accumulate: bytes that load after one change may fail after the next.
    for &how in bends {
        forged::bend(&mut bytes, how);
        set_checksum(&mut bytes);
        if let Ok(scene) = Scene::from_bytes(&bytes) {
            super::forms::hold(&scene.copy_tree(scene.root()).expect("the root lives"));
            loaded::live_on(scene).unwrap_or_else(|mismatch| panic!("{mismatch}"));
        }
    }
    let mut part = oracle.scene.copy_tree(oracle.scene.root()).expect("the root lives").to_bytes();
    for &how in bends {
        forged::bend(&mut part, how);
        set_checksum(&mut part);
        let Ok(tree) = Tree::from_bytes(&part) else { continue };
        assert_eq!(tree.to_bytes(), part);
        super::forms::hold(&tree);
        let (len, root) = (oracle.scene.len(), oracle.scene.root());
        let added = oracle.scene.insert_tree(root, &tree).expect("a tree that was read is sound");
        assert_eq!((added.len(), oracle.scene.len()), (tree.len(), len + tree.len()));
        assert_eq!(oracle.scene.validate(), Ok(()));
    }
}
