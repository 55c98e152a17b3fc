//! A copy of a scene's world matrices in one buffer, for example on a GPU.

mod arena;
mod drawables;
mod places;
mod scattered;

use crate::Mat34;
use crate::pass::{DrawCommand, DrawList, Joined, SliceCursor};
use crate::scene::Scene;
use crate::store::{MatrixSlot, SliceId};
use core::ops::Range;
pub use drawables::{DrawableMirror, DrawableStep};
use places::{NONE, Places};
pub use scattered::Scattered;

/// Keeps track of a copy of a scene's world matrices in a buffer of your own, such as a GPU buffer. Nodes may be moved,
/// inserted and removed, and slices may grow, split and merge.
///
/// Each slice's array has a range of the buffer, with some room to grow. [`MatrixMirror::sync`] lists the writes to the
/// buffer. The mirror itself takes 28 bytes per slice; with [`scatter`](MatrixMirror::scatter), 16 bytes
/// more, and 4 for each matrix of the longest list. It does not depend on a graphics library.
/// [`MatrixMirror::index`] converts a [`MatrixSlot`] to an index in the buffer. A shader that has the
/// [bases](MatrixMirror::bases) can do the same.
///
/// You may skip updates, and use a mirror with several scenes in turn; the mirror then writes all that is out of date.
///
/// ```
/// use hedgerow::changes::{MatrixMirror, MirrorStep};
/// use hedgerow::{Mat34, Node, Scene, Transform};
///
/// let mut scene = Scene::new();
/// let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
/// let (mut mirror, mut buffer) = (MatrixMirror::new(), Vec::new());
/// for x in 0..3 {
///     scene.set_local(car, Transform::from_xyz(x as f32, 0.0, 0.0))?;
///     scene.update();
///     mirror.sync(&scene, |step| match step {
///         // On a GPU: create a new buffer, of 48 bytes a matrix. Its contents do not matter.
///         MirrorStep::Resize { len } => buffer.resize(len, Mat34::IDENTITY),
///         MirrorStep::Write { first, matrices } => buffer[first..][..matrices.len()].copy_from_slice(matrices),
///     });
/// }
/// let slot = scene.get(car).unwrap().matrix_slot().unwrap();
/// let index = mirror.index(slot).unwrap();
/// assert_eq!(index, (mirror.bases()[slot.slice as usize] + slot.slot) as usize);
/// assert_eq!(buffer[index].translation().x, 2.0);
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MatrixMirror {
    cursor: SliceCursor,
    places: Places,
    /// Two ranges with fewer clean items than this between them are one range. At least 1.
    gap: usize,
    /// The indices of matrices to scatter, and how many there are up to the end of each slice.
    indices: Vec<u32>,
    ends: Vec<(SliceId, usize)>,
}

impl Default for MatrixMirror {
    fn default() -> Self {
        Self::new()
    }
}

/// An operation on the buffer; see [`MatrixMirror::sync`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MirrorStep<'m> {
    /// Resize the buffer to this many matrices of 48 bytes. Its contents do not matter; later steps write everything
    /// again. Indices stay as they are, unless the sync returns [`SyncStats::moved`].
    Resize {
        /// The number of matrices.
        len: usize,
    },
    /// Write these matrices to the buffer.
    Write {
        /// The index of the first matrix.
        first: usize,
        /// The matrices.
        matrices: &'m [Mat34],
    },
}

#[cfg(feature = "bytemuck")]
impl<'m> MirrorStep<'m> {
    /// Returns a write as an offset in bytes and the bytes to write, as graphics libraries expect; `None` for
    /// [`MirrorStep::Resize`]. Needs the feature `bytemuck`.
    ///
    /// ```
    /// use hedgerow::changes::MirrorStep;
    /// use hedgerow::Mat34;
    ///
    /// let step = MirrorStep::Write { first: 2, matrices: &[Mat34::IDENTITY] };
    /// let (offset, bytes) = step.bytes().unwrap();
    /// assert_eq!((offset, bytes.len()), (96, 48));
    /// ```
    #[must_use]
    pub fn bytes(&self) -> Option<(u64, &'m [u8])> {
        match *self {
            Self::Resize { .. } => None,
            Self::Write { first, matrices } => {
                Some(((first * size_of::<Mat34>()) as u64, bytemuck::cast_slice(matrices)))
            }
        }
    }
}

/// Statistics of a call of [`MatrixMirror::sync`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncStats {
    /// Whether the range of some slice in the buffer was moved or removed. Then [`MatrixMirror::bases`] have changed,
    /// and you must recompute indices that you computed from them.
    pub moved: bool,
    /// The number of writes by steps.
    pub writes: usize,
    /// The number of matrices written, by steps or [scattered](MatrixMirror::scatter).
    pub matrices: usize,
}

