//! The change feed: which nodes changed since somebody last asked.

use crate::scene::Scene;
use crate::store::{ChangeKinds, ChangeLists, ReadScratch};
use crate::{Error, Mat34, NodeHandle};

/// Up to where somebody has read the changes of a scene, and lists of what was read; see [`Scene::changes`].
///
/// There may be any number of readers, such as a renderer and a network: each sees every change once, whenever it asks.
/// A reader keeps the memory of its lists; a clone reads on from the same moment.
///
/// ```
/// use hedgerow::changes::{ChangeReader, Changes};
/// use hedgerow::{Node, Scene, SceneConfig, Transform};
///
/// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
/// let ball = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
/// scene.update();
/// let mut reader = ChangeReader::new();
/// assert!(matches!(scene.changes(&mut reader)?, Changes::All));
///
/// // Two updates between two reads.
/// for x in [1.0, 2.0] {
///     scene.set_local(ball, Transform::from_xyz(x, 0.0, 0.0))?;
///     scene.update();
/// }
/// let Changes::Since(changed) = scene.changes(&mut reader)? else { unreachable!("it is known what came since") };
/// assert_eq!(changed.moved(), [ball]);
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChangeReader {
    kinds: ChangeKinds,
    /// The scene and the frame of the last read.
    seen: Option<(u64, u64)>,
    lists: ChangeLists,
    scratch: ReadScratch,
}

impl ChangeReader {
    /// A reader that has seen nothing, for all kinds of changes.
    #[must_use]
    pub fn new() -> Self {
        Self::of(ChangeKinds::ALL)
    }

    /// A reader that has seen nothing, and that reads these kinds alone. Kinds that are not read cost nothing; nodes
    /// that entered and left are always read.
    ///
    /// ```
    /// use hedgerow::changes::{ChangeKinds, ChangeReader};
    ///
    /// let reader = ChangeReader::of(ChangeKinds::WORLD | ChangeKinds::VISIBILITY);
    /// ```
    #[must_use]
    pub fn of(kinds: ChangeKinds) -> Self {
        Self { kinds, seen: None, lists: ChangeLists::default(), scratch: ReadScratch::default() }
    }
}

impl Default for ChangeReader {
    fn default() -> Self {
        Self::new()
    }
}

/// What a reader had not seen; see [`Scene::changes`].
#[derive(Clone, Copy, Debug)]
pub enum Changes<'r> {
    /// It is not known what changed, because the reader had seen nothing of this scene, or nothing for too long: read
    /// all nodes of the scene and forget those that are not there.
    All,
    /// These nodes changed since the last read.
    Since(Changed<'r>),
}

impl<'r> Changes<'r> {
    /// What changed since the last read; `None` if everything is to be read.
    #[must_use]
    pub fn since(self) -> Option<Changed<'r>> {
        match self {
            Self::All => None,
            Self::Since(changed) => Some(changed),
        }
    }
}

/// Which nodes changed between two reads; see [`Scene::changes`].
///
/// Each list has a node at most once. The order has no meaning, but is the same from run to run. A node that entered or
/// left is on no other list but [`removed`](Self::removed). One that entered and left between two reads is on no list
/// but that. One that left and came back between two updates counts as if it had stayed; if there was an update in
/// between, it is on all lists but those of nodes that entered and left, with every kind of change.
#[derive(Clone, Copy, Debug)]
pub struct Changed<'r> {
    lists: &'r ChangeLists,
}

