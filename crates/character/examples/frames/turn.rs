//! The trait of scenes that change from frame to frame.

use hedgerow::Scene;
use hedgerow_character::CharacterError;

/// The number of nodes that a frame maintains.
pub(crate) const MAINTAINED_NODES: usize = 8_000;

/// Something that changes a scene from frame to frame.
pub(crate) trait Life {
    /// Makes the edits of a frame, and returns their counts.
    fn frame(&mut self, scene: &mut Scene, frame: usize) -> Result<Tally, CharacterError>;

    /// Returns the number of characters; in a file, of rigs.
    fn characters(&self) -> usize {
        0
    }

    /// Advances the characters and the things they carry.
    fn animate(&mut self, _scene: &mut Scene) -> Result<(), CharacterError> {
        Ok(())
    }
}

/// Counts of edits by kind.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    /// The number of local transforms and other components that were set.
    pub(crate) set: usize,
    /// The number of subtrees that were moved to another parent.
    pub(crate) moved: usize,
    pub(crate) inserted: usize,
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
