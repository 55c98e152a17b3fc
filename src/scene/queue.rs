//! Edits recorded now and applied later, in order.

mod edit;
mod whole;

use crate::handle::Queued;
use crate::unique::unique_number;
use crate::{Error, Node, NodeHandle, Place, Scene, Tree, node::LocalForm};
use core::num::NonZeroU64;
use edit::Applied;
pub use edit::Edit;

/// Edits that are recorded during a visit or on other threads, and applied in order afterwards.
///
/// A queue owns its data and borrows no scene. So edits can be recorded while a visit holds the scene, and each thread
/// can fill its own queue. [`push`](Self::push) records an [`Edit`]. [`insert`](Self::insert) and
/// [`insert_tree`](Self::insert_tree) record inserts, and return tickets for the new nodes.
///
/// Recording takes amortised **O(1)** and checks nothing. [`apply`](Self::apply) makes the edits one after another,
/// with the same results as direct calls. An edit that fails does not stop the others. [`apply_all`](Self::apply_all)
/// reverts all edits if one fails. Queues keep their memory, so a queue that is reused every frame allocates nothing in
/// the steady state. The exceptions are trees, names, descriptions with more than a transform and a material, and
/// `apply_all`. An edit takes at most 96 bytes, plus what it owns.
///
/// A queue belongs to no scene until it is applied. Only then is each handle checked; the result is
/// [`Error::StaleHandle`] if the scene has no node with this handle.
///
/// An edit refers to nodes by [`Target`]s: a handle, or the [`Queued`] ticket of an insert that was recorded earlier.
///
/// Recorded in a visit:
///
/// ```
/// use hedgerow::{Node, NodeRef, Scene, Transform, edit::{Edit, EditQueue, Outcome}, visit::{Flow, Visitor}};
///
/// /// Gives a lamp to every node that is called "post", and removes the litter.
/// struct Tidy(EditQueue);
///
/// impl Visitor for Tidy {
///     fn enter(&mut self, node: &NodeRef<'_>) -> Flow {
///         match node.name() {
///             Some("post") => {
///                 let arm = self.0.insert(node.handle(), Node::transform(Transform::from_xyz(0.0, 4.0, 0.0)));
///                 self.0.insert(arm, Node::group().with_name("lamp"));
///             }
///             Some("litter") => self.0.push(Edit::remove(node.handle())),
///             _ => {}
///         }
///         Flow::Continue
///     }
/// }
///
/// let mut scene = Scene::new();
/// let root = scene.root();
/// let post = scene.insert(root, Node::group().with_name("post"))?;
/// scene.insert(post, Node::group().with_name("litter"))?;
///
/// let mut tidy = Tidy(EditQueue::new());
/// scene.visit(root, &mut tidy);
/// let results = tidy.0.apply(&mut scene);
/// assert_eq!(results.len(), 3);
/// assert_eq!(results[2], Ok(Outcome::Removed(1)));
/// assert_eq!(scene.get(post).unwrap().descendants().count(), 3);
/// # Ok::<(), hedgerow::Error>(())
/// ```
///
/// Edits are recorded on two threads, and joined in an order that does not depend on the threads' speed:
///
/// ```
/// use hedgerow::{Node, NodeHandle, Scene, Transform, edit::{Edit, EditQueue}};
/// use std::thread;
///
/// let mut scene = Scene::new();
/// let cars: Vec<NodeHandle> = (0..100)
///     .map(|_| scene.insert(scene.root(), Node::transform(Transform::IDENTITY)))
///     .collect::<Result<_, _>>()?;
///
/// let mut queues = [EditQueue::new(), EditQueue::new()];
/// thread::scope(|threads| {
///     for (queue, cars) in queues.iter_mut().zip(cars.chunks(50)) {
///         threads.spawn(move || {
///             for &car in cars {
///                 queue.push(Edit::set_local(car, Transform::from_xyz(13.9, 0.0, 0.0)));
///             }
///         });
///     }
/// });
///
/// let mut all = EditQueue::new();
/// for queue in &mut queues {
///     all.append(queue);
/// }
/// assert!(all.apply(&mut scene).iter().all(Result::is_ok));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct EditQueue {
    edits: Vec<Edit>,
    /// The round of the tickets that this queue is issuing now.
    round: Option<Round>,
    /// The rounds of queues appended to this one.
    rounds: Vec<Round>,
    applied: Applied,
}

