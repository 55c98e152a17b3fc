//! Large worlds: planets, and other scenes that exceed single precision.
//!
//! Single precision resolves half a millimetre at ten kilometres from the origin, and half a metre at the radius of the
//! Earth. World matrices are in single precision, so a large world needs three things:
//!
//! | for | use | cost |
//! |---|---|---|
//! | exact positions far from the origin | [`set_translation_f64`](crate::NodeMut::set_translation_f64) on the few nodes that are far from their parents: planets, cities. The nodes below them have small local transforms | 12 bytes for each such node |
//! | exact drawing near the camera | a list with an eye: [`DrawList::set_eye`](crate::DrawList::set_eye); upload [`relative_matrices`](crate::DrawList::relative_matrices), and set the camera's translation to zero | O(slices + transforms and drawables of slices with changes); O(drawables) if the eye moved |
//! | exact culling | a [`CullView`](crate::query::CullView) of such a list, with a frustum relative to the eye; also exact levels and view ranges, with a [`DetailView`](crate::query::DetailView) from the same eye | boxes are rounded outwards; [`bounds`](crate::SceneConfig::bounds) are not needed |
//!
//! **Rotations and scales stay in single precision.** At the Earth's radius, a rotation is off by 0.1 m on average and
//! by up to 0.5 m, so the ground of a turning planet jumps in every frame. Let the planet rest, and turn the sky: the
//! sun, the stars and whatever orbits.
//!
//! [`NodeRef::world_f64`](crate::NodeRef::world_f64) returns the world transform in double precision, for distances,
//! for physics and for inverse kinematics, and [`NodeMut::set_world_f64`](crate::NodeMut::set_world_f64) sets it. To
//! keep it exactly when a node moves on or off a planet, or from one part of a world to the next, read it before the
//! move and set it after: [`Keep::World`](crate::Keep::World) rounds to single precision if the translations of the
//! node and of the old and new ancestors are all exact in it, such as corners of parts at multiples of 256 m.
//!
//! ```
//! use hedgerow::glam::{DVec3, camera::rh::proj::directx};
//! use hedgerow::query::{CullView, Frustum};
//! use hedgerow::{Aabb, DrawList, Drawable, Error, Node, Scene, Transform};
//!
//! let mut scene = Scene::new();
//! let city = scene.insert(scene.root(), Node::transform(Transform::IDENTITY).with_name("city"))?;
//! scene.edit(city)?.set_translation_f64(DVec3::new(6_371_000.125, 0.25, -42.0))?;
//! let lamp = Node::transform(Transform::from_xyz(0.5, 3.0, -8.0)).with_drawable(Drawable::new(7, Aabb::cube(0.2)));
//! let lamp = scene.insert(city, lamp)?;
//! scene.update();
//!
//! let eye = DVec3::new(6_371_000.0, 2.0, -40.0); // a person in the street, who looks along −Z
//! let mut list = DrawList::new();
//! list.set_eye(eye);
//! let frustum = Frustum::from_view_projection(&directx::perspective_infinite_reverse(1.2, 1.6, 0.1))?;
//! scene.cull(&mut [CullView::new(&frustum, &mut list)])?;
//! assert_eq!(list.relative_matrices()[0].translation().to_array(), [0.625, 1.25, -10.0]);
//! let mut world = scene.get(lamp).unwrap().world_f64();
//! assert_eq!(world.translation - eye, DVec3::new(0.625, 1.25, -10.0));
//! world.translation.y += 0.125; // a little higher
//! scene.edit(lamp)?.set_world_f64(world)?;
//! assert_eq!(scene.get(lamp).unwrap().world_f64(), world);
//! # Ok::<(), Error>(())
//! ```
//!
//! **These stay in single precision**: [`Scene::world`](crate::Scene::world), [`set_world`](crate::Scene::set_world),
//! [`look_at`](crate::NodeMut::look_at), boxes, [`query`](crate::Scene::query) and [`cast_ray`](crate::Scene::cast_ray).
//! [`query_from`](crate::Scene::query_from) finds exactly what a sphere, a box or a selection frustum touches, and
//! [`pick`](crate::Scene::pick) what a ray hits, if you give it the list with the eye by
//! [`Filter::in_list`](crate::query::Filter::in_list): see [`picking`](super::picking).
//!
//! **Streaming and an eye.** If nodes are inserted or removed in a slice, the positions of all drawables of the slice
//! are recomputed. Slices of 1,024 nodes ([`SceneConfig::max_nodes`](crate::SceneConfig)) then take half the time.
//!
//! If your physics engine uses a moving origin, make that origin a node, with the bodies below it.
//!
//! **Extreme scales** can be handled with a hierarchy too: a galaxy has solar systems below it, each with a scale of
//! its own. Keep the product of all scales from the root to a leaf between 10⁻³⁰ and 10³⁰, because outside that range
//! world matrices overflow or underflow.
