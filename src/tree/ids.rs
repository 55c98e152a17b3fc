//! Ids of nodes, which stay the same when numbers change.

use crate::tree::Tree;
use crate::{Error, Node};
use std::collections::HashMap;

/// The ids of a tree's nodes. Nothing is stored as long as each id, including the next id, is the number of its node.
#[derive(Clone, Debug, Default)]
pub(super) struct Ids {
    /// The ids by node number; empty while nothing is stored.
    list: Vec<u64>,
    numbers: HashMap<u64, usize>,
    /// Greater than every id in the list; 0 while nothing is stored.
    next: u64,
}

impl Ids {
    /// Returns whether each id, including the next id, is the number of its node.
    pub(super) fn are_numbers(&self) -> bool {
        self.next == 0
    }

    /// Returns the ids by node number, and the next id; an empty list and 0 if each id is the number of its node.
    pub(super) fn stored(&self) -> (&[u64], u64) {
        if self.list.iter().copied().eq(0..self.next) { (&[], 0) } else { (&self.list, self.next) }
    }

    /// Raises the next id to at least `next`, in a tree of `count` nodes.
    pub(super) fn begin_at(&mut self, count: usize, next: u64) {
        if next > count as u64 {
            if self.are_numbers() {
                self.store(count);
            }
            self.next = self.next.max(next);
        }
    }

    /// Stores the numbers of the first `count` nodes as their ids.
    fn store(&mut self, count: usize) {
        self.list.extend(0..count as u64);
        self.numbers.extend((0..count).map(|number| (number as u64, number)));
        self.next = count as u64;
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Gives an id to the next node. Returns false if another node has the id, or if the id is `u64::MAX`.
    pub(super) fn push(&mut self, number: usize, id: u64) -> bool {
        if self.are_numbers() {
            // As long as ids are numbers, nothing is stored.
            if id == number as u64 {
                return true;
            }
            self.store(number);
        }
        self.list.push(id);
        self.next = self.next.max(id.saturating_add(1));
        id != u64::MAX && *self.numbers.entry(id).or_insert(number) == number
    }
}

impl Tree {
    /// Appends a node as [`push`](Self::push) does, but with the given id.
    ///
    /// If another node has the id, or if the id is `u64::MAX`, inserting the tree fails. Runs in amortised **O(1)**.
    /// The first id that is not its node's number takes **O(nodes)**; from then on, each node takes 30 more bytes.
    ///
    /// ```
    /// use hedgerow::{Node, Tree};
    ///
    /// let mut tree = Tree::new();
    /// let car = tree.push_with_id(None, Node::group().named("car"), 70);
    /// let wheel = tree.push(Some(car), Node::group());
    /// assert_eq!([tree.id(car), tree.id(wheel)], [Some(70), Some(71)]);
    /// assert_eq!(tree.index_of(71), Some(wheel));
    /// ```
    ///
    /// # Panics
    /// Panics if the name is 4 GiB or longer.
    pub fn push_with_id(&mut self, parent: Option<usize>, node: Node<'_>, id: u64) -> usize {
        let number = self.push_node(parent, node);
        if !self.ids.push(number, id) {
            self.fault.get_or_insert((number, Error::InvalidId(id)));
        }
        number
    }

    /// Returns the id of the node with this number; a [`Patch`](crate::patch::Patch) refers to nodes by id. `None` if
    /// there is no such node. Runs in **O(1)**.
    #[must_use]
    pub fn id(&self, index: usize) -> Option<u64> {
        if self.ids.are_numbers() {
            (index < self.len()).then_some(index as u64)
        } else {
            self.ids.list.get(index).copied()
        }
    }

    /// Returns the number of the node with an id. Runs in **O(1)**.
    #[must_use]
    pub fn index_of(&self, id: u64) -> Option<usize> {
        if self.ids.are_numbers() {
            usize::try_from(id).ok().filter(|&number| number < self.len())
        } else {
            self.ids.numbers.get(&id).copied()
        }
    }

    /// Returns the id that [`push`](Self::push) gives next, which is greater than every id in the tree. Bytes and the
    /// trees of an [`Instance`](crate::patch::Instance) keep the next id, so ids of removed nodes are not given again.
    #[must_use]
    pub fn next_id(&self) -> u64 {
        if self.ids.are_numbers() { self.len() as u64 } else { self.ids.next }
    }

    /// Raises the next id to at least `next`.
    pub(crate) fn begin_ids_at(&mut self, next: u64) {
        self.ids.begin_at(self.len(), next);
    }
}
