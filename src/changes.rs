//! What updates changed: the nodes, and the matrices to upload.
//!
//! Readers remember up to where they have read. Any number of them ask whenever they like for what came since.
//!
//! | what | types |
//! |---|---|
//! | which nodes moved, entered, left, were removed, or were changed by edits: [`Scene::changes`](crate::Scene::changes) | [`ChangeReader`], [`Changes`], [`Changed`], [`ChangeKinds`] |
//! | one buffer with all matrices, kept in step | [`MatrixMirror`], [`MirrorStep`], [`Mirrored`] |
//! | where a node's matrix is: [`NodeRef::matrix_slot`](crate::NodeRef::matrix_slot) | [`MatrixSlot`] |
//!
//! ```
//! use hedgerow::changes::ChangeReader;
//! use hedgerow::{Node, Scene, SceneConfig, Transform};
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let ball = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
//! scene.update();
//! let mut reader = ChangeReader::new();
//! scene.changes(&mut reader)?;
//!
//! scene.set_local(ball, Transform::from_xyz(0.0, 1.0, 0.0))?;
//! scene.update();
//! assert_eq!(scene.changes(&mut reader)?.since().unwrap().moved(), [ball]);
//! # Ok::<(), hedgerow::Error>(())
//! ```

pub use crate::scene::{ChangeReader, Changed, Changes, MatrixMirror, MirrorStep, Mirrored};
pub use crate::store::{ChangeKinds, MatrixSlot};
