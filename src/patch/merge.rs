//! Merges two patches of the same state.

use crate::patch::{Entry, Field, Patch, PatchError, Spot, Value, moves::Moves};
use std::collections::btree_map::Entry::Vacant;
use std::collections::{BTreeMap, BTreeSet};

/// A field that two merged patches change in different ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The node's id.
    pub id: u64,
    /// The field.
    pub field: Field,
    /// The field's value after `ours`; `None` if `ours` does not change the field.
    pub ours: Option<Value>,
    /// The field's value after `theirs`; `None` if `theirs` does not change the field.
    pub theirs: Option<Value>,
}

#[derive(Clone, Copy)]
struct Move {
    side: usize,
    before: Option<Spot>,
    after: Option<Spot>,
}

impl Patch {
    /// Joins two patches that were made from the same state, and returns their conflicts.
    ///
    /// | the patches | result | conflict |
    /// |---|---|---|
    /// | change different fields, or a field in the same way | both changes | no |
    /// | set a field, or move or insert a node, differently | ours | yes |
    /// | one removes a node, the other changes it or nodes below it | the node stays, changed | on its place |
    /// | put nodes after the same sibling | ours, then theirs | no |
    ///
    /// If the other patch moves or removes a node's new previous sibling, the node takes the old place of that sibling.
    /// If one patch moves node A below B and the other moves B below A, applying the result may fail with
    /// [`PatchError::Cycle`]. A patch does not contain the parents of nodes that stay. Runs in **O(entries log
    /// entries)**, plus O(k²) for each run of k consecutive siblings that move.
    ///
    /// # Errors
    /// [`PatchError::State`] names a field whose values `before` differ between the patches.
    ///
    /// ```
    /// use hedgerow::patch::Patch;
    /// use hedgerow::{Node, Tree};
    ///
    /// let lamp = |node| {
    ///     let mut tree = Tree::new();
    ///     tree.push(None, node);
    ///     tree
    /// };
    /// let base = lamp(Node::material(1));
    /// let ours = Patch::between(&base, &lamp(Node::material(2)))?;
    /// let theirs = Patch::between(&base, &lamp(Node::material(3).named("lamp")))?;
    ///
    /// let (merged, conflicts) = Patch::merge(&ours, &theirs)?;
    /// assert_eq!(conflicts.len(), 1, "the material");
    /// assert_eq!(base.patched(&merged)?, lamp(Node::material(2).named("lamp")));
    /// # Ok::<(), hedgerow::patch::PatchError>(())
    /// ```
    pub fn merge(ours: &Self, theirs: &Self) -> Result<(Self, Vec<Conflict>), PatchError> {
        let sides = [ours, theirs];
        let moves = sides.map(Moves::of);
        let mut conflicts = BTreeMap::new();
        let conflict = |id, field| {
            let [ours, theirs] = sides.map(|side| side.get(id, field).map(|entry| entry.after.clone()));
            Conflict { id, field, ours, theirs }
        };
        let lost = [0, 1].map(|side| lost_removals(&moves[side], sides[1 - side], &moves[1 - side]));
        for &id in lost.iter().flatten() {
            conflicts.insert((id, Field::Place), conflict(id, Field::Place));
        }
        let (mut joined, mut kept) = (BTreeMap::<_, Entry>::new(), BTreeMap::new());
        for side in [0, 1] {
            for entry in sides[side].entries.iter().filter(|entry| !lost[side].contains(&entry.id)) {
                let key = entry.key();
                match sides[1 - side].get(key.0, key.1) {
                    Some(other) if !other.before.same(&entry.before) => {
                        return Err(PatchError::State { id: key.0, field: key.1 });
                    }
                    Some(other) if !other.after.same(&entry.after) && !lost[1 - side].contains(&entry.id) => {
                        conflicts.insert(key, conflict(key.0, key.1));
                    }
                    _ => {}
                }
                // Our side comes first, so it wins a conflict.
                if let Vacant(free) = joined.entry(key) {
                    if let (&Value::Place(before), &Value::Place(after)) = (&entry.before, &entry.after) {
                        kept.insert(entry.id, Move { side, before, after });
                    }
                    free.insert(entry.clone());
                }
            }
        }
        let places = |id, place: &Move| (id, [place.after, place.before]);
        if let Some(id) = Moves::new(kept.iter().map(|(&id, place)| places(id, place)).collect()).unsound() {
            return Err(PatchError::State { id, field: Field::Place });
        }
        for (id, spot) in stand(&moves, &kept) {
            if let Some(entry) = joined.get_mut(&(id, Field::Place)) {
                entry.after = Value::Place(Some(spot));
            }
        }
        let merged = Self::from_entries(joined.into_values().collect())?;
        Ok((merged, conflicts.into_values().collect()))
    }
}

/// Returns the nodes that one side removes although the other side changes them or puts other nodes below them.
fn lost_removals(moves: &Moves, other: &Patch, other_moves: &Moves) -> BTreeSet<u64> {
    let below = other_moves.places.values().filter_map(|&[_, after]| after?.parent);
    let changed = other.entries.iter().map(|entry| entry.id).filter(|&id| !other_moves.removes(id));
    let mut needed: Vec<u64> = below.chain(changed).collect();
    let mut lost = BTreeSet::new();
    while let Some(id) = needed.pop() {
        if moves.removes(id) && lost.insert(id) && !other_moves.places.contains_key(&id) {
            // The node stays where it was, and so does its parent.
            needed.extend(moves.places.get(&id).and_then(|&[before, _]| before?.parent));
        }
    }
    lost
}

/// Returns the spots in the merged tree of all nodes that were moved or inserted.
fn stand(moves: &[Moves; 2], kept: &BTreeMap<u64, Move>) -> Vec<(u64, Spot)> {
    let mut groups: BTreeMap<Spot, Vec<(usize, usize, u64)>> = BTreeMap::new();
    for (&id, place) in kept {
        if let Some(spot) = place.after {
            let (steps, after) = sibling(&moves[place.side], kept, spot.after);
            groups.entry(Spot { after, ..spot }).or_default().push((steps, place.side, id));
        }
    }
    for group in groups.values_mut() {
        group.sort_unstable();
    }
    let moved = |id: Option<u64>| id.is_some_and(|id| kept.contains_key(&id));
    let mut spots = Vec::new();
    for (&start, group) in groups.iter().filter(|(start, _)| !moved(start.after)) {
        let (mut at, mut ahead) = (start, group.iter().rev().copied().collect::<Vec<_>>());
        while let Some((_, _, id)) = ahead.pop() {
            spots.push((id, at));
            at.after = Some(id);
            ahead.extend(groups.get(&at).into_iter().flatten().rev());
        }
    }
    spots
}

/// Returns a node's previous sibling in the merged tree if one side puts the node after `at`, and the number of steps
/// from `at` to that sibling. The sibling is `at` itself, or an earlier sibling if the other side moves `at`.
fn sibling(own: &Moves, kept: &BTreeMap<u64, Move>, mut at: Option<u64>) -> (usize, Option<u64>) {
    let mut in_base = false;
    for steps in 0.. {
        let Some(id) = at else { return (steps, at) };
        let placed = own.places.get(&id).filter(|_| !in_base);
        at = match (placed, kept.get(&id)) {
            (Some(&[_, after]), Some(other)) if other.after == after => return (steps, at),
            (Some(&[_, after]), _) => after.and_then(|after| after.after),
            (None, None) => return (steps, at),
            (None, Some(other)) => {
                in_base = true;
                other.before.and_then(|before| before.after)
            }
        };
    }
    unreachable!("each node is behind finitely many")
}