impl MatrixMirror {
    /// Creates a mirror for an empty buffer.
    #[must_use]
    pub const fn new() -> Self {
        // Detached slices keep their places: their nodes may come back.
        let cursor = SliceCursor::new().with_detached();
        Self { cursor, places: Places::new(1), gap: 32, indices: Vec::new(), ends: Vec::new() }
    }

    /// Sets how far apart two changed ranges must be to stay apart: ranges with fewer than `gap` unchanged items
    /// between them become one write. The default is 32; with 1, only what changed is written.
    ///
    /// A write has a fixed cost, and an unchanged matrix costs 48 bytes. If every tenth matrix changed, the default
    /// writes all of them at once, and 1 writes a tenth, one by one. Use 1 if a write is only a copy to a staging
    /// buffer.
    #[must_use]
    pub const fn with_gap(mut self, gap: usize) -> Self {
        // Adjacent ranges are always joined.
        self.gap = if gap == 0 { 1 } else { gap };
        self
    }

    /// Calls `step` with each write that makes the buffer hold the world matrices of the last update. Call it between
    /// an update and the next edits; the results of later edits are not in the buffer.
    ///
    /// Writes the matrices that updates computed since the last call, none twice. Ranges with a small
    /// [gap](Self::with_gap) between them are combined into one write. An array whose layout changed is written
    /// completely. It gets a larger range if it outgrew the old one, and a smaller range if it fills less than a
    /// quarter of the old one. The buffer grows by at least a quarter, and shrinks if slices use less than half of it.
    ///
    /// What is written is what moved. So a buffer of previous matrices needs no pass over all: before each sync, copy
    /// to it what the sync before wrote, and during a sync, what is overwritten. A [`DrawableMirror`] lists the
    /// drawables that got another matrix index, whose previous matrix is to be written. Nodes share matrices: write the
    /// [`previous_world`](crate::NodeRef::previous_world) of the nearest node at or above that has a local transform,
    /// or the identity if there is none or an anchored node comes first.
    ///
    /// Runs in **O(1)** if nothing changed, else in **O(slices + matrices written)**. Allocates only if the number of
    /// slices, of gaps between their ranges, or of scattered matrices grows.
    pub fn sync(&mut self, scene: &Scene, step: impl FnMut(MirrorStep<'_>)) -> SyncStats {
        self.run(scene, false, step)
    }

    /// Does the same as [`sync`](Self::sync), but returns most matrices as a list. The buffer is only complete once you
    /// execute the steps and copy the list's matrices to their indices.
    ///
    /// A compute shader can copy them. Steps write whole blocks of 64 matrices of a slice, if all of them changed:
    /// copies cost less then. Nothing is written that did not change, none twice. The [gap](Self::with_gap) only
    /// applies to the ranges of [`instances`](Self::instances).
    ///
    /// ```
    /// use hedgerow::changes::{MatrixMirror, MirrorStep};
    /// use hedgerow::{Mat34, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(2.0, 0.0, 0.0)))?;
    /// scene.update();
    /// let (mut mirror, mut buffer) = (MatrixMirror::new(), Vec::new());
    /// let (_, scattered) = mirror.scatter(&scene, |step| match step {
    ///     MirrorStep::Resize { len } => buffer.resize(len, Mat34::IDENTITY),
    ///     MirrorStep::Write { first, matrices } => buffer[first..][..matrices.len()].copy_from_slice(matrices),
    /// });
    /// for (&index, &matrix) in scattered.indices().iter().zip(scattered.matrices()) {
    ///     buffer[index as usize] = matrix;
    /// }
    /// let index = mirror.index(scene.get(car).unwrap().matrix_slot().unwrap()).unwrap();
    /// assert_eq!(buffer[index].translation().x, 2.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn scatter<'m>(&'m mut self, scene: &'m Scene, step: impl FnMut(MirrorStep<'_>)) -> (SyncStats, Scattered<'m>) {
        let done = self.run(scene, true, step);
        let (indices, ends, bases) = (&self.indices, &self.ends, &self.places.bases);
        (done, Scattered { store: &scene.store, indices, ends, bases })
    }