impl<'r> Changed<'r> {
    /// Nodes whose world matrix some update changed in any bit ([`ChangeKinds::WORLD`]). A node without a transform
    /// uses that of the nearest ancestor with one.
    #[must_use]
    pub fn moved(&self) -> &'r [NodeHandle] {
        &self.lists.moved
    }

    /// Nodes whose inherited layer mask some update changed ([`ChangeKinds::VISIBILITY`]): the intersection of their
    /// own mask and those of all their ancestors.
    #[must_use]
    pub fn visibility(&self) -> &'r [NodeHandle] {
        &self.lists.visibility
    }

    /// Nodes whose own local transform was set, added or removed, also where it was set to the same value
    /// ([`ChangeKinds::LOCAL`]).
    #[must_use]
    pub fn locals(&self) -> &'r [NodeHandle] {
        &self.lists.locals
    }

    /// Nodes that entered the scene. Before the first update a scene counts as empty, also of the root.
    #[must_use]
    pub fn entered(&self) -> &'r [NodeHandle] {
        &self.lists.entered
    }

    /// Nodes that left the scene: removed ones, whose handles are stale, and detached ones, which may come back or be
    /// [removed](Self::removed) later.
    #[must_use]
    pub fn left(&self) -> &'r [NodeHandle] {
        &self.lists.left
    }

    /// Nodes that were removed, from the scene or while they were detached: their handles are stale for good. What a
    /// program keeps for nodes, such as entities, is dropped by this list and not by [`left`](Self::left), which has
    /// detached nodes and has none that were removed after that.
    ///
    /// A node that was inserted and removed between two updates is listed here, and nowhere else.
    ///
    /// ```
    /// use hedgerow::changes::ChangeReader;
    /// use hedgerow::{Node, Scene, SceneConfig};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// let tree = scene.insert(scene.root(), Node::group())?;
    /// scene.update();
    /// let mut reader = ChangeReader::new();
    /// scene.changes(&mut reader)?;
    ///
    /// scene.detach(tree)?;
    /// scene.update();
    /// let changed = scene.changes(&mut reader)?.since().unwrap();
    /// assert_eq!((changed.left(), changed.removed()), (&[tree][..], &[][..]), "it may be attached again");
    ///
    /// scene.remove(tree)?;
    /// scene.update();
    /// let changed = scene.changes(&mut reader)?.since().unwrap();
    /// assert_eq!((changed.left(), changed.removed()), (&[][..], &[tree][..]));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn removed(&self) -> &'r [NodeHandle] {
        &self.lists.removed
    }

    /// Nodes that changed in another way, each with the [kinds](ChangeKinds::EDITS): edits of their own visibility or
    /// material, their shape, name, parent or order, and whether they show another material, which may be inherited.
    ///
    /// Siblings that are neither listed with [`ChangeKinds::PARENT`] or [`ChangeKinds::ORDER`] nor entered stand in the
    /// same order as at the last read.
    #[must_use]
    pub fn edited(&self) -> &'r [(NodeHandle, ChangeKinds)] {
        &self.lists.edited
    }

    /// Whether no list has a node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let ChangeLists { moved, visibility, locals, entered, left, removed, edited } = self.lists;
        [moved, visibility, locals, entered, left, removed].iter().all(|list| list.is_empty()) && edited.is_empty()
    }
}

