//! Undo.
//!
//! **In an editor**, use the crate `hedgerow-document`. Its documents turn what a user's action changed into a step,
//! whichever edits it made, also inside nested prefabs. Steps are undone and redone to the bit, in a time that depends
//! on the changes, not on the scene's size. A removed node comes back with another handle and the same path of ids. If
//! handles must stay valid, detach nodes instead of removing them: [`reparent`](crate::Scene::reparent) them to
//! [`Place::Detached`](crate::Place::Detached), which adds no cost to passes.
//!
//! **All at once**, as in a game with client-side prediction: save the scene each tick with
//! [`to_bytes`](crate::Scene::to_bytes), and go back to a tick with [`from_bytes`](crate::Scene::from_bytes). A loaded
//! scene has the same handles as the saved one, and the same edits give the same results. `examples/rollback.rs` does
//! this. Along with the bytes, save data that is not in the scene (a [`NodeMap`](crate::data::NodeMap) is `Clone`).
