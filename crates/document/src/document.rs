//! A definition of a library in a scene, with its history.

use crate::error::Error;
use crate::expand::Expansion;
use crate::history::{History, Step, Way};
use crate::library::{Library, MOST_NODES};
use crate::patch::Patch;
use crate::path::Path;
use crate::places::Places;
use crate::value::same;
use hedgerow::changes::{ChangeKinds, ChangeReader};
use hedgerow::internal::{set_tagged_by, tagged_by};
use hedgerow::{NodeHandle, Scene, Tree};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A definition of a library in a scene, with its history.
///
/// The node at which it was opened is the definition's root, and everything below belongs to the document; gizmos go
/// elsewhere. Edit the scene by handles as always, also inside instances, then [`commit`](Self::commit): whatever was
/// edited becomes one step, stated by the open definition.
///
/// After each call, the scene below the root equals [`Library::tree`], in order and to the bit. A call that fails
/// changes nothing. Calls that change the scene [update](Scene::update) it. The scene must track
/// [changes](hedgerow::SceneConfig::changes).
///
/// Refer to nodes by [`path`](Self::path) across steps. A step keeps the handles of nodes that have the same path
/// before and after it; all other nodes that come or come back get new handles, also those that
/// [`extract`](Library::extract) and [`unpack`](Library::unpack) give other paths. [`find`](Self::find) also finds
/// nodes that left their instances, and came back by an undo. A node that is detached when a step is recorded is
/// removed by the step: it stays in the scene as it is, and an undo inserts another.
///
/// One scene holds one document: each node has one mark that says which place it has. Once another is opened, or a
/// clone of this one goes on in the same scene, all calls that change this one fail with [`Error::Taken`], and its
/// nodes and paths are `None`; open it anew. A clone of a document goes on in a clone of its scene. A document does
/// not go back with [checkpoints](hedgerow::checkpoints): after a restore, a commit states what the restore changed.
///
/// Takes 8 bytes a node, of which the scene keeps 4, 16 bytes an instance, at most an eighth more, and the history.
///
/// For examples see the [guide](crate#prefabs-and-overrides).
#[derive(Clone, Debug)]
pub struct Document {
    pub(crate) library: Library,
    /// The number of the open definition.
    pub(crate) definition: u32,
    pub(crate) name: Arc<str>,
    pub(crate) root: NodeHandle,
    pub(crate) places: Places,
    pub(crate) reader: ChangeReader,
    pub(crate) history: History,
    /// What the scene has while no other document has set marks.
    stamp: u32,
}

impl Document {
    /// Opens a definition at a node without children, which becomes the definition's root. Runs in **O(nodes)**.
    ///
    /// # Errors
    /// [`Error::NoDefinition`], [`Error::NotEmpty`]; [`Error::Scene`] for a stale handle, if the scene does not track
    /// changes, and if the definition may expand to more than 2³⁰ nodes.
    pub fn open(scene: &mut Scene, at: NodeHandle, library: Library, definition: &str) -> Result<Self, Error> {
        let top = scene.get(at).ok_or(hedgerow::Error::StaleHandle(at))?;
        if top.first_child().is_some() {
            return Err(Error::NotEmpty);
        }
        let (mut document, _) = Self::closed(scene, at, library, definition)?;
        document.fill(scene)?;
        scene.update();
        document.reader = reader(scene);
        document.stamp(scene);
        Ok(document)
    }

    /// Makes a library of the nodes at and below a node, with ids from 0 in depth-first order, and opens it there. Runs
    /// in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// [`Error::Scene`] for a stale handle.
    pub fn of(scene: &mut Scene, at: NodeHandle, definition: &str) -> Result<Self, Error> {
        let mut library = Library::new();
        library.apply(&library.define(definition, &scene.copy_tree(at)?)?)?;
        Self::bind(scene, at, library, definition)
    }

