//! A column of your own, parallel to the transforms of a scene.

use crate::pass::{Look, SliceCursor};
use crate::scene::{NodeMap, Scene};
use crate::store::{MatrixSlot, RecordId, SliceId, Store};
use crate::visit::SliceView;
use crate::{Error, NodeHandle};
use smallvec::SmallVec;

/// A value of your own for each node that has a transform, in arrays parallel to the scene's transform slots.
///
/// Use it for passes over all values, which are as fast as the scene's own passes. A value has the same slot as the
/// node's world matrix ([`TransformView::worlds`](crate::visit::TransformView::worlds)), and comes after the value of
/// the node's parent. For values that you mostly look up by handle, use a [`NodeMap`].
///
/// Call [`update`](Self::update) after [`Scene::update`] and before a pass. It moves values with their nodes, gives new
/// nodes the default, and drops the values of nodes that were removed or lost their transform. A node whose transform
/// is removed and set again between two updates of the scene keeps its value. The value of a node that was inserted
/// since the scene's update can be read and set. Each slot, used or not, takes the size of a value plus 8 bytes.
///
/// ```
/// use hedgerow::glam::Vec3;
/// use hedgerow::{Node, Scene, Transform, data::Column};
///
/// let mut scene = Scene::new();
/// let ship = scene.insert(scene.root(), Node::transform(Transform::from_xyz(0.0, 5.0, 0.0)))?;
/// let sail = scene.insert(ship, Node::transform(Transform::from_xyz(0.0, 3.0, 0.0)))?;
/// scene.update();
///
/// // Heights above the water, from the world matrices:
/// let mut heights: Column<f32> = Column::new(0.0);
/// heights.update(&scene);
/// for slice in scene.slices() {
///     for (height, world) in heights.slice_mut(&slice).iter_mut().zip(slice.transforms().worlds()) {
///         *height = world.translation().y;
///     }
/// }
/// assert_eq!(heights.get(&scene, sail), Some(&8.0));
///
/// // The depth of each node, from parents to children:
/// let mut depths: Column<u32> = Column::new(0);
/// depths.update(&scene);
/// depths.sweep(&scene, |above, depth| *depth = above + 1);
/// assert_eq!(depths.get(&scene, sail), Some(&2));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Column<T> {
    default: T,
    /// By slice number.
    parts: Vec<Part<T>>,
    /// Values of nodes that have no slot in `parts` yet: new nodes, and nodes that moved to another slice.
    waiting: NodeMap<T>,
    cursor: SliceCursor,
}

/// The values of one slice.
#[derive(Clone, Debug)]
struct Part<T> {
    /// For each slot, the node's handle as bits; 0 for imports and unused slots.
    owners: Vec<u64>,
    values: Vec<T>,
}

impl<T> Part<T> {
    const EMPTY: Self = Self { owners: Vec::new(), values: Vec::new() };
}

const CURSOR: SliceCursor = SliceCursor::new().with_detached().without_transforms();

/// The panic message if a slice of the scene has changed or has no values.
const CURRENT: &str = "slots of the scene changed since Column::update: call it directly before the pass";

impl<T: Clone> Column<T> {
    /// Creates a column without values. New nodes get this default.
    #[must_use]
    pub const fn new(default: T) -> Self {
        Self { default, parts: Vec::new(), waiting: NodeMap::new(), cursor: CURSOR }
    }

    /// Adapts the arrays to the slots of the scene.
    ///
    /// Runs in **O(1)** if no slice was edited since the last call, else in **O(slices + rows of the slices edited)**.
    /// Setting local transforms does not count as an edit. A call with another scene rearranges all values.
    pub fn update(&mut self, scene: &Scene) {
        let store = &scene.store;
        // If a value's `clone` or `drop` panics, the next call arranges everything again.
        let mut cursor = core::mem::replace(&mut self.cursor, CURSOR);
        let mut look = cursor.look(store);
        if !(look.is_still() && self.waiting.is_empty()) {
            self.arrange_changed(store, &mut look);
        }
        look.finish();
        self.cursor = cursor;
    }

    fn arrange_changed(&mut self, store: &Store, look: &mut Look<'_, '_>) {
        let end = store.slices.end().max(self.parts.len());
        self.parts.resize_with(end, || Part::EMPTY);
        // A node may move to a slice with a lower number, before its old slice releases the value.
        let mut arrived = Vec::new();
        for number in 0..end {
            match store.get_view(SliceId::at(number)) {
                Some(slice) if !look.at(slice).rows => {}
                Some(slice) => self.arrange(store, &slice, &mut arrived),
                None => {
                    self.release(store, number, |_, _| true);
                    self.parts[number] = Part::EMPTY;
                }
            }
        }
        for (number, slot, node) in arrived {
            if let Some(value) = self.waiting.remove(node) {
                self.parts[number].values[slot] = value;
            }
        }
        // Values that still wait belong to nodes that are gone, lost their transform, or have no slot yet.
        if !self.waiting.is_empty() {
            self.waiting.retain(|node, _| store.nodes.resolve(node).is_some_and(|id| store.nodes.has_transform(id)));
        }
    }

