//! A physics engine beside a scene.
//!
//! Bodies are simulated elsewhere, and their poses written back each step. The scene's own edits (a lift that is
//! animated, a player that is teleported) have to reach the bodies. In a frame:
//!
//! | | call |
//! |---|---|
//! | 1 | the frame's own edits, then [`Scene::update`](crate::Scene::update) |
//! | 2 | [`Scene::changes`](crate::Scene::changes): what these edits moved goes to the bodies |
//! | 3 | the simulation's step |
//! | 4 | [`Scene::set_worlds`](crate::Scene::set_worlds) with the poses of all bodies that are awake, then `update` |
//! | 5 | `changes` again, ignored: the reader of physics has seen what physics wrote |
//!
//! The second update goes only to what the poses reached. Readers of others, such as a renderer's, see both.
//!
//! A pose has no scale, and [`set_worlds`](crate::Scene::set_worlds) sets all of a transform: keep each body's scale
//! beside it. Where a body's node has a parent that is scaled unevenly, its local transform becomes a matrix; nodes of
//! bodies are best kept below parents without scale. [`NodeRef::world_transform`](crate::NodeRef::world_transform) is
//! the pose of a node that rides on others, rotation included, computed in double precision.
//!
//! **Bodies below bodies.** A crate on the deck of a ship is in `moved` with the ship, though nobody moved it:
//!
//! | body | is told by the scene | tells the scene |
//! |---|---|---|
//! | kinematic: the scene moves it | when it is in `moved` | never |
//! | dynamic | when it is in [`locals`](crate::changes::Changed::locals), which leave out what parents carry. A node that was reparented with [`Keep::World`](crate::Keep::World) is there, too, and in `edited` with `PARENT` | its pose in each step, if it is awake or in `moved`: asleep, it would be carried off |
//!
//! If a ship is teleported with its cargo, set the bodies in `moved` below it to their new worlds. Drop the bodies of
//! [`removed`](crate::changes::Changed::removed) first: `set_worlds` refuses the whole list for one stale handle.
//!
//! **Another glam.** Engines bring a version of glam of their own, whose types are others. Vectors and quaternions go
//! through arrays: `Vec3::from_array(other.to_array())`; [`PackedTransform`](crate::math::PackedTransform) is a
//! transform of three arrays. The feature `mint` has conversions, too.
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
//! let mut reader = ChangeReader::of(&scene).with_kinds(ChangeKinds::WORLD);
//!
//! for step in 0..3 {
//!     if step == 1 {
//!         scene.modify_local(crate_, |local| local.translation.x = 10.0)?; // somebody else moves it
//!     }
//!     scene.update();
//!     if let Some(changed) = scene.changes(&mut reader)?.since() {
//!         assert_eq!(changed.moved().len(), usize::from(step == 1), "what physics wrote is not told");
//!         for &node in changed.moved() {
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
