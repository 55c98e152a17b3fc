//! Adds, changes and removes components of a node.

use crate::Mat34;
use crate::scene::Scene;
use crate::{Aabb, Error, Local, NodeHandle, Shape, Transform, Visibility, node::LocalForm};

impl Scene {
    /// Sets the local transform of a node that has one. Runs in **O(1)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`Error::NotFinite`], [`Error::NotRotation`].
    #[inline(always)]
    pub fn set_local(&mut self, node: NodeHandle, transform: Transform) -> Result<(), Error> {
        // The rest is short enough to be inlined at the call, so a transform that is built there stays in registers.
        if transform.is_plain() && self.store.set_local_shortly(node, transform).is_some() {
            return Ok(());
        }
        self.set_local_at_length(node, transform)
    }

    /// Sets a local transform that must be normalised, or that is in a slice with shearing ones, or returns the error.
    #[cold]
    fn set_local_at_length(&mut self, node: NodeHandle, transform: Transform) -> Result<(), Error> {
        let local = Local::Transform(transform.checked()?);
        self.replace_local(node, local)
    }

    /// Sets the local transform of a node that has one, given as a matrix. It is stored as translation, rotation and
    /// scale if these can express it. Runs in **O(1)**, or in O(log n) if the matrix shears, for n such matrices in the
    /// slice.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`Error::NotFinite`].
    pub fn set_local_matrix(&mut self, node: NodeHandle, matrix: Mat34) -> Result<LocalForm, Error> {
        let local = Local::Matrix(matrix).checked()?;
        self.replace_local(node, local)?;
        Ok(local.form())
    }

    /// Sets a checked local transform of a node that has one.
    #[inline]
    pub(crate) fn replace_local(&mut self, node: NodeHandle, local: Local) -> Result<(), Error> {
        let at = self.at(node)?;
        if self.store.replace_local(at, local) { Ok(()) } else { Err(Error::NoTransform(node)) }
    }

    /// Gives a node a local transform, replacing an existing one.
    ///
    /// Runs in **O(1)** for a node that has one, else in O(descendants in the same slice up to those with transforms).
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NotFinite`], [`Error::NotRotation`].
    pub fn add_transform(&mut self, node: NodeHandle, transform: Transform) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.add_transform(at, Local::Transform(transform.checked()?));
        Ok(())
    }

    /// Removes a node's local transform and returns it. The node and those below then move with its parent.
    ///
    /// Runs in **O(descendants in the same slice up to those with transforms)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn remove_transform(&mut self, node: NodeHandle) -> Result<Option<Local>, Error> {
        let at = self.at(node)?;
        Ok(self.store.remove_transform(at))
    }

    /// Gives a node a material, replacing an existing one. Nodes below inherit it unless they have their own.
    ///
    /// Runs in **O(1)** for a node that has one, else in O(descendants in the same slice up to those with materials).
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn add_material(&mut self, node: NodeHandle, material: u32) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.add_material(at, material);
        Ok(())
    }

    /// Removes a node's own material and returns it.
    ///
    /// Runs in **O(descendants in the same slice up to those with materials)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn remove_material(&mut self, node: NodeHandle) -> Result<Option<u32>, Error> {
        let at = self.at(node)?;
        Ok(self.store.remove_material(at))
    }

    /// Gives a node a shape, replacing an existing one. Runs in amortised **O(1)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NotFinite`] for bounds with NaN or infinite in part.
    pub fn add_shape(&mut self, node: NodeHandle, shape: Shape) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.add_shape(at, &Shape { bounds: shape.bounds.checked()?, ..shape });
        Ok(())
    }

    /// Sets the bounds of a node's shape, in the node's own space. Runs in **O(1)**.
    ///
    /// ```
    /// use hedgerow::{Aabb, Node, Scene, Shape};
    ///
    /// let mut scene = Scene::new();
    /// let sky = scene.insert(scene.root(), Node::shape(Shape::new(3, Aabb::cube(1.0))))?;
    /// scene.set_bounds(sky, Aabb::INFINITE)?;
    /// assert_eq!(scene.world_bounds(sky), Some(Aabb::INFINITE));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoShape`], [`Error::NotFinite`] for bounds with NaN or infinite in part.
    pub fn set_bounds(&mut self, node: NodeHandle, bounds: Aabb) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.set_bounds(at, bounds.checked()?).ok_or(Error::NoShape(node))
    }

    /// Removes a node's shape and returns it. Runs in **O(1)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn remove_shape(&mut self, node: NodeHandle) -> Result<Option<Shape>, Error> {
        let at = self.at(node)?;
        Ok(self.store.remove_shape(at))
    }

    /// Gives a node a visibility, replacing an existing one.
    ///
    /// Runs in **O(1)** for a node that has one, else in O(descendants in the same slice up to those with one).
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn add_visibility(&mut self, node: NodeHandle, visibility: Visibility) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.add_visibility(at, visibility);
        Ok(())
    }

    /// Removes a node's own visibility and returns it.
    ///
    /// Runs in **O(descendants in the same slice up to those with a visibility)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn remove_visibility(&mut self, node: NodeHandle) -> Result<Option<Visibility>, Error> {
        let at = self.at(node)?;
        Ok(self.store.remove_visibility(at))
    }

    /// Sets or removes the name of a node. Runs in amortised **O(length of the name)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn set_name(&mut self, node: NodeHandle, name: Option<&str>) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.set_name(at, name);
        Ok(())
    }
}
