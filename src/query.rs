//! Spatial queries: culling by frusta, spheres, boxes and rays.
//!
//! The queries are methods of [`Scene`](crate::Scene), for scenes configured with
//! [`bounds`](crate::SceneConfig::bounds). This module has the types that they take and return.
//!
//! | query | takes | returns |
//! |---|---|---|
//! | [`Scene::cull`](crate::Scene::cull), [`cull_nodes`](crate::Scene::cull_nodes) | [`Frustum`] | a [`DrawList`](crate::DrawList), handles of nodes |
//! | [`Scene::cull_views`](crate::Scene::cull_views) | up to 32 [`CullView`]s | a draw list for each |
//! | [`Scene::cull_views_relative`](crate::Scene::cull_views_relative) | any number of [`CullView`]s around a camera far away; needs no boxes | a draw list for each |
//! | [`Scene::cull_many`](crate::Scene::cull_many) | up to 32 [`Frustum`]s | [`CullHit`]s |
//! | [`Scene::nodes_in_sphere`](crate::Scene::nodes_in_sphere), [`nodes_in_box`](crate::Scene::nodes_in_box) | [`Sphere`], [`Aabb`](crate::Aabb) | handles of nodes |
//! | what a ray hits | [`Ray`] | [`RayHit`]s |
//! | the user's own boxes, without a scene | [`Boxes`] | their numbers |
//!
//! ```
//! use hedgerow::glam::Vec3;
//! use hedgerow::query::Ray;
//! use hedgerow::{Aabb, Node, Scene, SceneConfig, Shape, Transform, Visibility};
//!
//! let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
//! let tree = Node::transform(Transform::from_xyz(0.0, 0.0, -10.0)).with_shape(Shape::new(1, Aabb::cube(1.0)));
//! let tree = scene.insert(scene.root(), tree)?;
//! scene.update();
//! let mut hits = Vec::new();
//! scene.nodes_on_ray(&Ray::new(Vec3::ZERO, -Vec3::Z)?, Visibility::VISIBLE, &mut hits)?;
//! assert_eq!((hits[0].node, hits[0].distance), (tree, 9.0));
//! # Ok::<(), hedgerow::Error>(())
//! ```

pub use crate::scene::{CullHit, CullView, RayHit};
pub use hedgerow_math::{Boxes, Frustum, Ray, Sphere};
