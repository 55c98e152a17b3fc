//! Spatial queries: culling, and queries by volume and ray.

use crate::Aabb;
use crate::fallible;
use crate::pass::{DetailView, DrawList, Found, MOST_PROBES, Movable, Probe, Sieve};
use crate::scene::Scene;
use crate::{Error, Layers, NodeHandle};
use core::cmp::Ordering;
use glam::DVec3;
use hedgerow_math::internal as simd;
#[cfg(feature = "rayon")]
use hedgerow_math::internal::sharing::{WORTH_SHARING, is_worth_sharing};
use hedgerow_math::{Frustum, Ray, Sphere};
#[cfg(feature = "rayon")]
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use smallvec::SmallVec;

/// A filter for [`Scene::query`]: nodes visible on at least one given layer, in the whole tree or below a given node.
///
/// [`Layers`] convert to a filter for these layers.
///
/// ```
/// use hedgerow::query::{Filter, Sphere};
/// use hedgerow::{Aabb, Drawable, Layers, Node, Scene, SceneConfig};
///
/// let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
/// let stone = Node::drawable(Drawable::new(1, Aabb::cube(1.0)));
/// let town = scene.insert(scene.root(), Node::group())?;
/// let stones = [scene.insert(town, stone)?, scene.insert(town, stone.with_layers(Layers::new(2)))?];
/// scene.insert(scene.root(), stone)?;
/// scene.update();
/// let (around, mut nodes) = (Sphere::new([0.0; 3].into(), 9.0)?, Vec::new());
/// scene.query(&around, Filter::ALL, &mut nodes)?;
/// assert_eq!(nodes.len(), 3);
/// scene.query(&around, Filter::below(town), &mut nodes)?;
/// assert_eq!(nodes, stones);
/// scene.query(&around, Filter::below(town).on_layers(Layers::new(1)), &mut nodes)?;
/// assert_eq!(nodes, [stones[0]]);
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// A node must be visible on at least one of these layers.
    pub layers: Layers,
    /// In the current tree, a node must be this node or be below it. `None` for all nodes.
    pub below: Option<NodeHandle>,
}

impl Filter {
    /// All nodes that are visible on any layer.
    pub const ALL: Self = Self { layers: Layers::ALL, below: None };

    /// Creates a filter for a node and all nodes below it, if they are visible on any layer.
    #[must_use]
    pub const fn below(node: NodeHandle) -> Self {
        Self { below: Some(node), ..Self::ALL }
    }

    /// Restricts the filter to nodes that are visible on at least one of these layers.
    #[must_use]
    pub const fn on_layers(self, layers: Layers) -> Self {
        Self { layers, ..self }
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::ALL
    }
}

impl From<Layers> for Filter {
    fn from(layers: Layers) -> Self {
        Self::ALL.on_layers(layers)
    }
}

/// A volume for [`Scene::query`]: a [`Frustum`], a [`Sphere`] or an [`Aabb`]. An empty box touches nothing; an infinite
/// box touches all boxes that are not empty.
pub trait Volume: Movable {
    #[doc(hidden)]
    fn checked_volume(self) -> Result<Self, Error> {
        Ok(self)
    }
}

impl Volume for Frustum {}
impl Volume for Sphere {}
impl Volume for Aabb {
    fn checked_volume(self) -> Result<Self, Error> {
        Ok(self.checked()?)
    }
}

/// The view of one camera, and the list to fill with the visible drawables; see [`Scene::cull`].
#[derive(Debug)]
pub struct CullView<'l> {
    /// The frustum of the camera, relative to the list's [eye](DrawList::set_eye) if the list has one.
    pub frustum: Frustum,
    /// The filter for drawables. The list's [own layers](DrawList::on_layers) apply too.
    pub filter: Filter,
    /// Levels of detail, with the nodes' view ranges. `None` lists each drawable's mesh and ignores ranges.
    pub detail: Option<DetailView<'l>>,
    /// The list. It remembers the levels until it is next filled with levels from the same scene.
    pub list: &'l mut DrawList,
}