    fn run(&mut self, scene: &Scene, scatters: bool, mut step: impl FnMut(MirrorStep<'_>)) -> SyncStats {
        let (store, mut done) = (&scene.store, SyncStats::default());
        // If `step` panics, this cursor knows no scene.
        let mut cursor = core::mem::replace(&mut self.cursor, SliceCursor::new().with_detached());
        let mut look = cursor.look(store);
        let Self { indices, ends, .. } = self;
        indices.clear();
        ends.clear();
        if !look.is_still() {
            let placed = self.places.place(&mut look, |slice| slice.transforms().len());
            done.moved = placed.moved;
            if let Some(len) = placed.len {
                self.places.mark_all();
                step(MirrorStep::Resize { len: len as usize });
                self.places.len = len;
            }
            for &number in look.order() {
                let slice = store.view(number);
                let (base, slots) = (self.places.bases[number.index()], self.places.change(number).0.slots);
                let (slots, worlds, listed) = (slots.of(slice), slice.transforms().worlds(), indices.len());
                let mut write = |range: Range<usize>| {
                    done.matrices += range.len();
                    done.writes += 1;
                    step(MirrorStep::Write { first: base as usize + range.start, matrices: &worlds[range] });
                };
                if scatters {
                    slots.list(base, indices, write);
                } else {
                    let mut joined = Joined::new(self.gap);
                    slots.runs().filter_map(|run| joined.add(run)).for_each(&mut write);
                    joined.open.into_iter().for_each(write);
                }
                if indices.len() > listed {
                    ends.push((number, indices.len()));
                }
            }
            done.matrices += indices.len();
        }
        look.finish();
        self.cursor = cursor;
        done
    }

    /// Returns the length of the buffer in matrices, as set by the last [`MirrorStep::Resize`].
    #[must_use]
    pub const fn len(&self) -> usize {
        self.places.len as usize
    }

    /// Returns whether the buffer is still empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.places.len == 0
    }

    /// Returns the index in the buffer at which each slice's array begins, by slice number; `u32::MAX` for numbers that
    /// no slice has. The matrix of a [`MatrixSlot`] is at `bases[slice] + slot`.
    #[must_use]
    pub fn bases(&self) -> &[u32] {
        &self.places.bases
    }

    /// Returns the index of a matrix in the buffer; `None` if no slice has the slot's slice number.
    #[inline]
    #[must_use]
    pub fn index(&self, slot: MatrixSlot) -> Option<usize> {
        let base = *self.places.bases.get(slot.slice as usize)?;
        // A slice that is gone has no place.
        (base != NONE).then_some(base as usize + slot.slot as usize)
    }

    /// Fills `instances` with the buffer indices of the matrices of draws. `order` lists the draws, for example
    /// [`DrawGroups::instances`](crate::draw::DrawGroups::instances) or
    /// [`DrawOrder::indices`](crate::draw::DrawOrder::indices). Calls `changed` for each range of `instances` that
    /// changed, with its first index and its items, to update a copy on the GPU. Joins ranges over small
    /// [gaps](Self::with_gap).
    ///
    /// Fill the list and sync the mirror after the scene's last update, before this call. Runs in **O(draws)**. A draw
    /// of a slice that the mirror does not know gets `u32::MAX`.
    ///
    /// # Panics
    /// Panics if `order` has an index that the list does not have.
    ///
    /// ```
    /// # use hedgerow::changes::{MatrixMirror, MirrorStep};
    /// # use hedgerow::{Aabb, DrawList, Mat34, Node, Scene, Drawable, Transform, draw::DrawGroups};
    /// # let mut scene = Scene::new();
    /// # for mesh in [7, 9, 7] {
    /// #     let node = Node::transform(Transform::from_xyz(mesh as f32, 0.0, 0.0));
    /// #     scene.insert(scene.root(), node.with_drawable(Drawable::new(mesh, Aabb::cube(1.0))))?;
    /// # }
    /// # let (mut mirror, mut buffer) = (MatrixMirror::new(), Vec::new());
    /// let (mut list, mut groups) = (DrawList::new().without_matrices(), DrawGroups::new());
    /// let mut instances = Vec::new();
    /// // Each frame:
    /// scene.update();
    /// scene.draw_list(&mut list);
    /// list.group(&mut groups);
    /// mirror.sync(&scene, |step| match step {
    ///     MirrorStep::Resize { len } => buffer.resize(len, Mat34::IDENTITY),
    ///     MirrorStep::Write { first, matrices } => buffer[first..][..matrices.len()].copy_from_slice(matrices),
    /// });
    /// mirror.instances(&list, groups.instances(), &mut instances, |first, changed| {
    ///     // Upload `changed` to the places from `first` on; then draw each group with its range of instances.
    ///     assert_eq!((first, changed.len()), (0, 3));
    /// });
    /// let xs: Vec<f32> = instances.iter().map(|&at| buffer[at as usize].translation().x).collect();
    /// assert_eq!(xs, [7.0, 7.0, 9.0]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn instances(
        &self,
        list: &DrawList,
        order: &[u32],
        instances: &mut Vec<u32>,
        changed: impl FnMut(usize, &[u32]),
    ) {
        let slots = list.slots();
        refill(self.gap, order, instances, |draw| self.place_of(slots[draw as usize]), changed);
    }

    /// Fills `instances` as [`instances`](Self::instances) does, but with items of your own. `item` gets each draw's
    /// command and the buffer index of its matrix, and returns the item to upload: for example the index and the
    /// command's [`user_data`](DrawCommand::user_data). `changed` is called in the same way.
    ///
    /// # Panics
    /// Panics if `order` has an index that the list does not have. If a closure panics, `instances` is empty
    /// afterwards, and the next call reports all items as changed.
    ///
    /// ```
    /// use hedgerow::changes::MatrixMirror;
    /// use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, Transform};
    ///
    /// #[derive(PartialEq)]
    /// struct Instance {
    ///     matrix: u32,
    ///     colour: u32,
    /// }
    ///
    /// let mut scene = Scene::new();
    /// for colour in [0xff_00_00, 0x00_ff_00] {
    ///     let ball = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
    ///     let ball = scene.insert(scene.root(), ball)?;
    ///     scene.edit(ball)?.set_user_data(colour);
    /// }
    /// scene.update();
    /// let (mut mirror, mut list) = (MatrixMirror::new(), DrawList::new().without_matrices());
    /// let mut instances = Vec::new();
    /// scene.draw_list(&mut list);
    /// mirror.sync(&scene, |_| {});
    /// let item = |matrix, command: &hedgerow::draw::DrawCommand| Instance { matrix, colour: command.user_data };
    /// mirror.instances_with(&list, &[1, 0], item, &mut instances, |first, items| assert_eq!(first + items.len(), 2));
    /// assert_eq!(instances[0].colour, 0x00_ff_00);
    /// mirror.instances_with(&list, &[1, 0], item, &mut instances, |_, _| panic!("nothing changed"));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn instances_with<T: PartialEq>(
        &self,
        list: &DrawList,
        order: &[u32],
        item: impl Fn(u32, &DrawCommand) -> T,
        instances: &mut Vec<T>,
        changed: impl FnMut(usize, &[T]),
    ) {
        let (slots, commands) = (list.slots(), list.commands());
        let item = |draw: u32| item(self.place_of(slots[draw as usize]), &commands[draw as usize]);
        refill(self.gap, order, instances, item, changed);
    }

    /// Returns the index of a matrix in the buffer, or [`NONE`].
    #[inline]
    fn place_of(&self, slot: MatrixSlot) -> u32 {
        self.places.bases.get(slot.slice as usize).map_or(NONE, |base| base.saturating_add(slot.slot))
    }
}

