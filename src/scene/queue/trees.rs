//! Queued edits that make whole subtrees.

use super::edit::{Edit, Tickets};
use super::{EditQueue, QueuedPlace, Target};
use crate::NodeHandle;
use crate::handle::Queued;
use crate::scene::{HandleMap, SceneBuilder};

/// The nodes of a subtree that a queued edit made.
#[derive(Clone, Debug)]
pub(super) enum Made {
    Copy(HandleMap),
    /// By their numbers in the builder.
    Tree(Vec<NodeHandle>),
}

impl EditQueue {
    /// Records [`Scene::duplicate`](crate::Scene::duplicate), and returns the ticket with which later edits refer to
    /// the topmost node of the copy.
    ///
    /// The subtree is copied as it is when the edit is applied. [`duplicated`](Self::duplicated) gives all nodes then.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, edit::EditQueue};
    ///
    /// let mut scene = Scene::new();
    /// let lamp = scene.insert(scene.root(), Node::group().named("lamp"))?;
    /// let bulb = scene.insert(lamp, Node::material(3))?;
    ///
    /// let mut queue = EditQueue::new();
    /// let copy = queue.duplicate(lamp, scene.root());
    /// queue.set_name(copy, Some("second lamp"));
    /// queue.apply(&mut scene);
    /// let copied = queue.duplicated(copy).unwrap();
    /// assert_eq!(scene.name(copied.top()), Some("second lamp"));
    /// assert_eq!(scene.own_material(copied.get(bulb).unwrap()), Some(3));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn duplicate(&mut self, node: impl Into<Target>, place: impl Into<QueuedPlace>) -> Queued {
        let ticket = self.issue();
        self.edits.push(Edit::Duplicate(node.into(), place.into()));
        ticket
    }

    /// Records [`SceneBuilder::insert_into`], and returns the ticket with which later edits refer to the root of the
    /// tree. [`built`](Self::built) gives all nodes after the edits were applied.
    ///
    /// The list goes into the queue, so that it can be filled on another thread. If it is refused, the result says why,
    /// but not for which of its nodes.
    ///
    /// ```
    /// use hedgerow::edit::{EditQueue, SceneBuilder};
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut tree = SceneBuilder::new();
    /// let car = tree.push(None, Node::group().named("car"));
    /// let wheel = tree.push(Some(car), Node::group());
    ///
    /// let mut scene = Scene::new();
    /// let mut queue = EditQueue::new();
    /// let ticket = queue.insert_tree(scene.root(), tree);
    /// queue.apply(&mut scene);
    /// let nodes = queue.built(ticket).unwrap();
    /// assert_eq!(scene.parent(nodes[wheel]), Some(nodes[car]));
    /// assert_eq!(queue.inserted(ticket), Some(nodes[car]));
    /// ```
    pub fn insert_tree(&mut self, place: impl Into<QueuedPlace>, tree: SceneBuilder) -> Queued {
        let ticket = self.issue();
        self.edits.push(Edit::InsertTree(place.into()));
        self.trees.push(tree);
        ticket
    }

    /// The nodes that this ticket's [`duplicate`](Self::duplicate) copied, and their copies. `None` as with
    /// [`inserted`](Self::inserted), and for a ticket of another edit.
    #[must_use]
    pub fn duplicated(&self, ticket: Queued) -> Option<&HandleMap> {
        match self.made_by(ticket)? {
            Made::Copy(map) => Some(map),
            Made::Tree(_) => None,
        }
    }

    /// The nodes that this ticket's [`insert_tree`](Self::insert_tree) made, by their numbers in the builder. `None` as
    /// with [`inserted`](Self::inserted), and for a ticket of another edit.
    #[must_use]
    pub fn built(&self, ticket: Queued) -> Option<&[NodeHandle]> {
        match self.made_by(ticket)? {
            Made::Tree(nodes) => Some(nodes),
            Made::Copy(_) => None,
        }
    }

    fn made_by(&self, ticket: Queued) -> Option<&Made> {
        let edit = Tickets { rounds: &self.applied, results: &self.results }.edit(ticket)?;
        let place = self.made.binary_search_by_key(&edit, |&(edit, _)| edit).ok()?;
        Some(&self.made[place].1)
    }
}
