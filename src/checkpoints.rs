//! Checkpoints: earlier states of a scene, to go back to, each in the time and memory of what changed.
//!
//! A networked game plays on with guessed inputs, and goes back when the real ones differ; a level starts again where
//! the player stood; an editor shows what a drag would do. [`Checkpoints`] save a scene's state frame by frame, and
//! restore one of the last frames with the same handles, order and later edits, as if nothing had come after it.
//!
//! ```
//! use hedgerow::checkpoints::Checkpoints;
//! use hedgerow::{Node, Scene, Transform};
//!
//! let mut scene = Scene::new();
//! let ship = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
//! let mut checkpoints = Checkpoints::new(&mut scene, 8)?; // keeps the newest 8
//! let mut shots = Vec::new();
//! for frame in 0..3 {
//!     checkpoints.save(&mut scene, frame)?;
//!     scene.modify_local(ship, |local| local.translation.x += 1.0)?; // the game
//!     shots.push(scene.insert(scene.root(), Node::group())?);
//!     scene.update();
//! }
//!
//! checkpoints.restore(&mut scene, 1)?; // the state before frame 1
//! assert_eq!(scene.world(ship).unwrap().translation().x, 1.0);
//! assert!(scene.contains(shots[0]) && !scene.contains(shots[1]));
//! assert_eq!(scene.insert(scene.root(), Node::group())?, shots[1]); // the same edits give the same handles
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! # What goes back, and what does not
//!
//! | | after a restore |
//! |---|---|
//! | nodes, handles, components, detached subtrees, the order of siblings | as they were, to the bit: [`Scene::to_bytes`] gives the same bytes |
//! | later inserts | return the handles that they would have returned |
//! | handles of nodes that were removed since | live again; this is the only way in which a stale handle does |
//! | world matrices, draw lists, queries | show this state, since a restore updates the scene |
//! | the order of draws and of results of queries | may be another, as after any edits; a game must not depend on it |
//! | readers of changes, kept lists, mirrors | stay attached, and see ordinary changes; a node that was removed and is back counts as one that left and came back |
//! | previous matrices | are those before the restore, so motion vectors show the correction |
//! | data of your own | stays as it is: save and restore it along with the scene |
//!
//! Keep a copy of your own data for each checkpoint, or log its changes. A [`NodeMap`](crate::data::NodeMap), an
//! [`Inherited`](crate::data::Inherited) and a [`Column`](crate::data::Column) are `Clone`. If you leave one as it is,
//! it loses values of nodes that were removed and came back: a map refuses the handle of an earlier node while it has
//! the value of a later one with the same record number.
//!
//! # A clone instead
//!
//! A [clone](Scene#impl-Clone-for-Scene) of the scene is another scene, with everything that updates derived. Take one
//! if another thread is to read or save the state, or if the scene has a few hundred nodes, which take as little time
//! to copy. [`guide::undo`](crate::guide::undo) compares all ways back.

use crate::store::Ring;
use crate::{Error, Scene};
use core::fmt;

/// The states of a scene in its last frames: see the [module](self).
///
/// They belong to the scene for which they were made, and to no clone of it. A scene has one at a time: after another
/// [`Checkpoints::new`], the earlier ones refuse all calls with the scene.
///
/// Takes 83 bytes a node and as much as the scene for its other components; for each checkpoint, 80 bytes for each node
/// that was edited, or whose neighbours were, and components that differ. The scene itself takes 2 bytes a node more,
/// even after the checkpoints were dropped. Edits take as long as without.
pub struct Checkpoints(Ring);

impl Checkpoints {
    /// Starts without a checkpoint. At least one, and no more than the newest `most` will be kept. Copies all nodes in
    /// **O(nodes)**.
    ///
    /// # Errors
    /// [`Error::AllocationFailed`].
    pub fn new(scene: &mut Scene, most: usize) -> Result<Self, Error> {
        Ring::new(&mut scene.store, most).map(Self).map_err(|_| Error::AllocationFailed)
    }

    /// Saves the state of the scene, with or without edits since its last update.
    ///
    /// The number `frame` is your own, and must not fall. If it is that of the newest checkpoint, this replaces it: so a
    /// frame that was restored and corrected is saved again. If there are more checkpoints than can be kept, the oldest is
    /// dropped. Runs in **O(nodes edited since the newest checkpoint + nodes / 512)**, and for a replaced one also in what
    /// it had.
    ///
    /// # Errors
    /// [`Error::OtherScene`]; [`Error::FrameBefore`]; [`Error::AllocationFailed`], after which all checkpoints are as before.
    pub fn save(&mut self, scene: &mut Scene, frame: u64) -> Result<(), Error> {
        self.0.save(&mut scene.store, frame)
    }

    /// Takes the scene back to a checkpoint, and updates it.
    ///
    /// The checkpoint stays, and all later ones are dropped. If it is the newest, this takes back the edits since. Runs
    /// in **O(nodes edited since the checkpoint + nodes / 512)** and an [update](Scene::update) after as many edits.
    ///
    /// # Errors
    /// [`Error::OtherScene`]; [`Error::NoCheckpoint`]; [`Error::AllocationFailed`] if there is no memory to find what
    /// differs. Then nothing has changed.
    ///
    /// ```
    /// # use hedgerow::{Error, Scene, checkpoints::Checkpoints};
    /// let mut scene = Scene::new();
    /// let mut checkpoints = Checkpoints::new(&mut scene, 2)?;
    /// (0..4).try_for_each(|frame| checkpoints.save(&mut scene, frame))?;
    /// assert!(checkpoints.frames().eq([2, 3]));
    /// assert_eq!(checkpoints.restore(&mut scene, 1), Err(Error::NoCheckpoint(1)));
    /// assert_eq!(checkpoints.restore(&mut scene.clone(), 2), Err(Error::OtherScene));
    /// checkpoints.restore(&mut scene, 2)?;
    /// assert!(checkpoints.frames().eq([2]));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn restore(&mut self, scene: &mut Scene, frame: u64) -> Result<(), Error> {
        self.0.restore(&mut scene.store, frame)
    }

    /// Iterates over the frames of all checkpoints, the oldest first.
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
        self.0.frames()
    }

    /// Drops the checkpoints of all frames before this one, for example when the inputs before it are known.
    pub fn drop_before(&mut self, frame: u64) {
        while self.frames().next().is_some_and(|oldest| oldest < frame) {
            self.0.drop_oldest();
        }
    }

    /// Returns the allocated bytes, without those of the scene. Runs in **O(nodes edited + nodes with a name)**.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Frees unused memory, which later saves would use.
    pub fn shrink_to_fit(&mut self) {
        self.0.shrink();
    }
}

impl fmt::Debug for Checkpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoints").field("frames", &self.frames().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}