/// Sets `instances` to the items of draws in this order, and calls `changed` with the ranges that differ from before.
fn refill<T: PartialEq>(
    gap: usize,
    order: &[u32],
    instances: &mut Vec<T>,
    item: impl Fn(u32) -> T,
    mut changed: impl FnMut(usize, &[T]),
) {
    // If a closure panics, `instances` stays empty, so that the next call reports all items.
    let mut items = core::mem::take(instances);
    let same = items.len().min(order.len());
    let mut joined = Joined::new(gap);
    // Only items that both orders have are compared; the rest is new.
    items.truncate(same);
    let mut close = |range: Range<usize>, items: &[T]| changed(range.start, &items[range]);
    for at in 0..same {
        let now = item(order[at]);
        if items[at] != now {
            items[at] = now;
            if let Some(range) = joined.add(at..at + 1) {
                close(range, &items);
            }
        }
    }
    items.extend(order[same..].iter().map(|&draw| item(draw)));
    if same < order.len()
        && let Some(range) = joined.add(same..order.len())
    {
        close(range, &items);
    }
    if let Some(last) = joined.open {
        close(last, &items);
    }
    *instances = items;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node, SceneConfig, Transform};

    /// Inserts a subtree of this many transforms, in a slice of its own.
    fn add_house(scene: &mut Scene, transforms: usize) {
        let house = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        for _ in 1..transforms {
            scene.insert(house, Node::transform(Transform::IDENTITY)).unwrap();
        }
        scene.update();
    }

    #[test]
    fn a_buffer_that_is_full_to_the_last_matrix_is_kept() {
        let mut full = 0;
        for (transforms, more) in (1..40).flat_map(|transforms| (1..12).map(move |more| (transforms, more))) {
            let config = SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT };
            let (mut scene, mut mirror) = (Scene::with_config(config).unwrap(), MatrixMirror::new());
            add_house(&mut scene, transforms);
            mirror.sync(&scene, |_| {});
            let len = mirror.len();
            add_house(&mut scene, more);
            let mut made = false;
            mirror.sync(&scene, |step| made |= matches!(step, MirrorStep::Resize { .. }));
            let end = mirror.places.arena.end() as usize;
            full += u32::from(end == len);
            assert_eq!(made, end > len, "{end} of {len}");
        }
        assert!(full > 0, "some buffer is full");
    }
}