    /// Opens a definition whose nodes are in the scene already, in depth-first order, as after a restart from a
    /// snapshot. Runs in **O(nodes)**.
    ///
    /// # Errors
    /// [`Error::Differs`] if the nodes are not those of the definition; [`Error::NoDefinition`]; [`Error::Scene`] for a
    /// stale handle.
    pub fn bind(scene: &mut Scene, at: NodeHandle, library: Library, definition: &str) -> Result<Self, Error> {
        let (found, mut wanted, mut list) = (scene.copy_tree(at)?, Tree::new(), Vec::new());
        let (mut document, root) = Self::closed(scene, at, library, definition)?;
        let Self { library, places, .. } = &mut document;
        Expansion::new(library, places).expand(root, &mut list, |parent, node| _ = wanted.push(parent, node));
        let agree = found
            .iter()
            .zip(wanted.iter())
            .take_while(|(found, wanted)| found.0 == wanted.0 && same(&found.1, &wanted.1));
        let number = agree.count();
        if number < found.len().max(wanted.len()) {
            return Err(Error::Differs { number });
        }
        let nodes = scene.get(at).into_iter().flat_map(|top| top.descendants()).map(|node| node.handle());
        for (&place, node) in list.iter().zip(nodes.collect::<Vec<_>>()) {
            places.put(library, scene, place, node);
        }
        document.stamp(scene);
        Ok(document)
    }

    /// Makes a document without nodes, and the place of its root.
    fn closed(scene: &Scene, root: NodeHandle, library: Library, definition: &str) -> Result<(Self, u32), Error> {
        if !scene.config().changes {
            return Err(hedgerow::Error::NoChanges.into());
        }
        if library.most_nodes(definition, &Patch::EMPTY) > MOST_NODES {
            return Err(hedgerow::Error::CapacityOverflow.into());
        }
        let missing = || Error::NoDefinition(definition.into());
        let number = library.number(definition).ok_or_else(missing)?;
        let mut places = Places::default();
        let top = Expansion::new(&library, &mut places).begin(number).ok_or_else(missing)?;
        let (name, reader, history) = (definition.into(), unread(), History::default());
        Ok((Self { library, definition: number, name, root, places, reader, history, stamp: 0 }, top))
    }

    /// Makes the scene this document's.
    fn stamp(&mut self, scene: &mut Scene) {
        static STAMPS: AtomicU32 = AtomicU32::new(1);
        self.stamp = STAMPS.fetch_add(1, Ordering::Relaxed);
        set_tagged_by(scene, self.stamp);
    }

    /// Checks that the scene is still this document's, and not one of a copy of it that went on.
    pub(crate) fn check_scene(&mut self, scene: &mut Scene) -> Result<(), Error> {
        if tagged_by(scene) != self.stamp {
            return Err(Error::Taken);
        }
        self.stamp(scene);
        Ok(())
    }

    /// Returns the library as of the last step.
    #[must_use]
    pub const fn library(&self) -> &Library {
        &self.library
    }

    /// Gives new nodes ids of this writer: see [`Library::set_writer`].
    pub fn set_writer(&mut self, writer: u16) {
        self.library.set_writer(writer);
    }

    /// Returns the name of the open definition.
    #[must_use]
    pub fn definition(&self) -> &str {
        &self.name
    }

    /// Returns the node that is the definition's root.
    #[must_use]
    pub const fn root(&self) -> NodeHandle {
        self.root
    }

    /// Returns the path that a node had at the last step; `None` if the node was not in the document, or is no longer
    /// below its root, and for a scene that is not this document's. Runs in **O(depth + log instances)**.
    #[must_use]
    pub fn path(&self, scene: &Scene, node: NodeHandle) -> Option<Path> {
        let place = self.places.of_node(&self.library, scene, node)?;
        self.has(scene, node).then(|| self.places.path(&self.library, place))
    }

    /// Returns the node that had a path at the last step; `None` if it is gone, and for a scene that is not this
    /// document's. Runs in **O(path · log nodes + depth)**.
    #[must_use]
    pub fn node(&self, scene: &Scene, path: &Path) -> Option<NodeHandle> {
        let place = self.places.find(&self.library, 0, path.ids())?;
        self.places.node(&self.library, scene, place).filter(|&node| self.has(scene, node))
    }

    /// Returns whether a scene is this document's, and a node is below its root.
    fn has(&self, scene: &Scene, node: NodeHandle) -> bool {
        tagged_by(scene) == self.stamp && holds(scene, self.root, node)
    }

    /// Returns the node that had a [path](Self::path) at a step of the [history](Self::history), also if it got another
    /// one since: when an edit took it out of its instance, by [`Library::unpack`] or [`extract`](Library::extract) of
    /// any definition, and when that was undone or made again. For selections, of which neither path nor handle is left
    /// then. If the path has a node now, that one is found.
    ///
    /// Never returns a node that did not have the path. Patches of other documents, and those that were joined or read
    /// from files, do not say which nodes they give other paths; a definition that was [renamed](Library::rename)
    /// counts as another one. Runs like [`node`](Self::node) if the path is there, otherwise in **O(entries of the
    /// history · log entries)**.
    #[must_use]
    pub fn find(&self, scene: &Scene, path: &Path) -> Option<NodeHandle> {
        let named = |name: &Path| self.node(scene, name).filter(|&node| self.path(scene, node).as_ref() == Some(name));
        named(path).or_else(|| self.history.names(&self.library, &self.name, path).iter().rev().find_map(named))
    }

