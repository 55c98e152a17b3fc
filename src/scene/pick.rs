//! Picking: what a ray hits, and what a selection frustum contains, by triangles.

use crate::Error;
#[cfg(doc)]
use crate::Layers;
use crate::fallible;
use crate::pass::{DrawCommand, DrawList, Met, Sieve, WideWorlds};
use crate::scene::{Filter, Scene};
use glam::{DAffine3, DMat3, DVec3};
use hedgerow_math::{Frustum, LocalRay, LocalVolume, Ray, Touch, TriangleHit};
use std::collections::TryReserveError;

/// What a pick can hit: the nodes that pass a filter and, with a list that has levels of detail, only those in it.
///
/// A [`Filter`] or [`Layers`] convert to it. [`Filter::in_list`] adds what a list says:
///
/// - If the list was filled with levels of detail, only its nodes are hit, with the meshes of their levels. So what is
///   out of its [view range](crate::Node::view_range) is not hit, and a stand-in is: see
///   [`NodeRef::stands_for`](crate::NodeRef::stands_for). A list without levels excludes nothing, whatever was culled:
///   for a section, start or end the ray at its plane.
/// - If the list has an [eye](DrawList::set_eye), the ray or frustum is relative to it, and everything is computed in
///   double precision from composed world transforms, which the list keeps, as for [`Scene::query_from`].
/// - The list's [own layers](DrawList::on_layers) apply, too.
#[derive(Debug)]
pub struct Pickable<'l> {
    /// The filter for nodes.
    pub filter: Filter,
    /// The list. Its contents stay.
    pub list: Option<&'l mut DrawList>,
}

impl Filter {
    /// Restricts the filter by a list, for [`Scene::pick`]: see [`Pickable`].
    #[must_use]
    pub fn in_list(self, list: &mut DrawList) -> Pickable<'_> {
        Pickable { filter: self, list: Some(list) }
    }
}

impl<F: Into<Filter>> From<F> for Pickable<'_> {
    fn from(filter: F) -> Self {
        Self { filter: filter.into(), list: None }
    }
}

/// A hit of a ray on a triangle of a node; see [`Scene::pick`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// The node, the mesh that was hit and its level, the material, and the user data.
    pub drawn: DrawCommand,
    /// The distance from the ray's origin.
    pub distance: f64,
    /// The position in the world, also if the ray was relative to an eye.
    pub position: DVec3,
    /// The unit normal in the world, which points away from the front of the triangle.
    pub normal: DVec3,
    /// The hit in the mesh's space: the triangle, the weights of its corners, and whether its front was hit.
    pub hit: TriangleHit,
}

/// A drawable in a selection; see [`Scene::select`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selected {
    /// The node, the mesh and its level, the material, and the user data.
    pub drawn: DrawCommand,
    /// Whether all of the drawable is selected.
    pub whole: bool,
}

