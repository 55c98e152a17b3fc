//! Attaching, changing and detaching the components of a node.

use crate::math::Mat34;
use crate::scene::Scene;
use crate::store::{At, NIL, Need, Spot};
use crate::{Aabb, Error, Local, LocalForm, NodeHandle, Shape, Transform, Visibility};

impl Scene {
    /// Sets the local transform of a node that has one. Computes in **O(1)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`Error::NotFinite`], [`Error::NotRotation`].
    #[inline(always)]
    pub fn set_local(&mut self, node: NodeHandle, transform: Transform) -> Result<(), Error> {
        // What follows is short enough to be compiled where it is called: a transform that is put together there stays in
        // registers.
        if transform.is_plain() && self.store.set_local_shortly(node, transform).is_some() {
            return Ok(());
        }
        self.set_local_at_length(node, transform)
    }

    /// Sets a local transform that is to be normalised, or beside one that shears, or says why it cannot.
    #[cold]
    fn set_local_at_length(&mut self, node: NodeHandle, transform: Transform) -> Result<(), Error> {
        let local = Local::Transform(transform.checked()?);
        self.replace_local(node, local)
    }

    /// Sets the local transform of a node that has one by a matrix, which is kept as translation, rotation and scale where
    /// these express it. Computes in **O(1)**; a matrix that shears in O(log n) of those in the slice.
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
        let Some(slot) = self.store.own_transform(at) else { return Err(Error::NoTransform(node)) };
        self.store.set_local(at.slice, slot, local);
        Ok(())
    }

    /// Gives a node a local transform, in place of the one that it may have.
    ///
    /// Computes in **O(1)** for a node that has one, else in O(descendants in the same slice up to those with transforms).
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NotFinite`], [`Error::NotRotation`].
    pub fn attach_transform(&mut self, node: NodeHandle, transform: Transform) -> Result<(), Error> {
        self.at(node)?;
        let local = Local::Transform(transform.checked()?);
        self.put_local(node, local);
        Ok(())
    }

    /// Sets a checked local transform of a live node, whether it has one or not.
    pub(crate) fn put_local(&mut self, node: NodeHandle, local: Local) {
        if self.replace_local(node, local).is_ok() {
            return;
        }
        let need = Need { transforms: 1, ..Need::default() };
        let at = self.at_with_room(node, &need);
        let reuse = self.store.config.reuse_holes;
        let slice = self.store.slice_mut(at.slice);
        let world = slice.transforms.worlds[slice.row(at.row).transform.index() as usize];
        let inherited = slice.row(at.row).transform;
        let slot = slice.new_transform(inherited, &local, &world, reuse);
        slice.row_mut(at.row).transform = slot;
        self.store.tables.note_transform(node, slot);
        if let Some(feed) = &mut self.store.feed {
            self.store.slices[at.slice as usize].trace_attached_transform(at.row, inherited, feed);
        }
        self.store.rewire_below(at.slice, at.row);
    }

    /// Takes a node's local transform away and answers it: the node and those below then go by its parent's place.
    ///
    /// Computes in **O(descendants in the same slice up to those with transforms)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn detach_transform(&mut self, node: NodeHandle) -> Result<Option<Local>, Error> {
        let at = self.at(node)?;
        let detached = self.local(node);
        if detached.is_some() {
            self.store.note_lost_transform(at);
            self.store.slice_mut(at.slice).disown_transform(at.row);
            self.store.rewire(at.slice, at.row);
        }
        Ok(detached)
    }

    /// Gives a node a material, in place of the one that it may have. It holds for all below that do not say another.
    ///
    /// Computes in **O(1)** for a node that has one, else in O(descendants in the same slice up to those with materials).
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn attach_material(&mut self, node: NodeHandle, material: u32) -> Result<(), Error> {
        let at = self.at(node)?;
        let slice = self.store.slice_mut(at.slice);
        if let Some(slot) = slice.row(at.row).material.as_own() {
            slice.materials.values[slot as usize] = Some(material);
            slice.materials.dirty = true;
            self.store.touch(at.slice);
            self.store.mark(at.slice);
            return Ok(());
        }
        let need = Need { materials: 1, ..Need::default() };
        let at = self.at_with_room(node, &need);
        let reuse = self.store.config.reuse_holes;
        let slice = self.store.slice_mut(at.slice);
        let slot = slice.new_material(slice.row(at.row).material, material, reuse);
        slice.row_mut(at.row).material = slot;
        slice.materials.dirty = true;
        self.store.rewire_below(at.slice, at.row);
        Ok(())
    }

    /// Takes a node's own material away and answers it.
    ///
    /// Computes in **O(descendants in the same slice up to those with materials)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn detach_material(&mut self, node: NodeHandle) -> Result<Option<u32>, Error> {
        let at = self.at(node)?;
        let detached = self.own_material(node);
        if detached.is_some() {
            self.store.slice_mut(at.slice).disown_material(at.row);
            self.store.rewire(at.slice, at.row);
        }
        Ok(detached)
    }

    /// Gives a node a shape, in place of the one that it may have. Computes in amortised **O(1)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NotFinite`] for bounds with NaN or infinite in part.
    pub fn attach_shape(&mut self, node: NodeHandle, shape: Shape) -> Result<(), Error> {
        let at = self.at(node)?;
        let shape = Shape { bounds: shape.bounds.checked()?, ..shape };
        let slice = self.store.slice_mut(at.slice);
        let slot = slice.row(at.row).shape;
        if slot != NIL {
            slice.shapes.records[slot as usize].mesh = shape.mesh;
            slice.shapes.bounds[slot as usize] = shape.bounds;
            slice.touch_box(slot);
            self.store.mark_boxes(at.slice);
            self.store.touch(at.slice);
            return Ok(());
        }
        let need = Need { shapes: 1, ..Need::default() };
        let at = self.at_with_room(node, &need);
        let reuse = self.store.config.reuse_holes;
        let slice = self.store.slice_mut(at.slice);
        let record = slice.shape_record(slice.row(at.row), shape.mesh);
        let wish = slice.wish_for_shape(at.row);
        slice.row_mut(at.row).shape = slice.new_shape(record, &shape.bounds, wish, reuse);
        self.store.wear(at.slice);
        Ok(())
    }

    /// Sets the bounds of a node's shape in the node's own space. Computes in **O(1)**.
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
        let bounds = bounds.checked()?;
        let slice = self.store.slice_mut(at.slice);
        let slot = slice.row(at.row).shape;
        if slot == NIL {
            return Err(Error::NoShape(node));
        }
        slice.shapes.bounds[slot as usize] = bounds;
        slice.touch_box(slot);
        self.store.mark_boxes(at.slice);
        Ok(())
    }

    /// Takes a node's shape away and answers it. Computes in **O(1)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn detach_shape(&mut self, node: NodeHandle) -> Result<Option<Shape>, Error> {
        let at = self.at(node)?;
        let detached = self.shape(node);
        if detached.is_some() {
            let slice = self.store.slice_mut(at.slice);
            let slot = core::mem::replace(&mut slice.row_mut(at.row).shape, NIL);
            slice.touch_box(slot);
            slice.shapes.free(slot);
            self.store.wear(at.slice);
        }
        Ok(detached)
    }

    /// Gives a node a visibility, in place of the one that it may have.
    ///
    /// Computes in **O(1)** for a node that has one, else in O(descendants in the same slice up to those with one).
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn attach_visibility(&mut self, node: NodeHandle, visibility: Visibility) -> Result<(), Error> {
        let at = self.at(node)?;
        let slice = self.store.slice_mut(at.slice);
        if let Some(slot) = slice.row(at.row).visibility.as_own() {
            slice.visibilities.locals[slot as usize] = visibility.mask();
            slice.visibilities.dirty = true;
            self.store.mark(at.slice);
            return Ok(());
        }
        let need = Need { visibilities: 1, ..Need::default() };
        let at = self.at_with_room(node, &need);
        let reuse = self.store.config.reuse_holes;
        let slice = self.store.slice_mut(at.slice);
        let inherited = slice.row(at.row).visibility;
        let slot = slice.new_visibility(inherited, visibility, reuse);
        slice.row_mut(at.row).visibility = slot;
        slice.trace_attached_visibility(at.row, inherited);
        self.store.rewire_below(at.slice, at.row);
        Ok(())
    }

    /// Takes a node's own visibility away and answers it.
    ///
    /// Computes in **O(descendants in the same slice up to those with a visibility)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn detach_visibility(&mut self, node: NodeHandle) -> Result<Option<Visibility>, Error> {
        let at = self.at(node)?;
        let detached = self.own_visibility(node);
        if detached.is_some() {
            self.store.note_lost_visibility(at);
            self.store.slice_mut(at.slice).disown_visibility(at.row);
            self.store.rewire(at.slice, at.row);
        }
        Ok(detached)
    }

    /// Names a node, or takes its name away. Computes in amortised **O(length of the name)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn set_name(&mut self, node: NodeHandle, name: Option<&str>) -> Result<(), Error> {
        let at = self.at(node)?;
        let slice = self.store.slice_mut(at.slice);
        let slot = core::mem::replace(&mut slice.row_mut(at.row).name, NIL);
        if slot != NIL {
            slice.names.free(slot);
        }
        if let Some(name) = name {
            let need = Need { names: 1, ..Need::default() };
            let at = self.at_with_room(node, &need);
            let reuse = self.store.config.reuse_holes;
            let slice = self.store.slice_mut(at.slice);
            slice.row_mut(at.row).name = slice.new_name(name.into(), reuse);
        }
        self.store.wear(at.slice);
        Ok(())
    }

    /// The place of a live node, with room in its slice for a component to be attached there.
    fn at_with_room(&mut self, node: NodeHandle, need: &Need) -> At {
        let place = |scene: &Self| scene.store.resolve(node).expect("the handle was checked before");
        let at = place(self);
        let below = Spot { slice: at.slice, parent: at.row, previous: NIL, next: NIL };
        if self.store.make_room_for_one(&below, need) { place(self) } else { at }
    }
}
