//! Rebuilds a scene's nodes and their world matrices from its change feed alone.

use hedgerow::changes::ChangeReader;
use hedgerow::{Error, Mat34, NodeHandle, Scene};
use hedgerow_testkit::model::compare::same_bits;
use std::collections::HashMap;

/// World matrices by node, as the feed reported them. Empty if the scene does not track changes.
pub(crate) struct Mirror(HashMap<NodeHandle, Mat34>, ChangeReader);

impl Mirror {
    /// Creates a mirror of a scene before its first update.
    pub(super) fn new(scene: &Scene) -> Self {
        let mut reader = ChangeReader::new();
        let first = scene.changes(&mut reader);
        assert!(first.map_or_else(|error| error == Error::NoChanges, |read| read.is_whole()), "a new reader reads all");
        Self(HashMap::new(), reader)
    }

    /// Applies the report of the last update, which must list each changed node once, with its previous matrix.
    pub(super) fn follow(&mut self, scene: &Scene) {
        let changes = match scene.changes(&mut self.1) {
            Ok(changes) => changes,
            Err(error) => {
                assert_eq!((error, scene.config().changes), (Error::NoChanges, false));
                return;
            }
        };
        assert!(!changes.is_whole(), "the mirror follows each update");
        for node in changes.left() {
            assert!(self.0.remove(node).is_some(), "{node:?} has left, and was not there");
            assert_eq!(scene.get(*node).and_then(|node| node.previous_world()), None, "{node:?} has left");
        }
        let world = |node: &NodeHandle| *scene.world(*node).expect("a live node");
        for node in changes.entered() {
            let world = world(node);
            assert!(self.0.insert(*node, world).is_none(), "{node:?} has entered, and was there");
            let previous = scene.get(*node).and_then(|node| node.previous_world());
            assert!(previous.is_some_and(|previous| same_bits(previous, &world)), "{node:?} was nowhere before");
        }
        for node in changes.moved() {
            let world = world(node);
            let before = self.0.insert(*node, world).expect("what has moved was there");
            assert!(!same_bits(&before, &world), "{node:?} has moved, and is where it was");
            let previous = scene.get(*node).and_then(|node| node.previous_world());
            assert!(previous.is_some_and(|previous| same_bits(previous, &before)), "{node:?} was at {before:?}");
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn assert_at(&self, node: NodeHandle, world: &Mat34) {
        let told = self.0.get(&node);
        assert!(told.is_some_and(|told| same_bits(told, world)), "{node:?} was told to be at {told:?}, not {world:?}");
    }
}
