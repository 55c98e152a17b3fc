//! The change feed compared with the state of the model after the previous update.

use super::Check;
use super::compare::same_bits;
use super::oracle::Oracle;
use super::tree::Mask;
use hedgerow::changes::ChangeReader;
use hedgerow::{Error, Mat34, NodeHandle, Scene};
use std::collections::{BTreeMap, BTreeSet};

/// The state after an update: the world matrix of each node, and its mask if it is known.
pub struct Seen {
    nodes: BTreeMap<NodeHandle, (Mat34, Option<u32>)>,
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
        let state = |node| Some((node, (*scene.world(node)?, Some(scene.get(node)?.layers().mask()))));
        Self {
            nodes: scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).filter_map(state).collect(),
            ..Self::new(scene)
        }
    }
}

impl Oracle {
    /// Updates, and follows what is reported of single nodes, without a walk.
    pub fn update(&mut self) -> Check {
        self.scene.update();
        self.follow()
    }

    /// Follows what the last update reported of single nodes.
    pub fn follow(&mut self) -> Check {
        let Self { scene, seen: Seen { nodes, changes }, .. } = self;
        self.still = true;
        if !scene.config().changes {
            return Ok(());
        }
        let told = scene.changes(changes).map_err(|error| super::Mismatch(error.to_string()))?;
        ensure!(!told.is_whole(), "a reader of every update gets what changed");
        for node in told.left() {
            ensure!(nodes.remove(node).is_some(), "{node:?} has left, and was not there");
        }
        // A mask is found by walking up, which takes long in a deep tree.
        let state = |node: NodeHandle| scene.world(node).map(|&world| (world, None));
        for &node in told.entered() {
            let Some(state) = state(node) else { continue };
            ensure!(nodes.insert(node, state).is_none(), "{node:?} has entered, and was there");
        }
        for &node in told.moved().iter().chain(told.visibility()) {
            let (Some(state), Some(known)) = (state(node), nodes.get_mut(&node)) else {
                return Err(super::Mismatch(format!("{node:?} has changed, and was not there")));
            };
            let (before, _) = core::mem::replace(known, state);
            let previous = scene.get(node).and_then(|node| node.previous_world());
            let same = previous.is_some_and(|previous| same_bits(previous, &before) || same_bits(&before, &state.0));
            ensure!(same, "{node:?} was at {before:?}, not at {previous:?}");
        }
        Ok(())
    }

    /// Compares everything that the last update reported.
    pub fn compare_feed(&mut self) -> Check {
        if !self.scene.config().changes {
            let told = self.scene.changes(&mut self.seen.changes);
            ensure!(matches!(told, Err(Error::NoChanges)), "changes are told where they are not to be");
            return Ok(());
        }
        let gone = self.tree.gone().iter().copied();
        let back: BTreeSet<NodeHandle> = gone.filter(|&node| self.tree.find(node).is_some()).collect();
        self.compare_changes(&back)?;
        // Sometimes a second update follows, which has nothing to do.
        if self.counts.steps.is_multiple_of(3) {
            self.scene.update();
            self.compare_changes(&BTreeSet::new())?;
            self.compare_motion()?;
        }
        Ok(())
    }

    /// `back` has nodes that were removed, and brought back by a restore: all kinds are reported for them.
    fn compare_changes(&mut self, back: &BTreeSet<NodeHandle>) -> Check {
        let (mut moved, mut masked, mut entered) = (Vec::new(), Vec::new(), Vec::new());
        let mut now = BTreeMap::new();
        let mut masks: Vec<Mask> = Vec::with_capacity(self.attached);
        for next in &self.met[..self.attached] {
            let handle = self.tree.handle(next.index);
            let above = masks.get(next.parent).copied().unwrap_or(Mask::ALL);
            masks.push(above.below(self.tree.at(next.index)));
            let mask = masks[masks.len() - 1].layers();
            let Some(&world) = self.scene.world(handle) else {
                return Err(super::Mismatch(format!("{handle:?} has no world")));
            };
            now.insert(handle, (world, Some(mask)));
            let previous = self.scene.get(handle).and_then(|node| node.previous_world()).copied();
            let before = self.seen.nodes.remove(&handle);
            let is_back = back.contains(&handle);
            let expected = before.filter(|_| !is_back).map_or(world, |(world, _)| world);
            let same = previous.is_some_and(|previous| same_bits(&previous, &expected));
            ensure!(same, "the previous world of {handle:?} is {previous:?}, not {expected:?}");
            match before {
                None => entered.push(handle),
                Some((old_world, old_mask)) => {
                    moved.extend((is_back || !same_bits(&old_world, &world)).then_some(handle));
                    masked.extend((is_back || old_mask.is_some_and(|old_mask| old_mask != mask)).then_some(handle));
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
