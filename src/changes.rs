//! Change tracking: nodes and slices that changed in updates, and matrices to upload.
//!
//! Any number of readers can follow a scene. Each read returns the changes since the same reader's last read. Follow
//! nodes if you keep something for single nodes, such as a row of a tree view. Follow slices if you keep something for
//! most of them, such as boxes: a pass over columns takes a few nanoseconds a node. For copies on a GPU, a mirror of
//! matrices and one of drawables follow slices for you, and say which items of a buffer to write.
//!
//! | subject | types |
//! |---|---|
//! | which nodes moved, entered, left, were removed, or were changed by edits: [`Scene::changes`](crate::Scene::changes) | [`ChangeReader`], [`Changed`], [`ChangeKinds`], [`ParentChange`] |
//! | which slices changed, for passes of your own over columns: [`Scene::changed_slices`](crate::Scene::changed_slices) | [`SliceCursor`], [`SliceChange`], [`ChangedSlots`], [`ChangedSlices`] |
//! | a copy of all world matrices in one buffer, updated incrementally | [`MatrixMirror`], [`MirrorStep`], [`Scattered`], [`SyncStats`] |
//! | a table of all drawables, such as one on a GPU, updated incrementally | [`DrawableMirror`], [`DrawableStep`] |
//! | the location of a node's matrix: [`NodeRef::matrix_slot`](crate::NodeRef::matrix_slot) | [`MatrixSlot`] |
//!
//! ```
//! use hedgerow::changes::ChangeReader;
//! use hedgerow::{Node, Scene, SceneConfig, Transform};
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let ball = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
//! scene.update();
//! let mut reader = ChangeReader::new();
//! assert!(scene.changes(&mut reader)?.is_whole(), "the first read is of all nodes");
//!
//! scene.set_local(ball, Transform::from_xyz(0.0, 1.0, 0.0))?;
//! scene.update();
//! assert_eq!(scene.changes(&mut reader)?.moved(), [ball]);
//! # Ok::<(), hedgerow::Error>(())
//! ```

pub use crate::pass::{ChangedSlices, ChangedSlots, SliceChange, SliceCursor};
pub use crate::scene::{
    ChangeReader, Changed, DrawableMirror, DrawableStep, MatrixMirror, MirrorStep, ParentChange, Scattered, SyncStats,
};
pub use crate::store::{ChangeKinds, MatrixSlot};