impl<'l> CullView<'l> {
    /// Creates a view of all layers.
    #[must_use]
    pub fn new(frustum: &Frustum, list: &'l mut DrawList) -> Self {
        Self { frustum: *frustum, filter: Filter::ALL, detail: None, list }
    }

    /// Restricts the view to nodes that are visible on at least one of these layers.
    #[must_use]
    pub fn on_layers(self, layers: Layers) -> Self {
        Self { filter: self.filter.on_layers(layers), ..self }
    }

    /// Adds levels of detail.
    #[must_use]
    pub fn with_detail(self, detail: DetailView<'l>) -> Self {
        Self { detail: Some(detail), ..self }
    }

    /// Restricts the view to a node and all nodes below it.
    #[must_use]
    pub fn below(self, node: NodeHandle) -> Self {
        Self { filter: Filter { below: Some(node), ..self.filter }, ..self }
    }
}

/// A hit of a ray on the box of a node's drawable; see [`Scene::cast_ray`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The node.
    pub node: NodeHandle,
    /// The distance from the ray's origin to the box; zero if the origin is inside.
    pub distance: f32,
}

impl RayHit {
    /// Compares by distance. Ties are broken by node, so that the order does not depend on slices.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.node.cmp(&other.node))
    }
}

/// A view whose filter was checked.
struct Checked<'v> {
    frustum: &'v Frustum,
    sieve: Sieve,
    detail: Option<DetailView<'v>>,
    list: &'v mut DrawList,
}

