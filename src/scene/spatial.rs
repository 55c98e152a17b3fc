//! Spatial queries: culling, and queries by sphere, box and ray.

use crate::Aabb;
use crate::pass::{DrawList, Found, MOST_PROBES, Probe};
use crate::scene::Scene;
use crate::store::MatrixSlot;
#[cfg(feature = "rayon")]
use crate::threads::is_worth_sharing;
use crate::{Error, NodeHandle, Visibility};
use glam::DVec3;
use hedgerow_math::internal as simd;
use hedgerow_math::{Frustum, Ray, Sphere};
#[cfg(feature = "rayon")]
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use smallvec::SmallVec;

/// A node that is visible in some of several frusta; see [`Scene::cull_many`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CullHit {
    /// The node.
    pub node: NodeHandle,
    /// The frusta that its shape touches: bit `i` for the `i`th.
    pub frusta: u32,
    /// Where its matrix is stored: what a [`MatrixMirror`](crate::changes::MatrixMirror) finds it by.
    pub slot: MatrixSlot,
}

/// What one camera sees of a scene, and the list to be filled with it; see [`Scene::cull_views`].
#[derive(Debug)]
pub struct CullView<'l> {
    /// The space in which shapes are visible.
    pub frustum: Frustum,
    /// The layers of which a shape must be visible on one.
    pub layers: Visibility,
    /// The list. Its own layers count too.
    pub list: &'l mut DrawList,
}

/// A node whose shape's box is hit by a ray; see [`Scene::nodes_on_ray`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The node.
    pub node: NodeHandle,
    /// The distance from the ray's origin to its box; zero if the origin is inside.
    pub distance: f32,
}

/// All of these need [`SceneConfig::bounds`](crate::SceneConfig::bounds). They find what the draw list has: the shapes of
/// the last update, with the boxes that they had then, but for those of nodes that were removed since. No shape whose
/// box is touched is ever missed.
///
/// A query goes from the boxes of slices to those of blocks of 64 shapes, and to those of shapes, eight at a time. What
/// is entirely inside is taken without further tests. It runs in **O(slices ÷ 64 + slices touched + shapes found +
/// shapes of blocks at the edge)**, and at most in O(slices + shapes). The order is that of the draw list.
impl Scene {
    /// Lists the shapes that touch the frustum and are visible on some of the layers, and on some of the
    /// [list's own](DrawList::on_layers). Replaces the contents of the list.
    ///
    /// If the result equals what the list held, [`DrawList::group`] has nothing to do.
    ///
    /// ```
    /// use hedgerow::glam::Vec3;
    /// use hedgerow::glam::camera::rh;
    /// use hedgerow::{Aabb, DrawList, Node, Scene, SceneConfig, Shape, Transform, Visibility, query::Frustum};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    /// for x in -20..20 {
    ///     let place = Transform::from_xyz(x as f32, 0.0, -10.0);
    ///     scene.insert(scene.root(), Node::transform(place).with_shape(Shape::new(1, Aabb::cube(0.25))))?;
    /// }
    /// scene.update();
    ///
    /// let projection = rh::proj::directx::perspective_infinite_reverse(1.0, 1.0, 0.1);
    /// let view = rh::view::look_at_mat4(Vec3::ZERO, Vec3::NEG_Z, Vec3::Y);
    /// let frustum = Frustum::from_view_projection(&(projection * view))?;
    /// let mut draws = DrawList::new();
    /// scene.cull(&frustum, Visibility::VISIBLE, &mut draws)?;
    /// assert_eq!(draws.len(), 11);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoBounds`].
    pub fn cull(&self, frustum: &Frustum, layers: Visibility, list: &mut DrawList) -> Result<(), Error> {
        self.check_search(1)?;
        let layers = layers.mask() & list.layers;
        list.replace(|listing, walk| self.store.find_draws(frustum, layers, walk, listing));
        list.ask_previous(|node| self.previous_world(node));
        Ok(())
    }

