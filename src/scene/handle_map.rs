//! From the handles of a subtree to those of its copy.

use crate::NodeHandle;
use core::iter::FusedIterator;

/// A map from old handles to new ones: the result of copying or loading a subtree.
///
/// 16 bytes for each node. Old handles may belong to another scene, even one that no longer exists.
///
/// ```
/// use hedgerow::{Node, Scene};
///
/// let mut stock = Scene::new();
/// let car = stock.insert(stock.root(), Node::group().named("car"))?;
/// let wheel = stock.insert(car, Node::group().named("wheel"))?;
///
/// let mut town = Scene::new();
/// let map = town.duplicate_from(&stock, car, town.root())?;
/// assert_eq!(map.len(), 2);
/// assert_eq!(map.get(car), Some(map.top()));
/// assert_eq!(town.name(map.get(wheel).unwrap()), Some("wheel"));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandleMap {
    /// Pairs of old and new handles, ascending by the old.
    pairs: Vec<(NodeHandle, NodeHandle)>,
    top: NodeHandle,
}

impl HandleMap {
    /// A map of these pairs of old and new handles, of which the topmost node's comes first. `None` if there are no
    /// pairs, or if an old handle occurs twice. Runs in O(n log n), or in O(n) if the pairs ascend already, which the
    /// sort detects.
    pub(crate) fn new(mut pairs: Vec<(NodeHandle, NodeHandle)>) -> Option<Self> {
        let &(_, top) = pairs.first()?;
        pairs.sort_unstable();
        let unique = pairs.is_sorted_by(|(a, _), (b, _)| a < b);
        unique.then_some(Self { pairs, top })
    }

    /// The new handle of a node. Runs in **O(log nodes)**.
    #[must_use]
    pub fn get(&self, old: NodeHandle) -> Option<NodeHandle> {
        let place = self.pairs.binary_search_by_key(&old, |&(old, _)| old).ok()?;
        Some(self.pairs[place].1)
    }

    /// The new handle of the subtree's topmost node.
    #[must_use]
    pub fn top(&self) -> NodeHandle {
        self.top
    }

    /// How many nodes the subtree has.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a subtree has a topmost node and so is never empty")]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Old and new handles, in ascending order of the old ones.
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (NodeHandle, NodeHandle)> + ExactSizeIterator + FusedIterator + '_ {
        self.pairs.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::RecordId;

    #[test]
    fn an_old_handle_stands_for_one_new_one() {
        let handle = |record| NodeHandle::of_record(RecordId::from_number(record), 1);
        let map = HandleMap::new(vec![(handle(7), handle(1)), (handle(3), handle(2))]).unwrap();
        assert_eq!((map.top(), map.len()), (handle(1), 2));
        assert_eq!(
            [map.get(handle(3)), map.get(handle(7)), map.get(handle(1))],
            [Some(handle(2)), Some(handle(1)), None]
        );
        assert!(map.iter().eq([(handle(3), handle(2)), (handle(7), handle(1))]));
        assert_eq!(HandleMap::new(vec![(handle(7), handle(1)), (handle(7), handle(2))]), None);
        assert_eq!(HandleMap::new(Vec::new()), None);
    }
}
