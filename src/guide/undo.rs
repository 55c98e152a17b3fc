//! Undo.
//!
//! There are two ways to undo edits.
//!
//! **Step by step**, as in an editor: store, for each edit, the edit that reverts it. Deletion is the difficult case,
//! since other parts of a program may have handles to the deleted nodes. So do not remove nodes, but detach them:
//! [`reparent`](crate::Scene::reparent) them to [`Place::Detached`](crate::Place::Detached). A detached subtree keeps
//! its handles, names and components, and costs passes nothing. Before that, store
//! [`NodeRef::place`](crate::NodeRef::place), with which you can move the node back to where it was.
//!
//! | edit | reverted by |
//! |---|---|
//! | insert | detach |
//! | delete (detach) | reparent to the old place |
//! | reparent | reparent to the old place with [`Keep::Local`](crate::Keep::Local), then set the old local transform; if there was none, [`NodeMut::set_local`](crate::NodeMut::set_local) with `None`, since [`Keep::World`](crate::Keep::World) may have added one |
//! | set or remove components | [`set_node`](crate::NodeMut::set_node) with the result of [`node`](crate::NodeRef::node) before the edit; or, for one component, set or remove it |
//! | [`set_translation_f64`](crate::NodeMut::set_translation_f64), and any edit of the local transform of a node with such a translation | `set_node`; or `set_translation_f64` with the result of [`translation_f64`](crate::NodeRef::translation_f64) before the edit, since `local` returns it rounded |
//!
//! ```
//! use hedgerow::{Error, Keep, Node, Place, Scene};
//!
//! let mut scene = Scene::new();
//! let shelf = scene.insert(scene.root(), Node::group().named("shelf"))?;
//! let cup = scene.insert(shelf, Node::group().named("cup"))?;
//! let plate = scene.insert(shelf, Node::group().named("plate"))?;
//!
//! let place = scene.get(cup).unwrap().place().expect("a cup on a shelf"); // delete,
//! scene.reparent(cup, Place::Detached, Keep::Local)?;
//! assert_eq!(scene.children(shelf).collect::<Vec<_>>(), [plate]);
//!
//! scene.reparent(cup, place, Keep::Local)?; // and undo
//! assert_eq!(scene.children(shelf).collect::<Vec<_>>(), [cup, plate]);
//! # Ok::<(), Error>(())
//! ```
//!
//! When you drop old steps, [`remove`](crate::Scene::remove) each root of [`detached`](crate::Scene::detached) that no
//! remaining step refers to. For a step of several edits, use an [`EditQueue`](crate::edit::EditQueue) with
//! [`apply_all`](crate::edit::EditQueue::apply_all), which applies all edits or none. To save without detached
//! subtrees, as bytes or as text, use [`SaveOptions`](crate::snapshot::SaveOptions). `examples/undo.rs` has a history
//! with redo.
//!
//! **All at once**, as in a game with client-side prediction: save the scene each tick with
//! [`to_bytes`](crate::Scene::to_bytes), and go back to a tick with [`from_bytes`](crate::Scene::from_bytes). A loaded
//! scene has the same handles as the saved one, and the same edits give the same results. `examples/rollback.rs` does
//! this. Save data that is not in the scene along with the bytes (a [`NodeMap`](crate::data::NodeMap) is `Clone`).