    /// Fills the lists of up to 32 views in one walk: several cameras, or the cascades of a shadow map. Each list is
    /// what [`Scene::cull`] with the view's frustum and layers would make it.
    ///
    /// What is listed for a shape is made once for all views. With the feature `rayon` it is kept meanwhile in the first
    /// list, some 36 bytes a shape seen.
    ///
    /// ```
    /// use hedgerow::glam::Vec4;
    /// use hedgerow::query::{CullView, Frustum};
    /// use hedgerow::{Aabb, DrawList, Node, Scene, SceneConfig, Shape, Transform, Visibility};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    /// for x in -20..20 {
    ///     let layers = Visibility::layers(if x % 2 == 0 { 1 } else { 2 });
    ///     let node = Node::transform(Transform::from_xyz(x as f32, 0.0, 0.0)).with_visibility(layers);
    ///     scene.insert(scene.root(), node.with_shape(Shape::new(1, Aabb::cube(0.25))))?;
    /// }
    /// scene.update();
    ///
    /// let right_of = |x: f32| Frustum::from_planes([Vec4::new(1.0, 0.0, 0.0, -x), Vec4::ZERO, Vec4::ZERO, Vec4::ZERO,
    ///     Vec4::ZERO, Vec4::ZERO]);
    /// let (mut camera, mut shadows) = (DrawList::new(), DrawList::new());
    /// scene.cull_views(&mut [
    ///     CullView { frustum: right_of(10.0)?, layers: Visibility::layers(1), list: &mut camera },
    ///     CullView { frustum: right_of(0.0)?, layers: Visibility::VISIBLE, list: &mut shadows },
    /// ])?;
    /// assert_eq!((camera.len(), shadows.len()), (5, 20));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoBounds`]; [`Error::CapacityOverflow`] for more than 32 views. The lists are then unchanged.
    pub fn cull_views(&self, views: &mut [CullView<'_>]) -> Result<(), Error> {
        self.check_search(views.len())?;
        let frusta: SmallVec<[Frustum; MOST_PROBES]> = views.iter().map(|view| view.frustum).collect();
        let layers: SmallVec<[u32; MOST_PROBES]> =
            views.iter().map(|view| view.layers.mask() & view.list.layers).collect();
        let Some(first) = views.first_mut() else { return Ok(()) };
        let mut walk = core::mem::take(&mut first.list.walk);
        let mut lists: SmallVec<[&mut DrawList; MOST_PROBES]> = views.iter_mut().map(|view| &mut *view.list).collect();
        self.store.find_views(&frusta, &layers, &mut walk, &mut lists);
        for list in lists {
            list.ask_previous(|node| self.previous_world(node));
        }
        views[0].list.walk = walk;
        Ok(())
    }

    /// Fills the lists of several views that share an origin, with matrices relative to it: [`Scene::cull_views`] for
    /// worlds so large that single precision cannot resolve positions. Each list is what [`Scene::cull_relative`] with
    /// the view's frustum and layers would make it. The frusta are those of cameras in the origin, or of what lies
    /// around it, such as the cascades of a shadow map.
    ///
    /// World transforms in double precision, and boxes, are brought in step once for all views, and kept in the first
    /// list: 96 bytes a transform, 24 a shape. So give the same list first in each frame. (Lists that
    /// [`Scene::cull_relative`] filled before keep their own, too.)
    ///
    /// Runs in **O(slices + blocks of shapes)** for each view beside the shapes listed, and once in O(transforms that
    /// changed, or of slices that were edited).
    ///
    /// ```
    /// use hedgerow::glam::{DVec3, Vec4};
    /// use hedgerow::query::{CullView, Frustum};
    /// use hedgerow::{Aabb, DrawList, Node, Scene, Shape, Transform, Visibility};
    ///
    /// let mut scene = Scene::new();
    /// let city = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1e8, 0.0, 0.0)))?;
    /// for x in -20..20 {
    ///     let place = Node::transform(Transform::from_xyz(x as f32, 0.0, 0.0));
    ///     scene.insert(city, place.with_shape(Shape::new(1, Aabb::cube(0.25))))?;
    /// }
    /// scene.update();
    ///
    /// let right_of = |x: f32| Frustum::from_planes([Vec4::new(1.0, 0.0, 0.0, -x), Vec4::ZERO, Vec4::ZERO, Vec4::ZERO,
    ///     Vec4::ZERO, Vec4::ZERO]);
    /// let (mut camera, mut shadows) = (DrawList::new(), DrawList::new());
    /// scene.cull_views_relative(DVec3::new(1e8 + 0.125, 0.0, 0.0), &mut [
    ///     CullView { frustum: right_of(10.0)?, layers: Visibility::VISIBLE, list: &mut camera },
    ///     CullView { frustum: right_of(0.0)?, layers: Visibility::VISIBLE, list: &mut shadows },
    /// ]);
    /// assert_eq!((camera.len(), shadows.len()), (10, 20));
    /// assert_eq!(camera.relative_matrices()[0].translation().x, 9.875);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn cull_views_relative(&self, camera: DVec3, views: &mut [CullView<'_>]) {
        let Some(first) = views.first_mut() else { return };
        let worlds = first.list.take_worlds(&self.store);
        each_view(views, self.len(), |CullView { frustum, layers, list }| {
            let layers = layers.mask() & list.layers;
            list.find_relative((&self.store, &worlds), (camera, frustum), layers);
            list.ask_previous(|node| self.previous_world(node));
        });
        views[0].list.keep_worlds(worlds);
    }

    /// Lists the nodes whose shapes touch the frustum and are visible on some of the layers. Replaces the contents of
    /// the list.
    ///
    /// # Errors
    /// [`Error::NoBounds`].
    pub fn cull_nodes(&self, frustum: &Frustum, layers: Visibility, nodes: &mut Vec<NodeHandle>) -> Result<(), Error> {
        self.find_nodes(frustum, layers, nodes)
    }

    /// Lists the nodes whose shapes touch some of up to 32 frusta, with a bit for each frustum: several cameras, or the
    /// cascades of a shadow map, in one walk. Replaces the contents of the list.
    ///
    /// # Errors
    /// [`Error::NoBounds`]; [`Error::CapacityOverflow`] for more than 32 frusta.
    pub fn cull_many(&self, frusta: &[Frustum], layers: Visibility, hits: &mut Vec<CullHit>) -> Result<(), Error> {
        self.seek(frusta, layers, hits, |found| {
            let record = found.record();
            let slot = MatrixSlot { slice: found.slice.number(), slot: record.slot.into() };
            CullHit { node: record.node, frusta: found.probes, slot }
        })
    }

