//! Picking and selecting.
//!
//! A scene knows the boxes of what it draws, and your meshes have the triangles. [`Scene::pick`](crate::Scene::pick)
//! walks the boxes along a ray, nearest first, and asks a closure of yours about the triangles of each, until no box is
//! nearer than the hit. The tree over triangles of the crate `hedgerow-mesh` finds it in about half a microsecond for
//! 20,000 triangles, exactly: no ray passes between two triangles that share an edge.
//!
//! ```
//! use hedgerow::glam::camera::rh;
//! use hedgerow::glam::{Vec2, Vec3};
//! use hedgerow::query::{Faces, Filter, Frustum, Ray};
//! use hedgerow::{Aabb, Drawable, Node, Scene, SceneConfig, Transform};
//! use hedgerow_mesh::{Snap, TriangleTree, Triangles};
//!
//! // Once for each mesh: a tree. It borrows positions and indices when it is asked.
//! let positions = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
//! let mesh = Triangles::new(&positions, &[[0, 1, 2], [0, 2, 3]]);
//! let tree = TriangleTree::build(mesh)?;
//!
//! let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
//! let bounds = Aabb::from_points(positions.map(Vec3::from));
//! let [left, right] = [-1.5, 1.5].map(|x| {
//!     let place = Node::transform(Transform::from_xyz(x, 0.0, -9.0)).with_drawable(Drawable::new(0, bounds));
//!     scene.insert(scene.root(), place).expect("a live parent")
//! });
//! scene.update();
//!
//! // The pointer, in normalised device coordinates.
//! let camera = rh::proj::directx::perspective_infinite_reverse(1.0, 1.0, 0.1);
//! let ray = Ray::from_ndc(&camera, Vec2::new(0.4, 0.05))?;
//! let pick = scene.pick(&ray, Filter::ALL, |_drawn, ray, limit| tree.cast(mesh, ray, limit, Faces::Both))?;
//! let pick = pick.expect("a square is there");
//! assert_eq!((pick.drawn.node, pick.hit.triangle), (right, 0));
//!
//! // Snap to the nearest corner, at most 2 m away.
//! let world = scene.get(right).expect("it is in the scene").world_f64();
//! let corner = tree.nearest(mesh, &world, pick.position, 2.0, Snap::Vertex);
//! assert_eq!(corner.map(|corner| corner.point.as_vec3()), Some(Vec3::new(2.5, 1.0, -9.0)));
//!
//! // A rectangle of the screen that contains the left square and cuts the right one.
//! let rectangle = Frustum::from_view_projection_rect(&camera, Vec2::new(-1.0, -1.0), Vec2::new(0.3, 1.0))?;
//! let mut selected = Vec::new();
//! scene.select(&rectangle, Filter::ALL, |_drawn, volume| tree.touch(mesh, volume), &mut selected)?;
//! assert_eq!(selected.iter().map(|at| (at.drawn.node, at.whole)).collect::<Vec<_>>(), [(left, true), (right, false)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | question | answer |
//! |---|---|
//! | Which mesh does the closure test? | that of `drawn.mesh`; it can also go by `drawn.node`, or return `None` for what cannot be picked |
//! | Which side? | the caller of the tree says it: [`Faces::Front`](crate::query::Faces) for materials that cull back faces. A mirrored node keeps its outer side |
//! | A figure that joints or morph targets deform? | `Deformed::cast` and `Deformed::touch` of the crate `hedgerow-character`: they skin only figures whose parts the ray enters, or the rectangle cuts |
//! | A surface of your own, such as a sphere or terrain? | return a [`TriangleHit`](crate::query::TriangleHit) of your own; `t` is the distance in the world, since the ray has the matching length |
//! | What a finger tip touches? | [`Scene::query`](crate::Scene::query) with a sphere, then `TriangleTree::nearest` of each node within its radius |
//! | Everything under the pointer? | [`Scene::pick_all`](crate::Scene::pick_all): the nearest hit on each drawable, in order |
//! | What is drawn, with levels of detail? | [`Filter::in_list`](crate::query::Filter::in_list) with the list of the camera; [`NodeRef::stands_for`](crate::NodeRef::stands_for) says whom a stand-in replaces |
//! | Far from the origin? | the same, with a list that has an [eye](crate::DrawList::set_eye): ray and frustum are relative to it, everything is computed in double precision |
//! | A section, whose plane cuts things away? | let the ray start at the plane, or [end](crate::query::Ray::up_to) there, and pass `Faces::Both`, so that inner sides are hit |
//! | Faces instead of objects? | `TriangleTree::each_in` lists the triangles in a box or frustum |
//! | Only boxes? | [`Scene::cast_ray`](crate::Scene::cast_ray), [`Scene::query`](crate::Scene::query) |
//!
//! **Give drawables boxes that contain their meshes.** A hit outside of its node's box is not found; for deformed meshes,
//! `JointBounds` of `hedgerow-character` keeps the boxes right.
//!
//! **Costs.** A pick in a town of 100,000 drawables takes a few microseconds. A tree of more than some
//! hundred triangles takes 9 to 12 bytes and about 0.2 µs of building for each; its bytes can be stored with the mesh. If a mesh deforms, refit its tree: about
//! 0.02 µs per triangle. The example `pick` of `hedgerow-character` draws what it picks and selects.
