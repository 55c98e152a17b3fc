//! One node of a scene, for reading: its data, and steps to other nodes.

use crate::scene::iter::{Ancestors, ChildHandles, Children, Descendants, Edges, Leaves, PostOrder, Siblings};
use crate::scene::{Place, Scene};
use crate::store::{MatrixSlot, RecordId};
use crate::{Aabb, Drawable, Layers, Local, Mat34, Node, NodeHandle, Transform, ViewRange, Visibility};
use core::fmt;
use glam::{DAffine3, DVec3};

/// A node of a scene, for reading: see [`Scene::get`].
///
/// A `NodeRef` is `Copy`, takes two words and borrows the scene, so the handle is checked once for any number of reads.
/// Methods that lead to other nodes, such as [`parent`](Self::parent), return a `NodeRef`. If no cost is noted, a read
/// runs in **O(1)**.
///
/// ```
/// use hedgerow::{Node, NodeRef, Scene, Transform};
///
/// let mut scene = Scene::new();
/// let car = scene.insert(scene.root(), Node::material(3).with_name("car"))?;
/// let wheel = scene.insert(car, Node::transform(Transform::from_xyz(0.0, 0.3, 1.5)).with_name("wheel"))?;
///
/// let node = scene.get(wheel).expect("just inserted");
/// assert_eq!((node.name(), node.own_material(), node.material()), (Some("wheel"), None, Some(3)));
/// assert_eq!(node.parent().and_then(|parent| parent.name()), Some("car"));
/// assert_eq!((node.parent().and_then(NodeRef::last_child), node.next_sibling()), (Some(node), None));
/// assert_eq!((node.own_layers(), node.view_range(), node.world_transform()), (None, None, node.transform()));
/// assert!(node.is_below(car) && !node.is_detached() && !node.is_anchored());
/// assert_eq!(node.ancestors().last().map(|top| top.handle()), Some(scene.root()));
///
/// scene.remove(wheel)?;
/// assert!(scene.get(wheel).is_none());
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct NodeRef<'s> {
    scene: &'s Scene,
    id: RecordId,
}

/// Shows the handle and the name.
impl fmt::Debug for NodeRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeRef").field("handle", &self.handle()).field("name", &self.name()).finish_non_exhaustive()
    }
}

/// Returns whether both are the same node of the same scene.
impl PartialEq for NodeRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && core::ptr::eq(self.scene, other.scene)
    }
}

impl Eq for NodeRef<'_> {}

/// The node and its relatives.
impl<'s> NodeRef<'s> {
    #[inline]
    pub(crate) fn new(scene: &'s Scene, id: RecordId) -> Self {
        Self { scene, id }
    }

    #[inline]
    fn at(self, id: Option<RecordId>) -> Option<Self> {
        id.map(|id| Self { id, ..self })
    }

    #[inline]
    pub(crate) fn id(self) -> RecordId {
        self.id
    }

    /// Returns the node's handle.
    #[must_use]
    #[inline]
    pub fn handle(self) -> NodeHandle {
        self.scene.store.nodes.handle(self.id)
    }