    /// Makes whatever edits were made since the last step one step of its own, stated by the open definition alone.
    /// Returns its patch, which is empty if nothing changed.
    ///
    /// A set value is stated if it differs from the resolved one; a value that is stated already stays stated.
    /// Overrides inside a removed node of an instance are kept, for the time that it is there again: [`Library::notes`]
    /// lists them. A node that leaves its instance becomes a node of the open definition and keeps its handle; all that
    /// any level stated for it is then stated here.
    ///
    /// Runs in **O(changed nodes · levels · log statements)**, and in O(nodes) if the scene's [change
    /// history](hedgerow::SceneConfig::change_history) does not reach back to the last step, and after an error.
    ///
    /// # Errors
    /// [`Error::NoRoot`]; [`Error::Taken`]; [`Error::NoIds`]; [`Error::Scene`] if the scene does not track changes.
    pub fn commit(&mut self, scene: &mut Scene) -> Result<&Patch, Error> {
        static EMPTY: Patch = Patch::EMPTY;
        let patch = self.record(scene)?;
        if patch.is_empty() {
            return Ok(&EMPTY);
        }
        self.library.keep_ids(&patch);
        self.history.push(patch);
        Ok(self.history.done().last().map_or(&EMPTY, Step::patch))
    }

    /// Takes back all edits since the last step. Removed nodes come back with new handles.
    ///
    /// # Errors
    /// Those of [`commit`](Self::commit). [`Error::Scene`] if the scene has no room for the nodes that come back; then
    /// the edits are a step, as after a commit.
    pub fn revert(&mut self, scene: &mut Scene) -> Result<(), Error> {
        let patch = self.record(scene)?;
        self.make(scene, &patch.inverse()).inspect_err(|_| {
            self.library.keep_ids(&patch);
            self.history.push(patch);
        })
    }

    /// Applies a patch as one step. Edits since the last step become a step of their own first. Returns all that
    /// changed, with these edits: what others must [follow](Self::follow).
    ///
    /// All instances follow, except where an outer definition states the same key. Runs in **O(entries · instances ·
    /// levels)**, O(children) for each parent whose children change, and O(n log n) for each use that changes, with n
    /// nodes below it. If a definition in use loses its root, or gets one or another, n is the number of all nodes.
    ///
    /// # Errors
    /// Those of [`Library::apply`] and [`commit`](Self::commit). [`Error::Scene`] if the open definition may then
    /// expand to more than 2³⁰ nodes, or if the scene has no room for those that come: then all nodes have new handles.
    /// [`Error::Invalid`] if the definition would lose its root. The edits are then a step nevertheless, the last of
    /// the [history](Self::history).
    pub fn apply(&mut self, scene: &mut Scene, patch: &Patch) -> Result<Patch, Error> {
        let made = self.go(scene, |_, _| Ok(Some(patch.clone())), |history, made| history.push(made))?;
        Ok(made.unwrap_or_default())
    }

    /// Applies someone else's patch: like [`apply`](Self::apply), but no step of ours that [`undo`](Self::undo) takes
    /// back. If patches cross on their way, a [`Link`](crate::Link) says what to follow.
    ///
    /// Returns the patch of edits since the last step, which become one first: what others must follow. Better commit
    /// before, since the patch is refused if it changes what the edits change.
    ///
    /// # Errors
    /// Those of [`apply`](Self::apply).
    pub fn follow(&mut self, scene: &mut Scene, patch: &Patch) -> Result<Patch, Error> {
        let edits = self.commit(scene)?.clone();
        self.make(scene, patch)?;
        self.history.follow(patch);
        Ok(edits)
    }

    /// Takes back the last step; `None` if there is no step. Edits since the last step become a step of their own
    /// first, so that step is the one that is taken back. Returns all that changed: what others must
    /// [follow](Self::follow), so nothing of such edits.
    ///
    /// What patches that were followed have stated since stays, and so does a node of the step that they have changed
    /// or put nodes below; all else of the step is taken back, as by [`Patch::merge`]. The patch is empty if nothing is
    /// left. Such an undo copies the library.
    ///
    /// # Errors
    /// Those of [`apply`](Self::apply).
    pub fn undo(&mut self, scene: &mut Scene) -> Result<Option<Patch>, Error> {
        self.advance(scene, Way::Undo)
    }

