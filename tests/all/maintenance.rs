//! What maintenance frees.

use crate::trees::{group, groups, with};
use hedgerow::SceneConfig;
use std::time::Duration;

#[test]
fn each_call_without_time_frees_something_until_nothing_waits() {
    let mut scene = with(SceneConfig { max_nodes: 16, min_nodes: 2, ..SceneConfig::DEFAULT });
    let root = scene.root();
    let top = group(&mut scene, root);
    groups(&mut scene, top, 300);
    assert!(scene.stats().slice_levels > 1, "there are slices that hold portals alone");
    scene.remove_later(top).unwrap();
    while scene.stats().pending_free > 0 {
        assert!(scene.maintain(Duration::ZERO).freed > 0);
    }
    scene.validate().unwrap();
}
