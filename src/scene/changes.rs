//! The change feed: which nodes changed since the last read of a reader.

use crate::scene::{NodeMap, Scene};
use crate::store::{ChangeKinds, ChangeLists, ReadScratch, Store};
use crate::{Error, NodeHandle};

/// A position in a scene's history of changes, and the lists that were last read; see [`Scene::changes`].
///
/// There may be any number of readers, such as a renderer and the network. Each reader sees every change once, whenever
/// it reads, and reuses the memory of its lists. A clone copies the lists and continues from the same position.
///
/// The result of a read borrows the reader. If the reader is a field of a struct, borrow the other fields one by one:
/// `let Self { reader, bodies, .. } = self`. Or move the reader out with [`mem::take`](core::mem::take) meanwhile; if a
/// `?` returns before you put it back, the next read is [whole](Changed::is_whole) and reports all kinds.
#[derive(Clone, Debug)]
pub struct ChangeReader {
    kinds: ChangeKinds,
    /// The scene and the frame of the last read.
    seen: Option<(u64, u64)>,
    lists: ChangeLists,
    scratch: ReadScratch,
    parents: Option<Parents>,
}

impl ChangeReader {
    /// Creates a reader of all kinds of changes that has not read anything yet.
    #[must_use]
    pub fn new() -> Self {
        let (lists, scratch) = (ChangeLists::default(), ReadScratch::default());
        Self { kinds: ChangeKinds::ALL, seen: None, lists, scratch, parents: None }
    }

    /// Creates a reader of all kinds of changes that has read everything up to the scene's last update.
    ///
    /// ```
    /// use hedgerow::changes::ChangeReader;
    /// use hedgerow::{Node, Scene, SceneConfig};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// scene.update();
    /// let mut reader = ChangeReader::of(&scene);
    /// let ball = scene.insert(scene.root(), Node::group())?;
    /// scene.update();
    /// assert_eq!(scene.changes(&mut reader)?.entered(), [ball], "and not the root");
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        Self { seen: Some((scene.store.scene_number(), scene.store.updates())), ..Self::new() }
    }

    /// Restricts the reader to these kinds of changes. Other kinds cost nothing. Nodes that entered, left or were
    /// removed are always read.
    ///
    /// ```
    /// use hedgerow::changes::{ChangeKinds, ChangeReader};
    /// use hedgerow::{Scene, SceneConfig, Visibility};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// scene.update();
    /// let mut reader = ChangeReader::of(&scene).with_kinds(ChangeKinds::WORLD | ChangeKinds::VISIBILITY);
    /// scene.edit(scene.root())?.set_name("root").set_visibility(Visibility::Hidden);
    /// scene.update();
    /// let changed = scene.changes(&mut reader)?;
    /// assert!(changed.visibility() == [scene.root()] && changed.edited().is_empty());
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn with_kinds(self, kinds: ChangeKinds) -> Self {
        Self { kinds, ..self }
    }

    /// Makes the reader remember the parent of each node, for [`Changed::parents`]. The next read is
    /// [whole](Changed::is_whole); from then on, reads include [`ChangeKinds::PARENT`].
    ///
    /// Takes 12 bytes a node, in the reader alone. A read then takes O(nodes that entered, left or were moved) longer.
    #[must_use]
    pub fn with_parents(self) -> Self {
        Self { seen: None, parents: Some(Parents::default()), ..self }
    }

    /// Frees all memory, except for the [parents](Self::with_parents). The reader keeps its position.
    pub fn shrink_to_fit(&mut self) {
        let parents = self.parents.take().map(|Parents { known, .. }| Parents { known, ..Parents::default() });
        *self = Self { kinds: self.kinds, seen: self.seen, parents, ..Self::new() };
    }
}

/// A node whose parent is another than at the last read; see [`Changed::parents`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParentChange {
    /// The node. If it was removed, the handle is stale.
    pub node: NodeHandle,
    /// The parent as of the last read, which may have been removed since; `None` if the node was not in the tree.
    pub before: Option<NodeHandle>,
    /// The parent as of the last update; `None` if the node is not in the tree, or if that parent was removed since.
    pub after: Option<NodeHandle>,
}