    /// Returns the scene.
    #[must_use]
    #[inline]
    pub fn scene(self) -> &'s Scene {
        self.scene
    }

    /// Returns the parent; `None` for the root and for the root of a detached subtree.
    #[must_use]
    #[inline]
    pub fn parent(self) -> Option<Self> {
        self.at(self.scene.store.nodes.parent(self.id))
    }

    /// Returns the first child.
    #[must_use]
    #[inline]
    pub fn first_child(self) -> Option<Self> {
        self.at(self.scene.store.nodes.first_child(self.id))
    }

    /// Returns the last child.
    #[must_use]
    #[inline]
    pub fn last_child(self) -> Option<Self> {
        self.at(self.scene.store.nodes.last_child(self.id))
    }

    /// Returns the next sibling.
    #[must_use]
    #[inline]
    pub fn next_sibling(self) -> Option<Self> {
        self.at(self.scene.store.nodes.next_sibling(self.id))
    }

    /// Returns the previous sibling.
    #[must_use]
    #[inline]
    pub fn previous_sibling(self) -> Option<Self> {
        self.at(self.scene.store.nodes.previous_sibling(self.id))
    }

    /// Returns the next sibling, or, for the root of a detached subtree, the next such root.
    #[inline]
    pub(super) fn next_in_chain(self) -> Option<Self> {
        self.at(self.scene.store.nodes.next_in_chain(self.id))
    }

    /// Returns the previous sibling, or, for the root of a detached subtree, the previous such root.
    #[inline]
    pub(super) fn previous_in_chain(self) -> Option<Self> {
        self.at(self.scene.store.nodes.previous_in_chain(self.id))
    }

    /// Returns the next node in pre-order if it is in the subtree of `top`. Skips nodes below unless `descend` is set.
    #[inline]
    pub(super) fn next_in_subtree(self, top: Self, descend: bool) -> Option<Self> {
        self.at(self.scene.store.nodes.next_in_subtree(top.id, self.id, descend))
    }

    /// Returns the children in order, iterable from both ends.
    #[must_use]
    pub fn children(self) -> Children<'s> {
        Children::new(Some(self))
    }

    /// Returns the other children of the parent in order, iterable from both ends.
    #[must_use]
    pub fn siblings(self) -> Siblings<'s> {
        Siblings::new(self)
    }

    /// Returns the ancestors, from the parent to the root.
    #[must_use]
    pub fn ancestors(self) -> Ancestors<'s> {
        Ancestors::new(self)
    }

    /// Returns the node and all nodes below it in pre-order: the node itself first, and parents before their children.
    ///
    /// [`post_order`](Self::post_order), [`edges`](Self::edges) and [`leaves`](Self::leaves) include the node, too.
    #[must_use]
    pub fn descendants(self) -> Descendants<'s> {
        Descendants::new(self)
    }

    /// Returns the node and all nodes below it in post-order: children before their parents, and the node itself last.
    #[must_use]
    pub fn post_order(self) -> PostOrder<'s> {
        PostOrder::new(self)
    }

    /// Returns the nodes without children at or below the node, in order.
    #[must_use]
    pub fn leaves(self) -> Leaves<'s> {
        Leaves::new(self)
    }

    /// Returns a walk over the node and all nodes below it, which enters each node before its children, then leaves it.
    #[must_use]
    pub fn edges(self) -> Edges<'s> {
        Edges::new(self)
    }

    /// Returns the number of ancestors; 0 for the root. Runs in **O(ancestors)**.
    #[must_use]
    pub fn depth(self) -> usize {
        self.ancestors().count()
    }

    /// Returns the node's place: [`Place::Child`] with its index among its siblings, or [`Place::Detached`] for the
    /// root of a detached subtree. `None` for the root of the scene.
    ///
    /// Moving the node elsewhere and then back to this place restores its position, if the other children of its parent
    /// are still the same. Runs in **O(siblings before it)**.
    #[must_use]
    pub fn place(self) -> Option<Place> {
        let Some(parent) = self.parent() else {
            // Tops of detached subtrees have no parent, like the root.
            return (self.id != RecordId::ROOT).then_some(Place::Detached);
        };
        let before = core::iter::successors(self.previous_sibling(), |node| node.previous_sibling());
        Some(Place::Child(parent.handle(), before.count()))
    }

    /// Returns whether the node is below `ancestor`. A node is not below itself; false if `ancestor` is stale.
    ///
    /// Runs in **O(min(depth of the node, size of the ancestor's subtree))**.
    #[must_use]
    pub fn is_below(self, ancestor: NodeHandle) -> bool {
        let store = &self.scene.store;
        store.nodes.resolve(ancestor).is_some_and(|above| above != self.id && store.nodes.is_in_subtree(self.id, above))
    }

    /// Returns whether the node is the root of a detached subtree, or is below such a root.
    #[must_use]
    pub fn is_detached(self) -> bool {
        self.scene.store.nodes.is_outside(self.id)
    }

    /// Finds a node below this one by a path of names separated by `/`: at each step, the first child with that name.
    /// To find a name at any depth, use [`find_all`](Self::find_all).
    ///
    /// The empty path is the node itself. To find a name that contains a slash, use [`find_all`](Self::find_all), or
    /// search the [`children`](Self::children). Runs in **O(children of each node along the path)**; allocates nothing.
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group().with_name("car"))?;
    /// let wheel = scene.insert(car, Node::group().with_name("wheel_fl"))?;
    /// let root = scene.get(scene.root()).expect("a scene has a root");
    /// assert_eq!(root.find("car/wheel_fl").map(|node| node.handle()), Some(wheel));
    /// assert!(root.find("car/wheel_rr").is_none());
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn find(self, path: &str) -> Option<Self> {
        if path.is_empty() {
            return Some(self);
        }
        path.split('/').try_fold(self, |node, name| node.children().find(|child| child.name() == Some(name)))
    }

    /// Iterates over the nodes of the subtree that have exactly this name, in pre-order. Runs in **O(nodes visited)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let street = scene.insert(scene.root(), Node::group())?;
    /// let lamps = ["lamp", "tree", "lamp"].map(|name| scene.insert(street, Node::group().with_name(name)).unwrap());
    /// let found = scene.get(street).unwrap().find_all("lamp").map(|node| node.handle());
    /// assert!(found.eq([lamps[0], lamps[2]]));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn find_all(self, name: &str) -> impl Iterator<Item = Self> {
        self.descendants().filter(move |node| node.name() == Some(name))
    }
}

