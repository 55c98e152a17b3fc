//! What an update changed: the nodes, and the matrices to upload.
//!
//! | what | types |
//! |---|---|
//! | which nodes moved, entered, left, or changed visibility | [`Changes`] |
//! | one buffer with all matrices, kept in step | [`MatrixMirror`], [`MirrorStep`], [`Mirrored`] |
//! | matrix arrays to mirror on a GPU, and the ranges that changed | [`Upload`], [`DirtyRanges`], [`MatrixSlot`] |
//!
//! ```
//! use hedgerow::{Node, Scene, SceneConfig, Transform};
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let ball = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
//! scene.update();
//! scene.set_local(ball, Transform::from_xyz(0.0, 1.0, 0.0))?;
//! scene.update();
//! assert_eq!(scene.changes().moved(), [ball]);
//! # Ok::<(), hedgerow::Error>(())
//! ```

pub use crate::scene::{Changes, DirtyRanges, MatrixMirror, MirrorStep, Mirrored, Upload};
pub use crate::store::MatrixSlot;
