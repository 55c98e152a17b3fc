//! Fixed steps: a simulation at its own pace, and frames between its steps.
//!
//! A simulation with steps of a fixed length can be repeated, bit by bit. Frames are drawn at other times, so motion
//! stutters if each frame shows the last step. [`Smooth`](crate::motion::Smooth) shows the scene between the last two
//! steps, one step late. For the loop see [`motion`](crate::motion), for a program `examples/fixed_steps.rs`.
//!
//! | when | call |
//! |---|---|
//! | a step, as often as time has passed | edits and [`Scene::update`](crate::Scene::update), once or more often, then [`Smooth::step`](crate::motion::Smooth::step) |
//! | a teleport within a step | the edit, and [`Smooth::cut`](crate::motion::Smooth::cut) |
//! | a frame | [`Smooth::blend`](crate::motion::Smooth::blend) with the elapsed fraction of a step; then draw lists, culling and queries of the result |
//! | before the next step, or a save | drop the result of `blend`: the scene again has all bits of the simulation |
//!
//! **Edits of the tree** show when their step begins: what it inserts appears, what it removes is gone, and what gets
//! another parent is below it at once. If this is seen up to a step too early, keep these edits in an
//! [`EditQueue`](crate::edit::EditQueue), and apply them at the start of the next step. Of a patch of a document, keep
//! the local transforms of nodes whose places it does not state (`Patch::retain`), and follow the rest a step later.
//!
//! **Readers of changes**, such as physics or a network, see steps but no blends. So a renderer that copies matrices by
//! [`Scene::changes`](crate::Scene::changes) must copy more in each frame: the matrices of this and the previous
//! frame's [`Smooth::nodes`](crate::motion::Smooth::nodes), and of all nodes below them. [`DrawList`](crate::DrawList)
//! and [`MatrixMirror`](crate::changes::MatrixMirror) see blends.
//!
//! **Motion vectors** of [`Smooth::with_motion`](crate::motion::Smooth::with_motion) lead from what the previous frame
//! showed to what this frame shows. A teleport that is [cut](crate::motion::Smooth::cut) is no motion.
//!
//! **Two updates in a frame**, the second with the newest pose of a headset or a hand: the second computes only what is
//! below the nodes that were set. Without fixed steps, call [`Smooth::step`](crate::motion::Smooth::step) after the
//! frame's last update and [`Smooth::blend`](crate::motion::Smooth::blend) with 1: it shows the scene as updated, with
//! motion since the previous frame. The frustum that [culls for both eyes](crate::math::Frustum::from_planes) of a
//! headset takes planes from both.
//!
//! **Nodes that frames move**, such as a camera that follows the mouse, are edited after the steps, before `blend`, and
//! shown as edited. Call [`cut`](crate::motion::Smooth::cut) for them before each step, otherwise they are blended
//! between steps. It takes no motion, because the step does not move the node below its parent.