    /// Makes the last undone step again, and returns the patch that did; `None` if there is none. What patches that
    /// were followed have stated since stays, as for [`undo`](Self::undo). If there were edits since, they become a
    /// step, nothing can be made again, and the patch is theirs.
    ///
    /// # Errors
    /// Those of [`apply`](Self::apply).
    pub fn redo(&mut self, scene: &mut Scene) -> Result<Option<Patch>, Error> {
        self.advance(scene, Way::Redo)
    }

    fn advance(&mut self, scene: &mut Scene, way: Way) -> Result<Option<Patch>, Error> {
        self.go(scene, |history, library| history.next(way, library), |history, made| history.advance(way, made))
    }

    /// Makes the edits a step, then the next patch; the history notes it. Returns both as one.
    fn go(
        &mut self,
        scene: &mut Scene,
        next: impl FnOnce(&History, &Library) -> Result<Option<Patch>, Error>,
        note: impl FnOnce(&mut History, Patch),
    ) -> Result<Option<Patch>, Error> {
        let edits = self.commit(scene)?.clone();
        let Some(patch) = next(&self.history, &self.library)? else {
            return Ok(Some(edits).filter(|edits| !edits.is_empty()));
        };
        self.make(scene, &patch)?;
        note(&mut self.history, patch.clone());
        Ok(Some(if edits.is_empty() { patch } else { edits.then(&patch)? }))
    }

    /// Takes back any [step that was done](History::done), by its index, as a new step; `None` if there is none. What
    /// later steps have stated stays, as what was followed does for [`undo`](Self::undo). Returns what
    /// [`apply`](Self::apply) returns.
    ///
    /// Copies the library, and joins all later steps.
    ///
    /// # Errors
    /// Those of [`apply`](Self::apply).
    pub fn undo_step(&mut self, scene: &mut Scene, index: usize) -> Result<Option<Patch>, Error> {
        self.go(scene, |history, library| history.back(index, library), |history, made| history.push(made))
    }

    /// Returns the steps that were done and undone: how many, and their labels.
    #[must_use]
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// Returns the history, to take it away ([`core::mem::take`]), or to put one in its place that another document of
    /// an equal library made: of a prefab, say, that was open in between. Commit before.
    ///
    /// Undo then takes back steps of all these documents. A step shows in the scene as far as it concerns the open
    /// definition and what that uses; the library always changes. An undo that would take the root from the open
    /// definition is refused; so is one in a library that has not what the step stated, with [`Error::State`].
    pub const fn history_mut(&mut self) -> &mut History {
        &mut self.history
    }

    /// Names the last step, as for the text of an undo menu; it keeps the label when it is undone. Has no effect if
    /// there is no step. Call it only after a commit whose patch is not empty: others make no step. Commit before you
    /// apply a patch, too: edits that wait become a step of their own.
    pub fn set_label(&mut self, label: impl Into<Box<str>>) {
        self.history.set_label(label.into());
    }

    /// Joins the last two steps, as for each frame of a drag; the label is that of the later one, if it has any. Has no
    /// effect if there are fewer, after an undo, and if a patch was followed between them.
    pub fn amend(&mut self) {
        self.history.amend();
    }

    /// Forgets all but the last `keep` steps that can be undone.
    pub fn forget(&mut self, keep: usize) {
        self.history.forget(keep);
    }
}

/// Returns whether a node is a document's root or below it.
pub(crate) fn holds(scene: &Scene, root: NodeHandle, node: NodeHandle) -> bool {
    let Some(found) = scene.get(node) else { return false };
    if root == scene.root() { !found.is_detached() } else { node == root || found.is_below(root) }
}

/// Returns the next or the previous sibling of a node.
pub(crate) fn beside(scene: &Scene, node: NodeHandle, next: bool) -> Option<NodeHandle> {
    let node = scene.get(node)?;
    Some(if next { node.next_sibling()? } else { node.previous_sibling()? }.handle())
}

/// Returns a reader of edits whose first read is of the whole scene.
pub(crate) fn unread() -> ChangeReader {
    ChangeReader::new().with_kinds(ChangeKinds::EDITS)
}

/// Returns a reader of edits that has read all up to the last update.
pub(crate) fn reader(scene: &Scene) -> ChangeReader {
    ChangeReader::of(scene).with_kinds(ChangeKinds::EDITS)
}
