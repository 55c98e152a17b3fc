//! Undo.
//!
//! **In an editor**, use the crate `hedgerow-document`. Its documents turn what a user's action changed into a step,
//! whichever edits it made, also inside nested prefabs. Steps are undone and redone to the bit, in a time that depends
//! on the changes, not on the scene's size. A removed node comes back with another handle and the same path of ids. If
//! handles must stay valid, and you undo without documents, detach nodes instead of removing them:
//! [`reparent`](crate::Scene::reparent) them to [`Place::Detached`](crate::Place::Detached), which adds no cost to passes.
//!
//! **Whole-scene rollback**, as in a game with client-side prediction: save a checkpoint each tick, and go back to one
//! ([`checkpoints`](crate::checkpoints)). All handles are those of the tick, and the same edits give the same results.
//! `examples/rollback.rs` does this. Data that is not in the scene goes back as you saved it: a
//! [`NodeMap`](crate::data::NodeMap) is `Clone`, and refuses handles of earlier nodes if it stays as it is.
//!
//! | whole-scene rollback, by | saving takes | going back takes | good for |
//! |---|---|---|---|
//! | [`Checkpoints`](crate::checkpoints::Checkpoints) | the time of what changed | the time of what changed | many frames of a scene that is not small |
//! | a [`clone`](Clone) | a copy of all | a move | some hundred nodes; a state that another thread reads or saves |
//! | [`to_bytes`](crate::Scene::to_bytes), [`from_bytes`](crate::Scene::from_bytes) | O(nodes) | O(nodes), and an update of all | files, other processes |
//!
//! With 20,000 nodes and 100 edits a frame, saving a checkpoint takes a fiftieth of the time of saving bytes, and going
//! back eight frames a fiftieth of loading them; with 200 nodes, a clone is as fast. The experiment `rollback` in
//! the repository measures this.