/// Components, and values derived from them.
impl<'s> NodeRef<'s> {
    /// Returns the name.
    #[must_use]
    pub fn name(self) -> Option<&'s str> {
        self.scene.store.nodes.name(self.id)
    }

    /// Returns the local transform.
    #[must_use]
    #[inline]
    pub fn local(self) -> Option<Local> {
        self.scene.store.nodes.local(self.id)
    }

    /// Returns the translation of the local transform in double precision; `None` without a local transform.
    #[must_use]
    pub fn translation_f64(self) -> Option<DVec3> {
        self.scene.store.nodes.wide_translation(self.id)
    }

    /// Returns the world matrix as of the last update; the identity for a node inserted since. See [`Scene::world`].
    #[must_use]
    #[inline]
    pub fn world(self) -> &'s Mat34 {
        self.scene.store.world_at(self.id)
    }

    /// Returns the world matrix as of now, including all edits since the last update.
    ///
    /// Use it to read matrices between edits without an update, as in inverse kinematics; far from the origin, use
    /// [`world_f64`](Self::world_f64), which resolves smaller steps. It has the same bits as the matrix that
    /// [`Scene::update`] would compute, so it is infinite or NaN if the ancestors' transforms exceed single precision.
    ///
    /// Runs in **O(ancestors)**.
    #[must_use]
    pub fn fresh_world(self) -> Mat34 {
        self.scene.store.nodes.fresh_world(self.id)
    }

    /// Returns the world transform as of now, in double precision, including all edits since the last update.
    ///
    /// It is composed from the local transforms of the node and all its ancestors.
    ///
    /// It is exact to about 10⁻⁹ m at 10⁷ m, where single precision resolves whole metres. [`Mat34::from_wide`] rounds
    /// it. Runs in **O(ancestors with a transform)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let city = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1e7, 0.0, 0.0)))?;
    /// let lamp = scene.insert(city, Node::transform(Transform::from_xyz(0.125, 0.0, 0.0)))?;
    /// assert_eq!(scene.get(lamp).unwrap().world_f64().translation.x, 1e7 + 0.125);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn world_f64(self) -> DAffine3 {
        self.scene.store.nodes.wide_world(self.id).world
    }

    /// Returns the world matrix after the second-to-last update, for motion vectors; `None` if the scene does not
    /// [track changes](crate::SceneConfig::changes).
    ///
    /// For a node that was not in the scene then, it is the current world matrix; for a node inserted since the last
    /// update, the identity. If frames have several updates, or none, use
    /// [`Smooth::with_motion`](crate::motion::Smooth::with_motion), which keeps what the last frame showed.
    ///
    /// Runs in **O(log n)** for n nodes that now inherit another ancestor's transform.
    #[must_use]
    pub fn previous_world(self) -> Option<&'s Mat34> {
        self.scene.store.previous_world(self.id)
    }

    /// Returns the world box of the node's drawable, computed on demand from the matrix of the last update.
    ///
    /// Infinite and empty local bounds are not transformed; a box that overflows is infinite.
    #[must_use]
    pub fn bounds(self) -> Option<Aabb> {
        self.scene.store.world_bounds(self.id)
    }

    /// Returns the world box of all drawables in the subtree, including hidden ones, as of the last update. Nodes that
    /// were inserted since have no box yet.
    ///
    /// The box is empty if there are no drawables, and infinite if any of their boxes is. The subtree is the current
    /// one. Runs in **O(nodes of the subtree)**.
    #[must_use]
    pub fn subtree_bounds(self) -> Aabb {
        self.scene.store.subtree_bounds(self.id)
    }

    /// Returns the local translation, rotation and scale; `None` if there is no local transform, or if it is a matrix.
    /// To convert a matrix without its shear, use [`Mat34::nearest_transform`].
    #[must_use]
    pub fn transform(self) -> Option<Transform> {
        self.local()?.transform()
    }

    /// Returns the world translation, rotation and scale as of now; `None` if the world transform shears or is flat.
    /// Then use [`Mat34::nearest_transform`] of [`fresh_world`](Self::fresh_world).
    ///
    /// It is computed in double precision, in **O(ancestors)**.
    ///
    /// Use it for physics and similar purposes: a product of many matrices in single precision, such as
    /// [`world`](Self::world), may appear to shear because of rounding alone.
    #[must_use]
    pub fn world_transform(self) -> Option<Transform> {
        Local::from_wide(&self.scene.store.nodes.wide_world(self.id).world)?.transform()
    }

    /// Returns the drawable.
    #[must_use]
    pub fn drawable(self) -> Option<Drawable> {
        self.scene.store.nodes.drawable(self.id)
    }

    /// Returns whether the local transform is relative to the world: see [`Node::anchored`].
    #[must_use]
    pub fn is_anchored(self) -> bool {
        self.scene.store.nodes.is_anchored(self.id)
    }

    /// Returns the effective material as of now: the node's own, or that of the nearest ancestor that has a material.
    ///
    /// Runs in **O(ancestors up to the nearest one with a material)**.
    #[must_use]
    pub fn material(self) -> Option<u32> {
        self.scene.store.nodes.material(self.id)
    }

    /// Returns the material that was set for the node itself; `None` if it inherits one: see
    /// [`material`](Self::material).
    #[must_use]
    pub fn own_material(self) -> Option<u32> {
        self.scene.store.nodes.own_material(self.id)
    }

    /// Returns the current effective layers: those that the node shares with its ancestors; none if the node is hidden.
    ///
    /// Runs in **O(ancestors)**.
    #[must_use]
    pub fn layers(self) -> Layers {
        self.scene.store.nodes.layers(self.id)
    }

    /// Returns whether the node is visible on any layer, as of now. Runs in **O(ancestors)**.
    #[must_use]
    pub fn is_visible(self) -> bool {
        !self.layers().is_empty()
    }

    /// Returns the visibility that was set for the node itself. [`is_visible`](Self::is_visible) takes its ancestors
    /// into account.
    #[must_use]
    pub fn own_visibility(self) -> Visibility {
        self.scene.store.nodes.own_visibility(self.id)
    }

    /// Returns the layers that were set for the node itself; `None` if there are none. [`layers`](Self::layers) returns
    /// those on which it is visible, with its ancestors.
    #[must_use]
    pub fn own_layers(self) -> Option<Layers> {
        self.scene.store.nodes.own_layers(self.id)
    }

    /// Returns the node's own [view range](crate::Node::view_range).
    #[must_use]
    pub fn view_range(self) -> Option<ViewRange> {
        self.scene.store.nodes.range(self.id)
    }

    /// Returns the nodes that a stand-in takes the place of: the siblings whose [view range](Self::view_range) ends where
    /// its own begins. Below a stand-in they are those of the nearest ancestor with siblings of this kind; nothing for all
    /// other nodes.
    ///
    /// To select what a person means who picks a stand-in far away. Runs in **O(ancestors and their siblings)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, ViewRange};
    ///
    /// let mut scene = Scene::new();
    /// let trees = Node::group().with_view_range(ViewRange::new(0.0, 120.0)?);
    /// let wood = Node::group().with_view_range(ViewRange::new(120.0, 900.0)?);
    /// let (trees, wood) = (scene.insert(scene.root(), trees)?, scene.insert(scene.root(), wood)?);
    /// let leaf = scene.insert(wood, Node::group())?;
    /// assert!(scene.get(leaf).unwrap().stands_for().map(|node| node.handle()).eq([trees]));
    /// assert_eq!(scene.get(trees).unwrap().stands_for().count(), 0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn stands_for(self) -> impl Iterator<Item = Self> {
        let replaced = |node: Self| {
            let near = node.view_range().map(ViewRange::near).filter(|&near| near > 0.0);
            let siblings = near.and(node.parent()).and_then(Self::first_child);
            core::iter::successors(siblings, |node| node.next_sibling())
                .filter(move |sibling| sibling.view_range().map(ViewRange::far) == near)
        };
        core::iter::successors(Some(self), |node| node.parent())
            .map(replaced)
            .find_map(|mut nodes| {
                let first = nodes.next()?;
                Some(core::iter::once(first).chain(nodes))
            })
            .into_iter()
            .flatten()
    }

    /// Returns the node's user data; 0 if none was set.
    #[must_use]
    pub fn user_data(self) -> u32 {
        self.scene.store.nodes.user_data(self.id)
    }

    /// Returns the node's description.
    #[must_use]
    pub fn to_node(self) -> Node<'s> {
        self.scene.store.nodes.node(self.id)
    }

    /// Returns the slice and the slot of the world matrix that the node uses; `None` for a node that was inserted since
    /// the last update.
    ///
    /// It is the slot of the node itself, or of the nearest ancestor with a transform.
    /// [`MatrixMirror::index`](crate::changes::MatrixMirror::index) converts it to an index in a buffer of all
    /// matrices.
    ///
    /// An update may change it for nodes that [`Scene::changes`] does not list, such as those below a reparented node. A
    /// [`DrawableMirror`](crate::changes::DrawableMirror) and a [`SliceCursor`](crate::changes::SliceCursor) tell.
    #[must_use]
    pub fn matrix_slot(self) -> Option<MatrixSlot> {
        self.scene.store.matrix_slot(self.id)
    }
}

impl Scene {
    /// Returns a node for reading; `None` for a stale handle. Runs in **O(1)**.
    #[must_use]
    #[inline]
    pub fn get(&self, node: NodeHandle) -> Option<NodeRef<'_>> {
        Some(NodeRef::new(self, self.store.nodes.resolve(node)?))
    }

    /// Returns the parent of a node in **O(1)**; `None` for the root, roots of detached subtrees and stale handles.
    #[inline]
    #[must_use]
    pub fn parent(&self, node: NodeHandle) -> Option<NodeHandle> {
        Some(self.store.nodes.handle(self.store.nodes.parent(self.store.nodes.resolve(node)?)?))
    }

    /// Returns the handles of the children of a node in order, iterable from both ends; empty for a stale handle.
    #[must_use]
    pub fn children(&self, node: NodeHandle) -> ChildHandles<'_> {
        ChildHandles(Children::new(self.get(node)))
    }
}
