//! The render pass: what to draw, as two arrays.

use crate::pass::cull::{Sieve, Walk};
use crate::pass::detail::{DetailView, Filling, LevelMemory};
use crate::pass::draw::{Cache, ChangedDraws, DrawCommand, Listing, Motion, Relative, Segment, WideWorlds, mark};
use crate::store::{MatrixSlot, Store};
use crate::unique::unique_number;
use crate::visit::{Flow, SliceView, SliceVisitor};
use crate::{Layers, Mat34, NodeHandle};
use glam::DVec3;
use hedgerow_math::Frustum;
use std::collections::TryReserveError;

/// The visible drawables of a scene, as two parallel arrays of commands and matrices.
///
/// Reuse a list every frame, so that it only allocates when the scene grows.
/// [`Scene::draw_list`](crate::Scene::draw_list) then only lists slices that changed since the list was last filled
/// from the same scene. You may use it with several scenes in turn, skip frames or clear it; the list detects this, and
/// is filled from scratch if necessary.
///
/// The list shows the scene after its last update, without nodes that were removed since.
///
/// The order is deterministic: slices are in the order of [`Scene::visit_slices`](crate::Scene::visit_slices), and the
/// drawables of a slice are in the order of its drawable column. A parent comes before its children. The column is in
/// depth-first order after the slice was reconstituted, and nearly so otherwise. Siblings come in the order in which
/// the update placed them, which may differ from the order of [`Scene::children`](crate::Scene::children). Use a
/// [`Visitor`](crate::visit::Visitor) for strict order. Source: the thesis, section 4.3.2.
#[derive(Clone, Debug)]
pub struct DrawList {
    pub(crate) listing: Listing,
    pub(crate) layers: u32,
    /// The origin of relative matrices.
    eye: Option<DVec3>,
    /// A number that is new whenever commands change. Two lists have the same revision only if one is a clone of the
    /// other; only empty lists have 0.
    pub(crate) revision: u64,
    cache: Cache,
    relative: Relative,
    motion: Option<Motion>,
    levels: LevelMemory,
    /// Reused to save allocations.
    pub(crate) walk: Walk,
}

