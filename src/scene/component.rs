//! Sets, changes and removes components of a node.

use crate::Mat34;
use crate::scene::Scene;
use crate::{Aabb, Error, Local, Node, NodeHandle, Shape, Transform, Visibility};

impl Scene {
    /// Gives a node a local transform, a [`Transform`] or a `Mat34`, or replaces the one that it has.
    ///
    /// A matrix is stored as translation, rotation and scale if these can express it. Runs in **O(1)**; in O(n) if it is or
    /// was a matrix that shears, for n such matrices in the slice. If the node had none, the next update puts its slice in
    /// order again, in O(nodes of the slice).
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
        // The rest is short enough to be inlined at the call, so a transform that is built there stays in registers.
        match local.into() {
            Local::Transform(transform) => {
                if transform.is_plain() && self.store.set_plain(node, &transform).is_some() {
                    return Ok(());
                }
                self.set_transform_at_length(node, transform)
            }
            Local::Matrix(matrix) => self.set_matrix(node, matrix),
        }
    }

    /// Sets a local transform that must be normalised, that is the node's first, or that takes the place of a matrix or of
    /// a translation in double precision; or returns the error.
    #[cold]
    pub(super) fn set_transform_at_length(&mut self, node: NodeHandle, transform: Transform) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.set_local(at, Local::Transform(transform.checked()?));
        Ok(())
    }

    /// Sets a local transform given as a matrix.
    #[inline(never)]
    pub(super) fn set_matrix(&mut self, node: NodeHandle, matrix: Mat34) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.set_local(at, Local::Matrix(matrix).checked()?);
        Ok(())
    }

    /// Changes the local transform of a node that has one, as translation, rotation and scale. Runs in **O(1)**.
    ///
    /// If `modify` panics or makes a transform that is refused, nothing has changed. If it leaves the translation as it
    /// is, what [`Scene::set_translation_f64`] keeps of it stays, too.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`]; [`Error::Sheared`] if the local transform is a matrix;
    /// [`Error::NotFinite`] and [`Error::NotRotation`] for what `modify` made.
    #[inline]
    pub fn modify_local(&mut self, node: NodeHandle, modify: impl FnOnce(&mut Transform)) -> Result<(), Error> {
        match self.store.plain_local(node) {
            Some(mut transform) => {
                modify(&mut transform);
                self.set_local(node, transform)
            }
            None => self.modify_local_at_length(node, modify),
        }
    }

    /// Changes a local transform that has more than a record holds; or returns the error.
    pub(super) fn modify_local_at_length(
        &mut self,
        node: NodeHandle,
        modify: impl FnOnce(&mut Transform),
    ) -> Result<(), Error> {
        let at = self.at(node)?;
        match self.store.local(at) {
            None => Err(Error::NoTransform(node)),
            Some(Local::Matrix(_)) => Err(Error::Sheared(node)),
            Some(Local::Transform(mut transform)) => {
                let before = (transform.translation, self.store.wide_translation(at));
                modify(&mut transform);
                self.set_local(node, transform)?;
                self.keep_translation_f64(node, before, transform.translation)
            }
        }
    }

    /// Makes the components of a node those of a description: sets what it has, and removes what it has not.
    ///
    /// The counterpart of [`Scene::node`]: what that returned is restored, whatever the node has had since. Takes as
    /// long as the single edits.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let lamp = scene.insert(scene.root(), Node::material(3).named("lamp"))?;
    /// let saved = Node { name: None, ..scene.node(lamp).expect("just inserted") };
    /// scene.set_local(lamp, Transform::from_xyz(0.0, 4.0, 0.0))?;
    /// scene.set_material(lamp, 5)?;
    /// scene.set_node(lamp, saved.named("lamp"))?;
    /// assert_eq!(scene.node(lamp), Some(Node::material(3).named("lamp")));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NotFinite`], [`Error::NotRotation`]. The node is unchanged.
    pub fn set_node(&mut self, node: NodeHandle, description: Node<'_>) -> Result<(), Error> {
        self.at(node)?;
        let Node { local, material, shape, visibility, name } = description.checked()?;
        match local {
            Some(local) => self.set_local(node, local)?,
            None => drop(self.remove_local(node)?),
        }
        match material {
            Some(material) => self.set_material(node, material)?,
            None => drop(self.remove_material(node)?),
        }
        match shape {
            Some(shape) => self.set_shape(node, shape)?,
            None => drop(self.remove_shape(node)?),
        }
        match visibility {
            Some(visibility) => self.set_visibility(node, visibility)?,
            None => drop(self.remove_visibility(node)?),
        }
        self.set_name(node, name)
    }

    /// Sets a checked local transform of a node that has one.
    #[inline]
    pub(crate) fn replace_local(&mut self, node: NodeHandle, local: Local) -> Result<(), Error> {
        let at = self.at(node)?;
        if self.store.local(at).is_none() {
            return Err(Error::NoTransform(node));
        }
        self.store.set_local(at, local);
        Ok(())
    }

    /// Removes a node's local transform and returns it. The node and those below then move with its parent.
    ///
    /// Runs in **O(1)**, and the next update puts the node's slice in order again: O(nodes of the slice).
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn remove_local(&mut self, node: NodeHandle) -> Result<Option<Local>, Error> {
        let at = self.at(node)?;
        Ok(self.store.remove_local(at))
    }

    /// Gives a node a material, replacing an existing one. Nodes below inherit it unless they have their own.
    ///
    /// Runs in **O(1)**. The next update hands it down, in O(nodes of the slices reached).
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn set_material(&mut self, node: NodeHandle, material: u32) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.set_material(at, Some(material));
        Ok(())
    }

    /// Removes a node's own material and returns it. Runs as [`set_material`](Self::set_material) does.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn remove_material(&mut self, node: NodeHandle) -> Result<Option<u32>, Error> {
        let at = self.at(node)?;
        Ok(self.store.set_material(at, None))
    }

    /// Gives a node a shape, replacing an existing one. Runs in amortised **O(1)**; if the node had none, the next update
    /// puts its slice in order again, in O(nodes of the slice).
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NotFinite`] for bounds with NaN or infinite in part.
    pub fn set_shape(&mut self, node: NodeHandle, shape: Shape) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.set_shape(at, Some(Shape { bounds: shape.bounds.checked()?, ..shape }));
        Ok(())
    }

    /// Sets the mesh of a node's shape. Runs in **O(1)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoShape`].
    pub fn set_mesh(&mut self, node: NodeHandle, mesh: u32) -> Result<(), Error> {
        let at = self.at(node)?;
        let shape = self.store.shape(at).ok_or(Error::NoShape(node))?;
        self.store.set_shape(at, Some(Shape { mesh, ..shape }));
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
    /// scene.update();
    /// assert_eq!(scene.world_bounds(sky), Some(Aabb::INFINITE));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoShape`], [`Error::NotFinite`] for bounds with NaN or infinite in part.
    pub fn set_bounds(&mut self, node: NodeHandle, bounds: Aabb) -> Result<(), Error> {
        let at = self.at(node)?;
        let bounds = bounds.checked()?;
        let shape = self.store.shape(at).ok_or(Error::NoShape(node))?;
        self.store.set_shape(at, Some(Shape { bounds, ..shape }));
        Ok(())
    }

    /// Removes a node's shape and returns it. Runs as [`set_shape`](Self::set_shape) does.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn remove_shape(&mut self, node: NodeHandle) -> Result<Option<Shape>, Error> {
        let at = self.at(node)?;
        Ok(self.store.set_shape(at, None))
    }

    /// Gives a node a visibility, replacing an existing one.
    ///
    /// Runs in amortised **O(1)**. The next update hands it down, in O(nodes of the slices reached).
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn set_visibility(&mut self, node: NodeHandle, visibility: Visibility) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.set_visibility(at, Some(visibility));
        Ok(())
    }

    /// Removes a node's own visibility and returns it. Runs as [`set_visibility`](Self::set_visibility) does.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn remove_visibility(&mut self, node: NodeHandle) -> Result<Option<Visibility>, Error> {
        let at = self.at(node)?;
        Ok(self.store.set_visibility(at, None))
    }

    /// Sets or, with `None`, removes the name of a node. Runs in amortised **O(length of the name)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn set_name(&mut self, node: NodeHandle, name: Option<&str>) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.set_name(at, name);
        Ok(())
    }
}