    /// Frees unused memory; call it after a scene has become smaller.
    pub fn shrink_to_fit(&mut self) {
        self.waiting.shrink_to_fit();
        for Part { owners, values, .. } in &mut self.parts {
            owners.shrink_to_fit();
            values.shrink_to_fit();
        }
    }

    /// Arranges the values of a slice in its present slots. Values of nodes that left the slice go to `waiting`; slots
    /// of nodes that arrived are added to `arrived`.
    fn arrange(&mut self, store: &Store, slice: &SliceView<'_>, arrived: &mut Vec<(usize, usize, NodeHandle)>) {
        let number = slice.id().index();
        let mut owners = vec![0; slice.transforms().len()];
        let rows = slice.rows();
        for row in 0..rows.len() {
            if let (Some(slot), Some(node)) = (rows.own_transform(row), rows.node(row)) {
                owners[slot] = node.to_bits();
            }
        }
        self.release(store, number, |slot, owner| owners.get(slot) != Some(&owner));
        let part = &mut self.parts[number];
        // If cloning a value panics before `owners` is set, the known slots stay as they were.
        if part.values.len() < owners.len() {
            part.values.resize(owners.len(), self.default.clone());
        }
        for (slot, &owner) in owners.iter().enumerate() {
            if part.owners.get(slot) != Some(&owner) {
                part.values[slot] = self.default.clone();
                arrived.extend(NodeHandle::from_bits(owner).map(|node| (number, slot, node)));
            } else if let Some(node) = NodeHandle::from_bits(owner)
                && let Some(value) = self.waiting.remove(node)
            {
                part.values[slot] = value;
            }
        }
        let end = owners.len();
        part.owners = owners;
        part.values.truncate(end);
    }

    /// Moves values of live nodes whose slot and owner satisfy `leaves` to `waiting`. Values that already wait are newer
    /// and stay.
    fn release(&mut self, store: &Store, number: usize, leaves: impl Fn(usize, u64) -> bool) {
        let Self { parts, waiting, .. } = self;
        let part = &mut parts[number];
        for (slot, (owner, value)) in part.owners.iter_mut().zip(&part.values).enumerate() {
            if *owner != 0 && leaves(slot, *owner) {
                // A value that already waits was set later than the one in the slot.
                let waits = |node: NodeHandle| store.nodes.resolve(node).is_some() && !waiting.contains_key(node);
                if let Some(node) = NodeHandle::from_bits(*owner).filter(|&node| waits(node)) {
                    // After a restore, an earlier node than that of the value may live.
                    _ = waiting.replace(node, value.clone());
                }
                *owner = 0;
            }
        }
    }

    /// Returns the value of a node. `None` for a stale handle, for a node without a transform, and for a node whose
    /// slot has changed since the last [`update`](Self::update). Runs in **O(1)**.
    #[must_use]
    pub fn get(&self, scene: &Scene, node: NodeHandle) -> Option<&T> {
        let id = scene.store.nodes.resolve(node).filter(|&id| scene.store.nodes.has_transform(id))?;
        // A waiting value is newer than the value in the slot.
        if let Some(value) = self.waiting.get(node) {
            return Some(value);
        }
        // A node that waits for the next update has no slot and no value yet.
        let Some((slice, slot)) = own_slot(&scene.store, id) else { return Some(&self.default) };
        let known = self.parts.get(slice).filter(|part| part.owners.get(slot) == Some(&node.to_bits()));
        known?.values.get(slot)
    }

    /// Returns the value at a slot in the layout of the last [`update`](Self::update), for passes of your own: see
    /// [`sweep_slots`](Self::sweep_slots). Unspecified for unused slots, `None` for a slot that did not exist then.
    #[must_use]
    pub fn at(&self, slot: MatrixSlot) -> Option<&T> {
        self.parts.get(slot.slice as usize)?.values.get(slot.slot as usize)
    }

    /// Sets the value of a node, which may have been inserted since the last update. Runs in **O(1)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`].
    pub fn set(&mut self, scene: &Scene, node: NodeHandle, value: T) -> Result<(), Error> {
        let id = scene.at(node)?;
        if !scene.store.nodes.has_transform(id) {
            return Err(Error::NoTransform(node));
        }
        let part = own_slot(&scene.store, id).and_then(|(slice, slot)| Some((self.parts.get_mut(slice)?, slot)));
        match part.filter(|(part, slot)| part.owners.get(*slot) == Some(&node.to_bits())) {
            Some((part, slot)) => {
                part.values[slot] = value;
                // A value set while the node was in another slice may still wait.
                self.waiting.remove(node);
            }
            None => drop(self.waiting.replace(node, value)),
        }
        Ok(())
    }

