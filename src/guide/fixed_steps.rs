//! Fixed steps: a simulation at its own pace, and frames between its steps.
//!
//! A simulation that goes by steps of a fixed length is stable and can be repeated. Frames come at other times: if each
//! shows the last step, motion stutters. [`Smooth`](crate::motion::Smooth) shows the scene between the last two steps,
//! so what is seen is at most one step late.
//!
//! | when | call |
//! |---|---|
//! | a step, as often as time has passed | edits, [`Scene::update`](crate::Scene::update), [`Smooth::step`](crate::motion::Smooth::step) |
//! | a teleport within a step | the edit, and [`Smooth::cut`](crate::motion::Smooth::cut) |
//! | a frame | [`Smooth::blend`](crate::motion::Smooth::blend) with the part of a step that has passed; draw lists and culling of what it returns |
//! | before the next step | drop what it returned: the scene is as the simulation left it, in all bits |
//!
//! So the simulation never sees what was drawn, whatever the rate of frames: with the same inputs it makes the same
//! scene. Save ([`Scene::to_bytes`](crate::Scene::to_bytes)) and edit the scene outside of a blend.
//!
//! **Readers of changes** see steps only, physics' as well as a network's: nothing needs to be skipped. A renderer that
//! copies world matrices by [`Scene::changes`](crate::Scene::changes) does not see blends either: it copies those of
//! [`Smooth::nodes`](crate::motion::Smooth::nodes) and of what is below them in each frame, and once more after the
//! step in which they came to rest. [`DrawList`](crate::DrawList) and
//! [`MatrixMirror`](crate::changes::MatrixMirror) follow on their own.
//!
//! **Motion vectors** go from frame to frame and not from step to step: see
//! [`Smooth::with_motion`](crate::motion::Smooth::with_motion).
//!
//! **What a frame itself moves**, such as a camera that follows the mouse, or poses of an animation, is best edited
//! between blends; then it is brought in by the next, and shown as it is. Edit nodes that no step edits: these are
//! blended between their values at steps.
//!
//! ```
//! use hedgerow::motion::Smooth;
//! use hedgerow::{DrawList, Node, Scene, SceneConfig, Transform};
//! # use hedgerow::{Aabb, Drawable};
//!
//! const STEP: f32 = 0.02;
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let cart = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
//! # scene.edit(cart)?.set_drawable(Drawable::new(7, Aabb::cube(1.0)))?;
//! scene.update();
//! let mut smooth = Smooth::new(&scene)?.with_motion();
//! let (mut list, mut seen, mut due) = (DrawList::new().with_motion(), Vec::new(), 0.0);
//!
//! for frame_time in [0.025, 0.025, 0.03] {
//!     due += frame_time;
//!     while due >= STEP {
//!         due -= STEP;
//!         scene.modify_local(cart, |local| local.translation.x += 1.0)?; // the simulation
//!         scene.update();
//!         smooth.step(&scene)?;
//!     }
//!     let shown = smooth.blend(&mut scene, due / STEP);
//!     shown.draw_list(&mut list);
//!     seen.push(shown.world(cart).unwrap().translation().x);
//! }
//! let expected = [0.25, 1.5, 3.0]; // always one step behind: 0.025 s are 1.25 steps
//! assert!(seen.iter().zip(expected).all(|(x, expected)| (x - expected).abs() < 1e-4), "{seen:?}");
//! # Ok::<(), hedgerow::Error>(())
//! ```
