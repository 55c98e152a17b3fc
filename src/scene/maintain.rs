//! Maintenance, which the caller runs once a frame.

use crate::scene::Scene;
pub use crate::store::Maintenance;
use std::time::Duration;

impl Scene {
    /// Frees what [`Scene::remove_later`] removed, and tidies slices that edits have left small, out of order or
    /// sparse. Takes about `budget` at most.
    ///
    /// Call it once a frame, or not at all: only speed and memory depend on it, and no other method does its work. Only
    /// slices edited since their last check are looked at: those that have waited longest, and of these the worst
    /// first. Small slices around them that had no partner to merge with are checked again. A scene without edits costs
    /// nothing, and neither do slices far from every edit. A slice is
    ///
    /// - merged with the slice above or a neighbour, if it has fewer rows than
    ///   [`min_nodes`](crate::SceneConfig::min_nodes) and the result has at most three quarters of
    ///   [`max_nodes`](crate::SceneConfig::max_nodes);
    /// - else reconstituted, in linear time, if more than a quarter of its rows are far from their depth-first place,
    ///   or if much more of its memory is unused than growth by the expansion factor leaves; it then keeps an eighth of
    ///   room for new nodes.
    ///
    /// [`Duration::MAX`] does everything there is to do, with stricter limits, for a scene that will not change for a
    /// while: slices of which a fourteenth is unused are rebuilt too, and keep a sixteenth of room.
    pub fn maintain(&mut self, budget: Duration) -> Maintenance {
        self.store.maintain(budget)
    }
}
