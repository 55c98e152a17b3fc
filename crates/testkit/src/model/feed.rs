//! The change feed compared with the state of the model after the previous update.

use super::Check;
use super::compare::same_bits;
use super::oracle::Oracle;
use hedgerow::changes::ChangeReader;
use hedgerow::{Error, Layers, Mat34, NodeHandle, Scene};
use std::collections::BTreeMap;

/// The state after an update: the world matrix and mask of each node.
pub struct Seen {
    nodes: BTreeMap<NodeHandle, (Mat34, u32)>,
    changes: ChangeReader,
}

impl Seen {
    /// Returns the empty state before the first update.
    pub fn new(scene: &Scene) -> Self {
        let mut changes = ChangeReader::new();
        let first = scene.changes(&mut changes);
        assert!(first.map_or_else(|error| error == Error::NoChanges, |read| read.is_whole()), "a new reader reads all");
        Self { nodes: BTreeMap::new(), changes }
    }

    /// Returns the state of a loaded scene, which is up to date.
    pub fn of_loaded(scene: &Scene) -> Self {
        let state = |node| Some((node, (*scene.world(node)?, scene.get(node)?.layers().mask())));
        Self {
            nodes: scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).filter_map(state).collect(),
            ..Self::new(scene)
        }
    }
}

impl Oracle {
    /// Compares everything that the last update reported.
    pub fn compare_feed(&mut self) -> Check {
        if !self.scene.config().changes {
            let told = self.scene.changes(&mut self.seen.changes);
            ensure!(matches!(told, Err(Error::NoChanges)), "changes are told where they are not to be");
            return Ok(());
        }
        self.compare_changes()?;
        // Sometimes a second update follows, which has nothing to do.
        if self.counts.steps.is_multiple_of(3) {
            self.scene.update();
            self.compare_changes()?;
            self.compare_motion()?;
        }
        Ok(())
    }

    fn compare_changes(&mut self) -> Check {
        let (mut moved, mut masked, mut entered) = (Vec::new(), Vec::new(), Vec::new());
        let mut now = BTreeMap::new();
        for next in &self.met[..self.attached] {
            let handle = self.tree.handle(next.index);
            let (Some(world), Some(mask)) =
                (self.scene.world(handle), self.scene.get(handle).map(|node| node.layers()))
            else {
                return Err(super::Mismatch(format!("{handle:?} has no world or no visibility")));
            };
            let (world, mask) = (*world, Layers::mask(mask));
            now.insert(handle, (world, mask));
            let previous = self.scene.get(handle).and_then(|node| node.previous_world()).copied();
            let before = self.seen.nodes.remove(&handle);
            let expected = before.map_or(world, |(world, _)| world);
            let same = previous.is_some_and(|previous| same_bits(&previous, &expected));
            ensure!(same, "the previous world of {handle:?} is {previous:?}, not {expected:?}");
            match before {
                None => entered.push(handle),
                Some((old_world, old_mask)) => {
                    moved.extend((!same_bits(&old_world, &world)).then_some(handle));
                    masked.extend((old_mask != mask).then_some(handle));
                }
            }
        }
        let left: Vec<_> = self.seen.nodes.keys().copied().collect();
        self.seen.nodes = now;
        let told = self.scene.changes(&mut self.seen.changes);
        let changes = told.map_err(|error| super::Mismatch(error.to_string()))?;
        ensure!(!changes.is_whole(), "a reader of every update gets what changed");
        let told = [
            ("moved", changes.moved(), moved),
            ("changed in visibility", changes.visibility(), masked),
            ("entered", changes.entered(), entered),
            ("left", changes.left(), left),
        ];
        for (what, told, mut expected) in told {
            let mut told = told.to_vec();
            told.sort_unstable();
            expected.sort_unstable();
            ensure!(told == expected, "{told:?} are told to have {what}, not {expected:?}");
        }
        Ok(())
    }
}
