//! Which slices changed since a reader last looked.

use crate::store::{RowSet, SliceId, SliceView, Store, short};
use core::ops::Range;
use std::collections::TryReserveError;

/// The place of a reader that keeps data of its own beside a scene's slices: a bounding-volume hierarchy, a table of
/// drawables, a column. [`Scene::changed_slices`](crate::Scene::changed_slices) lists the changes since the last look.
///
/// A cursor works however often you look: after skipped updates, in another scene, a clone or a loaded scene, and in
/// frames that [`Smooth`](crate::motion::Smooth) blends. It needs no [change tracking](crate::SceneConfig::changes). It
/// takes 16 bytes a slice.
///
/// A scene keeps nothing for its cursors, so any number of them can follow it.
///
/// ```
/// use hedgerow::changes::{SliceChange, SliceCursor};
/// use hedgerow::glam::Vec3;
/// use hedgerow::{Node, Scene, Transform};
/// use std::collections::BTreeMap;
///
/// let mut scene = Scene::new();
/// let ship = scene.insert(scene.root(), Node::transform(Transform::from_xyz(0.0, 5.0, 0.0)))?;
/// scene.insert(ship, Node::transform(Transform::from_xyz(0.0, 3.0, 0.0)))?;
///
/// // The positions of all transforms, by slice and slot.
/// let (mut cursor, mut positions) = (SliceCursor::new(), BTreeMap::<u32, Vec<Vec3>>::new());
/// for height in [5.0, 6.0] {
///     scene.set_local(ship, Transform::from_xyz(0.0, height, 0.0))?;
///     scene.update();
///     for change in scene.changed_slices(&mut cursor) {
///         match change {
///             SliceChange::Gone { number } => drop(positions.remove(&number)),
///             SliceChange::Rows { slice, slots } | SliceChange::Slots { slice, slots } => {
///                 let positions = positions.entry(slice.number()).or_default();
///                 positions.resize(slice.transforms().len(), Vec3::ZERO);
///                 for slot in slots.runs().flatten() {
///                     positions[slot] = slice.transforms().worlds()[slot].translation();
///                 }
///             }
///         }
///     }
/// }
/// assert!(positions.values().flatten().any(|position| position.y == 9.0));
/// assert_eq!(scene.changed_slices(&mut cursor).count(), 0, "nothing happened");
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SliceCursor {
    /// The state of the scene at the last look; `None` if the reader knows no scene.
    moment: Option<Moment>,
    /// By slice number.
    known: Vec<Known>,
    covers: Covers,
}

#[derive(Clone, Copy, Debug)]
struct Covers {
    detached: bool,
    transforms: bool,
}

/// A state of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    scene: u64,
    versions: u64,
    /// 0 if the cursor does not cover transforms.
    updates: u64,
}

/// The state of a slice at the last look; zeros if the reader does not know the slice.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    version: u64,
    layout: u64,
}

impl Default for SliceCursor {
    fn default() -> Self {
        Self::new()
    }
}

impl SliceCursor {
    /// Creates a cursor for the slices of the tree. The first look lists them all.
    #[must_use]
    pub const fn new() -> Self {
        Self { moment: None, known: Vec::new(), covers: Covers { detached: false, transforms: true } }
    }

    /// Includes the slices of detached subtrees. Without this, a slice is *gone* when its nodes are detached.
    #[must_use]
    pub const fn with_detached(mut self) -> Self {
        self.covers.detached = true;
        self
    }

    /// Leaves out [`SliceChange::Slots`], and slots that keep their places: looking takes O(1) if only transforms
    /// changed.
    #[must_use]
    pub const fn without_transforms(mut self) -> Self {
        self.covers.transforms = false;
        self
    }

    /// Returns whether a slice has the same rows as when the cursor last looked, so that data by row, by drawable slot
    /// and by transform slot is in place. A removal changes the rows at once. Runs in **O(1)**.
    #[must_use]
    pub fn is_current(&self, slice: &SliceView<'_>) -> bool {
        let known = self.known.get(slice.id().index());
        known.is_some_and(|known| known.version == slice.version())
            && self.moment.is_some_and(|moment| moment.scene == slice.scene_number())
    }

    /// Forgets the scene: the next look lists everything.
    pub fn reset(&mut self) {
        self.moment = None;
    }

    /// Reserves the memory of the next look.
    pub(crate) fn try_reserve(&mut self, store: &Store) -> Result<(), TryReserveError> {
        self.known.try_reserve(store.slices.end().saturating_sub(self.known.len()))
    }

    /// Begins to look. What the cursor knows is that of no scene until [`Look::finish`].
    pub(crate) fn look<'c, 's>(&'c mut self, store: &'s Store) -> Look<'c, 's> {
        let updates = if self.covers.transforms { store.updates() } else { 0 };
        // Without transforms, updates are not compared, so a cursor stays still while nodes only move.
        let now = Moment { scene: store.scene_number(), versions: store.slices.versions, updates };
        // Taken, not copied: if the reader panics, the next look starts from scratch.
        let before = self.moment.take().filter(|before| before.scene == now.scene);
        if self.known.len() < store.slices.end() {
            self.known.resize(store.slices.end(), Known::default());
        }
        if before.is_none() {
            // Versions are those of one scene.
            self.known.iter_mut().for_each(|known| known.version = 0);
        }
        let Self { known, moment, covers } = self;
        Look { known, moment, covers: *covers, store, before, now, gone: 0 }
    }
}

