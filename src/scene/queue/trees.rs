//! Queued edits that insert whole trees.

use super::edit::{Edit, Tickets};
use super::{EditQueue, QueuedPlace};
use crate::handle::Queued;
use crate::{NodeHandle, Tree};

impl EditQueue {
    /// Records [`Scene::insert_tree`](crate::Scene::insert_tree), and returns the ticket with which later edits refer to
    /// the first node of the tree. [`inserted_tree`](Self::inserted_tree) gives all nodes after the edits were applied.
    ///
    /// The tree goes into the queue, so that it can be filled on another thread. If it is refused, the result says why,
    /// but not for which of its nodes.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Tree, edit::EditQueue};
    ///
    /// let mut tree = Tree::new();
    /// let car = tree.push(None, Node::group().named("car"));
    /// let wheel = tree.push(Some(car), Node::group());
    ///
    /// let mut scene = Scene::new();
    /// let mut queue = EditQueue::new();
    /// let ticket = queue.insert_tree(scene.root(), tree);
    /// queue.apply(&mut scene);
    /// let nodes = queue.inserted_tree(ticket).unwrap();
    /// assert_eq!(scene.parent(nodes[wheel]), Some(nodes[car]));
    /// assert_eq!(queue.inserted(ticket), Some(nodes[car]));
    /// ```
    pub fn insert_tree(&mut self, place: impl Into<QueuedPlace>, tree: Tree) -> Queued {
        let ticket = self.issue();
        self.edits.push(Edit::InsertTree(place.into()));
        self.trees.push(tree);
        ticket
    }

    /// The nodes that this ticket's [`insert_tree`](Self::insert_tree) made, by their numbers in the tree. `None` as
    /// with [`inserted`](Self::inserted), and for a ticket of another edit.
    #[must_use]
    pub fn inserted_tree(&self, ticket: Queued) -> Option<&[NodeHandle]> {
        let edit = Tickets { rounds: &self.applied, results: &self.results }.edit(ticket)?;
        let place = self.made.binary_search_by_key(&edit, |&(edit, _)| edit).ok()?;
        Some(&self.made[place].1)
    }
}
