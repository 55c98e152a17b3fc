//! Fixed steps: a simulation at its own pace, and frames between its steps.
//!
//! A simulation that goes by steps of a fixed length can be repeated, bit by bit. Frames come at other times: if each
//! shows the last step, motion stutters. [`Smooth`](crate::motion::Smooth) shows the scene between the last two steps,
//! one step late. [`motion`](crate::motion) has the loop, `examples/fixed_steps.rs` a program.
//!
//! | when | call |
//! |---|---|
//! | a step, as often as time has passed | edits, [`Scene::update`](crate::Scene::update), [`Smooth::step`](crate::motion::Smooth::step) |
//! | a teleport within a step | the edit, and [`Smooth::cut`](crate::motion::Smooth::cut) |
//! | a frame | [`Smooth::blend`](crate::motion::Smooth::blend) with the part of a step that has passed; draw lists, culling and queries of what it returns |
//! | before the next step, or a save | drop what it returned: the scene is as the simulation left it, in all bits |
//!
//! **Readers of changes** see steps and no blends, physics' as well as a network's: there is nothing to skip. A
//! renderer that copies matrices by [`Scene::changes`](crate::Scene::changes) misses blends, too: in each frame it
//! copies those of [`Smooth::nodes`](crate::motion::Smooth::nodes) and of all below, also of those of the frame before.
//! [`DrawList`](crate::DrawList) and [`MatrixMirror`](crate::changes::MatrixMirror) follow on their own, and
//! [`Smooth::with_motion`](crate::motion::Smooth::with_motion) has motion vectors from frame to frame.
//!
//! **What a frame moves itself**, such as a camera that follows the mouse, is edited between blends, and shown as it
//! is. If steps come in between, it is blended as of these: [`cut`](crate::motion::Smooth::cut) it before each.
