//! Maintenance, which the caller runs once a frame.

use crate::scene::Scene;
pub use crate::store::Maintenance;
use std::time::Duration;

impl Scene {
    /// Merges small slices and reconstitutes sparse ones, the worst first. Runs for about `budget` at most.
    ///
    /// Call it once a frame after [`Scene::update`], or not at all, because only speed and memory depend on it. The
    /// update itself reconstitutes a slice if more than half of it is unused, if its nodes double, or if it has no
    /// room. If there are edits since the last update, `maintain` does nothing. World matrices and reported changes
    /// stay the same; draw order may change.
    ///
    /// Only slices that changed since the last call are considered, so a static scene costs nothing. A slice is
    ///
    /// - merged with neighbours, if one of two neighbours has fewer nodes than a quarter of
    ///   [`max_nodes`](crate::SceneConfig::max_nodes), and the merged slice has at most five eighths of it;
    /// - else reconstituted, in linear time, if over a quarter of its rows, transform slots or drawables are unused.
    ///
    /// [`Duration::MAX`] does all possible work, for a scene that will not change for a while: it also reconstitutes
    /// slices of which more than a sixteenth is unused, and leaves only a sixteenth of spare room.
    pub fn maintain(&mut self, budget: Duration) -> Maintenance {
        self.store.maintain(budget)
    }
}