impl DrawList {
    /// Creates an empty list for drawables that are visible on any layer.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            listing: Listing::EMPTY,
            layers: u32::MAX,
            eye: None,
            revision: 0,
            cache: Cache::EMPTY,
            relative: Relative::EMPTY,
            motion: None,
            levels: LevelMemory::EMPTY,
            walk: Walk::EMPTY,
        }
    }

    /// Returns the list for drawables that are visible on at least one of these layers.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Drawable, Layers, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let (world, minimap) = (Layers::new(1), Layers::new(2));
    /// scene.insert(scene.root(), Node::drawable(Drawable::new(7, Aabb::cube(1.0))).with_layers(world))?;
    /// scene.insert(scene.root(), Node::drawable(Drawable::new(8, Aabb::cube(1.0))).with_layers(minimap))?;
    /// scene.update();
    ///
    /// let mut list = DrawList::new().on_layers(minimap);
    /// scene.draw_list(&mut list);
    /// assert_eq!(list.len(), 1);
    /// assert_eq!(list.commands()[0].mesh, 8);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn on_layers(mut self, layers: Layers) -> Self {
        self.set_layers(layers);
        self
    }

    /// Sets the layers. From the next fill on, the list has the drawables that are visible on at least one of them.
    pub fn set_layers(&mut self, layers: Layers) {
        self.layers = layers.mask();
    }

    /// Returns the layers of the list: a drawable is listed if it is visible on at least one of them.
    #[must_use]
    pub fn layers(&self) -> Layers {
        Layers::new(self.layers)
    }

    /// Sets the eye: from the next fill on, the list has [`relative_matrices`](DrawList::relative_matrices), or none if
    /// the eye is `None`. [`matrices`](DrawList::matrices) stay relative to the world.
    ///
    /// Use relative matrices in worlds so large that single precision cannot resolve positions.
    ///
    /// The eye must be finite. This is not checked; if the eye is not finite, the matrices are not finite either.
    ///
    /// With an eye, the frustum of a [`CullView`](crate::query::CullView) must be relative to the eye, so compute it
    /// from a view matrix without translation.
    ///
    /// A relative matrix maps to a space with the eye as its origin and the axes of the world. It is composed in double
    /// precision from the local transforms of the last update, and rounded at the end. So objects near the eye are
    /// exact, even far from the origin. If an object is too far away for single precision, its translation is infinite.
    ///
    /// **Fill the list between an update and the next edits, because only then is it exact.** A scene does not keep a
    /// second copy of all local transforms. Matrices composed after edits may use local transforms that were set since
    /// the update, and single precision for nodes that were moved since. Matrices that a reused list composed earlier
    /// stay the same until the next update.
    ///
    /// A list that is reused every frame caches world transforms in double precision, 96 bytes each. If it is used for
    /// culling, it also caches boxes, 24 bytes per drawable. It only recomposes transforms that may have changed; if
    /// only the eye moved, it just subtracts and rounds.
    ///
    /// ```
    /// use hedgerow::glam::DVec3;
    /// use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let city = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1e8, 0.0, 0.0)))?;
    /// let lamp = Node::transform(Transform::from_xyz(0.25, 3.0, 0.0));
    /// scene.insert(city, lamp.with_drawable(Drawable::new(7, Aabb::cube(0.2))))?;
    /// scene.update();
    ///
    /// let mut list = DrawList::new();
    /// list.set_eye(DVec3::new(1e8, 1.5, 0.0));
    /// scene.draw_list(&mut list);
    /// assert_eq!(list.relative_matrices()[0].translation().to_array(), [0.25, 1.5, 0.0]);
    /// assert_eq!(list.matrices()[0].translation().x, 1e8, "where single precision has no quarters");
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn set_eye(&mut self, eye: impl Into<Option<DVec3>>) {
        self.eye = eye.into();
    }

    /// Returns the eye of the relative matrices, if there is one.
    #[must_use]
    pub fn eye(&self) -> Option<DVec3> {
        self.eye
    }

    /// Returns the list with the previous update's matrices as well, for motion vectors: see
    /// [`DrawList::previous_matrices`]. Takes 48 more bytes per drawable, and the time to copy the matrices of
    /// drawables that moved in the last two updates.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, SceneConfig, Transform};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// let car = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(7, Aabb::cube(1.0)));
    /// let car = scene.insert(scene.root(), car)?;
    /// let mut list = DrawList::new().with_motion();
    /// let mut frame = |scene: &mut Scene| {
    ///     scene.update();
    ///     scene.draw_list(&mut list);
    ///     let previous = list.previous_matrices().unwrap_or(list.matrices());
    ///     (previous[0].translation().x, list.matrices()[0].translation().x)
    /// };
    /// assert_eq!(frame(&mut scene), (0.0, 0.0));
    /// scene.set_local(car, Transform::from_xyz(3.0, 0.0, 0.0))?;
    /// assert_eq!(frame(&mut scene), (0.0, 3.0));
    /// assert_eq!(frame(&mut scene), (3.0, 3.0), "what does not move any more is at rest");
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn with_motion(mut self) -> Self {
        if self.motion.is_none() {
            self.motion = Some(Motion::EMPTY);
            // The next listing must also collect previous matrices.
            self.cache.forget();
        }
        self
    }

    /// Returns the list without matrices: [`DrawList::matrices`] is then empty.
    ///
    /// For renderers that have matrices on the GPU and find them by [`DrawList::slots`]: see
    /// [`MatrixMirror`](crate::changes::MatrixMirror). Saves 48 bytes per drawable, and the time to copy matrices.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let lamp = Node::transform(Transform::from_xyz(0.0, 3.0, 0.0)).with_drawable(Drawable::new(7, Aabb::cube(0.2)));
    /// scene.insert(scene.root(), lamp)?;
    /// scene.update();
    /// let mut list = DrawList::new().without_matrices();
    /// scene.draw_list(&mut list);
    /// assert!(list.matrices().is_empty());
    /// assert_eq!(scene.get(list.commands()[0].node).unwrap().matrix_slot(), Some(list.slots()[0]));
    /// assert_eq!(scene.world(list.commands()[0].node).unwrap().translation().y, 3.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn without_matrices(mut self) -> Self {
        self.listing.keeps_matrices = false;
        self.listing.matrices = Vec::new();
        self
    }

    /// Returns the draw commands.
    #[must_use]
    pub fn commands(&self) -> &[DrawCommand] {
        &self.listing.commands
    }

    /// Returns the world matrices of the commands, ready for upload. There are none in a list [without
    /// matrices](DrawList::without_matrices).
    #[must_use]
    pub fn matrices(&self) -> &[Mat34] {
        &self.listing.matrices
    }

    /// Returns the location of each command's world matrix, which is the
    /// [`NodeRef::matrix_slot`](crate::NodeRef::matrix_slot) of the node.
    #[must_use]
    pub fn slots(&self) -> &[MatrixSlot] {
        &self.listing.slots
    }

    /// Returns the ranges of indices whose commands or matrix slots changed when the list was last filled, in ascending
    /// order, to update a copy of the list. Truncate the copy to the length of the list yourself.
    ///
    /// Gaps of fewer than 32 commands are included.
    ///
    /// A range may include equal elements, because commands that were listed again count as changed, and so do commands
    /// that moved to another index. Runs in **O(drawables ÷ 8 + ranges)**; after culling in O(drawables), because this
    /// call then compares the visible drawables.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let node = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(7, Aabb::cube(1.0)));
    /// let stones: Vec<_> = (0..100).map(|_| scene.insert(scene.root(), node)).collect::<Result<_, _>>()?;
    /// scene.update();
    /// let mut list = DrawList::new();
    /// scene.draw_list(&mut list);
    /// assert!(list.changed_commands().eq([0..100]));
    ///
    /// scene.set_local(stones[70], Transform::from_xyz(1.0, 0.0, 0.0))?;
    /// scene.update();
    /// scene.draw_list(&mut list);
    /// assert!(list.changed_commands().eq([]));
    /// assert!(list.changed_matrices().eq([70..71]));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn changed_commands(&self) -> impl Iterator<Item = core::ops::Range<usize>> + '_ {
        ChangedDraws::new(&self.listing, self.cache.listing_before(), mark::COMMAND)
    }

    /// Returns the ranges of indices whose matrices changed when the list was last filled; see
    /// [`DrawList::changed_commands`].
    pub fn changed_matrices(&self) -> impl Iterator<Item = core::ops::Range<usize>> + '_ {
        ChangedDraws::new(&self.listing, self.cache.listing_before(), mark::MATRIX)
    }

    /// Returns the previous world matrix of each command's node, in the order of the commands: that of the
    /// second-to-last update, no matter when the list was last filled. Fill the list between an update and the next
    /// edits.
    ///
    /// If a node is new, or did not move in the last update, it is the current matrix: see
    /// [`NodeRef::previous_world`](crate::NodeRef::previous_world). If frames have several updates, or none, use
    /// [`Smooth::with_motion`](crate::motion::Smooth::with_motion).
    ///
    /// Returns `None` if the matrices are unknown: in a list without [`DrawList::with_motion`]; for a scene that does
    /// not [track changes](crate::SceneConfig::changes); and after a [`RenderPass`] or [`DrawList::clear`] wrote to the
    /// list. Then use [`DrawList::matrices`], as if nothing moved. [`Scene::cull`](crate::Scene::cull) fills in the
    /// previous matrices too, like [`Scene::draw_list`](crate::Scene::draw_list).
    #[must_use]
    pub fn previous_matrices(&self) -> Option<&[Mat34]> {
        self.motion.as_ref()?.matrices()
    }

    /// Returns the matrices relative to the [eye](DrawList::set_eye), or none if the last fill was without an eye.
    #[must_use]
    pub fn relative_matrices(&self) -> &[Mat34] {
        self.relative.matrices()
    }

    /// Returns the number of drawables listed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.listing.len()
    }

    /// Returns whether nothing is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listing.len() == 0
    }

    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.written().clear();
    }

    /// Frees all memory except that of the contents. Use it after a scene became smaller or was dropped. The next fill
    /// is from scratch. Runs in **O(drawables listed)**.
    ///
    /// ```
    /// use hedgerow::{DrawList, Scene};
    ///
    /// let mut list = DrawList::new();
    /// Scene::new().draw_list(&mut list);
    /// list.shrink_to_fit();
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.cache.free(&mut self.listing);
        self.listing.shrink_to_fit();
        self.relative.shrink_to_fit();
        self.levels.shrink_to_fit();
        if let Some(motion) = &mut self.motion {
            motion.shrink_to_fit();
        }
        self.walk = Walk::EMPTY;
    }

    /// Returns the arrays, for code that writes to them directly. Caches are forgotten.
    pub(crate) fn written(&mut self) -> &mut Listing {
        self.cache.forget();
        self.relative.forget();
        self.levels.forget();
        if let Some(motion) = &mut self.motion {
            motion.forget();
        }
        self.revision = unique_number().get();
        &mut self.listing
    }

    /// Updates the list. Its contents are then the same as if they were listed from scratch.
    pub(crate) fn refresh(&mut self, store: &Store) {
        self.levels.forget();
        let refreshed = self.cache.refresh(&mut self.listing, store, self.layers);
        if let Some(stamp) = refreshed.commands {
            self.revision = stamp;
        }
        if let Some(motion) = &mut self.motion {
            motion.refresh(&self.listing, self.cache.segments(), store, refreshed.listed);
        }
        match self.eye {
            Some(eye) => self.relative.fill(store, eye, &self.listing, self.cache.segments(), refreshed.listed),
            None => self.relative.forget(),
        }
    }

    /// Replaces the contents by the draws that `find` lists. The revision stays the same if commands and slots do.
    pub(crate) fn replace(&mut self, find: impl FnOnce(&mut Listing, &mut Walk)) {
        // Taken out, because `find` also borrows the listing.
        let mut walk = core::mem::take(&mut self.walk);
        self.levels.forget();
        find(self.begin_overwriting(), &mut walk);
        self.walk = walk;
        self.finish_replacing();
    }

    /// Returns empty arrays for the new contents of a view, and the choice of levels of detail if the view has any.
    pub(crate) fn begin_replacing<'l>(
        &'l mut self,
        store: &Store,
        worlds: Option<&WideWorlds>,
        detail: Option<DetailView<'l>>,
    ) -> Filling<'l> {
        // The new draws go to the spare listing, and the old ones stay for comparison until the swap.
        self.begin_overwriting().clear();
        let Self { listing, cache, levels, .. } = self;
        let position = |id| {
            let wide =
            // With an eye, positions in single precision could be off by metres far from the origin.
                worlds.zip(store.matrix_slot(id)).and_then(|(all, at)| all.slice(at.slice_id())?.position(at.slot));
            wide.unwrap_or_else(|| store.world_at(id).translation().as_dvec3())
        };
        if detail.is_none() {
            levels.forget();
        }
        let choice = detail.map(|view| levels.choose(store, view, &listing.commands, position));
        Filling { listing: cache.spare_listing(), choice }
    }

    /// Returns the arrays for the new contents. They still have old values, for the caller to overwrite.
    fn begin_overwriting(&mut self) -> &mut Listing {
        self.cache.forget();
        self.relative.forget();
        if let Some(motion) = &mut self.motion {
            motion.forget();
        }
        let spare = self.cache.spare_listing();
        spare.keeps_matrices = self.listing.keeps_matrices;
        spare
    }

    pub(crate) fn finish_replacing(&mut self) {
        let spare = self.cache.spare_listing();
        // A still camera keeps its revision, so that groups and orders are kept, too.
        if spare.differs_from(&self.listing) {
            self.revision = unique_number().get();
        }
        // Changes are computed when they are requested, because few renderers keep copies of a camera's visible draws.
        spare.is_compared = true;
        core::mem::swap(spare, &mut self.listing);
        self.levels.remember(&self.listing.commands);
    }

    /// Returns the command with the mesh of the level that the list chose, if it was filled with levels from this scene.
    /// `None` if it then does not show the node.
    pub(crate) fn shown(&self, store: &Store, mut command: DrawCommand) -> Option<DrawCommand> {
        if let Some(places) = self.levels.places(store) {
            let place = *places.get(command.node.record().0 as usize)?;
            let listed = self.listing.commands.get(place as usize).filter(|listed| listed.node == command.node)?;
            command.set_level(listed.mesh, listed.level());
        }
        Some(command)
    }

    /// Takes the world transforms in double precision out, and updates them. Return them by [`Self::keep_worlds`].
    pub(crate) fn take_worlds(&mut self, store: &Store) -> Result<WideWorlds, TryReserveError> {
        self.relative.take_worlds(store)
    }

    pub(crate) fn keep_worlds(&mut self, worlds: WideWorlds) {
        self.relative.keep_worlds(worlds);
    }

    /// Replaces the contents by the drawables in a frustum around the eye that `sieve` admits, with relative matrices.
    pub(crate) fn find_relative(
        &mut self,
        from: (&Store, &WideWorlds),
        frustum: &Frustum,
        sieve: Sieve,
        detail: Option<DetailView<'_>>,
    ) {
        let Some(eye) = self.eye else { return };
        let mut relative = core::mem::take(&mut self.relative);
        relative.find(from, (eye, frustum), sieve, &mut self.begin_replacing(from.0, Some(from.1), detail));
        self.finish_replacing();
        self.relative = relative;
    }

    /// Returns the slices of the list with the stamps of their commands, if the list was filled slice by slice.
    pub(crate) fn segments(&self) -> Option<&[Segment]> {
        self.cache.known_segments()
    }

    /// Sets the previous matrices of the listed nodes to the results of `previous`, if the list has motion.
    pub(crate) fn ask_previous<'m>(&mut self, previous: impl Fn(NodeHandle) -> Option<&'m Mat34>) {
        if let Some(motion) = &mut self.motion {
            motion.ask(&self.listing, previous);
        }
    }
}