/// Spatial queries find the drawables that a draw list contains: those of the last update, except drawables of nodes
/// that were removed since. Boxes are those of the last update. No drawable whose box is touched is ever missed.
///
/// A query tests the boxes of slices, then of blocks of 64 drawables, then of drawables, eight at a time. A slice or
/// block that is entirely inside is taken without further tests. A query runs in **O(slices ÷ 64 + slices touched +
/// drawables found + drawables of blocks at the edge)**, and at most in O(slices + drawables). If a filter names a
/// node, the query also walks up the ancestors of each drawable found. The order is that of the draw list, and may be
/// another in a scene that was loaded, or went back to a checkpoint.
impl Scene {
    /// Fills the lists of cameras with what they see, as of the last update: up to 32 views in one pass, such as the
    /// cascades of a shadow map. Lists without an eye need [`bounds`](crate::SceneConfig::bounds).
    ///
    /// For each view, the drawables that touch its frustum and pass its filter replace the contents of its list.
    ///
    /// If the result equals the old contents of a list, [`DrawList::group`] has nothing to do. The command of a
    /// drawable is made once for all views. With the feature `rayon`, the first list stores the commands temporarily,
    /// some 40 bytes per visible drawable.
    ///
    /// A list with an [eye](DrawList::set_eye) gets matrices relative to it, even if the scene has no
    /// [`bounds`](crate::SceneConfig::bounds). Boxes are then also composed in double precision, and rounded outwards
    /// relative to one position per slice. So no drawable that touches the frustum is missed, however far the eye and
    /// the drawable are from the origin. If the drawables of a slice are far apart, boxes are enlarged by about a
    /// millionth of their distance from that position, at most 2.5 millionths, so more drawables may be listed. All
    /// views with eyes share the composed data. The first of their lists stores it, so pass the same list first in each
    /// frame. A view with an eye runs in **O(slices + drawables of slices that the frustum touches + drawables
    /// listed)**, and tests eight drawables at a time. All views with eyes together take O(transforms that changed or
    /// are in edited slices) more.
    ///
    /// ```
    /// use hedgerow::glam::camera::rh;
    /// use hedgerow::glam::{DVec3, Vec3};
    /// use hedgerow::query::{CullView, Frustum};
    /// use hedgerow::{Aabb, DrawList, Drawable, Layers, Node, Scene, SceneConfig, Transform};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    /// for x in -20..20 {
    ///     let layers = Layers::new(if x % 2 == 0 { 1 } else { 2 });
    ///     let place = Node::transform(Transform::from_xyz(x as f32, 0.0, -10.0)).with_layers(layers);
    ///     scene.insert(scene.root(), place.with_drawable(Drawable::new(1, Aabb::cube(0.25))))?;
    /// }
    /// scene.update();
    ///
    /// let projection = rh::proj::directx::perspective_infinite_reverse(1.0, 1.0, 0.1);
    /// let view = rh::view::look_to_mat4(Vec3::ZERO, Vec3::NEG_Z, Vec3::Y);
    /// let frustum = Frustum::from_view_projection(&(projection * view))?;
    /// let (mut all, mut even, mut aside) = (DrawList::new(), DrawList::new(), DrawList::new());
    /// scene.cull(&mut [CullView::new(&frustum, &mut all)])?;
    /// assert_eq!(all.len(), 11);
    ///
    /// aside.set_eye(DVec3::new(19.0, 0.0, 0.0));
    /// scene.cull(&mut [
    ///     CullView::new(&frustum, &mut even).on_layers(Layers::new(1)),
    ///     CullView::new(&frustum, &mut aside),
    /// ])?;
    /// assert_eq!((even.len(), aside.len()), (5, 6));
    /// assert_eq!(aside.relative_matrices()[5].translation().x, 0.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoBounds`] for a view without an eye; [`Error::CapacityOverflow`] for more than 32 views;
    /// [`Error::StaleHandle`] for the node of a filter; [`Error::NotFinite`] for a [`DetailView`] whose eye or scale is
    /// not finite; [`Error::InvalidDistances`] for a scale that is not positive. The lists are then unchanged.
    pub fn cull(&self, views: &mut [CullView<'_>]) -> Result<(), Error> {
        if views.len() > MOST_PROBES {
            return Err(Error::CapacityOverflow);
        }
        let (mut near, mut far) = (SmallVec::<[_; MOST_PROBES]>::new(), SmallVec::<[_; MOST_PROBES]>::new());
        for CullView { frustum, filter, detail, list } in views {
            detail.as_ref().map_or(Ok(()), DetailView::check)?;
            let sieve = self.sieve(*filter)?;
            // A drawable must be on a layer of the view and on one of the list.
            let sieve = Sieve { layers: sieve.layers & list.layers, ..sieve };
            let side = if list.eye().is_some() { &mut far } else { &mut near };
            side.push(Checked { frustum, sieve, detail: *detail, list });
        }
        // Lists with an eye use boxes of their own.
        if !near.is_empty() {
            self.check_bounds()?;
        }
        match &mut *near {
            // One plain view, the usual case: draws are found and listed without a table of views.
            [Checked { frustum, sieve: Sieve { layers, below: None }, detail: None, list }] => {
                list.replace(|listing, walk| self.store.find_draws(*frustum, *layers, walk, listing));
                self.ask_previous(list);
            }
            near => self.cull_near(near),
        }
        self.cull_far(&mut far);
        Ok(())
    }

    /// Fills lists without eyes in one walk.
    fn cull_near(&self, views: &mut [Checked<'_>]) {
        let Some(first) = views.first_mut() else { return };
        // The buffers of the first list serve all views.
        let mut walk = core::mem::take(&mut first.list.walk);
        let frusta: SmallVec<[Frustum; MOST_PROBES]> = views.iter().map(|view| *view.frustum).collect();
        let sieves: SmallVec<[Sieve; MOST_PROBES]> = views.iter().map(|view| view.sieve).collect();
        let details: SmallVec<[Option<DetailView<'_>>; MOST_PROBES]> = views.iter().map(|view| view.detail).collect();
        let mut lists: SmallVec<[&mut DrawList; MOST_PROBES]> = views.iter_mut().map(|view| &mut *view.list).collect();
        self.store.find_views(&frusta, &sieves, &details, &mut walk, &mut lists);
        lists.into_iter().for_each(|list| self.ask_previous(list));
        views[0].list.walk = walk;
    }

    /// Fills lists with eyes.
    fn cull_far(&self, views: &mut [Checked<'_>]) {
        let Some(first) = views.first_mut() else { return };
        // Computed once, in the first list, and shared by all views.
        let worlds = fallible::or_abort(first.list.take_worlds(&self.store));
        each_view(views, self.len(), |Checked { frustum, sieve, detail, list }| {
            list.find_relative((&self.store, &worlds), frustum, *sieve, *detail);
            self.ask_previous(list);
        });
        views[0].list.keep_worlds(worlds);
    }

    /// Fills in the previous matrices of a list, if it keeps any.
    fn ask_previous(&self, list: &mut DrawList) {
        list.ask_previous(|node| self.store.previous_world(self.store.nodes.resolve(node)?));
    }

    /// Lists the nodes whose drawables' boxes touch the volume, as of the last update. The scene needs
    /// [`bounds`](crate::SceneConfig::bounds).
    ///
    /// Only nodes that pass the filter are listed; hidden and detached nodes never. Replaces the contents of the list.
    ///
    /// Runs in **O(groups of eight drawables of touched blocks)**: boxes are nested in the order of the tree. So siblings
    /// that are near each other in space are found several times as fast if they were inserted one after another. For
    /// many queries in a frame, such as the neighbours of units that wander, [`BoxIndex`](crate::query::BoxIndex) sorts
    /// the boxes by place.
    ///
    /// ```
    /// use hedgerow::query::{Filter, Sphere};
    /// use hedgerow::{Aabb, Drawable, Layers, Node, Scene, SceneConfig};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    /// let stone = scene.insert(scene.root(), Node::drawable(Drawable::new(1, Aabb::cube(1.0))))?;
    /// scene.update();
    /// let mut nodes = Vec::new();
    /// scene.query(&Aabb::new([0.5; 3].into(), [2.0; 3].into()), Layers::new(1), &mut nodes)?;
    /// assert_eq!(nodes, [stone]);
    /// // The boxes that the query tests:
    /// assert_eq!(scene.get(stone).unwrap().subtree_bounds(), Aabb::cube(1.0));
    /// assert!(scene.slices().flat_map(|slice| slice.block_bounds()).eq([Aabb::cube(1.0)]));
    /// scene.query(&Sphere::new([5.0; 3].into(), 1.0)?, Filter::ALL, &mut nodes)?;
    /// assert_eq!(nodes, []);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoBounds`]; [`Error::StaleHandle`] for the filter's node; [`Error::NotFinite`] for invalid boxes.
    pub fn query(
        &self,
        volume: &impl Volume,
        filter: impl Into<Filter>,
        nodes: &mut Vec<NodeHandle>,
    ) -> Result<(), Error> {
        self.seek(&volume.checked_volume()?, filter.into(), nodes, |found| found.record().node)
    }

    /// Lists nodes as [`Scene::query`] does, but relative to an eye in double precision and by exact boxes, for example
    /// around an explosion on a planet. The scene needs no [`bounds`](crate::SceneConfig::bounds).
    ///
    /// `list` stores the composed world transforms and boxes, as it does for [`Scene::cull`] with an eye: pass the list
    /// of your camera. Its contents stay. As with `cull`, no box that touches the volume is missed, but more boxes may
    /// be found in slices whose drawables are far apart, and in all slices if the eye is beyond single precision.
    ///
    /// Runs in **O(slices + drawables of slices touched)**, eight at a time, and O(transforms that changed since `list`
    /// composed them) more. For the first call, these are all, and take 120 bytes each.
    ///
    /// ```
    /// # use hedgerow::glam::{DVec3, Vec3};
    /// # use hedgerow::query::{Filter, Sphere};
    /// # use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, Transform};
    /// # let mut scene = Scene::new();
    /// let place = DVec3::new(6_371_000.125, 0.0, 0.0);
    /// let tower = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
    /// let tower = scene.insert(scene.root(), tower.with_translation_f64(place))?;
    /// scene.update();
    /// let (mut list, mut nodes, blast) = (DrawList::new(), Vec::new(), Sphere::new(Vec3::ZERO, 2.0)?);
    /// for (height, hit) in [(2.99, true), (3.01, false)] {
    ///     scene.query_from(place + DVec3::Y * height, &blast, Filter::ALL, &mut list, &mut nodes)?;
    ///     assert_eq!(nodes.contains(&tower), hit);
    /// }
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::StaleHandle`] for the filter's node; [`Error::NotFinite`] for an invalid box or eye.
    pub fn query_from(
        &self,
        eye: DVec3,
        volume: &impl Volume,
        filter: impl Into<Filter>,
        list: &mut DrawList,
        nodes: &mut Vec<NodeHandle>,
    ) -> Result<(), Error> {
        let (volume, sieve) = (volume.checked_volume()?, self.sieve(filter.into())?);
        if !eye.is_finite() {
            return Err(Error::NotFinite("an eye"));
        }
        let worlds = fallible::or_abort(list.take_worlds(&self.store));
        nodes.clear();
        worlds.find(&self.store, (eye, &volume), sieve, |_, _, record| nodes.push(record.node));
        list.keep_worlds(worlds);
        Ok(())
    }

    /// Lists the nodes whose drawables' boxes the ray hits, the nearest first, as of the last update. The scene needs
    /// [`bounds`](crate::SceneConfig::bounds).
    ///
    /// Only nodes that pass the filter are listed; hidden and detached nodes never. Ties are sorted by handle. Replaces
    /// the contents of the list.
    ///
    /// For triangles instead of boxes, see [`Scene::pick`].
    ///
    /// ```
    /// use hedgerow::glam::Vec3;
    /// use hedgerow::query::{Filter, Ray};
    /// use hedgerow::{Aabb, Drawable, Node, Scene, SceneConfig, Transform};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    /// let at = |z| Node::transform(Transform::from_xyz(0.0, 0.0, z)).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
    /// let (far, near) = (scene.insert(scene.root(), at(9.0))?, scene.insert(scene.root(), at(4.0))?);
    /// scene.update();
    /// let mut hits = Vec::new();
    /// scene.cast_ray(&Ray::new(Vec3::ZERO, Vec3::Z)?, Filter::ALL, &mut hits)?;
    /// assert_eq!(hits.iter().map(|hit| (hit.node, hit.distance)).collect::<Vec<_>>(), [(near, 3.0), (far, 8.0)]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoBounds`]; [`Error::StaleHandle`] for the node of the filter.
    pub fn cast_ray(&self, ray: &Ray, filter: impl Into<Filter>, hits: &mut Vec<RayHit>) -> Result<(), Error> {
        self.seek(ray, filter.into(), hits, |found| RayHit {
            node: found.record().node,
            distance: simd::boxes::distance(&found.bounds(), ray),
        })?;
        hits.sort_unstable_by(RayHit::compare);
        Ok(())
    }

    /// Lists all drawables that pass the filter and whose boxes are not empty.
    pub(crate) fn boxes_of(&self, filter: Filter, list: &mut Vec<(NodeHandle, Aabb)>) -> Result<(), Error> {
        self.seek(&Aabb::INFINITE, filter, list, |found| (found.record().node, found.bounds()))
    }

    fn seek<'s, P: Probe, T>(
        &'s self,
        probe: &P,
        filter: Filter,
        list: &mut Vec<T>,
        pick: impl Fn(Found<'s>) -> T,
    ) -> Result<(), Error> {
        self.check_bounds()?;
        let sieve = self.sieve(filter)?;
        list.clear();
        self.store.find(core::slice::from_ref(probe), sieve, |found| list.push(pick(found)));
        Ok(())
    }

    pub(super) fn check_bounds(&self) -> Result<(), Error> {
        if self.config().bounds { Ok(()) } else { Err(Error::NoBounds) }
    }

    pub(super) fn sieve(&self, Filter { layers, below }: Filter) -> Result<Sieve, Error> {
        Ok(Sieve { layers: layers.mask(), below: below.map(|node| self.at(node)).transpose()? })
    }
}

/// Calls `fill` with each view, on several threads if the scene has enough nodes.
#[cfg(feature = "rayon")]
fn each_view(views: &mut [Checked<'_>], nodes: usize, fill: impl Fn(&mut Checked<'_>) + Sync) {
    if views.len() > 1 && is_worth_sharing(nodes, WORTH_SHARING) {
        views.par_iter_mut().for_each(&fill);
    } else {
        views.iter_mut().for_each(fill);
    }
}

/// Calls `fill` with each view.
#[cfg(not(feature = "rayon"))]
fn each_view(views: &mut [Checked<'_>], _nodes: usize, fill: impl Fn(&mut Checked<'_>)) {
    views.iter_mut().for_each(fill);
}