/// The parents that a reader remembers, as of its last read.
#[derive(Clone, Debug, Default)]
struct Parents {
    known: NodeMap<NodeHandle>,
    changed: Vec<ParentChange>,
}

impl Parents {
    /// Lists the nodes whose parent is another than the known one, which it replaces.
    fn follow(&mut self, store: &Store, lists: &ChangeLists, whole: bool) {
        let Self { known, changed } = self;
        changed.clear();
        if whole {
            known.clear();
        }
        // Nodes that left come first: a node that entered may have the record of one that was removed.
        let moved = lists.edited.iter().filter(|(_, kinds)| kinds.contains(ChangeKinds::PARENT));
        let nodes = lists.left.iter().chain(&lists.entered).chain(moved.map(|(node, _)| node));
        changed.extend(nodes.filter_map(|&node| {
            let after = store.parent_in_slice(node);
            let before = match after {
                Some(parent) => known.insert(node, parent).map(|(_, before)| before),
                None => known.remove(node),
            };
            (before != after).then_some(ParentChange { node, before, after })
        }));
    }
}

impl Default for ChangeReader {
    fn default() -> Self {
        Self::new()
    }
}

/// Which nodes changed between two reads; see [`Scene::changes`].
///
/// | at the last read | since then | at this read | in the lists |
/// |---|---|---|---|
/// | in the tree | changed | in the tree | [`moved`](Self::moved), [`locals`](Self::locals), [`visibility`](Self::visibility), [`edited`](Self::edited), depending on the change |
/// | in the tree | left, an update, came back | in the tree | all four, with every kind of change |
/// | in the tree | removed, came back by a [checkpoint](crate::checkpoints) | in the tree | all four, with every kind of change |
/// | in the tree | left and came back between two updates | in the tree | depending on the change |
/// | in the tree | detached | detached | [`left`](Self::left) |
/// | in the tree | removed, or detached and removed | gone | `left`, [`removed`](Self::removed) |
/// | detached, or not there | inserted or attached | in the tree | [`entered`](Self::entered) |
/// | detached, or not there | attached, an update, detached | detached | `left` |
/// | detached, or not there | attached and detached between two updates | detached | none |
/// | detached, or not there | in the tree after an update, then removed | gone | `left`, `removed` |
/// | detached, or not there | removed, and in the tree after no update | gone | `removed` alone |
/// | [not known](Self::is_whole) | | in the tree | `entered` alone |
///
/// The lists contain nodes but no values, so a mirror that copies values from the scene may apply a list twice. A
/// mirror that inserts nodes must skip nodes that it already has.
///
/// Each list has a node at most once. A node in `entered` or `left` is not in `edited`, `locals`, `moved` or
/// `visibility`; other nodes may be in several lists. Edits of detached nodes are not listed; to mirror detached nodes,
/// read all of them again ([`Scene::detached`]). The order in a list has no meaning, but is the same from run to run
/// and with any number of threads.
///
/// To mirror nodes as entities, make an entity for each node in `entered` that has none, and drop the entities of the
/// nodes in `removed`. A node of `removed` has no entity if it was not in the tree at any read.
#[derive(Clone, Copy, Debug)]
pub struct Changed<'r> {
    lists: &'r ChangeLists,
    parents: &'r [ParentChange],
    whole: bool,
}

