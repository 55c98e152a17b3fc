//! Another configuration for a store that has nodes already: what a scene is loaded with.

use crate::fallible::Boxed;
use crate::store::allocation::LinearAllocator;
use crate::store::{Capacity, Feed, Slice, Store};
use crate::{Aabb, SceneConfig};

impl Store {
    /// Takes over a checked configuration: makes or drops what it keeps, and cuts slices that are too large for it. What is
    /// small for it waits for maintenance; what waits to be freed is freed if slices have to be smaller. O(nodes).
    pub(crate) fn reconfigure(&mut self, config: SceneConfig) {
        let before = core::mem::replace(&mut self.config, config);
        if config.bounds != before.bounds {
            self.keep_boxes(config.bounds);
        }
        if config.changes != before.changes {
            self.keep_changes(config.changes);
        }
        if config.max_nodes < before.max_nodes {
            // Nobody divides what only waits to be freed, and no slice may be larger: a snapshot is checked for it.
            while self.free_next_pending().is_some() {}
            self.bound_slices();
        }
        for number in self.slice_numbers().collect::<Vec<u32>>() {
            self.list_for_maintenance(number);
        }
    }

    /// Gives every slice world boxes, which the next update computes, or none.
    fn keep_boxes(&mut self, keeps: bool) {
        for slice in self.slices.iter_mut().filter(|slice| slice.lives) {
            slice.boxes = None;
            if keeps {
                let boxes = slice.boxes.insert(Boxed::default());
                boxes.mark_all_stale(slice.shapes.slots.end());
                slice.children.iter().for_each(|_| boxes.children.push(Aabb::INFINITE));
            }
        }
        if keeps {
            for number in self.slice_numbers().collect::<Vec<u32>>() {
                self.tell_moved(number);
            }
        }
    }

    /// Begins to track changes, as in a scene that was just made, or stops. Readers are told to read everything.
    fn keep_changes(&mut self, keeps: bool) {
        self.frames += 1;
        self.feed = keeps.then(|| Boxed::new(Feed::since(self.frames)));
        let numbers: Vec<u32> = self.slice_numbers().collect();
        for slice in self.slices.iter_mut().filter(|slice| slice.lives) {
            slice.end_trace();
        }
        if keeps {
            crate::fallible::or_abort(self.note_all_new());
        }
        for number in numbers {
            if keeps {
                self.slice_mut(number).mark_everything();
                self.tell_moved(number);
            }
            // Lists of draws with matrices of the update before begin anew.
            self.tell_changed(number);
        }
    }

    /// Splits slices that have more rows than they may have now.
    fn bound_slices(&mut self) {
        let most = self.config.max_nodes;
        loop {
            let too_large = |&number: &u32| self.slice(number).row_slots.live() > most;
            let numbers: Vec<u32> = self.slice_numbers().filter(too_large).collect();
            if numbers.is_empty() {
                break;
            }
            for number in numbers {
                // An earlier split may have cut this one, too.
                if self.slice(number).lives && self.slice(number).row_slots.live() > most {
                    self.split(number);
                }
            }
        }
        let roomy = |slots: &LinearAllocator| slots.capacity() > most || slots.end() > most;
        for number in self.slice_numbers().collect::<Vec<u32>>() {
            if roomy(&self.slice(number).row_slots) {
                self.reconstitute(number, Capacity::Exact);
            }
        }
    }
}

impl Slice {
    /// Marks all derived values as out of date; the slices above do not know yet.
    pub(in crate::store) fn mark_everything(&mut self) {
        self.transforms.mark_all();
        self.visibilities.dirty = true;
        self.materials.dirty = true;
    }

    /// Stops tracking changes.
    pub(in crate::store) fn end_trace(&mut self) {
        self.transforms.trace = None;
        self.visibilities.trace = None;
    }
}
