//! What is drawn between two steps of a simulation.
//!
//! A simulation goes by steps of a fixed length, and frames come at other times. [`Smooth`] shows each frame between
//! the last two steps and takes that back before the next one. [`guide::fixed_steps`](crate::guide::fixed_steps) has
//! the loop.
//!
//! ```
//! use hedgerow::motion::Smooth;
//! use hedgerow::{Node, Scene, SceneConfig, Transform};
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let ball = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
//! scene.update();
//! let mut smooth = Smooth::new(&scene)?;
//!
//! scene.set_local(ball, Transform::from_xyz(8.0, 0.0, 0.0))?; // a step
//! scene.update();
//! smooth.step(&scene)?;
//!
//! let blended = smooth.blend(&mut scene, 0.25); // a frame, a quarter of a step later
//! assert_eq!(blended.world(ball).unwrap().translation().x, 2.0);
//! drop(blended);
//! assert_eq!(scene.world(ball).unwrap().translation().x, 8.0);
//! # Ok::<(), hedgerow::Error>(())
//! ```

pub use crate::scene::{Blended, Smooth};