impl<'r> Changed<'r> {
    /// Returns whether the changes are unknown: the reader has read nothing of this scene yet, or its last read is
    /// older than the [history](crate::SceneConfig::change_history). Then [`entered`](Self::entered) has all nodes of
    /// the tree, parents before children, and all other lists are empty. All other nodes that the reader knows are
    /// detached or gone; [`NodeMap::remove_stale`](crate::data::NodeMap::remove_stale) finds those that are gone.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Returns the nodes whose world matrix changed in any bit in an update ([`ChangeKinds::WORLD`]). A node without a
    /// transform uses the matrix of the nearest ancestor with a transform.
    ///
    /// The [slot](crate::NodeRef::matrix_slot) of a matrix may change although no list has the node.
    #[must_use]
    pub fn moved(&self) -> &'r [NodeHandle] {
        &self.lists.moved
    }

    /// Returns the nodes whose [layers](crate::NodeRef::layers) an update changed ([`ChangeKinds::VISIBILITY`]).
    #[must_use]
    pub fn visibility(&self) -> &'r [NodeHandle] {
        &self.lists.visibility
    }

    /// Returns the nodes whose own local transform was set, added or removed ([`ChangeKinds::LOCAL`]). A node whose
    /// transform was set to the same bits is listed here but not in [`moved`](Self::moved).
    #[must_use]
    pub fn locals(&self) -> &'r [NodeHandle] {
        &self.lists.locals
    }

    /// Returns the nodes that entered the scene. Before the first update, a scene is empty, so the root enters too.
    #[must_use]
    pub fn entered(&self) -> &'r [NodeHandle] {
        &self.lists.entered
    }

    /// Returns the nodes that left the scene. Removed nodes have stale handles; detached nodes may come back or be
    /// [removed](Self::removed) later.
    #[must_use]
    pub fn left(&self) -> &'r [NodeHandle] {
        &self.lists.left
    }

    /// Returns the nodes that were removed, from the tree or while detached. Their handles are stale for good, unless a
    /// [checkpoint](crate::checkpoints) brings the nodes back.
    ///
    /// ```
    /// use hedgerow::changes::ChangeReader;
    /// use hedgerow::{Keep, Node, Place, Scene, SceneConfig};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// let tree = scene.insert(scene.root(), Node::group())?;
    /// scene.update();
    /// let mut reader = ChangeReader::new();
    /// scene.changes(&mut reader)?;
    ///
    /// scene.reparent(tree, Place::Detached, Keep::Local)?;
    /// scene.update();
    /// let changed = scene.changes(&mut reader)?;
    /// assert_eq!((changed.left(), changed.removed()), (&[tree][..], &[][..]), "it may come back");
    ///
    /// scene.remove(tree)?;
    /// scene.update();
    /// let changed = scene.changes(&mut reader)?;
    /// assert_eq!((changed.left(), changed.removed()), (&[][..], &[tree][..]));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn removed(&self) -> &'r [NodeHandle] {
        &self.lists.removed
    }

    /// Returns the nodes that changed in other ways, each with the kinds of changes. These are edits of a node's own
    /// visibility, layers, material, drawable, name, user data, view range, parent, order or
    /// [anchoring](crate::Node::anchored), and changes of its effective material.
    ///
    /// Siblings that did not enter and are not listed with [`ChangeKinds::PARENT`] or [`ChangeKinds::ORDER`] are in the
    /// same order as at the last read.
    #[must_use]
    pub fn edited(&self) -> &'r [(NodeHandle, ChangeKinds)] {
        &self.lists.edited
    }

    /// Returns the nodes whose parent is another than at the last read, with both parents, if the reader
    /// [remembers parents](ChangeReader::with_parents). A view of the tree that takes each node from `before` and puts
    /// it below `after` needs no map of its own.
    ///
    /// This includes all nodes that entered, left or were removed, whatever they went through since the last read; it
    /// leaves out the root, and nodes that are back below the same parent. If the read is [whole](Self::is_whole), all
    /// nodes are listed, and a view begins anew.
    ///
    /// ```
    /// # use hedgerow::{Keep, Node, Scene, SceneConfig, changes::{ChangeReader, ParentChange}};
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// let red = scene.insert(scene.root(), Node::group())?;
    /// let ann = scene.insert(red, Node::group())?;
    /// scene.update();
    /// let mut reader = ChangeReader::new().with_parents();
    /// assert_eq!(scene.changes(&mut reader)?.parents().len(), 2);
    /// scene.reparent(ann, scene.root(), Keep::Local)?;
    /// scene.remove(red)?;
    /// scene.update();
    /// assert_eq!(scene.changes(&mut reader)?.parents(), [
    ///     ParentChange { node: red, before: Some(scene.root()), after: None },
    ///     ParentChange { node: ann, before: Some(red), after: Some(scene.root()) },
    /// ]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn parents(&self) -> &'r [ParentChange] {
        self.parents
    }

    /// Returns whether all lists are empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let ChangeLists { moved, visibility, locals, entered, left, removed, edited } = self.lists;
        [moved, visibility, locals, entered, left, removed].iter().all(|list| list.is_empty()) && edited.is_empty()
    }
}

