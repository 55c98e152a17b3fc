//! Applies a queue as a whole: all its edits, or none.

use super::edit::{Applied, Edit};
use super::{EditQueue, Outcome};
use crate::edit::BatchError;
use crate::handle::ByRecord;
use crate::node::OwnedNode;
use crate::scene::Change;
use crate::store::{Position, RecordId, WideLocal};
use crate::{Error, NodeHandle, Scene};
use core::iter::successors;

/// The inverse of one edit.
enum Undo {
    Remove(RecordId),
    Relocate(RecordId, Position),
    Local(RecordId, Option<WideLocal>),
    Components(RecordId, OwnedNode),
}

/// Edits of a scene that can still be reverted.
struct Journal<'s> {
    scene: &'s mut Scene,
    undo: Vec<Undo>,
    /// Nodes to remove once all edits succeed. They are detached until then, so that a revert keeps their handles.
    removed: Vec<RecordId>,
    /// The first nodes of `removed` with everything below them. No edit changes these subtrees, so each is listed once.
    gone: ByRecord<()>,
    listed: usize,
}

impl Journal<'_> {
    /// Returns the record of a node, or an error if an edit has removed the node.
    fn live(&mut self, node: NodeHandle) -> Result<RecordId, Error> {
        let (id, store) = (self.scene.at(node)?, &self.scene.store);
        if store.nodes.is_outside(id) {
            for &top in &self.removed[self.listed..] {
                let below = successors(Some(top), |&id| store.nodes.next_in_subtree(top, id, true));
                self.gone.extend(below.map(|id| (id, ())));
            }
            self.listed = self.removed.len();
            if self.gone.contains_key(&id) {
                return Err(Error::StaleHandle(node));
            }
        }
        Ok(id)
    }

    /// Makes an edit, and records its inverse.
    fn apply(&mut self, edit: &Edit, applied: &mut Applied) -> Result<Outcome, Error> {
        // The checks are in the order of single edits: tickets, the node, its place.
        let [node, place] = edit.targets().map(|target| target.map(|target| applied.node(target)).transpose());
        let (node, place) = (node?, place?);
        let node = node.map(|node| self.live(node)).transpose()?;
        if node == Some(RecordId::ROOT) && matches!(edit, Edit::Remove(_) | Edit::Reparent { .. }) {
            return Err(Error::RootIsFixed);
        }
        place.map(|node| self.live(node)).transpose()?;
        if let Some(id) = node {
            let store = &self.scene.store;
            let (local, position) = (Undo::Local(id, store.nodes.wide_local(id)), store.nodes.position(id));
            match edit {
                Edit::Remove(_) => {
                    self.undo.push(Undo::Relocate(id, position));
                    self.scene.store.nodes.relocate(id, Position::DETACHED);
                    self.removed.push(id);
                    return Ok(Outcome::Removed(1));
                }
                Edit::Reparent { .. } => self.undo.extend([local, Undo::Relocate(id, position)]),
                Edit::Change(_, Change::Local(_) | Change::World(_) | Change::LookAt { .. }) => self.undo.push(local),
                _ => self.undo.push(Undo::Components(id, store.nodes.node(id).into())),
            }
        }
        let outcome = edit.apply(self.scene, applied)?;
        let undo = |node: &NodeHandle| Undo::Remove(node.record());
        match (edit, outcome) {
            (Edit::InsertTree(_, tree), _) => {
                let nodes = applied.trees.last().into_iter().flat_map(|(_, nodes)| nodes).zip(tree.iter());
                self.undo.extend(nodes.filter(|(_, (parent, _))| parent.is_none()).map(|(node, _)| undo(node)));
            }
            (_, Outcome::Inserted(node)) => self.undo.push(undo(&node)),
            _ => {}
        }
        Ok(outcome)
    }

    /// Reverts all edits, the last one first.
    fn roll_back(self) {
        let Self { scene, undo, .. } = self;
        for undo in undo.into_iter().rev() {
            match undo {
                Undo::Remove(id) => _ = scene.store.remove(id),
                Undo::Relocate(id, position) => scene.store.nodes.relocate(id, position),
                Undo::Local(id, Some(local)) => scene.store.nodes.set_wide_local(id, local),
                Undo::Local(id, None) => _ = scene.store.nodes.remove_local(id),
                Undo::Components(id, node) => {
                    let node = scene
                        .edit(scene.store.nodes.handle(id))
                        .and_then(|mut at| at.set_node(node.as_node()).map(|_| ()));
                    debug_assert_eq!(node, Ok(()), "what a node had, it can have again");
                }
            }
        }
    }
}

impl EditQueue {
    /// Applies all recorded edits in order, or none: if an edit fails, the edits before it are reverted.
    ///
    /// The queue is empty afterwards; if an edit failed, it keeps all edits. Takes two to three times as long as
    /// [`apply`](Self::apply), and memory for the old state of all that the edits change.
    ///
    /// After a reversal, each node has its old handle, components and place, and detached subtrees have their old
    /// order. The handles of nodes whose insert was reverted are not reused, so later inserts return other handles than
    /// they would have without the attempt. Readers of changes may report nodes that are unchanged.
    ///
    /// ```
    /// use hedgerow::{Error, Node, Scene, edit::{BatchError, Edit, EditQueue}};
    ///
    /// let mut scene = Scene::new();
    /// let house = scene.insert(scene.root(), Node::group().with_name("house"))?;
    /// let mut queue = EditQueue::new();
    /// queue.insert(scene.root(), Node::group().with_name("barn"));
    /// queue.push(Edit::remove(house));
    /// queue.push(Edit::change(house, Node::group().with_name("villa")));
    ///
    /// let refused = BatchError { item: Some(2), error: Error::StaleHandle(house) };
    /// assert_eq!(queue.apply_all(&mut scene), Err(refused));
    /// assert!(scene.children(scene.root()).eq([house]));
    /// assert_eq!(scene.get(house).unwrap().name(), Some("house"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The first error that [`apply`](Self::apply) would return, with the index of its edit.
    pub fn apply_all(&mut self, scene: &mut Scene) -> Result<(), BatchError> {
        self.begin();
        let mut journal =
            Journal { scene, undo: Vec::new(), removed: Vec::new(), gone: ByRecord::default(), listed: 0 };
        for (number, edit) in self.edits.iter().enumerate() {
            match journal.apply(edit, &mut self.applied) {
                Ok(outcome) => self.applied.results.push(Ok(outcome)),
                Err(error) => {
                    journal.roll_back();
                    self.applied.clear_results();
                    return Err(BatchError { item: Some(number), error });
                }
            }
        }
        let Journal { scene, removed, .. } = journal;
        for id in removed {
            scene.store.remove(id);
        }
        self.clear();
        Ok(())
    }
}
