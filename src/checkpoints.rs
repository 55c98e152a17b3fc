//! Earlier states of a scene, to go back to.
use crate::store::Ring;
use crate::{Error, Scene};

/// Checkpoints.
pub struct Checkpoints(Ring);

impl core::fmt::Debug for Checkpoints {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.frames()).finish()
    }
}

impl Checkpoints {
    /// New.
    pub fn new(scene: &mut Scene, most: usize) -> Result<Self, Error> {
        Ring::new(&mut scene.store, most).map(Self).map_err(|_| Error::AllocationFailed)
    }
    /// Save.
    pub fn save(&mut self, scene: &mut Scene, frame: u64) -> Result<(), Error> {
        self.0.save(&mut scene.store, frame)
    }
    /// Restore.
    pub fn restore(&mut self, scene: &mut Scene, frame: u64) -> Result<(), Error> {
        self.0.restore(&mut scene.store, frame)
    }
    /// Frames.
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
        self.0.frames()
    }
    /// Drop.
    pub fn drop_before(&mut self, frame: u64) {
        while self.0.frames().next().is_some_and(|oldest| oldest < frame) {
            self.0.drop_oldest();
        }
    }
    /// Bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
    /// Shrink.
    pub fn shrink_to_fit(&mut self) {
        self.0.shrink();
    }
}
