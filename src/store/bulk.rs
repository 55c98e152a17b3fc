//! Inserting many nodes in depth-first order, so that their records, and later their rows, are in this order.

use crate::store::links::Position;
use crate::store::nodes::Nodes;
use crate::{Error, Node, NodeHandle};

impl Nodes {
    /// Inserts nodes in depth-first order. Each node comes with the index of its parent in the list; nodes without a
    /// parent go to the position `at`, one after the other. Returns the handles in the same order.
    ///
    /// # Errors
    /// [`Error::CapacityOverflow`] if there is no room for all nodes; then none is inserted.
    pub(crate) fn insert_tree<'n>(
        &mut self,
        at: Position,
        nodes: impl ExactSizeIterator<Item = (Option<usize>, Node<'n>)>,
    ) -> Result<Vec<NodeHandle>, Error> {
        debug_assert!(self.check_room(nodes.len()).is_ok());
        let mut handles: Vec<NodeHandle> = Vec::with_capacity(nodes.len());
        for (parent, node) in nodes {
            let at = parent.map_or(at, |parent| Position::last_of(handles[parent].record()));
            handles.push(self.insert(at, &node)?);
        }
        Ok(handles)
    }

    /// Checks that there are records for this many nodes.
    ///
    /// # Errors
    /// [`Error::CapacityOverflow`].
    pub(crate) fn check_room(&self, nodes: usize) -> Result<(), Error> {
        if nodes <= self.pages.room() { Ok(()) } else { Err(Error::CapacityOverflow) }
    }

    /// Makes room for this many nodes.
    ///
    /// # Errors
    /// [`Error::CapacityOverflow`], [`Error::AllocationFailed`].
    pub(crate) fn try_reserve(&mut self, nodes: usize) -> Result<(), Error> {
        self.check_room(nodes)?;
        let Self { pages, inbox, .. } = self;
        let reserved = pages.try_reserve(nodes).and_then(|()| inbox.waiting.try_reserve(nodes));
        reserved.map_err(|_| Error::AllocationFailed)
    }
}