/// A look at what changed. Data of slices that are [gone](Self::gone) must go first, since other slices may have their
/// numbers. Then each slice is asked for [once](Self::at).
pub(crate) struct Look<'c, 's> {
    known: &'c mut Vec<Known>,
    moment: &'c mut Option<Moment>,
    covers: Covers,
    store: &'s Store,
    before: Option<Moment>,
    now: Moment,
    /// The next number to test for slices that are gone.
    gone: usize,
}

impl<'s> Look<'_, 's> {
    pub(crate) fn store(&self) -> &'s Store {
        self.store
    }

    /// Returns the slices that the reader looks at, in order.
    pub(crate) fn order(&self) -> &'s [SliceId] {
        if self.covers.detached { &self.store.slices.order } else { self.store.slices.in_tree() }
    }

    /// Returns whether everything is new: the first look, or another scene.
    pub(crate) fn is_first(&self) -> bool {
        self.before.is_none()
    }

    /// Returns whether nothing happened since the last look.
    pub(crate) fn is_still(&self) -> bool {
        self.before == Some(self.now)
    }

    /// Returns whether anything but transforms may have changed, in any slice.
    pub(crate) fn has_other_rows(&self) -> bool {
        self.before.is_none_or(|before| before.versions != self.now.versions)
    }

    /// Returns the next slice that the reader knows and that is gone, and forgets it.
    pub(crate) fn gone(&mut self) -> Option<SliceId> {
        // Without a new version, no slice can have ended.
        if !self.has_other_rows() {
            return None;
        }
        let id = (self.gone..self.known.len()).map(SliceId::at).find(|&id| {
            let slice = self.store.get_view(id).filter(|slice| self.covers.detached || !slice.is_detached());
            self.known[id.index()].layout != 0 && (self.before.is_none() || slice.is_none())
        });
        // The search continues behind the slice that was found, so a look tests each number once.
        self.gone = id.map_or(self.known.len(), |id| id.index() + 1);
        self.known[id?.index()] = Known::default();
        id
    }

    /// Returns what changed in a slice since the last look.
    pub(crate) fn at(&mut self, slice: SliceView<'_>) -> Change {
        // The versions of all slices are unchanged, so the table of known versions is not touched.
        if !self.has_other_rows() {
            return Change { moved: false, rows: false, slots: self.computed(slice) };
        }
        let known = &mut self.known[slice.id().index()];
        let now = Known { version: slice.version(), layout: slice.layout() };
        let before = core::mem::replace(known, now);
        let moved = self.before.is_none() || before.layout != now.layout;
        // Moved slots hold other nodes, so their matrices are new even if no sweep ran.
        let slots = if moved { Computed::All } else { self.computed(slice) };
        Change { moved, rows: moved || before.version != now.version, slots }
    }

    /// Returns which slots of a slice were computed since the last look.
    fn computed(&self, slice: SliceView<'_>) -> Computed {
        match self.before {
            Some(then) if slice.swept_in() <= then.updates || !self.covers.transforms => Computed::None,
            // A slice knows the slots that the last update computed, and none of earlier updates.
            Some(then) if then.updates + 1 == self.now.updates => Computed::Last,
            _ => Computed::All,
        }
    }

    /// Ends the look: the next one begins here. After a look that is not ended, the next one lists everything.
    pub(crate) fn finish(self) {
        if self.is_first() {
            // What is known of slices that only the former scene has says nothing of later slices with their numbers.
            self.known.iter_mut().filter(|known| known.version == 0).for_each(|known| *known = Known::default());
        }
        *self.moment = Some(self.now);
    }
}

/// What changed in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// Whether the slice is new, or its slots were rearranged.
    pub(crate) moved: bool,
    /// Whether anything but transforms may have changed.
    pub(crate) rows: bool,
    pub(crate) slots: Computed,
}

impl Change {
    pub(crate) const NOTHING: Self = Self { moved: false, rows: false, slots: Computed::None };
    pub(crate) const EVERYTHING: Self = Self { moved: true, rows: true, slots: Computed::All };
}

/// The transform slots of a slice that were computed since a reader last looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Computed {
    None,
    /// Those that the last update computed.
    Last,
    All,
}

impl Computed {
    pub(crate) fn of(self, slice: SliceView<'_>) -> ChangedSlots<'_> {
        let transforms = slice.transforms();
        ChangedSlots {
            imports: slice.imports(),
            end: if self == Self::None { 0 } else { transforms.len() },
            only: (self == Self::Last).then(|| transforms.swept()),
        }
    }
}

/// A set of transform slots of a slice: those whose world matrix, local transform or node may have changed. It may
/// include imports and unused slots.
#[derive(Clone, Copy, Debug)]
pub struct ChangedSlots<'s> {
    imports: usize,
    end: usize,
    /// The slots before `end` that are in the set; `None` if all are.
    only: Option<&'s RowSet>,
}

