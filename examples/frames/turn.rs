//! What is done to a scene in a frame, whatever the scene is.

use hedgerow::Scene;
use hedgerow::character::CharacterError;
use std::time::Duration;

/// How long maintenance may take in a frame.
pub(crate) const MAINTENANCE_BUDGET: Duration = Duration::from_micros(500);

/// Something that changes a scene from frame to frame.
pub(crate) trait Life {
    /// Makes the edits of this frame and tells what they were.
    fn frame(&mut self, scene: &mut Scene, frame: usize) -> Result<Tally, CharacterError>;

    /// Returns how many characters there are; in a file, rigs.
    fn characters(&self) -> usize {
        0
    }

    /// Lets the characters go on, and what they carry.
    fn animate(&mut self, _scene: &mut Scene) -> Result<(), CharacterError> {
        Ok(())
    }

    /// Checks the scene after the last frame, where there is something to check.
    fn end(&mut self, _scene: &mut Scene) -> Result<(), Box<dyn std::error::Error>> {
        Ok(())
    }
}

/// Edits, by their kind.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    /// Local transforms and other components set.
    pub(crate) set: usize,
    /// Subtrees moved to another parent.
    pub(crate) moved: usize,
    /// Nodes inserted.
    pub(crate) inserted: usize,
    /// Nodes removed.
    pub(crate) removed: usize,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.set += other.set;
        self.moved += other.moved;
        self.inserted += other.inserted;
        self.removed += other.removed;
    }
}
