//! The moves of a patch: the spots of nodes before and after.

use crate::patch::{Patch, Spot, Value};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The nodes that a patch moves, inserts or removes.
pub(super) struct Moves {
    /// The spots before and after, by the id of the node.
    pub(super) places: BTreeMap<u64, [Option<Spot>; 2]>,
    /// The node at each spot after the moves.
    pub(super) followers: HashMap<Spot, u64>,
}

impl Moves {
    pub(super) fn of(patch: &Patch) -> Self {
        let places = patch.entries().iter().filter_map(|entry| match (&entry.before, &entry.after) {
            (Value::Place(before), Value::Place(after)) => Some((entry.id, [*before, *after])),
            _ => None,
        });
        Self::new(places.collect())
    }

    pub(super) fn new(places: BTreeMap<u64, [Option<Spot>; 2]>) -> Self {
        let followers = places.iter().filter_map(|(&id, &[_, after])| Some((after?, id))).collect();
        Self { places, followers }
    }

    pub(super) fn inverse(&self) -> Self {
        Self::new(self.places.iter().map(|(&id, &[before, after])| (id, [after, before])).collect())
    }

    /// Returns the spot that a node has after the moves, if the node itself is not moved.
    ///
    /// Goes back to the nearest previous sibling that stays, then forward past the nodes that are moved there.
    pub(super) fn carry(&self, mut spot: Spot) -> Spot {
        while let Some([Some(before), _]) = spot.after.and_then(|id| self.places.get(&id)) {
            spot.after = before.after;
        }
        while let Some(&follower) = self.followers.get(&spot) {
            spot.after = Some(follower);
        }
        spot
    }

    pub(super) fn removes(&self, id: u64) -> bool {
        matches!(self.places.get(&id), Some([_, None]))
    }

    /// Returns a node whose spot after the moves is impossible: another node has the spot, or the previous siblings
    /// form a cycle. Or its parent is the node itself or is removed, or its previous sibling is elsewhere.
    pub(super) fn unsound(&self) -> Option<u64> {
        let mut seen: HashSet<u64> = HashSet::new();
        for (&id, &[_, after]) in &self.places {
            let Some(spot) = after else { continue };
            // Siblings that stay are checked against the scene when the patch is applied.
            let behind = spot.after.and_then(|other| self.places.get(&other));
            let beside = behind.is_none_or(|[_, other]| other.is_some_and(|other| other.parent == spot.parent));
            let parent = spot.parent.is_none_or(|parent| parent != id && !self.removes(parent));
            if self.followers.get(&spot) != Some(&id) || !beside || !parent {
                return Some(id);
            }
            // Follows the chain of previous siblings to its start, or to a node whose chain was checked.
            let (mut at, mut chain) = (Some(id), HashSet::new());
            while let Some(next) = at.filter(|next| !seen.contains(next)) {
                if !chain.insert(next) {
                    return Some(id);
                }
                at = self.places.get(&next).and_then(|&[_, after]| after?.after);
            }
            seen.extend(chain);
        }
        None
    }
}
