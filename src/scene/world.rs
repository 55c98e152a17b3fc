//! Local and world transforms of nodes, and edits in world space.

use crate::scene::Scene;
use crate::{Error, Local, Mat34, NodeHandle, node::LocalForm};

impl Scene {
    /// Sets the local transform of a node that has one so that its world transform becomes `world`, a
    /// [`Transform`](crate::Transform) or a [`Mat34`]. Returns the form of the local transform.
    ///
    /// Runs in **O(ancestors)**, in double precision; [`Keep::World`](crate::Keep::World) says how exact it is. It is [`Scene::world`] that becomes `world`: what
    /// [`NodeMut::set_translation_f64`](crate::NodeMut::set_translation_f64) keeps beyond single precision, here and
    /// above, is left out.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`Error::NotFinite`], [`Error::NotRotation`]; [`Error::Singular`]
    /// below a flattened parent; [`Error::Overflow`] if numbers of the local transform or of the world matrix are too
    /// large, [`Error::Underflow`] if those of the local transform are too small.
    pub fn set_world(&mut self, node: NodeHandle, world: impl Into<Local>) -> Result<LocalForm, Error> {
        let at = self.at(node)?;
        if !self.store.has_transform(at) {
            return Err(Error::NoTransform(node));
        }
        let local = self.store.local_for(at, world.into().checked_world()?)?;
        self.store.set_local(at, local);
        Ok(local.form())
    }

    /// The local transform of a node, or `None` for a node without one.
    #[must_use]
    #[inline]
    pub fn local(&self, node: NodeHandle) -> Option<Local> {
        match self.store.plain_local(node) {
            Some(local) => Some(Local::Transform(local)),
            None => self.store.local(self.store.resolve(node)?),
        }
    }

    /// The world matrix of a node as of the last update: that of the nearest transform at or above it.
    ///
    /// Runs in **O(1)**. The identity for a node that was inserted since then; one that was moved, or that got or lost
    /// a transform since, has the matrix that held for it then. [`NodeRef::fresh_world`](crate::NodeRef::fresh_world)
    /// is as of now. Where transforms above exceed single precision, numbers are infinite or NaN:
    /// [`Stats::overflowed`](crate::stats::Stats::overflowed) counts such nodes.
    #[inline]
    #[must_use]
    pub fn world(&self, node: NodeHandle) -> Option<&Mat34> {
        self.store.world(node)
    }
}
