//! Histories of transform slots: 56 bytes a slot, in scenes that track changes.

use crate::Mat34;
use crate::store::row_set::RowSet;
use crate::store::slice::grow;
use hedgerow_math::internal::prefetch;

/// The histories of a slice's transform slots, imports included. A node has the history of the slot that it uses,
/// unless the [log](crate::store::feed) or [`Feed::recalled`](crate::store::Feed) has an entry for it.
#[derive(Clone, Debug)]
pub(crate) struct Histories {
    /// World matrices after the second-to-last update; during an update or a visit, after the last update.
    previous: Vec<Mat34>,
    /// The frame in which the world matrix last changed.
    moved: Vec<u32>,
    /// The frame in which the local transform was last set.
    set: Vec<u32>,
    /// Slots that are new since the last update and whose histories are not known yet.
    fresh: RowSet,
    /// Slots whose previous matrix differs from the present one.
    moving: RowSet,
    /// The greatest of all frames in `moved` and `set`.
    newest: u32,
    /// Whether the slice is listed in [`Feed::moving`](crate::store::Feed).
    listed: bool,
}

/// The history of a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct History {
    /// The previous world matrix.
    pub(crate) world: Mat34,
    pub(crate) moved: u32,
    pub(crate) set: u32,
    /// Whether the present matrix differs from the previous one.
    pub(crate) moving: bool,
}

impl History {
    /// The history of the identity, which never changes.
    pub(crate) const NONE: Self = Self { world: Mat34::IDENTITY, moved: 0, set: 0, moving: false };

    /// Returns whether both histories agree about the world matrix.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.moved == other.moved && self.world.same_bits(&other.world)
    }
}

impl Histories {
    /// Creates histories for this many new slots.
    pub(crate) fn of(slots: usize) -> Self {
        let mut fresh = RowSet::EMPTY;
        fresh.fill(slots);
        Self {
            previous: vec![Mat34::IDENTITY; slots],
            moved: vec![0; slots],
            set: vec![0; slots],
            fresh,
            moving: RowSet::EMPTY,
            newest: 0,
            listed: false,
        }
    }

    /// Begins the history of an unused slot, or of a new slot at the end.
    pub(crate) fn begin(&mut self, slot: usize) {
        // Slots are put in any order, but columns grow from the end.
        while slot >= self.previous.len() {
            grow(&mut self.previous);
            grow(&mut self.moved);
            grow(&mut self.set);
            self.previous.push(Mat34::IDENTITY);
            self.moved.push(0);
            self.set.push(0);
        }
        (self.moved[slot], self.set[slot]) = (0, 0);
        self.fresh.insert(slot);
        self.moving.remove(slot);
    }

    /// Returns the history of a slot, if it is known.
    pub(crate) fn history(&self, slot: usize) -> Option<History> {
        let Self { previous, moved, set, fresh, moving, .. } = self;
        let moving = moving.contains(slot);
        // A node without an update behind it has no past to keep.
        (!fresh.contains(slot)).then(|| History { world: previous[slot], moved: moved[slot], set: set[slot], moving })
    }

    /// Sets the history of a slot.
    pub(crate) fn remember(&mut self, slot: usize, history: &History) {
        let &History { world, moved, set, moving } = history;
        (self.previous[slot], self.moved[slot], self.set[slot]) = (world, moved, set);
        self.newest = self.newest.max(moved).max(set);
        self.fresh.remove(slot);
        if moving {
            self.moving.insert(slot);
        }
    }

    /// Prefetches the data that [`Self::record_set`] writes.
    #[inline(always)]
    pub(crate) fn prefetch(&self, slot: usize) {
        prefetch(&self.set, slot);
    }

    /// Records that a local transform was set in `frame`.
    #[inline]
    pub(crate) fn record_set(&mut self, slot: usize, frame: u32) {
        self.set[slot] = frame;
        self.newest = frame;
    }

    /// Records that local transforms were set in `frame`: those of the 64 slots from `first` on with a bit in `sets`.
    pub(crate) fn record_sets(&mut self, first: usize, sets: u64, frame: u32) {
        if sets == 0 {
            return;
        }
        for (bit, known) in self.set[first..].iter_mut().take(64).enumerate() {
            // A selection in place of a branch, which the compiler turns into vector instructions.
            *known = if sets >> bit & 1 != 0 { frame } else { *known };
        }
        self.newest = frame;
    }

