//! Updates all derived values: goes down the tree of slices, marked ones only.

use crate::Mat34;
use crate::store::{At, Slice, Store};
use hedgerow_math::internal::{Upcoming, prefetch, prefetch_whole};

/// The numbers that an update gives to slices that it changed.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Stamp {
    /// For slices whose transforms it swept.
    update: u64,
    /// For slices in which it changed more than transforms.
    version: u64,
    /// The frame that it tells of.
    frame: u64,
    /// The same for slots.
    slot_frame: u32,
}

impl Store {
    /// The stamp of the present update.
    pub(in crate::store) fn stamp(&self) -> Stamp {
        let slot_frame = self.feed.as_ref().map_or(0, |feed| feed.slot_frame(self.frames));
        Stamp { update: self.updates, version: self.versions, frame: self.frames, slot_frame }
    }

    /// Counts a frame if the update has anything to tell, and lists what edits noted of slices. Returns whether it has.
    fn begin_frame(&mut self, computes: bool) -> bool {
        let tells = computes || self.layouts.is_waiting() || self.feed.as_ref().is_some_and(|feed| feed.is_waiting());
        self.frames += u64::from(tells);
        if tells {
            self.rebase_history();
            self.begin_layouts();
        }
        tells
    }

    /// Goes down the marked slices and what inherits from them. Computes what is out of date in each.
    pub(crate) fn update(&mut self) {
        let mut pending = core::mem::take(&mut self.descent);
        self.take_marked_roots(&mut pending);
        if self.slice_mut(At::ROOT.slice).take_mark() {
            pending.push(At::ROOT.slice);
        }
        self.updates += u64::from(!pending.is_empty());
        self.versions += u64::from(!pending.is_empty());
        let tells = self.begin_frame(!pending.is_empty());
        if !tells && self.feed.is_none() {
            self.descent = pending;
            return;
        }
        let stamp = self.stamp();
        #[cfg(feature = "rayon")]
        let mut rows = self.rows_of(&pending);
        while let Some(number) = pending.pop() {
            // The sweep of this slice prefetches what the next one holds, and reads its record for that.
            if let [.., later, _] = pending[..] {
                self.slices.prefetch(later);
            }
            let reached = self.bring_up_to_date(number, pending.last().copied(), stamp);
            #[cfg(feature = "rayon")]
            let waiting = pending.len();
            self.hand_down(number, reached, &mut pending);
            self.swept.push(number);
            #[cfg(feature = "rayon")]
            {
                rows = rows + self.rows_of(&pending[waiting..]) - self.rows_of(&[number]);
                if pending.len() > waiting {
                    self.share_out(&mut pending, &mut rows);
                }
            }
        }
        self.descent = pending;
        self.tell_changes(tells);
        self.spread_boxes();
    }

    /// Reports what changed in the slices that the update visited, sorted by number, since threads visit them in any
    /// order. `tells` says whether the update is a frame of its own.
    fn tell_changes(&mut self, tells: bool) {
        let mut visited = core::mem::take(&mut self.swept);
        let mut sorted = core::mem::take(&mut self.sorted);
        let in_order = if visited.is_sorted() {
            &visited
        } else {
            sorted.clone_from(&visited);
            sorted.sort_unstable();
            &sorted
        };
        let mut feed = self.feed.take();
        if let Some(feed) = &mut feed {
            feed.begin();
        }
        for &number in in_order {
            let slice = &mut self.slices[number as usize];
            let swept = slice.swept_in == self.updates;
            if swept || feed.as_ref().is_some_and(|feed| slice.masks_changed_in(feed.slot_frame(self.frames))) {
                self.layouts.list(self.frames, number, slice);
            }
            if let Some(feed) = &mut feed
                && swept
            {
                feed.uncommitted.add(number);
            }
        }
        if let Some(feed) = &mut feed {
            feed.finish(self, tells);
        }
        self.feed = feed;
        self.swept = core::mem::take(&mut visited);
        self.sorted = sorted;
    }

    /// Computes what is out of date in a slice. `next` comes after it, unless it has slices below that wait. Returns
    /// whether anything changed that these inherit.
    fn bring_up_to_date(&mut self, number: u32, next: Option<u32>, stamp: Stamp) -> bool {
        let pair = next.and_then(|next| self.slices.get_disjoint_mut([number as usize, next as usize]));
        match pair {
            Some([slice, next]) => slice.bring_up_to_date(stamp, next.transforms.upcoming()),
            None => self.slices[number as usize].bring_up_to_date(stamp, Upcoming::default()),
        }
    }

    /// Passes on to the slices below what they inherit, and lists those that have work to do.
    fn hand_down(&mut self, number: u32, reached: bool, pending: &mut Vec<u32>) {
        let slice = &mut self.slices[number as usize];
        let mut marked = core::mem::take(&mut slice.marked_children);
        let children = core::mem::take(&mut slice.children);
        let candidates = if reached { &children } else { &marked };
        for (at, &child) in candidates.iter().enumerate().rev() {
            // A record some steps ahead, and of one that should have come what it refers to. The list may name slices
            // that are gone.
            if let [later, _, near, _] = candidates[at.saturating_sub(4)..at] {
                self.slices.prefetch(later);
                if let Some(near) = self.slices.get(near as usize) {
                    near.prefetch_bases();
                }
            }
            let pair = self.slices.get_disjoint_mut([number as usize, child as usize]);
            if let Some([slice, below]) = pair
                && (reached || below.is_marked_below(number))
                && below.join_update(slice)
            {
                pending.push(child);
            }
        }
        marked.clear();
        let slice = &mut self.slices[number as usize];
        slice.children = children;
        slice.marked_children = marked;
    }
}

impl Slice {
    /// Takes over what the slice inherits, and clears its mark. Returns whether it has work to do.
    pub(in crate::store) fn join_update(&mut self, above: &Self) -> bool {
        let inherits = self.inherit_from(above);
        self.take_mark() | inherits
    }

    /// Computes what is out of date in the slice. Returns whether anything changed that slices below inherit.
    pub(in crate::store) fn bring_up_to_date(&mut self, stamp: Stamp, upcoming: Upcoming<'_>) -> bool {
        self.read = true;
        let swept = self.transforms.sweep(stamp.slot_frame, upcoming);
        if swept.is_some() {
            self.swept_in = stamp.update;
            self.swept_frame = stamp.frame;
        }
        let changed = core::mem::take(&mut self.materials.dirty) | self.visibilities.sweep(stamp.slot_frame);
        if changed {
            self.version = stamp.version;
        }
        self.refresh_boxes(stamp.update);
        changed | (swept == Some(true))
    }

    /// Prefetches what [`Self::take_over`] compares and sets.
    fn prefetch_bases(&self) {
        prefetch_whole(&self.transforms.worlds, 0);
        prefetch(&self.visibilities.effective, 0);
        prefetch(&self.materials.values, 0);
    }

    /// Sets the bases. Returns whether any base changed.
    pub(in crate::store) fn take_over(&mut self, world: &Mat34, mask: u32, material: Option<u32>) -> bool {
        let mut changed = false;
        if self.transforms.worlds[0].to_bits() != world.to_bits() {
            self.transforms.commit_previous_base();
            self.transforms.worlds[0] = *world;
            self.transforms.mark_all();
            changed = true;
        }
        if self.visibilities.effective[0] != mask {
            self.visibilities.effective[0] = mask;
            self.visibilities.dirty = true;
            changed = true;
        }
        if self.materials.values[0] != material {
            self.materials.values[0] = material;
            self.materials.dirty = true;
            changed = true;
        }
        changed
    }
}
