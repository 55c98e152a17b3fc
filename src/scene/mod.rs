//! The graph: nodes, their edits and queries.

mod batch;
mod builder;
mod cached_handle;
mod changes;
mod column;
mod component;
mod detach;
mod draws;
mod duplicate;
mod edit;
#[cfg(feature = "anim")]
mod follow;
mod frame;
mod handle_map;
mod inherited;
pub mod iter;
#[cfg(test)]
mod limits;
mod maintain;
mod mirror;
mod name;
pub mod node_map;
mod place;
mod query;
mod queue;
mod reparent;
mod spatial;
mod stats;
mod validate;
mod world;

pub use builder::SceneBuilder;
pub use cached_handle::CachedHandle;
pub use changes::{ChangeReader, Changed, Changes};
pub use column::Column;
pub use handle_map::HandleMap;
pub use inherited::Inherited;
pub(crate) use iter::Edge;
pub use maintain::Maintenance;
pub use mirror::{MatrixMirror, MirrorStep, Mirrored};
pub use node_map::NodeMap;
pub use place::{Keep, Place};
pub use queue::{EditQueue, Outcome, QueuedPlace, Target};
pub use spatial::{CullHit, CullView, RayHit};
pub use stats::{Stats, Usage};
pub use validate::Violation;

use crate::store::{At, MAX_NODES, Membership, Store};
use crate::{Error, NodeHandle, SceneConfig};
use core::fmt;

/// A tree of nodes with transforms, materials, shapes, visibility and names.
///
/// A scene has one root, which always exists and cannot be removed. Nodes are inserted below it with [`Scene::insert`],
/// which returns a [`NodeHandle`] to refer to them. Edits take effect at once. Derived values (world matrices, and
/// inherited visibility and materials as the draw list sees them) follow at the next [`Scene::update`].
///
/// A refused edit returns an [`Error`] and changes nothing. No method recurses with the depth of the tree.
///
/// Source of the storage: the thesis, section 4.4. ARCHITECTURE.md in the repository says what differs.
#[derive(Clone)]
pub struct Scene {
    pub(crate) store: Store,
    root: NodeHandle,
}

/// A summary of one line, at any size. [`Scene::stats`] shows the storage.
///
/// ```
/// let scene = hedgerow::Scene::new();
/// assert_eq!(format!("{scene:?}"), "Scene { nodes: 1, detached: 0, slices: 1, root: NodeHandle(0:0 v1), .. }");
/// ```
impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene")
            .field("nodes", &self.len())
            .field("detached", &self.detached_len())
            .field("slices", &self.slice_count())
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

impl Scene {
    /// A scene with a root and the default configuration.
    #[must_use]
    pub fn new() -> Self {
        Self::with_config(SceneConfig::DEFAULT).expect("the default configuration makes sense")
    }

    /// A scene with a root and the given configuration.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] names the first invalid field.
    pub fn with_config(config: SceneConfig) -> Result<Self, Error> {
        Ok(Self::restored(Store::with_root(config.checked()?)))
    }

    /// A scene of a store that has a root.
    pub(crate) fn restored(store: Store) -> Self {
        let root = store.root();
        Self { store, root }
    }

    /// A scene whose first independent subtree has room for `nodes` nodes of any kind from the start.
    ///
    /// # Panics
    /// If the allocator refuses, or for more nodes than a scene can have (2³⁰). [`Scene::try_reserve`] does not panic.
    #[must_use]
    pub fn with_capacity(nodes: usize) -> Self {
        let mut scene = Self::new();
        scene.try_reserve(scene.root(), nodes).expect("a capacity within limits and memory");
        scene
    }

    /// The configuration that the scene was made with.
    #[must_use]
    pub fn config(&self) -> &SceneConfig {
        self.store.config()
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> NodeHandle {
        self.root
    }

    /// The number of nodes in the scene, including the root but not detached subtrees. Runs in **O(1)**.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a scene has a root and so is never empty")]
    pub fn len(&self) -> usize {
        self.store.len_of(Membership::Attached)
    }

    /// Whether the handle names a node of this scene. Runs in **O(1)**.
    #[must_use]
    pub fn contains(&self, node: NodeHandle) -> bool {
        self.store.resolve(node).is_some()
    }

    /// The number of slices that hold the scene's nodes.
    #[must_use]
    pub fn slice_count(&self) -> usize {
        self.store.slice_count()
    }

    /// Makes room for `additional` more nodes in the slice that the next child of `parent` would go to.
    ///
    /// The room is for nodes with a transform, a material, a shape and a visibility each. Below the root, the room is
    /// made in the next slice to be opened; a child that shares the slice of a small neighbour does not use it.
    ///
    /// # Errors
    /// [`Error::StaleHandle`]; [`Error::CapacityOverflow`] for more nodes than a scene can have;
    /// [`Error::AllocationFailed`]. The scene is unchanged, except for room that was made before the error.
    pub fn try_reserve(&mut self, parent: NodeHandle, additional: usize) -> Result<(), Error> {
        let at = self.at(parent)?;
        let total = additional.checked_add(self.store.total_len()).filter(|&total| total <= MAX_NODES);
        let count = total.and_then(|_| u32::try_from(additional).ok()).ok_or(Error::CapacityOverflow)?;
        self.store.try_reserve_below(at, count).map_err(|_| Error::AllocationFailed)
    }

    /// Rebuilds every slice without spare room and frees the unused memory. Handles stay valid.
    ///
    /// Handle tables lose the free entries at their ends, and keep one generation for all of these: no handle is ever
    /// issued twice, and indices may lose some of their 2²⁸ − 1 generations. Runs in **O(nodes + handle tables)**.
    pub fn shrink_to_fit(&mut self) {
        self.store.shrink_to_fit();
    }

    /// The place of a node, or an error if it is gone.
    #[inline]
    pub(crate) fn at(&self, node: NodeHandle) -> Result<At, Error> {
        self.store.resolve(node).ok_or(Error::StaleHandle(node))
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self::new()
    }
}