impl Scene {
    /// The nodes that changed since a reader last asked, as of the last update. The reader then counts as having seen
    /// them.
    ///
    /// Call this after an update and before the next edits: then lists hold for what the scene is. After edits they
    /// hold as of the last update, with stale handles of nodes removed since. Any number of updates may lie between two
    /// reads. Changes of matrices and locals are known for any time; nodes that entered, left, were edited, or inherit
    /// other layers or another material as far back as the [history](Scene::set_change_history) goes. A reader that has
    /// not asked for longer gets [`Changes::All`], as on its first read.
    ///
    /// Runs in **O(slices + nodes of slices that changed + what is listed + what the history has since the last
    /// read)**. An update takes time for what it computes and for what edits changed, whether anyone reads or not;
    /// finding the nodes that moved is left to readers.
    ///
    /// # Errors
    /// [`Error::NoChanges`] if the scene does not [track changes](crate::SceneConfig::changes).
    ///
    /// ```
    /// use hedgerow::changes::{ChangeKinds, ChangeReader, Changes};
    /// use hedgerow::{Node, Scene, SceneConfig, Transform};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// let (mut renderer, mut network) = (ChangeReader::new(), ChangeReader::new());
    /// scene.update();
    /// for reader in [&mut renderer, &mut network] {
    ///     assert!(matches!(scene.changes(reader)?, Changes::All));
    /// }
    ///
    /// let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// let driver = scene.insert(car, Node::group())?;
    /// scene.update();
    /// assert_eq!(scene.changes(&mut renderer)?.since().unwrap().entered(), [car, driver]);
    ///
    /// scene.set_local(car, Transform::from_xyz(1.0, 0.0, 0.0))?;
    /// scene.set_name(driver, Some("Ann"))?;
    /// scene.update();
    /// let changed = scene.changes(&mut renderer)?.since().unwrap();
    /// assert_eq!(changed.moved(), [car, driver]);
    /// assert_eq!(changed.edited(), [(driver, ChangeKinds::NAME)]);
    ///
    /// scene.remove(driver)?;
    /// scene.update();
    /// assert_eq!(scene.changes(&mut renderer)?.since().unwrap().left(), [driver]);
    /// // The network has missed two updates, and the driver altogether.
    /// let changed = scene.changes(&mut network)?.since().unwrap();
    /// assert_eq!(changed.entered(), [car]);
    /// assert!(changed.left().is_empty() && changed.moved().is_empty());
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn changes<'r>(&self, reader: &'r mut ChangeReader) -> Result<Changes<'r>, Error> {
        let store = &self.store;
        if store.feed().is_none() {
            return Err(Error::NoChanges);
        }
        let now = (store.scene_number(), store.updates());
        let ChangeReader { kinds, seen, lists, scratch } = reader;
        let before = seen.replace(now).filter(|before| before.0 == now.0);
        let read = before.and_then(|(_, frame)| store.read_changes(frame, *kinds, lists, scratch));
        Ok(if read.is_some() { Changes::Since(Changed { lists }) } else { Changes::All })
    }

    /// Has a reader count everything up to the last update as seen, without listing it: for a program that both reads
    /// and writes, and that does not want to be told what it wrote itself. [`guide::physics`](crate::guide::physics)
    /// has an example.
    ///
    /// Runs in **O(1)**.
    ///
    /// # Errors
    /// [`Error::NoChanges`] if the scene does not [track changes](crate::SceneConfig::changes).
    pub fn skip_changes(&self, reader: &mut ChangeReader) -> Result<(), Error> {
        if self.store.feed().is_none() {
            return Err(Error::NoChanges);
        }
        reader.seen = Some((self.store.scene_number(), self.store.updates()));
        Ok(())
    }

    /// Sets how long the history of [`Scene::changes`] is: how many entries are kept of the updates before the last one
    /// that had any. The default is 65,536, of 16 bytes each.
    ///
    /// A node that entered, left, was removed or was edited is one entry, as is one that inherits other layers or
    /// another material, or the transform of another ancestor; the changes of the last update are kept in any case.
    /// Between two updates, as many removals are noted, at least 4,096 and as many as there were nodes; if there are
    /// more, all readers get [`Changes::All`]. Nothing if the scene tracks no changes. A scene that is loaded has the
    /// default.
    ///
    /// ```
    /// use hedgerow::changes::{ChangeReader, Changes};
    /// use hedgerow::{Node, Scene, SceneConfig};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// scene.set_change_history(0);
    /// scene.update();
    /// let mut reader = ChangeReader::new();
    /// scene.changes(&mut reader)?;
    /// for _ in 0..2 {
    ///     scene.insert(scene.root(), Node::group())?;
    ///     scene.update();
    /// }
    /// assert!(matches!(scene.changes(&mut reader)?, Changes::All), "it missed an update");
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn set_change_history(&mut self, entries: usize) {
        self.store.set_history(entries);
    }

    /// The world matrix that a node had after the update before the last, for motion vectors. For a node that was not
    /// in the scene then, this is the present one.
    ///
    /// `None` for a stale handle, and if the scene does not [track changes](crate::SceneConfig::changes). The identity
    /// for a node that was inserted since the last update. Call this before the next
    /// [`Scene::visit_slices_mut`], which makes the present matrices the previous ones. Runs in **O(log n)** for n nodes
    /// that inherit the transform of another ancestor since the last update.
    #[must_use]
    pub fn previous_world(&self, node: NodeHandle) -> Option<&Mat34> {
        self.store.previous_world(self.store.resolve(node)?)
    }
}
