//! Synchronising a scene with a physics engine.
//!
//! The physics engine simulates bodies, and each step their poses are written back to the scene. Other edits of the
//! scene (an animated lift, a teleported player) must be sent to the bodies. A frame has these steps:
//!
//! | | call |
//! |---|---|
//! | 1 | edit the scene, then [`Scene::update`](crate::Scene::update) |
//! | 2 | [`Scene::changes`](crate::Scene::changes): send the moved nodes to their bodies |
//! | 3 | step the simulation |
//! | 4 | [`Scene::set_worlds`](crate::Scene::set_worlds) with the poses of all bodies that are awake, then `update` |
//! | 5 | `changes` again, and ignore the result: the physics reader has then seen the changes that physics made |
//!
//! The second update only visits the slices that the poses changed. Other readers, such as a renderer's, see the
//! changes of both updates.
//!
//! A physics pose has no scale, but [`set_worlds`](crate::Scene::set_worlds) sets the whole transform: store each
//! body's scale along with the body. If the parent of a body's node is scaled non-uniformly, the local transform
//! becomes a matrix, so it is best to put the nodes of bodies below parents without scale.
//! [`NodeRef::world_transform`](crate::NodeRef::world_transform) returns the world pose of a node, including inherited
//! rotation, computed in double precision.
//!
//! **Bodies below bodies.** A crate on the deck of a ship is in `moved` together with the ship, although no edit moved
//! it:
//!
//! | body | from scene to body | from body to scene |
//! |---|---|---|
//! | kinematic: the scene moves it | if it is in `moved` | never |
//! | dynamic | if it is in [`locals`](crate::changes::Changed::locals), which excludes nodes that only moved with a parent. A node that was reparented with [`Keep::World`](crate::Keep::World) is in `locals` too, and in `edited` with `PARENT` | its pose in each step, if it is awake or in `moved`: otherwise a sleeping body would move with its parent |
//!
//! If a ship is teleported with its cargo, set the bodies in `moved` below it to their new world transforms. Drop the
//! bodies of [`removed`](crate::changes::Changed::removed) first: `set_worlds` rejects the whole list if one handle is
//! stale.
//!
//! **Other versions of glam.** A physics engine may use another version of glam, with different types. Convert vectors
//! and quaternions through arrays: `Vec3::from_array(other.to_array())`.
//! [`PackedTransform`](crate::math::PackedTransform) is a transform made of three arrays. The feature `mint` has
//! conversions too.
//!
//! ```
//! use hedgerow::changes::{ChangeKinds, ChangeReader};
//! use hedgerow::data::NodeMap;
//! use hedgerow::glam::Vec3;
//! use hedgerow::{Node, NodeHandle, Scene, SceneConfig, Transform};
//!
//! struct Body {
//!     node: NodeHandle,
//!     place: Vec3,
//!     scale: Vec3,
//! }
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let crate_ = scene.insert(scene.root(), Node::transform(Transform::from_scale(Vec3::splat(3.0))))?;
//! let mut bodies = vec![Body { node: crate_, place: Vec3::ZERO, scale: Vec3::splat(3.0) }];
//! let by_node: NodeMap<usize> = NodeMap::from_iter([(crate_, 0)]);
//! scene.update();
//! // The bodies were made from the scene as it is.
//! let mut reader = ChangeReader::of(&scene).with_kinds(ChangeKinds::LOCAL);
//!
//! for step in 0..3 {
//!     if step == 1 {
//!         scene.modify_local(crate_, |local| local.translation.x = 10.0)?; // somebody else moves it
//!     }
//!     scene.update();
//!     if let Some(changed) = scene.changes(&mut reader)?.since() {
//!         assert_eq!(changed.locals().len(), usize::from(step == 1), "what physics wrote is not told");
//!         for &node in changed.locals() {
//!             if let (Some(&body), Some(world)) = (by_node.get(node), scene.world(node)) {
//!                 bodies[body].place = world.translation();
//!             }
//!         }
//!     }
//!     bodies.iter_mut().for_each(|body| body.place.y += 1.0); // the simulation
//!     let poses: Vec<_> = bodies
//!         .iter()
//!         .map(|body| (body.node, Transform { translation: body.place, scale: body.scale, ..Transform::IDENTITY }))
//!         .collect();
//!     scene.set_worlds(&poses)?;
//!     scene.update();
//!     scene.changes(&mut reader)?;
//! }
//! assert_eq!(scene.world(crate_).map(|world| world.translation()), Some(Vec3::new(10.0, 3.0, 0.0)));
//! # Ok::<(), hedgerow::Error>(())
//! ```
