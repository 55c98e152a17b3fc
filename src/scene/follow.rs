//! Finds and sets, in two steps, the local transforms of nodes that follow something from frame to frame.

use crate::scene::Scene;
use crate::store::{At, LocalSlot};
use crate::{Error, Local, Mat34, NodeHandle};

impl Scene {
    /// Prefetches what [`child_slot`](Self::child_slot) will read, given handles some steps ahead.
    #[inline]
    pub(crate) fn look_ahead(&self, handle: impl Fn(usize) -> Option<NodeHandle>) {
        self.store.look_ahead_for_rows(handle);
    }

    /// Where a node keeps its local transform; `None` if it is gone, has another parent, or has no transform.
    #[inline]
    pub(crate) fn child_slot(&self, node: NodeHandle, parent: NodeHandle) -> Option<LocalSlot> {
        let at = self.store.resolve(node)?;
        let above: At = self.store.parent(at)?;
        if self.store.handle(above) != parent {
            return None;
        }
        self.store.local_slot(at)
    }

    /// Prefetches what [`put_in_slot`](Self::put_in_slot) will write.
    #[inline]
    pub(crate) fn prefetch_slot(&self, at: LocalSlot) {
        self.store.prefetch_local(at);
    }

    /// Sets a local transform, given the result of `Local::checked`.
    #[inline]
    pub(crate) fn put_in_slot(&mut self, at: LocalSlot, local: Local) {
        self.store.put_local(at, local);
    }

    /// The matrix from the space of one node to that of another, by the present local transforms of these and of their
    /// ancestors. `None` if one of them has no inverse, or the numbers are too large or too small.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub(crate) fn between(&self, from: NodeHandle, to: NodeHandle) -> Result<Option<Mat34>, Error> {
        let (from, to) = (self.at(from)?, self.at(to)?);
        Ok(self.store.wide_world(from).matrix_to(&self.store.wide_world(to)))
    }
}