    /// Returns the world matrix after the second-to-last update.
    #[inline]
    pub(crate) fn previous(&self, slot: usize) -> Option<&Mat34> {
        self.previous.get(slot)
    }

    /// Returns the frame in which a world matrix last changed.
    #[inline]
    pub(crate) fn moved(&self, slot: usize) -> u32 {
        self.moved[slot]
    }

    /// Returns the frame in which a local transform was last set.
    #[inline]
    pub(crate) fn set(&self, slot: usize) -> u32 {
        self.set[slot]
    }

    /// Returns the greatest of all frames.
    #[inline]
    pub(crate) fn newest(&self) -> u32 {
        self.newest
    }

    pub(crate) fn is_fresh(&self, slot: usize) -> bool {
        self.fresh.contains(slot)
    }

    /// Records which matrices of known slots the sweep changed. Returns whether to add the slice to `Feed::moving`.
    pub(crate) fn follow(
        &mut self,
        worlds: &[Mat34],
        imports: usize,
        computed: &RowSet,
        used: &RowSet,
        frame: u32,
    ) -> bool {
        let Self { previous, moved, fresh, moving, newest, listed, .. } = self;
        // What has just come did not move: its previous matrix is the present one.
        fresh.iter().for_each(|slot| previous[slot] = worlds[slot]);
        fresh.clear();
        let computed = computed.runs(worlds.len()).map(|run| run.start.max(imports)..run.end);
        let mut any = false;
        // Imports are not computed here, but may have been copied by this update.
        for slot in core::iter::once(0..imports).chain(computed).flatten() {
            if !worlds[slot].same_bits(&previous[slot]) && used.contains(slot) {
                moved[slot] = frame;
                moving.insert(slot);
                any = true;
            }
        }
        if any {
            *newest = frame;
        }
        any && !core::mem::replace(listed, true)
    }

    /// Makes the present matrices the previous ones.
    pub(crate) fn rest(&mut self, worlds: &[Mat34]) {
        let Self { previous, moving, .. } = self;
        // What moved in the last update and not in this one is at rest, and its previous matrix follows.
        moving.runs(worlds.len()).for_each(|run| previous[run.clone()].copy_from_slice(&worlds[run]));
        self.moving.clear();
        self.listed = false;
    }

    /// Returns whether a slice that took over histories must be added to `Feed::moving`.
    pub(crate) fn list(&mut self) -> bool {
        self.moving.first(0, self.previous.len()).is_some() && !core::mem::replace(&mut self.listed, true)
    }

    /// Returns whether the slice is listed as one with moving slots.
    pub(crate) fn is_listed(&self) -> bool {
        self.listed
    }

    /// Resets all frames.
    pub(crate) fn forget_frames(&mut self) {
        self.moved.fill(0);
        self.set.fill(0);
        self.newest = 0;
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.previous.capacity() * size_of::<Mat34>()
            + (self.moved.capacity() + self.set.capacity()) * size_of::<u32>()
    }

    /// Checks the histories. `now` is the last frame; `settled` says whether nothing was computed since then.
    pub(crate) fn validate(&self, worlds: &[Mat34], used: &RowSet, now: u32, settled: bool) -> Result<(), String> {
        let len = worlds.len();
        if [self.previous.len(), self.moved.len(), self.set.len()] != [len; 3] {
            return Err(format!("there are histories of {} of {len} slots", self.previous.len()));
        }
        for slot in used.iter() {
            if self.moved[slot].max(self.set[slot]) > self.newest.min(now) {
                return Err(format!("slot {slot} changed after the newest frame"));
            }
            let rests = self.previous[slot].same_bits(&worlds[slot]);
            if settled && (self.fresh.contains(slot) || rests == self.moving.contains(slot)) {
                return Err(format!("the previous matrix of slot {slot} is another than is known"));
            }
        }
        if !self.listed && self.moving.iter().next().is_some() {
            return Err("a slot does not rest, and the slice is not listed".into());
        }
        Ok(())
    }
}
