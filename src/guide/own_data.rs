//! Data of your own by node.
//!
//! A node carries what the scene's passes need, and nothing else. What your program knows about it is kept outside, by
//! handle:
//!
//! | what you have | where to keep it |
//! |---|---|
//! | a value for some nodes or all | [`NodeMap`](crate::data::NodeMap): O(1), no hashing |
//! | a value that children inherit (opacity, a team) | [`Inherited`](crate::data::Inherited): computed again only where something changed |
//! | a value for each node with a transform, for passes over all of them | [`Column`](crate::data::Column): arrays in the order of the scene's own |
//! | an entity of an entity-component system for each node | a `NodeMap<Entity>`, and the [`NodeHandle`](crate::NodeHandle) as a component |
//! | something that is sent or saved | [`NodeHandle::to_bits`](crate::NodeHandle::to_bits), a `u64` |
//!
//! Copies of nodes get the originals' values with [`NodeMap::copy_along`](crate::data::NodeMap::copy_along). With the
//! feature `serde` a `NodeMap` is saved beside the scene's snapshot.
//!
//! Handles are `Copy + Eq + Hash + Ord`, so any map of the standard library takes them, too.
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
//! hull.insert(ship, 100);
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
//! hull.retain_live(&scene);
//! opacity.run(&scene);
//! assert!(hull.is_empty() && opacity.get(sail).is_none());
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! A new node may take the number that a removed one had. A `NodeMap` never gives one the other's value:
//! the handles differ. It does have one place for both, so inserting for the new node displaces the old one's value;
//! [`NodeMap::insert`](crate::data::NodeMap::insert) returns it, so that what it stands for can be freed. In scenes
//! that track changes, [`Changed::removed`](crate::changes::Changed::removed) lists which nodes are gone for good:
//!
//! ```
//! use hedgerow::changes::{ChangeReader, Changes};
//! use hedgerow::data::NodeMap;
//! use hedgerow::{Node, Scene, SceneConfig};
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let mut entities: NodeMap<u32> = NodeMap::new();
//! let (mut reader, mut despawned) = (ChangeReader::new(), Vec::new());
//! let tree = scene.insert(scene.root(), Node::group())?;
//! entities.insert(tree, 7);
//! for frame in 0..2 {
//!     scene.update();
//!     match scene.changes(&mut reader)? {
//!         // On the first read, and after a long time without one.
//!         Changes::All => entities.retain(|node, &mut entity| {
//!             let lives = scene.contains(node);
//!             despawned.extend((!lives).then_some(entity));
//!             lives
//!         }),
//!         Changes::Since(changed) => despawned.extend(changed.removed().iter().filter_map(|&node| entities.remove(node))),
//!     }
//!     if frame == 0 {
//!         scene.remove(tree)?;
//!     }
//! }
//! assert_eq!(despawned, [7]);
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! **Entities that also write.** If both sides spawn, move and despawn, a frame goes: scripts edit the scene; update;
//! entities follow [`changes`](crate::Scene::changes); systems run; what they did is written to the scene. Nodes that
//! are detached are on no list: read those of [`detached`](crate::Scene::detached) anew.
//!
//! **Masks that are not inherited**, or a second set of layers: keep them in [`user_data`](crate::Node::user_data),
//! which draws carry, and leave draws out with [`order_by_key`](crate::DrawList::order_by_key).
//!
//! A node that is inserted and removed between two updates is on that list too, and on no other.
