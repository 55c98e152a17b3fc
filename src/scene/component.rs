//! Sets and changes local transforms: the most frequent edits.

use crate::scene::Scene;
use crate::{Error, Local, Mat34, NodeHandle, Transform};

impl Scene {
    /// Sets or adds the local transform of a node. World matrices change at the next [`Scene::update`].
    ///
    /// Pass a [`Transform`], a `Mat34`, or another type that converts to a [`Local`].
    ///
    /// A matrix is stored as translation, rotation and scale if these can express it. Runs in **O(1)**, or in O(n) if
    /// the old or the new transform is a matrix that shears and the slice has n such matrices. If the node had no
    /// transform, the next update reconstitutes its slice, in O(nodes of the slice). If the bits stay the same, the
    /// update usually computes nothing for the subtree, unless two fifths of the slice's transforms were set, or the
    /// slice has new nodes or shearing matrices.
    ///
    /// ```
    /// use hedgerow::glam::Vec3;
    /// use hedgerow::{Local, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let door = scene.insert(scene.root(), Node::group())?;
    /// scene.set_local(door, Transform::from_xyz(1.0, 0.0, 0.0))?;
    /// scene.modify_local(door, |local| local.translation.y += 2.0)?;
    /// let saved: Local = scene.local(door).expect("set above");
    /// assert_eq!(saved.transform().map(|local| local.translation), Some(Vec3::new(1.0, 2.0, 0.0)));
    ///
    /// scene.set_local(door, Transform::IDENTITY)?;
    /// scene.set_local(door, saved)?;   // whatever its form
    /// assert_eq!(scene.local(door), Some(saved));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NotFinite`], [`Error::NotRotation`].
    #[inline(always)]
    pub fn set_local(&mut self, node: NodeHandle, local: impl Into<Local>) -> Result<(), Error> {
        // This part is short enough to be inlined, so a transform that is built at the call stays in registers.
        match local.into() {
            Local::Transform(transform) => {
                if transform.is_plain() && self.store.nodes.set_plain(node, &transform).is_some() {
                    return Ok(());
                }
                self.set_transform_at_length(node, transform)
            }
            Local::Matrix(matrix) => self.set_matrix(node, matrix),
        }
    }

    /// Sets a local transform in the cases that [`Scene::set_local`] does not inline: the transform must be normalised,
    /// is the node's first, or replaces a matrix or a translation in double precision. Fails in all other cases.
    #[cold]
    pub(super) fn set_transform_at_length(&mut self, node: NodeHandle, transform: Transform) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.nodes.set_local(at, Local::Transform(transform.checked()?));
        Ok(())
    }

    #[inline(never)]
    pub(super) fn set_matrix(&mut self, node: NodeHandle, matrix: Mat34) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.nodes.set_local(at, Local::Matrix(matrix).checked()?);
        Ok(())
    }

    /// Changes the translation, rotation and scale of a node that has a local transform. World matrices change at the
    /// next [`Scene::update`]. Runs in **O(1)**.
    ///
    /// If `modify` panics or produces an invalid transform, nothing changes. If the translation does not change, it
    /// keeps the precision of [`NodeMut::set_translation_f64`](crate::NodeMut::set_translation_f64).
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`]; [`Error::Sheared`] if the local transform is a matrix;
    /// [`Error::NotFinite`] and [`Error::NotRotation`] for an invalid result of `modify`.
    #[inline]
    pub fn modify_local(&mut self, node: NodeHandle, modify: impl FnOnce(&mut Transform)) -> Result<(), Error> {
        match self.store.nodes.plain_local(node) {
            Some(mut transform) => {
                modify(&mut transform);
                self.set_local(node, transform)
            }
            None => self.modify_local_at_length(node, modify),
        }
    }

    /// Changes a local transform with a translation in double precision. Fails in all other cases.
    pub(super) fn modify_local_at_length(
        &mut self,
        node: NodeHandle,
        modify: impl FnOnce(&mut Transform),
    ) -> Result<(), Error> {
        let at = self.at(node)?;
        match self.store.nodes.local(at) {
            None => Err(Error::NoTransform(node)),
            // Setting the nearest transform instead would lose the shear silently.
            Some(Local::Matrix(_)) => Err(Error::Sheared(node)),
            Some(Local::Transform(mut transform)) => {
                modify(&mut transform);
                self.store.nodes.set_local_in_place(at, Local::Transform(transform.checked()?));
                Ok(())
            }
        }
    }
}
