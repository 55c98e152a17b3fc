//! The graph: nodes, their edits and queries.

mod batch;
mod changes;
mod column;
mod component;
mod edit;
mod frame;
mod inherited;
pub mod iter;
#[cfg(test)]
mod limits;
mod maintain;
mod mirror;
pub mod motion;
pub mod node_map;
mod node_mut;
mod node_ref;
mod pick;
mod place;
mod queue;
mod reparent;
mod spatial;
mod stats;
mod validate;
mod world;

pub use changes::{ChangeReader, Changed, ParentChange};
pub use column::Column;
pub use inherited::Inherited;
pub use maintain::Maintenance;
pub use mirror::{DrawableMirror, DrawableStep, MatrixMirror, MirrorStep, Scattered, SyncStats};
pub use node_map::NodeMap;
pub use node_mut::{Change, NodeMut};
pub use node_ref::NodeRef;
pub use pick::{Pick, Pickable, Selected};
pub use place::{Keep, Place};
pub use queue::{Edit, EditQueue, Outcome, QueuedPlace, Target};
pub use spatial::{CullView, Filter, RayHit, Volume};
pub use stats::{Stats, Usage};
pub use validate::Violation;

use crate::store::{RecordId, Store};
use crate::{Error, NodeHandle, SceneConfig};
use core::fmt;

/// A tree of nodes with transforms, materials, drawables, visibility and names.
///
/// A scene has one root, which always exists and cannot be removed. [`Scene::insert`] inserts a node below another one
/// and returns a [`NodeHandle`] that refers to it. [`Scene::get`] reads a node, and [`Scene::edit`] edits its
/// components. The most frequent operations are also methods of the scene, by handle: [`Scene::parent`],
/// [`Scene::children`], [`Scene::local`], [`Scene::world`], [`Scene::set_local`]. Edits take effect at once. Derived
/// values (world matrices, and the arrays that draw lists and queries read) follow at the next [`Scene::update`].
///
/// An edit that fails returns an [`Error`] and changes nothing. No method recurses with the depth of the tree.
///
/// Source of the storage: the thesis, section 4.4. ARCHITECTURE.md in the repository says what differs.
#[derive(Clone)]
pub struct Scene {
    pub(crate) store: Store,
    root: NodeHandle,
}

/// Shows one line, whatever the size of the scene. [`Scene::stats`] shows the storage.
///
/// ```
/// let scene = hedgerow::Scene::new();
/// assert_eq!(format!("{scene:?}"), "Scene { nodes: 1, detached: 0, slices: 2, root: NodeHandle(0v1), .. }");
/// ```
impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene")
            .field("nodes", &self.len())
            .field("detached", &self.store.nodes.detached_len())
            .field("slices", &self.store.slices.order.len())
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

impl Scene {
    /// Creates a scene with a root and the default configuration.
    #[must_use]
    pub fn new() -> Self {
        Self::with_config(SceneConfig::DEFAULT).expect("the default configuration makes sense")
    }

    /// Creates a scene with a root and the given configuration.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the first invalid field.
    pub fn with_config(config: SceneConfig) -> Result<Self, Error> {
        Ok(Self::restored(Store::new(config.checked()?)))
    }

    /// Creates a scene from a store that has a root.
    pub(crate) fn restored(store: Store) -> Self {
        let root = store.nodes.root();
        Self { store, root }
    }

    /// Creates a scene with room for `nodes` nodes in addition to the root: see [`Scene::try_reserve`].
    ///
    /// # Panics
    /// Panics if the allocation fails, or for more nodes than a scene can have (2³⁰); [`Scene::try_reserve`] does not.
    #[must_use]
    pub fn with_capacity(nodes: usize) -> Self {
        let mut scene = Self::new();
        scene.try_reserve(scene.root(), nodes).expect("a capacity within limits and memory");
        scene
    }

    /// Returns the configuration with which the scene was created.
    #[must_use]
    pub fn config(&self) -> &SceneConfig {
        self.store.config()
    }

    /// Returns the root. It has no transform until you set one.
    #[must_use]
    pub fn root(&self) -> NodeHandle {
        self.root
    }

    /// Returns a number that no other scene of the process has, for what you keep beside a scene. A clone and a loaded
    /// scene have other numbers; a restored checkpoint has the same. The number differs from run to run. Runs in **O(1)**.
    ///
    /// ```
    /// let scene = hedgerow::Scene::new();
    /// assert_ne!(scene.number(), scene.clone().number());
    /// ```
    #[must_use]
    pub fn number(&self) -> u64 {
        self.store.scene_number()
    }

    /// Returns the number of nodes in the scene, including the root but not detached subtrees. Runs in **O(1)**.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a scene has a root and so is never empty")]
    pub fn len(&self) -> usize {
        self.store.nodes.len()
    }

    /// Returns whether the handle refers to a node of this scene. Runs in **O(1)**.
    #[must_use]
    pub fn contains(&self, node: NodeHandle) -> bool {
        self.store.nodes.resolve(node).is_some()
    }

    /// Makes room for the records of `additional` more nodes, anywhere in the scene: `parent` is only checked.
    ///
    /// Afterwards, this many inserts allocate nothing until the next update, except for data outside the records, such
    /// as drawables and names. The update makes room in slices.
    ///
    /// # Errors
    /// [`Error::StaleHandle`]; [`Error::CapacityOverflow`] for more nodes than a scene can have;
    /// [`Error::AllocationFailed`]. The scene is unchanged, except for room that was already reserved.
    pub fn try_reserve(&mut self, parent: NodeHandle, additional: usize) -> Result<(), Error> {
        self.at(parent)?;
        self.store.nodes.try_reserve(additional)
    }

    /// Does all the work of [`Scene::maintain`], and frees unused memory: spare room of slices, temporary lists, and
    /// room reserved for nodes. Handles stay valid.
    ///
    /// Records of removed nodes stay, since new nodes reuse them. Call this after [`Scene::update`], because slices
    /// stay as they are if the scene was edited since the last update. Runs in **O(nodes)**.
    pub fn shrink_to_fit(&mut self) {
        self.store.shrink_to_fit();
    }

    /// Returns the record of a node, or an error for a stale handle.
    #[inline]
    pub(crate) fn at(&self, node: NodeHandle) -> Result<RecordId, Error> {
        self.store.nodes.resolve(node).ok_or(Error::StaleHandle(node))
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}
