//! A table of a scene's drawables, kept by steps.

use super::MatrixMirror;
use super::places::{NONE, Places};
use crate::NodeHandle;
use crate::pass::SliceCursor;
use crate::scene::Scene;
use crate::store::{DrawableView, ListedDrawable, Stamp, short};
use core::ops::Range;

/// The number of slots of a block, one for each bit of a word. Each slice has whole blocks.
const BLOCK: usize = DrawableView::CHUNK;
/// How many drawables are loaded into the cache ahead.
const AHEAD: usize = 8;

/// Keeps track of a table of a scene's drawables, such as one that a compute shader culls. A drawable keeps
/// its slot in the table until a step sets it in another one: if it is reparented, if its slice is reconstituted, grows
/// out of its range or shrinks to a small part of it, or if less than half of the table is in use.
///
/// [`DrawableMirror::sync`] lists which slots to set and which to free. It takes O(1) if drawables only moved or nothing
/// happened, needs neither [boxes nor change tracking](crate::SceneConfig), and is right where the lists of
/// [`Scene::changes`] have no entry: below a reparented node, and if a node inherits another transform.
///
/// You may skip updates, and use a mirror with several scenes in turn. It has the drawables of the tree, hidden ones too
/// (they are on no [layers](ListedDrawable::layers)), and none of detached nodes. It takes 32 bytes a slice and one bit a
/// slot.
///
/// ```
/// use hedgerow::changes::{DrawableMirror, DrawableStep, MatrixMirror, MirrorStep};
/// use hedgerow::{Aabb, Drawable, Mat34, Node, Scene, Transform};
///
/// let mut scene = Scene::new();
/// let place = Transform::from_xyz(1.0, 0.0, 0.0);
/// let ball = scene.insert(scene.root(), Node::transform(place).with_drawable(Drawable::new(7, Aabb::cube(1.0))))?;
///
/// // The matrix index and the mesh of each instance.
/// let (mut instances, mut matrices): (Vec<Option<(u32, u32)>>, Vec<Mat34>) = Default::default();
/// let (mut drawable_mirror, mut matrix_mirror) = (DrawableMirror::new(), MatrixMirror::new());
/// // Each frame:
/// scene.update();
/// matrix_mirror.sync(&scene, |step| match step {
///     MirrorStep::Resize { len } => matrices.resize(len, Mat34::IDENTITY),
///     MirrorStep::Write { first, matrices: new } => matrices[first..][..new.len()].copy_from_slice(new),
/// });
/// drawable_mirror.sync(&scene, &matrix_mirror, |step| match step {
///     DrawableStep::Resize { len } => instances.resize(len, None),
///     DrawableStep::Set { slot, matrix, drawable } => instances[slot] = Some((matrix, drawable.drawable.mesh)),
///     DrawableStep::Free { slots } => instances[slots].fill(None),
/// });
///
/// let slot = drawable_mirror.index(&scene, ball).unwrap();
/// let (matrix, mesh) = instances[slot].unwrap();
/// assert_eq!((matrices[matrix as usize].translation().x, mesh), (1.0, 7));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DrawableMirror {
    cursor: SliceCursor,
    places: Places,
    /// The slots that were set and not freed since, one bit each.
    told: Vec<u64>,
    /// The drawables of a slice to set.
    listed: Vec<u16>,
    /// The base of each slice in the buffer of matrices, as told.
    matrices: Vec<u32>,
    /// The version of all these bases.
    matrices_version: u64,
    /// The number of the scene's updates at the last sync.
    updates: u64,
}

/// An operation on the table; see [`DrawableMirror::sync`].
#[derive(Clone, Debug, PartialEq)]
pub enum DrawableStep {
    /// Resize the table to this many slots. Slots before the shorter length keep their contents, and new slots are free.
    Resize {
        /// The number of slots, a multiple of 64.
        len: usize,
    },
    /// Write this drawable to a slot, whatever the slot had.
    Set {
        /// The slot.
        slot: usize,
        /// The index of the drawable's matrix in the buffer of the [`MatrixMirror`].
        matrix: u32,
        /// The drawable, as of the last update.
        drawable: ListedDrawable,
    },
    /// These slots, which were set, have no drawables any longer.
    Free {
        /// The slots, at most 64.
        slots: Range<usize>,
    },
}