/// The node of a queued edit: a node in the scene, or the node of a queued insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A node in the scene.
    Handle(NodeHandle),
    /// The node that this insert will add.
    Queued(Queued),
}

/// A [`Place`] for a queued edit. A place relative to handles or to tickets converts to it, as does a plain handle or
/// ticket.
pub type QueuedPlace = Place<Target>;

/// The result of a queued edit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The node was inserted with this handle.
    Inserted(NodeHandle),
    /// The tree was inserted. The handle is that of its first node, if any: [`EditQueue::inserted_tree`] returns all.
    InsertedTree(Option<NodeHandle>),
    /// This many nodes were removed.
    Removed(usize),
    /// The node was moved or detached, and its local transform, if any, has this form: see [`Scene::reparent`].
    Moved(Option<LocalForm>),
    /// The components were changed.
    Changed,
}

/// The tickets that one queue issued between two applications, and where its edits start in this queue.
#[derive(Clone, Copy, Debug)]
struct Round {
    id: NonZeroU64,
    first_edit: usize,
}

impl Round {
    /// Creates a round with a number that no other queue in this process has.
    fn starting_at(first_edit: usize) -> Self {
        Self { id: unique_number(), first_edit }
    }
}

impl EditQueue {
    /// Creates an empty queue. Allocates nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of recorded edits that are not yet applied, which is the index of the next edit's result.
    #[must_use]
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Returns whether there are no edits to apply.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Records an edit of a node.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform, edit::{Change, Edit, EditQueue}};
    ///
    /// let mut scene = Scene::new();
    /// let mut queue = EditQueue::new();
    /// let lamp = queue.insert(scene.root(), Node::group());
    /// queue.push(Edit::set_local(lamp, Transform::from_xyz(0.0, 4.0, 0.0)));
    /// queue.push(Edit::change(lamp, Change::Material(Some(3))));
    /// assert!(queue.apply(&mut scene).iter().all(Result::is_ok));
    /// let lamp = scene.get(queue.inserted(lamp).unwrap()).unwrap();
    /// assert_eq!(lamp.to_node(), Node::transform(Transform::from_xyz(0.0, 4.0, 0.0)).with_material(3));
    /// ```
    #[inline]
    pub fn push(&mut self, edit: Edit) {
        self.edits.push(edit);
    }

    /// Records [`Scene::insert`], and returns the ticket with which later edits refer to the node.
    pub fn insert(&mut self, place: impl Into<QueuedPlace>, node: Node<'_>) -> Queued {
        self.issue(Edit::insert(place, node))
    }

    /// Records [`Scene::insert_tree`], and returns the ticket with which later edits refer to the first node of the
    /// tree. [`inserted_tree`](Self::inserted_tree) returns all nodes after the edits were applied.
    ///
    /// The queue takes ownership of the tree, so you can record this on another thread. If the insert fails, the result
    /// does not say which node was invalid.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Tree, edit::EditQueue};
    ///
    /// let mut tree = Tree::new();
    /// let car = tree.push(None, Node::group().with_name("car"));
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
        self.issue(Edit::InsertTree(place.into(), Box::new(tree)))
    }

    /// Records an insert, and returns the ticket for its node.
    fn issue(&mut self, insert: Edit) -> Queued {
        let edit = self.edits.len();
        self.edits.push(insert);
        // Tickets count from the first one, so that they hold when another queue is put before.
        let round = *self.round.get_or_insert_with(|| Round::starting_at(edit));
        Queued { round: round.id, edit: edit - round.first_edit }
    }

    /// Moves all edits of another queue to the end of this one. The other queue is then empty and keeps its memory.
    ///
    /// Tickets of both queues stay valid. Tickets of `other`, and of queues that were appended to `other`, now refer to
    /// edits in this queue. Runs in **O(edits of `other`)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, edit::{Edit, EditQueue}};
    ///
    /// let mut scene = Scene::new();
    /// let (mut first, mut second) = (EditQueue::new(), EditQueue::new());
    /// let street = first.insert(scene.root(), Node::group().with_name("street"));
    /// let house = second.insert(street, Node::group().with_name("house"));
    /// first.append(&mut second);
    /// first.push(Edit::change(house, Node::group().with_name("town hall")));
    /// assert!(first.apply(&mut scene).iter().all(Result::is_ok));
    /// let found = scene.get(scene.root()).unwrap().find("street/town hall");
    /// assert_eq!(found.map(|node| node.handle()), first.inserted(house));
    /// ```
    pub fn append(&mut self, other: &mut Self) {
        // Tickets of the other queue stay valid: its rounds begin that much later.
        let shift = self.edits.len();
        let rounds = other.rounds.drain(..).chain(other.round.take());
        self.rounds.extend(rounds.map(|round| Round { first_edit: round.first_edit + shift, ..round }));
        self.edits.append(&mut other.edits);
    }

    /// Drops all edits that were not applied yet, and their tickets. Keeps the memory.
    pub fn clear(&mut self) {
        self.edits.clear();
        self.rounds.clear();
        self.round = None;
    }

    /// Applies all recorded edits in order, and returns their results in the same order. The queue is empty afterwards.
    ///
    /// An edit that fails changes nothing, and the edits after it are still applied. The results stay in the queue
    /// until the next call. Takes as long as the edits, plus **O(log queues appended)** for each ticket. While an edit
    /// is applied, the memory that the next edits will read is prefetched.
    ///
    /// ```
    /// use hedgerow::{Error, Node, Scene, edit::{Change, Edit, EditQueue, Outcome}};
    ///
    /// let mut scene = Scene::new();
    /// let root = scene.root();
    /// let mut queue = EditQueue::new();
    /// queue.push(Edit::remove(root));
    /// let house = queue.insert(root, Node::group());
    /// queue.push(Edit::change(house, Change::Material(Some(3))));
    ///
    /// let results = queue.apply(&mut scene);
    /// assert_eq!(results[0], Err(Error::RootIsFixed));
    /// assert_eq!(results[2], Ok(Outcome::Changed));
    /// let house = queue.inserted(house).expect("the root takes children");
    /// assert_eq!(scene.get(house).unwrap().own_material(), Some(3));
    /// ```
    pub fn apply(&mut self, scene: &mut Scene) -> &[Result<Outcome, Error>] {
        self.begin();
        self.rounds.clear();
        self.round = None;
        // Taken out, so that none is applied twice if a panic is caught.
        let mut edits = core::mem::take(&mut self.edits);
        for (at, edit) in edits.iter().enumerate() {
            if let Some(ahead) = edits.get(at + AHEAD).and_then(Edit::handle) {
                scene.store.nodes.prefetch(ahead.record());
            }
            // An error does not stop the queue; edits that refer to what failed get its error.
            let result = edit.apply(scene, &mut self.applied);
            self.applied.results.push(result);
        }
        edits.clear();
        self.edits = edits;
        &self.applied.results
    }

    /// Drops the last results, and sorts the rounds of the edits to apply.
    fn begin(&mut self) {
        self.applied.clear();
        self.applied.rounds.extend(self.rounds.iter().copied().chain(self.round));
        // Ids are unique over all queues, so a ticket finds its round by one search.
        self.applied.rounds.sort_unstable_by_key(|round| round.id);
    }

    /// Returns the handle of the node that this ticket's insert added, or of the first node of an inserted tree. `None`
    /// if the insert failed or was not part of the last [`apply`](Self::apply). Runs in **O(log queues appended)**.
    #[must_use]
    pub fn inserted(&self, ticket: Queued) -> Option<NodeHandle> {
        self.applied.node(ticket.into()).ok()
    }

    /// Returns the nodes that this ticket's [`insert_tree`](Self::insert_tree) added, by their numbers in the tree.
    /// `None` in the same cases as [`inserted`](Self::inserted), and for a ticket of another kind of edit.
    #[must_use]
    pub fn inserted_tree(&self, ticket: Queued) -> Option<&[NodeHandle]> {
        self.applied.tree(ticket)
    }
}

/// The distance, in edits, at which a node's record is prefetched.
const AHEAD: usize = 12;

impl From<NodeHandle> for Target {
    fn from(node: NodeHandle) -> Self {
        Self::Handle(node)
    }
}

impl From<Queued> for Target {
    fn from(ticket: Queued) -> Self {
        Self::Queued(ticket)
    }
}

impl<T: Into<Target>> From<T> for QueuedPlace {
    fn from(parent: T) -> Self {
        Self::LastChildOf(parent.into())
    }
}

impl From<Place> for QueuedPlace {
    fn from(place: Place) -> Self {
        place.map(Target::Handle)
    }
}

impl From<Place<Queued>> for QueuedPlace {
    fn from(place: Place<Queued>) -> Self {
        place.map(Target::Queued)
    }
}