    /// Lists the nodes whose shapes' boxes touch the sphere and are visible on some of the layers. Replaces the
    /// contents of the list.
    ///
    /// # Errors
    /// [`Error::NoBounds`].
    pub fn nodes_in_sphere(
        &self,
        sphere: &Sphere,
        layers: Visibility,
        nodes: &mut Vec<NodeHandle>,
    ) -> Result<(), Error> {
        self.find_nodes(sphere, layers, nodes)
    }

    /// Lists the nodes whose shapes' boxes touch this box and are visible on some of the layers. Replaces the contents
    /// of the list. An empty box touches none, an infinite one all boxes that are not empty.
    ///
    /// # Errors
    /// [`Error::NoBounds`]; [`Error::NotFinite`] for a box with NaN or infinite in part.
    pub fn nodes_in_box(&self, bounds: &Aabb, layers: Visibility, nodes: &mut Vec<NodeHandle>) -> Result<(), Error> {
        self.find_nodes(&bounds.checked()?, layers, nodes)
    }

    /// Lists the nodes whose shapes' boxes are hit by the ray and that are visible on some of the layers, sorted by
    /// distance and then by handle. Replaces the contents of the list.
    ///
    /// The scene does not know the meshes: test them in this order, up to the first hit that is nearer than the next
    /// box.
    ///
    /// ```
    /// use hedgerow::glam::Vec3;
    /// use hedgerow::{Aabb, Node, Scene, SceneConfig, Shape, Transform, Visibility, query::Ray};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    /// let at = |z| Node::transform(Transform::from_xyz(0.0, 0.0, z)).with_shape(Shape::new(1, Aabb::cube(1.0)));
    /// let (far, near) = (scene.insert(scene.root(), at(9.0))?, scene.insert(scene.root(), at(4.0))?);
    /// scene.update();
    /// let mut hits = Vec::new();
    /// scene.nodes_on_ray(&Ray::new(Vec3::ZERO, Vec3::Z)?, Visibility::VISIBLE, &mut hits)?;
    /// assert_eq!(hits.iter().map(|hit| (hit.node, hit.distance)).collect::<Vec<_>>(), [(near, 3.0), (far, 8.0)]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoBounds`].
    pub fn nodes_on_ray(&self, ray: &Ray, layers: Visibility, hits: &mut Vec<RayHit>) -> Result<(), Error> {
        self.seek(core::slice::from_ref(ray), layers, hits, |found| RayHit {
            node: found.record().node,
            distance: simd::boxes::distance(&found.bounds(), ray),
        })?;
        hits.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.node.cmp(&b.node)));
        Ok(())
    }

    /// The world box of all shapes in the subtree of a node, including hidden ones, as of the last update; empty if there
    /// are none. Infinite if one of the boxes is. The subtree is that of now: what was inserted since the update has no
    /// box yet. Runs in **O(nodes of the subtree)**.
    #[must_use]
    pub fn subtree_bounds(&self, node: NodeHandle) -> Option<Aabb> {
        self.store.resolve(node).map(|at| self.store.subtree_bounds(at))
    }

    fn find_nodes<P: Probe>(&self, probe: &P, layers: Visibility, nodes: &mut Vec<NodeHandle>) -> Result<(), Error> {
        self.seek(core::slice::from_ref(probe), layers, nodes, |found| found.record().node)
    }

    fn seek<'s, P: Probe, T>(
        &'s self,
        probes: &[P],
        layers: Visibility,
        list: &mut Vec<T>,
        pick: impl Fn(Found<'s>) -> T,
    ) -> Result<(), Error> {
        self.check_search(probes.len())?;
        self.store.find(probes, layers.mask(), list, pick);
        Ok(())
    }

    fn check_search(&self, probes: usize) -> Result<(), Error> {
        if !self.config().bounds {
            return Err(Error::NoBounds);
        }
        if probes > MOST_PROBES {
            return Err(Error::CapacityOverflow);
        }
        Ok(())
    }
}

/// Calls `fill` with each view of a scene of so many nodes, with several at a time where that is worth it.
#[cfg(feature = "rayon")]
fn each_view(views: &mut [CullView<'_>], nodes: usize, fill: impl Fn(&mut CullView<'_>) + Sync) {
    /// With fewer nodes than this, one thread finishes before another has started.
    const WORTH_SHARING: usize = 16_384;
    if views.len() > 1 && is_worth_sharing(nodes, WORTH_SHARING) {
        views.par_iter_mut().for_each(&fill);
    } else {
        views.iter_mut().for_each(fill);
    }
}

/// Calls `fill` with each view.
#[cfg(not(feature = "rayon"))]
fn each_view(views: &mut [CullView<'_>], _nodes: usize, fill: impl Fn(&mut CullView<'_>)) {
    views.iter_mut().for_each(fill);
}