/// Picks find the triangles that a person sees. The scene has no meshes: it finds the boxes and asks `surface` about their
/// triangles. See [the guide](crate::guide::picking).
impl Scene {
    /// Returns the nearest triangle that a ray hits, as of the last update. The scene needs
    /// [`bounds`](crate::SceneConfig::bounds), unless the list has an eye.
    ///
    /// Of equally near triangles, it is that of the node with the least handle.
    ///
    /// `surface` tests the triangles of one drawable. It gets the command that draws it, the ray in the mesh's space, and
    /// the greatest distance that counts, and returns the nearest hit, for example of a tree of hedgerow-mesh; a
    /// drawable without triangles is not hit. Drawables are asked about nearest box first, until no box is nearer than
    /// the hit. A box that is smaller than its mesh loses hits. Rounding loses none, unless there is no eye, and a mesh is
    /// more than twice as far from its node's place as from the origin of the world. Nodes whose world transform has no
    /// inverse are not hit.
    ///
    /// Runs in **O(slices + b log b)** for b boxes that the ray enters before its hit, and the time of `surface`.
    ///
    /// ```
    /// use hedgerow::glam::Vec3;
    /// use hedgerow::query::{Filter, Ray};
    /// use hedgerow::{Aabb, Drawable, Node, Scene, SceneConfig, Transform};
    /// use hedgerow_mesh::{Faces, TriangleTree, Triangles};
    ///
    /// // A triangle whose box is hit beside it, before a square.
    /// let positions = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
    /// let meshes: [&[[u32; 3]]; 2] = [&[[0, 1, 2]], &[[0, 1, 2], [0, 2, 3]]];
    /// let meshes = meshes.map(|indices| Triangles::new(&positions, indices));
    /// let trees = meshes.map(|mesh| TriangleTree::build(mesh).expect("sound triangles"));
    ///
    /// let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    /// let [_, square] = [(0, -5.0), (1, -9.0)].map(|(mesh, z)| {
    ///     let bounds = Aabb::new(Vec3::new(-1.0, -1.0, 0.0), Vec3::new(1.0, 1.0, 0.0));
    ///     let place = Node::transform(Transform::from_xyz(0.0, 0.0, z));
    ///     scene.insert(scene.root(), place.with_drawable(Drawable::new(mesh, bounds))).expect("a live parent")
    /// });
    /// scene.update();
    ///
    /// let ray = Ray::new(Vec3::new(-0.5, 0.5, 0.0), Vec3::NEG_Z)?;
    /// let pick = scene.pick(&ray, Filter::ALL, |drawn, ray, limit| {
    ///     let mesh = drawn.mesh as usize;
    ///     trees[mesh].cast(meshes[mesh], ray, limit, Faces::Front)
    /// })?;
    /// let pick = pick.expect("the square is in the way");
    /// assert_eq!((pick.drawn.node, pick.distance, pick.hit.triangle), (square, 9.0, 1));
    /// assert_eq!(pick.normal, hedgerow::glam::DVec3::Z);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoBounds`], unless a list with an eye is given; [`Error::StaleHandle`] for the node of the filter;
    /// [`Error::AllocationFailed`] if there is no memory for the boxes along the ray, or for the world transforms that the
    /// list with an eye keeps. Another pick with this list is then possible.
    pub fn pick<'l>(
        &self,
        ray: &Ray,
        what: impl Into<Pickable<'l>>,
        surface: impl FnMut(&DrawCommand, &LocalRay, f64) -> Option<TriangleHit>,
    ) -> Result<Option<Pick>, Error> {
        let mut best = None::<Pick>;
        self.each_pick(ray, what.into(), surface, |pick| {
            let order = |pick: &Pick| (pick.distance, pick.drawn.node);
            if best.is_none_or(|best| order(&pick) < order(&best)) {
                best = Some(pick);
            }
            Ok(best.map_or(pick.distance, |best| best.distance))
        })?;
        Ok(best)
    }

    /// Lists the nearest hit on every drawable along a ray, sorted by distance and then by node. Replaces the contents of
    /// the list. The arguments are those of [`Scene::pick`]; the limit is always the length of the ray.
    ///
    /// # Errors
    /// The errors of [`Scene::pick`].
    pub fn pick_all<'l>(
        &self,
        ray: &Ray,
        what: impl Into<Pickable<'l>>,
        surface: impl FnMut(&DrawCommand, &LocalRay, f64) -> Option<TriangleHit>,
        picks: &mut Vec<Pick>,
    ) -> Result<(), Error> {
        picks.clear();
        self.each_pick(ray, what.into(), surface, |pick| {
            fallible::push(picks, pick)?;
            Ok(ray.length().into())
        })?;
        picks.sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance).then(a.drawn.node.cmp(&b.drawn.node)));
        Ok(())
    }

    /// Calls `found` with hits; it returns the limit from then on.
    fn each_pick(
        &self,
        ray: &Ray,
        what: Pickable<'_>,
        mut surface: impl FnMut(&DrawCommand, &LocalRay, f64) -> Option<TriangleHit>,
        mut found: impl FnMut(Pick) -> Result<f64, TryReserveError>,
    ) -> Result<(), Error> {
        let mut limit = f64::from(ray.length());
        self.within(what, |Within { list, wide, sieve }| {
            let start = wide.map_or(DVec3::ZERO, |(_, eye)| eye) + ray.origin().as_dvec3();
            self.store.find_along(ray, wide, sieve, |met| {
                let hit = self.shown(list, &met).zip(ray.to_local(met.world)).and_then(|(drawn, local)| {
                    let hit = surface(&drawn, &local, limit).filter(|hit| hit.t >= 0.0 && hit.t <= limit)?;
                    let position = start + ray.direction().as_dvec3() * hit.t;
                    // A negative zero would sort before zero.
                    let distance = hit.t.abs();
                    Some(Pick { drawn, distance, position, normal: turned(&met.world, hit.normal), hit })
                });
                if let Some(pick) = hit {
                    limit = found(pick)?;
                }
                Ok(limit)
            })
        })?
        .map_err(|_| Error::AllocationFailed)
    }

    /// Lists the drawables that a frustum contains, wholly or partly, by triangles, as of the last update. The scene
    /// needs [`bounds`](crate::SceneConfig::bounds), unless the list has an eye.
    ///
    /// Replaces the contents of the list. The order is that of a draw list.
    ///
    /// For a selection rectangle, pass [`Frustum::from_view_projection_rect`]. `surface` says how much of one drawable is
    /// in a volume of the mesh's space, as a tree of hedgerow-mesh does. It is asked about all drawables whose boxes are not
    /// outside, so that it can refuse some.
    ///
    /// ```
    /// use hedgerow::glam::Vec3;
    /// use hedgerow::query::{Filter, Frustum, Touch};
    /// use hedgerow::{Aabb, Drawable, Node, Scene, SceneConfig, Transform};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    /// let [inside, cut, _] = [9.0, 4.5, 0.0].map(|x| {
    ///     let place = Node::transform(Transform::from_xyz(x, 0.0, 0.0));
    ///     scene.insert(scene.root(), place.with_drawable(Drawable::new(1, Aabb::cube(1.0)))).expect("a live parent")
    /// });
    /// scene.update();
    /// let mut planes = [hedgerow::glam::Vec4::ZERO; 6];
    /// planes[0] = Vec3::X.extend(-4.0); // right of x = 4
    /// let mut selected = Vec::new();
    /// scene.select(&Frustum::from_planes(planes)?, Filter::ALL, |drawn, volume| {
    ///     volume.touch([Vec3::NEG_X, Vec3::Y, Vec3::ZERO].map(Vec3::as_dvec3)) // the mesh has one triangle
    /// }, &mut selected)?;
    /// assert_eq!(selected.iter().map(|at| (at.drawn.node, at.whole)).collect::<Vec<_>>(), [(inside, true), (cut, false)]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Scene::pick`].
    pub fn select<'l>(
        &self,
        frustum: &Frustum,
        what: impl Into<Pickable<'l>>,
        mut surface: impl FnMut(&DrawCommand, &LocalVolume) -> Touch,
        selected: &mut Vec<Selected>,
    ) -> Result<(), Error> {
        selected.clear();
        let mut room = Ok(());
        let around = LocalVolume::of_frustum(frustum, DAffine3::IDENTITY);
        self.within(what.into(), |Within { list, wide, sieve }| {
            self.store.find_within(frustum, wide, sieve, |met, [min, max]| {
                let Some(drawn) = self.shown(list, &met) else { return };
                if around.touch_box(min, max) == Touch::None {
                    return;
                }
                let touch = surface(&drawn, &LocalVolume::of_frustum(frustum, met.world));
                if touch != Touch::None && room.is_ok() {
                    room = fallible::push(selected, Selected { drawn, whole: touch == Touch::Whole });
                }
            });
        })?;
        room.map_err(|_| Error::AllocationFailed)
    }

    /// Checks the arguments, and calls `search` with the composed worlds of the list, if it has an eye.
    fn within<T>(&self, what: Pickable<'_>, search: impl FnOnce(Within<'_>) -> T) -> Result<T, Error> {
        let Pickable { filter, mut list } = what;
        let mut sieve = self.sieve(filter)?;
        if let Some(list) = &list {
            sieve.layers &= list.layers;
        }
        let eye = list.as_ref().and_then(|list| list.eye());
        if let (Some(eye), Some(list)) = (eye, &mut list) {
            let worlds = list.take_worlds(&self.store).map_err(|_| Error::AllocationFailed)?;
            let found = search(Within { list: Some(list), wide: Some((&worlds, eye)), sieve });
            list.keep_worlds(worlds);
            Ok(found)
        } else {
            self.check_bounds()?;
            Ok(search(Within { list: list.as_deref(), wide: None, sieve }))
        }
    }

    /// Returns the command that draws a drawable; `None` if the list does not show it.
    fn shown(&self, list: Option<&DrawList>, met: &Met<'_>) -> Option<DrawCommand> {
        let command = met.command();
        list.map_or(Some(command), |list| list.shown(&self.store, command))
    }
}

/// Where to search.
struct Within<'w> {
    list: Option<&'w DrawList>,
    wide: Option<(&'w WideWorlds, DVec3)>,
    sieve: Sieve,
}

/// Returns a normal in the world. It stays on the outer side if the transform mirrors.
fn turned(world: &DAffine3, normal: DVec3) -> DVec3 {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = world.matrix3;
    // The inverse transpose without the division by the determinant, of which only the sign counts.
    let turned = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y)) * normal;
    (turned * world.matrix3.determinant().signum()).normalize_or_zero()
}