impl Default for DrawList {
    fn default() -> Self {
        Self::new()
    }
}

/// Adds the drawables of each visited slice to a draw list.
///
/// Use it to list part of a scene, or several scenes together. Nothing is cached, and a later
/// [`Scene::draw_list`](crate::Scene::draw_list) fills the list from scratch.
///
/// ```
/// use hedgerow::{Aabb, DrawList, Drawable, Layers, Node, Scene, draw::RenderPass};
///
/// let mut scene = Scene::new();
/// let lamp = Node::drawable(Drawable::new(7, Aabb::cube(1.0))).with_layers(Layers::new(2));
/// scene.insert(scene.root(), lamp)?;
/// scene.update();
/// let mut list = DrawList::new();
/// for scene in [&scene, &scene.clone()] {
///     scene.visit_slices(&mut RenderPass::new(&mut list).on_layers(Layers::new(2)));
/// }
/// assert_eq!(list.len(), 2, "the lamps of both scenes");
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Debug)]
pub struct RenderPass<'l> {
    listing: &'l mut Listing,
    layers: u32,
}

impl<'l> RenderPass<'l> {
    /// Creates a pass that lists the drawables that are visible on the list's layers.
    #[must_use]
    pub fn new(list: &'l mut DrawList) -> Self {
        Self { layers: list.layers, listing: list.written() }
    }

    /// Returns the pass for drawables that are visible on at least one of these layers.
    #[must_use]
    pub fn on_layers(self, layers: Layers) -> Self {
        Self { layers: layers.mask(), ..self }
    }
}

impl SliceVisitor for RenderPass<'_> {
    fn slice(&mut self, slice: SliceView<'_>) -> Flow {
        self.listing.add(slice, self.layers);
        Flow::Continue
    }
}
