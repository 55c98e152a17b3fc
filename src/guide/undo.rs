//! Undo.
//!
//! Two ways, for two needs.
//!
//! **Step by step**, as in an editor: keep for each edit the one that takes it back. Deleting is the hard one, since
//! handles to what is deleted are all over a program. So do not remove: detach it, that is,
//! [`reparent`](crate::Scene::reparent) it to [`Place::Detached`](crate::Place::Detached). A detached subtree keeps its
//! handles, names and components, and costs no pass anything. [`NodeRef::place`](crate::NodeRef::place) says where a
//! node is, to be put back there.
//!
//! | edit | takes it back |
//! |---|---|
//! | insert | detach |
//! | delete, which is to detach | reparent to where it was |
//! | reparent | reparent to where it was, with [`Keep::Local`](crate::Keep::Local), and the local transform that it had; if it had none, with [`NodeMut::set_local`](crate::NodeMut::set_local) of `None`, since [`Keep::World`](crate::Keep::World) gives it one |
//! | set or remove components | [`set_node`](crate::NodeMut::set_node) what [`node`](crate::NodeRef::node) returned before; or, for one component, set or remove it |
//! | [`set_translation_f64`](crate::NodeMut::set_translation_f64), and any edit of a local transform that has one | `set_node`, too; or set it again to what [`translation_f64`](crate::NodeRef::translation_f64) returned before: `local` has it rounded |
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
//! When steps are forgotten, [`remove`](crate::Scene::remove) each root of [`detached`](crate::Scene::detached) that no
//! remaining step names. A step of several edits is an [`EditQueue`](crate::edit::EditQueue) with
//! [`apply_all`](crate::edit::EditQueue::apply_all): made whole, or not at all. Files leave out what is detached by
//! [`SaveOptions`](crate::snapshot::SaveOptions), as bytes and as text. `examples/undo.rs` has a history with redo.
//!
//! **All at once**, as in a game that predicts and corrects: [`to_bytes`](crate::Scene::to_bytes) saves the scene
//! each tick, and [`from_bytes`](crate::Scene::from_bytes) loads the one to go back to. A loaded scene has the same
//! handles as the saved one, and later edits go the way they would have gone. `examples/rollback.rs` does that. Keep
//! what is not in the scene (a [`NodeMap`](crate::data::NodeMap) is `Clone`) beside the bytes.