    /// Returns the values of a slice of the scene, indexed by transform slot. Those in unused slots are unspecified,
    /// and so are those of [imports](SliceView::imports) before a [`sweep`](Self::sweep) sets them.
    ///
    /// # Panics
    /// Panics if the slots of the scene may have changed since the last [`update`](Self::update). Call `update` right
    /// before the pass, after [`Scene::update`], [`Scene::maintain`] and all edits except those of local transforms.
    #[must_use]
    pub fn slice(&self, slice: &SliceView<'_>) -> &[T] {
        assert!(self.cursor.is_current(slice), "{CURRENT}");
        &self.parts[slice.id().index()].values
    }

    /// Returns mutable access to the values of [`slice`](Self::slice).
    ///
    /// # Panics
    /// Panics in the same cases as [`slice`](Self::slice).
    #[must_use]
    pub fn slice_mut(&mut self, slice: &SliceView<'_>) -> &mut [T] {
        assert!(self.cursor.is_current(slice), "{CURRENT}");
        &mut self.parts[slice.id().index()].values
    }

    /// Calls `each` for the value of every node in the tree that has a transform, parents before their children. The
    /// first argument is the value of the nearest ancestor with a transform. It is the default if there is no such
    /// ancestor, or if the node or a node in between is [anchored](crate::Node::anchored).
    ///
    /// For speed, `each` is also called for unused slots; ignore these results. Runs in **O(slices + transforms)**.
    ///
    /// # Panics
    /// Panics in the same cases as [`slice`](Self::slice).
    pub fn sweep(&mut self, scene: &Scene, mut each: impl FnMut(&T, &mut T)) {
        self.sweep_slots(scene, |_, _, above, value| each(above, value));
    }

    /// Calls `each` as [`sweep`](Self::sweep) does, but passes the slice and the slot of the value first. The node's
    /// world matrix is at that slot of [`TransformView::worlds`](crate::visit::TransformView::worlds). The node's value
    /// in another column is at the same slot of the other column's [`slice`](Self::slice).
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform, data::Column};
    ///
    /// let mut scene = Scene::new();
    /// let tank = scene.insert(scene.root(), Node::transform(Transform::from_xyz(3.0, 0.0, 0.0)))?;
    /// let barrel = scene.insert(tank, Node::transform(Transform::from_xyz(0.0, 4.0, 0.0)))?;
    /// scene.update();
    ///
    /// // The greatest distance from the origin along the path from the root, times a weight from another column.
    /// let (mut weights, mut farthest) = (Column::new(1.0_f32), Column::new(0.0_f32));
    /// weights.set(&scene, barrel, 2.0)?;
    /// weights.update(&scene);
    /// farthest.update(&scene);
    /// farthest.sweep_slots(&scene, |slice, slot, above, farthest| {
    ///     let distance = slice.transforms().worlds()[slot].translation().length();
    ///     *farthest = above.max(distance * weights.slice(slice)[slot]);
    /// });
    /// assert_eq!((farthest.get(&scene, tank), farthest.get(&scene, barrel)), (Some(&3.0), Some(&10.0)));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Panics
    /// Panics in the same cases as [`slice`](Self::slice).
    pub fn sweep_slots(&mut self, scene: &Scene, mut each: impl FnMut(&SliceView<'_>, usize, &T, &mut T)) {
        for slice in scene.slices() {
            // Each slice comes after the slices that it imports from.
            let imports = slice.sources().map(|source| {
                let (slice, slot) = source?;
                self.parts.get(slice.index())?.values.get(slot).cloned()
            });
            let imports: SmallVec<[Option<T>; 8]> = imports.collect();
            let count = imports.len();
            let default = self.default.clone();
            let values = self.slice_mut(&slice);
            for (value, import) in values.iter_mut().zip(imports) {
                *value = import.unwrap_or_else(|| default.clone());
            }
            let parents = slice.transforms().parents();
            for (slot, &parent) in parents.iter().enumerate().take(values.len()).skip(count) {
                let (before, rest) = values.split_at_mut(slot);
                let above = before.get(parent as usize).unwrap_or(&default);
                each(&slice, slot, above, &mut rest[0]);
            }
        }
    }
}

/// Returns the slice of a node and the slot of its own transform there, if the node had a transform at the last update.
fn own_slot(store: &Store, id: RecordId) -> Option<(usize, usize)> {
    let (slice, row) = store.view_of(id)?;
    Some((slice.id().index(), slice.rows().own_transform(row)?))
}
