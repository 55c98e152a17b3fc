//! How two trees differ.

use crate::edit::BatchError;
use crate::patch::{Entry, Patch, PatchError, Spot, Value};
use crate::{Node, Tree};
use std::collections::{BTreeSet, HashMap};

impl Patch {
    /// Returns the patch from `old` to `new`. Nodes with the same id are the same node.
    ///
    /// Values are compared to the bit. If siblings changed their order, as few of them as possible move. Runs in
    /// **O(nodes log nodes)**.
    ///
    /// # Errors
    /// [`PatchError::Tree`] for a tree that a scene would refuse.
    ///
    /// ```
    /// use hedgerow::patch::{Patch, Spot, Value};
    /// use hedgerow::{Node, Tree};
    ///
    /// let (mut old, mut new) = (Tree::new(), Tree::new());
    /// for id in [1, 2, 3, 4] {
    ///     old.push_with_id(None, Node::group(), id);
    /// }
    /// for id in [2, 3, 1, 4] {
    ///     new.push_with_id(None, Node::group(), id);
    /// }
    /// let patch = Patch::between(&old, &new)?;
    /// assert_eq!(patch.entries().len(), 1, "the first node moves");
    /// assert_eq!(patch.entries()[0].after, Value::Place(Some(Spot { parent: None, after: Some(3) })));
    /// # Ok::<(), hedgerow::patch::PatchError>(())
    /// ```
    pub fn between(old: &Tree, new: &Tree) -> Result<Self, PatchError> {
        for tree in [old, new] {
            if let Some((item, error)) = tree.fault {
                return Err(PatchError::Tree(BatchError::at(item, error)));
            }
        }
        let spots = [old, new].map(spots);
        let stay = staying(&spots);
        let mut entries = Vec::new();
        let ids: BTreeSet<u64> = spots.iter().flatten().map(|&(id, _)| id).collect();
        for id in ids {
            let numbers = [old.index_of(id), new.index_of(id)];
            if !stay.contains(&id) {
                let [before, after] = [0, 1].map(|at| Value::Place(numbers[at].map(|number| spots[at][number].1)));
                entries.push(Entry { id, before, after });
            }
            let [before, after] = [(old, numbers[0]), (new, numbers[1])]
                .map(|(tree, number)| number.and_then(|number| tree.get(number)).unwrap_or(Node::group()));
            push_components(&mut entries, id, &before, &after);
        }
        Ok(Self { entries })
    }
}

/// Appends the components in which two descriptions of a node differ.
pub(super) fn push_components(entries: &mut Vec<Entry>, id: u64, before: &Node<'_>, after: &Node<'_>) {
    let both = Value::components(before).zip(Value::components(after));
    entries.extend(both.filter(|(before, after)| !before.same(after)).map(|(before, after)| Entry {
        id,
        before,
        after,
    }));
}

/// Returns the id and the spot of each node, indexed by number.
fn spots(tree: &Tree) -> Vec<(u64, Spot)> {
    let id = |number: usize| tree.id(number).expect("each node has an id");
    let mut last = HashMap::new();
    (0..tree.len())
        .map(|number| {
            let parent = tree.parent(number).map(id);
            let after = last.insert(parent, id(number));
            (id(number), Spot { parent, after })
        })
        .collect()
}

/// Returns the nodes that need not move: for each parent, a longest list of old children whose order is unchanged.
fn staying([old, new]: &[Vec<(u64, Spot)>; 2]) -> BTreeSet<u64> {
    let before: HashMap<u64, (usize, Option<u64>)> =
        old.iter().enumerate().map(|(rank, &(id, spot))| (id, (rank, spot.parent))).collect();
    let mut lists: HashMap<Option<u64>, Vec<(usize, u64)>> = HashMap::new();
    for &(id, spot) in new {
        if let Some(&(rank, parent)) = before.get(&id)
            && parent == spot.parent
        {
            lists.entry(parent).or_default().push((rank, id));
        }
    }
    lists.values().flat_map(|list| longest_ascending(list)).collect()
}

/// Returns the ids of a longest subsequence with ascending ranks, by patience sorting.
fn longest_ascending(list: &[(usize, u64)]) -> Vec<u64> {
    // `ends` has the least last element of all subsequences of each length; `previous` has all predecessors.
    let (mut ends, mut previous) = (Vec::<usize>::new(), vec![None; list.len()]);
    for (at, &(rank, _)) in list.iter().enumerate() {
        // Patience sorting: O(n log n).
        let length = ends.partition_point(|&end| list[end].0 < rank);
        previous[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        if length == ends.len() { ends.push(at) } else { ends[length] = at }
    }
    core::iter::successors(ends.last().copied(), |&at| previous[at]).map(|at| list[at].1).collect()
}
