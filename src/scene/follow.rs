//! From the space of one node to that of another, for what follows a node from frame to frame.

use crate::scene::Scene;
use crate::{Error, Mat34, NodeHandle};

impl Scene {
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