impl Scene {
    /// Reads which nodes changed between the reader's last read and the last update.
    ///
    /// Call it right after [`Scene::update`]. After further edits, the lists show the state of the last update and may
    /// contain stale handles. Any number of updates may lie between two reads, as far back as the
    /// [history](crate::SceneConfig::change_history) goes. At the first read, or if the last read is older, all nodes
    /// of the tree are listed as [entered](Changed::entered): see [`Changed::is_whole`].
    ///
    /// A program that also edits the scene can read its own changes and ignore them: see
    /// [`guide::physics`](crate::guide::physics).
    ///
    /// Runs in **O(slices + nodes of slices that changed + nodes listed + history since the last read)**. Updates
    /// record edits and computed changes in any case; only this call searches for the nodes that moved.
    ///
    /// # Errors
    /// [`Error::NoChanges`] if the scene does not [track changes](crate::SceneConfig::changes).
    ///
    /// ```
    /// use hedgerow::changes::{ChangeKinds, ChangeReader};
    /// use hedgerow::{Node, Scene, SceneConfig, Transform};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// let (mut renderer, mut network) = (ChangeReader::new(), ChangeReader::new());
    /// scene.update();
    /// for reader in [&mut renderer, &mut network] {
    ///     assert_eq!(scene.changes(reader)?.entered(), [scene.root()]);
    /// }
    ///
    /// let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// let driver = scene.insert(car, Node::group())?;
    /// scene.update();
    /// assert_eq!(scene.changes(&mut renderer)?.entered(), [car, driver]);
    ///
    /// scene.set_local(car, Transform::from_xyz(1.0, 0.0, 0.0))?;
    /// scene.edit(driver)?.set_name("Ann");
    /// scene.update();
    /// let changed = scene.changes(&mut renderer)?;
    /// assert_eq!(changed.moved(), [car, driver]);
    /// assert_eq!(changed.edited(), [(driver, ChangeKinds::NAME)]);
    /// assert_eq!(scene.get(car).unwrap().previous_world().unwrap().translation().x, 0.0);
    ///
    /// scene.remove(driver)?;
    /// scene.update();
    /// assert_eq!(scene.changes(&mut renderer)?.left(), [driver]);
    /// // The network did not read at the last two updates, and never saw the driver.
    /// let changed = scene.changes(&mut network)?;
    /// assert_eq!(changed.entered(), [car]);
    /// assert!(changed.left() == [driver] && changed.moved().is_empty());
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn changes<'r>(&self, reader: &'r mut ChangeReader) -> Result<Changed<'r>, Error> {
        let store = &self.store;
        if store.feed().is_none() {
            return Err(Error::NoChanges);
        }
        let now = (store.scene_number(), store.updates());
        let ChangeReader { kinds, seen, lists, scratch, parents } = reader;
        // The number of an update means nothing in another scene.
        let before = seen.replace(now).filter(|before| before.0 == now.0);
        // Parents are followed from reports of this kind.
        let kinds = if parents.is_some() { *kinds | ChangeKinds::PARENT } else { *kinds };
        let whole = store.read_changes(before.map(|(_, frame)| frame), kinds, lists, scratch);
        if let Some(parents) = parents {
            parents.follow(store, lists, whole);
        }
        let parents = parents.as_ref().map_or(&[][..], |parents| &parents.changed);
        Ok(Changed { lists, parents, whole })
    }
}
