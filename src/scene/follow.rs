//! Locals of nodes that somebody looks after from frame to frame, found and set in two steps.

use crate::scene::Scene;
use crate::store::{At, LocalSlot};
use crate::{Error, Local, Mat34, NodeHandle};

impl Scene {
    /// Asks for what [`child_slot`](Self::child_slot) will read, by handles some steps ahead.
    #[inline]
    pub(crate) fn look_ahead(&self, handle: impl Fn(usize) -> Option<NodeHandle>) {
        self.store.look_ahead_for_rows(handle);
    }

    /// Where a node keeps its local transform; `None` if it is gone, has another parent than this, or has no transform.
    #[inline]
    pub(crate) fn child_slot(&self, node: NodeHandle, parent: NodeHandle) -> Option<LocalSlot> {
        let at = self.store.resolve(node)?;
        let above: At = self.store.parent(at)?;
        if self.store.handle(above) != parent {
            return None;
        }
        self.store.local_slot(at)
    }

    /// Asks for what [`put_in_slot`](Self::put_in_slot) will write.
    #[inline]
    pub(crate) fn prefetch_slot(&self, at: LocalSlot) {
        self.store.prefetch_local(at);
    }

    /// Sets a local transform as `Local::checked` answers it.
    #[inline]
    pub(crate) fn put_in_slot(&mut self, at: LocalSlot, local: Local) {
        self.store.put_local(at, local);
    }

    /// The matrix from the space of one node to that of another, by the local transforms that these and all above have now;
    /// `None` where one of them has no inverse or the numbers are too large or too small.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub(crate) fn between(&self, from: NodeHandle, to: NodeHandle) -> Result<Option<Mat34>, Error> {
        let (from, to) = (self.at(from)?, self.at(to)?);
        Ok(self.store.wide_world(from).matrix_to(&self.store.wide_world(to)))
    }
}
