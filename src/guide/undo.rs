//! Undo.
//!
//! There are three ways to undo edits.
//!
//! **By patches**, as in an editor: a [`Recorder`](crate::patch::Recorder) turns what a user's action changed into a
//! patch, whichever edits it made. The patch's [`inverse`](crate::patch::Patch::inverse) takes the changes back, to the
//! bit. The time of a read depends on the changes, not on the scene's size. [`revert`](crate::patch::Recorder::revert)
//! takes back an action that failed half-way. A removed node comes back with another handle and the same id, so refer
//! to nodes by ids. A file keeps ids: save [`Recorder::tree`](crate::patch::Recorder::tree), as bytes or as text (not
//! [`WithIds`](crate::text::WithIds), which needs an id for the root, too), and open it with
//! [`Instance::insert_below`](crate::patch::Instance::insert_below). `examples/undo.rs` is an editor that does this.
//!
//! ```
//! use hedgerow::patch::{Instance, Recorder};
//! use hedgerow::{Node, Scene, SceneConfig, Tree};
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let shelf = scene.insert(scene.root(), Node::group().named("shelf"))?;
//! let cup = scene.insert(shelf, Node::group().named("cup"))?;
//! scene.update();
//! let mut recorder = Recorder::new(&scene, Instance::of(&scene, scene.root())?)?;
//! let id = recorder.instance().id(cup).unwrap();
//!
//! scene.remove(shelf)?; // an action of the user
//! scene.update();
//! let step = recorder.read(&scene)?; // a step of the history
//!
//! recorder.apply(&mut scene, &step.inverse())?; // undo, which is no step
//! let cup = recorder.instance().node(id).unwrap();
//! assert_eq!(scene.get(cup).unwrap().name(), Some("cup"));
//!
//! let file = recorder.tree().to_bytes(); // save,
//! let mut opened = Scene::new();
//! let root = opened.root();
//! let document = Instance::insert_below(&mut opened, root, &Tree::from_bytes(&file)?)?; // and open
//! assert_eq!(opened.get(document.node(id).unwrap()).unwrap().name(), Some("cup"));
//!
//! recorder.apply(&mut scene, &step)?; // redo
//! assert_eq!(scene.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **With the same handles**: for each edit, store the edit that reverts it. Instead of removing nodes,
//! [`reparent`](crate::Scene::reparent) them to [`Place::Detached`](crate::Place::Detached). A detached subtree keeps
//! its handles, names and components, and adds no cost to passes. To store the old state, use
//! [`NodeRef::place`](crate::NodeRef::place) for the place, and [`NodeRef::node`](crate::NodeRef::node) for the
//! components, which [`set_node`](crate::NodeMut::set_node) restores. When you drop old steps,
//! [`remove`](crate::Scene::remove) each root of [`detached`](crate::Scene::detached) that no remaining step refers to.
//! To save without detached subtrees, use [`SaveOptions`](crate::snapshot::SaveOptions).
//!
//! **All at once**, as in a game with client-side prediction: save a checkpoint each tick, and go back to one
//! ([`checkpoints`](crate::checkpoints)). All handles are those of the tick, and the same edits give the same results.
//! `examples/rollback.rs` does this. Data that is not in the scene goes back as you saved it: a
//! [`NodeMap`](crate::data::NodeMap) is `Clone`, and refuses handles of earlier nodes if it stays as it is.
//!
//! | all at once, by | saving takes | going back takes | good for |
//! |---|---|---|---|
//! | [`Checkpoints`](crate::checkpoints::Checkpoints) | the time of what changed | the time of what changed | many frames of a scene that is not small |
//! | a [`clone`](Clone) | a copy of all | a move | some hundred nodes; a state that another thread reads or saves |
//! | [`to_bytes`](crate::Scene::to_bytes), [`from_bytes`](crate::Scene::from_bytes) | O(nodes) | O(nodes), and an update of all | files, other processes |
//!
//! With 20,000 nodes and 100 edits a frame, saving a checkpoint takes a fiftieth of the time of saving bytes, and going
//! back eight frames a fiftieth of loading them; with 200 nodes, a clone is as fast. The experiment `rollback` in
//! the repository measures this.