impl<'s> ChangedSlots<'s> {
    /// Returns whether the set contains a slot. Runs in **O(1)**.
    #[must_use]
    #[inline]
    pub fn contains(&self, slot: usize) -> bool {
        slot < self.end && self.only.is_none_or(|only| only.contains(slot))
    }

    /// Returns whether the set has the slots of all nodes.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.end > 0 && self.only.is_none_or(|only| only.first_missing(self.imports, self.end).is_none())
    }

    /// Returns the slots as ranges in ascending order. No two of them touch.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + use<'s> {
        let whole = (self.only.is_none() && self.end > 0).then_some(0..self.end);
        let end = self.end;
        self.only.into_iter().flat_map(move |only| only.runs(end)).chain(whole)
    }

    /// Adds the slots to a list, as numbers from `base` on. Calls `write` with runs of whole words of 64 slots instead.
    pub(crate) fn list(&self, base: u32, list: &mut Vec<u32>, mut write: impl FnMut(Range<usize>)) {
        let number = |slot: usize| base + u32::from(short(slot));
        let Some(only) = self.only else {
            if self.end < 64 {
                list.extend((0..self.end).map(number));
            } else {
                write(0..self.end);
            }
            return;
        };
        let mut write = |run: Range<usize>| {
            if !run.is_empty() {
                write(run);
            }
        };
        let mut whole = 0..0;
        only.each_word(|from, word| {
            let beyond = (from + 64).saturating_sub(self.end);
            let mut word = if beyond < 64 { word << beyond >> beyond } else { 0 };
            if word != u64::MAX {
                let (first, end) = (number(from), list.len() + word.count_ones() as usize);
                // Four at a time, whether or not there are as many: how many a word has is hard to predict.
                while list.len() < end {
                    list.extend_from_slice(&[(); 4].map(|()| {
                        let slot = first + word.trailing_zeros();
                        word &= word.wrapping_sub(1);
                        slot
                    }));
                }
                list.truncate(end);
                return;
            }
            if whole.end != from {
                write(core::mem::replace(&mut whole, from..from));
            }
            whole.end = from + 64;
        });
        write(whole);
    }
}

/// A slice that changed, from [`Scene::changed_slices`](crate::Scene::changed_slices).
#[derive(Clone, Copy, Debug)]
pub enum SliceChange<'s> {
    /// The slice ended, left the tree, or is one of another scene. Drop what you keep for it.
    Gone {
        /// The number of the slice.
        number: u32,
    },
    /// The slice is new, or its rows are not those of the last look: nodes, drawables, materials, layers, the slots of
    /// nodes. Take everything anew. What is kept by transform slot alone, such as a copy of the matrices, stays valid
    /// outside of `slots`.
    Rows {
        /// The slice.
        slice: SliceView<'s>,
        /// The slots that were computed; all if the slice is new or its slots were rearranged.
        slots: ChangedSlots<'s>,
    },
    /// Updates computed world matrices. Each slot still has the same node, and all else is unchanged.
    Slots {
        /// The slice.
        slice: SliceView<'s>,
        /// The slots that were computed.
        slots: ChangedSlots<'s>,
    },
}

/// The changed slices of a scene, from [`Scene::changed_slices`](crate::Scene::changed_slices): first the slices that
/// are gone, then the others in order.
pub struct ChangedSlices<'c, 's> {
    /// `None` after the last slice.
    look: Option<Look<'c, 's>>,
    /// The next position in the order.
    position: usize,
}

impl<'c, 's> ChangedSlices<'c, 's> {
    pub(crate) fn of(store: &'s Store, cursor: &'c mut SliceCursor) -> Self {
        let look = cursor.look(store);
        if look.is_still() {
            look.finish();
            return Self { look: None, position: 0 };
        }
        Self { look: Some(look), position: 0 }
    }
}

impl core::fmt::Debug for ChangedSlices<'_, '_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ChangedSlices").finish_non_exhaustive()
    }
}

impl<'s> Iterator for ChangedSlices<'_, 's> {
    type Item = SliceChange<'s>;

    fn next(&mut self) -> Option<SliceChange<'s>> {
        let look = self.look.as_mut()?;
        if let Some(id) = look.gone() {
            return Some(SliceChange::Gone { number: id.number() });
        }
        while let Some(&number) = look.order().get(self.position) {
            self.position += 1;
            let slice = look.store.view(number);
            let change = look.at(slice);
            let slots = change.slots.of(slice);
            if change.rows {
                return Some(SliceChange::Rows { slice, slots });
            }
            if change.slots != Computed::None {
                return Some(SliceChange::Slots { slice, slots });
            }
        }
        self.look.take()?.finish();
        None
    }
}

impl core::iter::FusedIterator for ChangedSlices<'_, '_> {}
