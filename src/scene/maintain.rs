//! Maintenance, which the caller runs once a frame.

use crate::scene::Scene;
pub use crate::store::Maintenance;
use std::time::Duration;

impl Scene {
    /// Joins slices that have become small and puts sparse ones in depth-first order again, the worst first. Takes
    /// about `budget` at most.
    ///
    /// Call it once a frame after [`Scene::update`], or not at all: only speed and memory depend on it. The update
    /// itself puts a slice in order where more than half of it is unused, where it doubles, or where there is no room.
    /// While edits wait for the update, it does nothing. World matrices and reported changes stay; draws may come in
    /// another order.
    ///
    /// Only slices that changed since the last call are looked at, so a scene at rest costs nothing. A slice is
    ///
    /// - joined with neighbours, if one of two has fewer nodes than a quarter of
    ///   [`max_nodes`](crate::SceneConfig::max_nodes) and all have at most five eighths of it;
    /// - else reconstituted, in linear time, if more than a quarter of its rows, transform slots or drawables are
    ///   unused.
    ///
    /// [`Duration::MAX`] does everything there is to do, with stricter limits, for a scene that will not change for a
    /// while: slices of which a sixteenth is unused are reconstituted too, and keep a sixteenth of room.
    pub fn maintain(&mut self, budget: Duration) -> Maintenance {
        self.store.maintain(budget)
    }
}
