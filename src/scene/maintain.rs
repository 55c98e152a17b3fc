//! Maintenance, which the caller runs once a frame.

use crate::scene::Scene;
pub use crate::store::Maintenance;

impl Scene {
    /// Merges small slices and reconstitutes sparse ones, the worst first, until these have `nodes` nodes in all,
    /// or there are none left; at least one, of at most [`max_nodes`](crate::SceneConfig::max_nodes).
    ///
    /// Call it once a frame after [`Scene::update`], or not at all: only speed and memory depend on it. The update
    /// itself reconstitutes a slice if more than half of it is unused, if the number of its nodes doubles, or if it has
    /// no room. If the scene was edited since the last update, `maintain` does nothing. World matrices and reported
    /// changes stay the same; draw order may change.
    ///
    /// Only slices that changed since the last call are considered, or, with [`usize::MAX`], all. So calls with a
    /// limit cost nothing in a static scene. A slice is
    ///
    /// - merged with neighbours, if one of two neighbours has less than a quarter of
    ///   [`max_nodes`](crate::SceneConfig::max_nodes), and the merged slice has at most five eighths of that number;
    /// - else reconstituted in linear time, if over a quarter of its rows, transform slots or drawables are unused.
    ///
    /// [`usize::MAX`] does all possible work, for a scene that will not change for a while. It also reconstitutes
    /// slices of which more than a sixteenth is unused, and reduces spare room to a sixteenth.
    pub fn maintain(&mut self, nodes: usize) -> Maintenance {
        self.store.maintain(nodes)
    }
}
