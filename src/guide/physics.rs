//! Synchronising a scene with a physics engine.
//!
//! The physics engine simulates bodies, and after each step their poses are written back to the scene. Other edits of
//! the scene (an animated lift, a teleported player) must be sent to the bodies. A frame has these steps:
//!
//! | | call |
//! |---|---|
//! | 1 | edit the scene, then [`Scene::update`](crate::Scene::update) |
//! | 2 | [`Scene::changes`](crate::Scene::changes): send the changed nodes to their bodies |
//! | 3 | step the simulation |
//! | 4 | set the local transforms of the nodes whose bodies are awake, then `update` |
//! | 5 | `changes` again: ignore `locals`, which physics itself wrote, but still send kinematic nodes of `moved`, such as a lamp on a crate |
//!
//! The second update only visits the slices that the poses changed. Other readers, such as a renderer's, see the
//! changes of both updates. If frames are drawn [between steps](crate::guide::fixed_steps), call
//! [`Smooth::step`](crate::motion::Smooth::step) once, after the second update.
//!
//! **Dynamic bodies are [anchored](crate::Node::anchored) nodes.** Their local transforms are relative to the world,
//! like poses, so no matrix of a parent is inverted, and no parent shears them. A crate on deck is a node below the
//! ship, and is hidden and removed with the ship, but only the simulation moves it. A pose has no scale, so use
//! [`Scene::modify_local`](crate::Scene::modify_local) to keep the node's scale.
//!
//! | body | node | from scene to body | from body to scene |
//! |---|---|---|---|
//! | kinematic: the scene moves it | below the node that moves it | if it is in [`moved`](crate::changes::Changed::moved): [`world_transform`](crate::NodeRef::world_transform), `None` if it shears; without velocity if it entered or was teleported (the feed reports a teleport as a motion) | never |
//! | dynamic | anchored | if it is in [`locals`](crate::changes::Changed::locals): its local transform | its pose in each step, if it is awake |
//!
//! A body counts as awake in a step if it is awake before or after the step. First drop the bodies of
//! [`removed`](crate::changes::Changed::removed) nodes, because single edits and batches reject stale handles. Then
//! disable the bodies of [`left`](crate::changes::Changed::left) nodes, and make bodies for
//! [`entered`](crate::changes::Changed::entered) nodes.
//!
//! A crate that is picked up is no longer dynamic: reparent it to the hand, then call
//! [`set_anchored`](crate::NodeMut::set_anchored) with `false` and [`Keep::World`](crate::Keep::World). When it is
//! thrown, anchor it. Readers find both edits in [`edited`](crate::changes::Changed::edited) with
//! [`PARENT`](crate::changes::ChangeKinds::PARENT), and the crate in `locals`. In physics, first change the kinds of
//! bodies by `edited`, then set poses by `locals`. [`NodeMut::carry_to`](crate::NodeMut::carry_to) moves a ship
//! together with the anchored nodes below it. Send the result to bodies like any other edit.
//!
//! If you do not anchor nodes of dynamic bodies, write poses by [`Scene::set_worlds`](crate::Scene::set_worlds), each
//! with the node's scale. Also write the poses of sleeping bodies whose nodes are in `moved`, because otherwise these
//! nodes move with their parents. Below a parent with a non-uniform scale, local transforms become matrices, which
//! [between steps](crate::guide::fixed_steps) are not blended: bodies at rest would shake while such a parent moves.
//!
//! **Other versions of glam**, with different types: convert through arrays (`Vec3::from_array(other.to_array())`), a
//! [`PackedTransform`](crate::math::PackedTransform) of three arrays, or the feature `mint`.
//!
//! ```
//! use hedgerow::changes::{ChangeKinds, ChangeReader};
//! use hedgerow::data::NodeMap;
//! use hedgerow::glam::Vec3;
//! use hedgerow::{Node, Scene, SceneConfig, Transform};
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let ship = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
//! let crate_ = scene.insert(ship, Node::transform(Transform::from_scale(Vec3::splat(3.0))).anchored())?;
//! let mut bodies: NodeMap<Vec3> = NodeMap::from_iter([(crate_, Vec3::ZERO)]);
//! scene.update();
//! // The bodies were made from the scene as it is.
//! let mut reader = ChangeReader::of(&scene).with_kinds(ChangeKinds::LOCAL);
//!
//! for step in 0..3 {
//!     scene.modify_local(ship, |local| local.translation.x += 1.0)?; // does not move the crate
//!     if step == 1 {
//!         scene.modify_local(crate_, |local| local.translation.x = 10.0)?; // somebody else does
//!     }
//!     scene.update();
//!     let changed = scene.changes(&mut reader)?;
//!     assert_eq!(changed.locals().contains(&crate_), step == 1, "what physics wrote is not reported");
//!     for &node in changed.entered().iter().chain(changed.locals()) {
//!         let local = scene.get(node).and_then(|node| node.transform());
//!         if let (Some(body), Some(local)) = (bodies.get_mut(node), local) {
//!             *body = local.translation;
//!         }
//!     }
//!     for (node, body) in bodies.iter_mut() {
//!         body.y += 1.0; // the simulation
//!         scene.modify_local(node, |local| local.translation = *body)?;
//!     }
//!     scene.update();
//!     scene.changes(&mut reader)?;
//! }
//! assert_eq!(scene.world(crate_).map(|world| world.translation()), Some(Vec3::new(10.0, 3.0, 0.0)));
//! # Ok::<(), hedgerow::Error>(())
//! ```
