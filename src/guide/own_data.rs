//! Data of your own for nodes.
//!
//! A node only has the data that the scene's passes need. Keep other data outside the scene, by handle:
//!
//! | you have | keep it in |
//! |---|---|
//! | a value for some or all nodes | [`NodeMap`](crate::data::NodeMap): O(1), no hashing |
//! | a value that children inherit (opacity, a team) | [`Inherited`](crate::data::Inherited): only recomputed where something changed |
//! | a value for each node with a transform, for passes over all of them | [`Column`](crate::data::Column): arrays parallel to the scene's own |
//! | boxes, draws or the like, computed from what a slice has | arrays by slice, and a [`SliceCursor`](crate::changes::SliceCursor) that says what changed; example `spatial_index` |
//! | a copy of all drawables or matrices, for example on a GPU | a buffer, and a [`DrawableMirror`](crate::changes::DrawableMirror) or [`MatrixMirror`](crate::changes::MatrixMirror) that says what to write |
//! | an entity of an entity-component system for each node | a `NodeMap<Entity>`, and the [`NodeHandle`](crate::NodeHandle) as a component |
//! | a reference to a node in a file or a message | [`NodeHandle::to_bits`](crate::NodeHandle::to_bits), a `u64` |
//!
//! With the feature `serde` you can save a `NodeMap` along with the scene's snapshot.
//!
//! Handles are `Copy + Eq + Hash + Ord`, so they also work as keys of any map of the standard library.
//!
//! ```
//! use hedgerow::data::{Inherited, NodeMap};
//! use hedgerow::{Node, Scene};
//!
//! let mut scene = Scene::new();
//! let ship = scene.insert(scene.root(), Node::group())?;
//! let sail = scene.insert(ship, Node::group())?;
//! scene.update();
//!
//! let mut hull: NodeMap<u32> = NodeMap::new();
//! _ = hull.insert(ship, 100);
//! *hull.get_mut(ship).expect("it was put in") -= 30;
//! assert_eq!(hull.get(ship), Some(&70));
//!
//! // The sail has no opacity of its own: it takes the ship's.
//! let mut opacity: Inherited<f32> = Inherited::new(1.0, |above, own| above * own);
//! opacity.set(ship, 0.5);
//! opacity.run(&scene);
//! assert_eq!(opacity.get(sail), Some(&0.5));
//!
//! // A removed node's handle is stale. Its value stays until you take it out, or all such values at once.
//! scene.remove(ship)?;
//! assert_eq!(hull.remove_stale(&scene), [(ship, 70)]);
//! opacity.run(&scene);
//! assert!(hull.is_empty() && opacity.get(sail).is_none());
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! A new node may get the record number of a removed node. A `NodeMap` never returns the old value for the new node,
//! since the handles differ. But both nodes share one entry, so inserting a value for the new node displaces the old
//! value. [`NodeMap::insert`](crate::data::NodeMap::insert) returns the displaced value, so that you can free resources
//! that belong to it.
//!
//! **Entities that mirror nodes** need handles and kinds of changes, which a
//! [`ChangeReader`](crate::changes::ChangeReader) has. Read between [`Scene::update`](crate::Scene::update) and further
//! edits:
//!
//! | | nodes of | their entities |
//! |---|---|---|
//! | 1 | [`removed`](crate::changes::Changed::removed) | despawn; new nodes may have the same record numbers |
//! | 2 | [`left`](crate::changes::Changed::left) | disable: these nodes are detached, and may come back |
//! | 3 | [`entered`](crate::changes::Changed::entered) | spawn or enable; the list has no order |
//! | 4 | `entered`, and [`edited`](crate::changes::Changed::edited) with [`PARENT`](crate::changes::ChangeKinds::PARENT) or [`ORDER`](crate::changes::ChangeKinds::ORDER) | link to the entity of the parent |
//! | 5 | `entered`, `edited`, [`locals`](crate::changes::Changed::locals), [`moved`](crate::changes::Changed::moved) | copy the values that the scene has now |
//!
//! The first read is [whole](crate::changes::Changed::is_whole), and so is a read after a long time without reads: all
//! nodes entered. Then also despawn entities whose nodes no longer exist, and disable those whose nodes are detached.
//!
//! ```
//! use hedgerow::changes::ChangeReader;
//! use hedgerow::data::NodeMap;
//! use hedgerow::{Node, NodeHandle, Scene, SceneConfig, Transform};
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let mut reader = ChangeReader::of(&scene); // of the empty scene
//! let mut positions: NodeMap<[f32; 3]> = NodeMap::new(); // the entities
//! let ball = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)))?;
//! scene.update();
//! let changed = scene.changes(&mut reader)?;
//! for &node in changed.removed() {
//!     positions.remove(node);
//! }
//! for node in changed.entered().iter().chain(changed.moved()).filter_map(|&node| scene.get(node)) {
//!     _ = positions.insert(node.handle(), node.world().translation().to_array());
//! }
//! if changed.is_whole() {
//!     positions.remove_stale(&scene);
//! }
//! assert_eq!(positions[ball], [1.0, 0.0, 0.0]);
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! **Entities that also write.** If both sides spawn, move and despawn, use this order in a frame: scripts edit the
//! scene; update the scene; apply [`changes`](crate::Scene::changes) to the entities; run the systems; write their
//! results to the scene; update again. [No list](crate::changes::Changed) contains a node that was inserted and
//! detached between two updates, or an edit of a detached node.
//!
//! **Going back.** [`Checkpoints`](crate::checkpoints::Checkpoints) take the scene back, and not your data. Clone a map
//! with each checkpoint and put the clone back with it. A map that stays as it is refuses the handle of a node that is
//! back while it has the value of a later node with the same record number.
//!
//! **Masks that are not inherited**, or a second set of layers: keep them in [`user_data`](crate::Node::user_data),
//! which draw commands contain, and filter draws with [`order_by_key`](crate::DrawList::order_by_key).
