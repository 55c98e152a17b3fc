//! Spatial queries: culling by frusta, spheres, boxes and rays.
//!
//! The queries are methods of [`Scene`](crate::Scene), for scenes configured with
//! [`bounds`](crate::SceneConfig::bounds). This module has the types that they take and return.
//!
//! | query | takes | returns |
//! |---|---|---|
//! | [`Scene::cull`](crate::Scene::cull) | up to 32 [`CullView`]s; with an [eye](crate::DrawList::set_eye), also without `bounds`; with a [`DetailView`], by [`LevelsOfDetail`] | a [`DrawList`](crate::DrawList) for each |
//! | [`Scene::query`](crate::Scene::query) | a [`Volume`]: [`Frustum`], [`Sphere`] or [`Aabb`](crate::Aabb); a [`Filter`]; [`query_from`](crate::Scene::query_from) also takes an eye, and needs no `bounds` | handles of nodes |
//! | [`Scene::cast_ray`](crate::Scene::cast_ray) | a [`Ray`], which [`Ray::to_local`] takes into a node's space; a [`Filter`] | [`RayHit`]s |
//! | [`Scene::pick`](crate::Scene::pick), [`pick_all`](crate::Scene::pick_all) | a [`Ray`]; a [`Filter`], perhaps [in a list](Filter::in_list); a closure that tests triangles | a [`Pick`], several |
//! | [`Scene::select`](crate::Scene::select) | the [`Frustum`] of a selection rectangle; the same | [`Selected`] drawables |
//! | [`BoxIndex::query`], [`cast_ray`](BoxIndex::cast_ray) | the same, of boxes that [`BoxIndex::fill`] sorted by place: for many queries in a frame | the same |
//! | [`Aabb::intersects_moved`](crate::Aabb::intersects_moved) | two boxes with their matrices | whether they meet |
//! | boxes of your own, without a scene | [`Boxes`] | their indices |
//!
//! ```
//! use hedgerow::glam::Vec3;
//! use hedgerow::query::{Filter, Ray};
//! use hedgerow::{Aabb, Drawable, Node, Scene, SceneConfig, Transform};
//!
//! let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
//! let tree = Node::transform(Transform::from_xyz(0.0, 0.0, -10.0)).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
//! let tree = scene.insert(scene.root(), tree)?;
//! scene.update();
//! let mut hits = Vec::new();
//! scene.cast_ray(&Ray::new(Vec3::ZERO, -Vec3::Z)?, Filter::ALL, &mut hits)?;
//! assert_eq!((hits[0].node, hits[0].distance), (tree, 9.0));
//! # Ok::<(), hedgerow::Error>(())
//! ```

pub use crate::pass::{BoxIndex, DetailView, LevelsOfDetail};
pub use crate::scene::{CullView, Filter, Pick, Pickable, RayHit, Selected, Volume};
pub use hedgerow_math::{Boxes, Faces, Frustum, LocalRay, LocalVolume, Ray, Sphere, Touch, TriangleHit, Triangles};
