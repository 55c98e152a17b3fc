//! Maintenance: the caller's, once a frame.

use crate::scene::Scene;
pub use crate::store::Maintenance;
use crate::{Error, NodeHandle};
use std::time::Duration;

impl Scene {
    /// Frees what [`Scene::remove_later`] removed, and tidies slices that edits have left small, out of order or sparse, for at
    /// most about `budget`.
    ///
    /// Call it once a frame, or not at all: nothing but speed and memory depends on it, and no other method does its work.
    /// Only slices that were edited since they were last looked at are, and of those that wait longest the worst first; around
    /// these, small ones that had nothing to be merged with are looked at again. A scene at rest costs nothing, and what lies
    /// far from every edit neither. A slice is
    ///
    /// - merged with the slice above or a neighbour, if it has fewer rows than
    ///   [`min_nodes`](crate::SceneConfig::min_nodes) and the result has at most three quarters of
    ///   [`max_nodes`](crate::SceneConfig::max_nodes);
    /// - else reconstituted, in linear time, if more than a quarter of its rows were put far from their depth-first place
    ///   since it last was, or if much more of its memory is unused than growth by the expansion factor leaves, and keeps
    ///   an eighth of room for what comes.
    ///
    /// [`Duration::MAX`] does all there is to do, and more strictly, as before a scene is left to rest: slices of which a
    /// fourteenth is unused are rebuilt too, and keep a sixteenth of room. Children whose slices hang one behind the other, as
    /// earlier versions left them and snapshots of these still do, are set side by side.
    pub fn maintain(&mut self, budget: Duration) -> Maintenance {
        self.store.maintain(budget)
    }

    /// Rebuilds the slice of a node in exact depth-first order. Handles stay valid.
    ///
    /// Computes in **O(nodes of the slice)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn reconstitute(&mut self, node: NodeHandle) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.reorder(at.slice);
        Ok(())
    }

    /// Rebuilds every slice in exact depth-first order. Handles stay valid.
    ///
    /// Computes in **O(nodes)**.
    pub fn reconstitute_all(&mut self) {
        self.store.reorder_all();
    }
}