impl Default for DrawableMirror {
    fn default() -> Self {
        Self::new()
    }
}

impl DrawableMirror {
    /// Creates a mirror for an empty table.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            cursor: SliceCursor::new().without_transforms(),
            places: Places::new(u64::BITS),
            told: Vec::new(),
            listed: Vec::new(),
            matrices: Vec::new(),
            matrices_version: 0,
            updates: 0,
        }
    }

    /// Calls `step` with each operation that is needed to make the table hold the drawables of the scene as of its last
    /// update. Sync `matrices` with the scene first: its indices are in the table. Returns the number of steps.
    ///
    /// Sets the drawables that changed since the last call in anything but their matrix, also in the index of their
    /// matrix; after a change of another kind, a drawable is sometimes set without need. No slot is set or freed twice in
    /// a call. A table that grows is resized first, and one that shrinks last, after the slots at its end are freed. The
    /// drawables of a slice have consecutive slots, from a multiple of 64 on, so 64 slots have those of one
    /// [block](crate::visit::SliceView::block_bounds).
    ///
    /// Runs in **O(1)** if nothing but transforms changed, else in **O(slices + drawable slots of changed slices)**. If
    /// `matrices` moved the range of a slice, all its drawables are set. If `step` panics, the next call sets everything
    /// again.
    pub fn sync(&mut self, scene: &Scene, matrices: &MatrixMirror, mut step: impl FnMut(DrawableStep)) -> usize {
        let mut steps = 0;
        // If `step` panics, this cursor knows no scene.
        let mut cursor = core::mem::replace(&mut self.cursor, SliceCursor::new().without_transforms());
        let mut look = cursor.look(&scene.store);
        let (updates, version) = (scene.store.updates(), matrices.places.version);
        let rebased = core::mem::replace(&mut self.matrices_version, version) != version;
        if !look.is_still() || rebased {
            let mut step = |next| {
                steps += 1;
                step(next);
            };
            // After more than 2^32 updates, stamps say nothing.
            let count = u32::try_from(updates.saturating_sub(self.updates)).ok();
            let since = count.map(|count| (count, Stamp::of(updates)));
            let placed = self.places.place(&mut look, |slice| slice.drawables().len());
            let len = placed.len.unwrap_or(self.places.len);
            if len > self.places.len {
                self.resize(len, &mut step);
            }
            self.matrices.resize(self.places.bases.len(), NONE);
            for &number in look.order() {
                let (change, room) = self.places.change(number);
                let base = matrices.places.bases.get(number.index()).copied().unwrap_or(NONE);
                let rebased = core::mem::replace(&mut self.matrices[number.index()], base) != base;
                let since = since.filter(|_| !change.moved && !rebased);
                if change.rows || rebased {
                    let (first, drawables) = (self.places.bases[number.index()], look.store().view(number).drawables());
                    for block in 0..room as usize / BLOCK {
                        let at = first as usize / BLOCK + block;
                        self.free(at, !drawables.live_word(block), &mut step);
                        self.list(at, (drawables, block), since);
                    }
                    let listed = core::mem::take(&mut self.listed);
                    for (at, &slot) in listed.iter().enumerate() {
                        // Drawables that changed are far apart, and most have left the cache since the update.
                        if let Some(&ahead) = listed.get(at + AHEAD) {
                            drawables.prefetch(usize::from(ahead));
                        }
                        let slot = usize::from(slot);
                        if let Some(drawable) = drawables.get(slot) {
                            let matrix = base.saturating_add(u32::from(short(drawable.transform)));
                            step(DrawableStep::Set { slot: first as usize + slot, matrix, drawable });
                        }
                    }
                    self.listed = listed;
                    self.listed.clear();
                }
            }
            let released = core::mem::take(&mut self.places.released);
            for at in released.iter().cloned().flatten().step_by(BLOCK) {
                // A slice that took the place of another freed what it does not use.
                if self.places.arena.is_free(at) {
                    self.free(at as usize / BLOCK, u64::MAX, &mut step);
                }
            }
            self.places.released = released;
            if len < self.places.len {
                self.resize(len, &mut step);
            }
        }
        self.updates = updates;
        look.finish();
        self.cursor = cursor;
        steps
    }

    fn resize(&mut self, len: u32, step: &mut impl FnMut(DrawableStep)) {
        step(DrawableStep::Resize { len: len as usize });
        self.told.resize(len as usize / BLOCK, 0);
        self.places.len = len;
    }

    /// Lists the drawables of a block of a slice that one of so many last updates changed, or all, and marks their slots as
    /// set.
    fn list(&mut self, at: usize, (drawables, block): (DrawableView<'_>, usize), since: Option<(u32, Stamp)>) {
        let mut slots = drawables.live_word(block);
        if let Some((count, now)) = since {
            slots &= drawables.stamped_word(block, count, now);
        }
        if slots != 0 {
            self.told[at] |= slots;
        }
        while slots != 0 {
            self.listed.push(short(block * BLOCK + slots.trailing_zeros() as usize));
            slots &= slots - 1;
        }
    }

    /// Frees those slots of a block that were set.
    fn free(&mut self, at: usize, slots: u64, step: &mut impl FnMut(DrawableStep)) {
        let mut told = self.told[at] & slots;
        while told != 0 {
            let first = told.trailing_zeros();
            let count = (told >> first).trailing_ones();
            let run = u64::MAX >> (64 - count) << first;
            told &= !run;
            let begin = at * BLOCK + first as usize;
            step(DrawableStep::Free { slots: begin..begin + count as usize });
            self.told[at] &= !run;
        }
    }

    /// Returns the length of the table, as set by the last [`DrawableStep::Resize`].
    #[must_use]
    pub const fn len(&self) -> usize {
        self.places.len as usize
    }

    /// Returns whether the table has no slots yet.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.places.len == 0
    }

    /// Returns the slot of a node's drawable in the table; `None` if the node has none, is detached, or its slice changed
    /// since the last sync. Runs in **O(1)**.
    #[must_use]
    pub fn index(&self, scene: &Scene, node: NodeHandle) -> Option<usize> {
        let (slice, slot) = scene.store.drawable_slot(scene.store.nodes.resolve(node)?)?;
        let base = *self.places.bases.get(slice.id().index())?;
        (self.cursor.is_current(&slice) && base != NONE).then_some(base as usize + slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Drawable, Node};
    use std::collections::BTreeMap;

    #[test]
    fn a_table_is_right_when_the_count_of_updates_passes_two_to_the_32() {
        const LIMIT: u64 = 1 << 32;
        let mut scene = Scene::new();
        let ball = Node::drawable(Drawable::new(1, Aabb::cube(1.0)));
        let mut nodes: Vec<_> = (0..200).map(|_| scene.insert(scene.root(), ball).unwrap()).collect();
        let (mut mirror, mut table) = (DrawableMirror::new(), BTreeMap::new());
        // Stamps seem new again after 2^32 updates, so from the fifth on there are more steps than changes.
        let jumps = [LIMIT - 4, 0, 0, 0, 0, LIMIT - 1, 0, LIMIT - 2, LIMIT, 7 * LIMIT, 1, 0, LIMIT / 2, LIMIT / 2];
        for (material, jump) in (1..).zip(jumps) {
            for edited in [0, material as usize] {
                scene.edit(nodes[edited]).unwrap().set_material(material);
            }
            scene.remove(nodes.pop().unwrap()).unwrap();
            scene.update();
            scene.store.pass_updates(jump);
            let mut steps = 0;
            mirror.sync(&scene, &MatrixMirror::new(), |step| {
                steps += 1;
                match step {
                    DrawableStep::Resize { .. } => {}
                    DrawableStep::Set { slot, drawable, .. } => _ = table.insert(slot, drawable),
                    DrawableStep::Free { slots } => table.retain(|slot, _| !slots.contains(slot)),
                }
            });
            let expected: Vec<_> = scene.slices().flat_map(|slice| slice.drawables().iter()).collect();
            assert!(table.values().eq(&expected), "material {material}");
            assert!(!(2..5).contains(&material) || steps == 3, "{steps} steps");
        }
    }
}
