//! The linear allocator of slots, for rows and for each column.

use crate::store::allocation::{HoleSet, WORD};

/// Hands out slot numbers: from a bump end, and from the holes before it.
///
/// Source: the thesis, section 4.4.3 (linear allocation; the last allocation is taken back if it is freed first). Holes
/// can be reused because all records of a column have the same size.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct LinearAllocator {
    /// One past the last slot in use. This is also the length of the column's arrays.
    end: u32,
    /// How far the end may move before the slice is reconstituted.
    capacity: u32,
    holes: HoleSet,
}

impl LinearAllocator {
    pub(in crate::store) fn with_capacity(capacity: u32) -> Self {
        Self { capacity, ..Self::default() }
    }

    /// The greatest possible number of slots.
    pub(in crate::store) const MAX_CAPACITY: u32 = 1 << 31;

    /// An allocator that has handed out all slots before `end` except the holes.
    pub(in crate::store) fn restored(end: u32, capacity: u32, holes: HoleSet) -> Self {
        debug_assert!(end <= capacity);
        Self { end, capacity, holes }
    }

    /// Sets how far the end may move.
    pub(in crate::store) fn set_capacity(&mut self, capacity: u32) {
        debug_assert!(capacity >= self.end);
        self.capacity = capacity;
    }

    #[inline]
    pub(in crate::store) fn end(&self) -> u32 {
        self.end
    }

    #[inline]
    pub(in crate::store) fn capacity(&self) -> u32 {
        self.capacity
    }

    #[inline]
    pub(in crate::store) fn live(&self) -> u32 {
        self.end - self.holes.count()
    }

    #[inline]
    pub(in crate::store) fn holes(&self) -> &HoleSet {
        &self.holes
    }

    #[inline]
    pub(in crate::store) fn is_live(&self, slot: u32) -> bool {
        slot < self.end && !self.holes.contains(slot)
    }

    /// The live slots in ascending order.
    pub(in crate::store) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.end).filter(|&slot| !self.holes.contains(slot))
    }

    /// Whether `count` slots fit, wherever the holes are.
    #[inline]
    pub(in crate::store) fn has_tail(&self, count: u32) -> bool {
        self.capacity - self.end >= count
    }

    /// Whether [`Self::allocate_near`] has a slot.
    #[inline]
    pub(in crate::store) fn has_any(&self) -> bool {
        self.end < self.capacity || self.holes.count() > 0
    }

    /// Whether [`Self::allocate_after`] has a slot.
    #[inline]
    pub(in crate::store) fn has_after(&self, slot: u32) -> bool {
        self.end < self.capacity || self.holes.next_from(slot + 1).is_some()
    }

    /// Allocates a hole near `hint`, else the slot at the end. For columns whose order matters for locality only.
    #[inline(always)]
    pub(in crate::store) fn allocate_near(&mut self, hint: u32) -> Option<u32> {
        if let Some(hole) = self.holes.take_near(hint) { Some(hole) } else { self.bump() }
    }

    /// Allocates a hole after `slot`, else the slot at the end. For columns in which parents precede their children.
    #[inline(always)]
    pub(in crate::store) fn allocate_after(&mut self, slot: u32) -> Option<u32> {
        if let Some(hole) = self.holes.take_after(slot) { Some(hole) } else { self.bump() }
    }

    /// The slot that [`Self::allocate_near`] will hand out, if holes are reused.
    #[inline]
    pub(in crate::store) fn foreseen_near(&self, hint: u32) -> u32 {
        let hole = self.holes.next_from(hint / WORD * WORD).or_else(|| self.holes.nearest(hint));
        hole.unwrap_or(self.end)
    }

    /// The slot that [`Self::allocate_after`] will hand out, if holes are reused.
    #[inline]
    pub(in crate::store) fn foreseen_after(&self, slot: u32) -> u32 {
        let hole = self.holes.next_from((slot / WORD + 1) * WORD).or_else(|| self.holes.next_from(slot + 1));
        hole.unwrap_or(self.end)
    }

    #[inline(always)]
    fn bump(&mut self) -> Option<u32> {
        (self.end < self.capacity).then(|| {
            self.end += 1;
            self.end - 1
        })
    }

    /// Frees a slot. If it is the last one, the end moves back over it and over the holes before it; then this returns
    /// `true`, and the caller must cut the arrays to [`Self::end`].
    #[inline(always)]
    pub(in crate::store) fn free(&mut self, slot: u32) -> bool {
        debug_assert!(self.is_live(slot));
        let last = slot + 1 >= self.end;
        if last {
            self.take_back(slot);
        } else {
            self.holes.insert(slot);
        }
        last
    }

    /// Frees a slot that is not the last one, if the set of holes has a word for it. Returns whether it did.
    #[inline(always)]
    pub(in crate::store) fn free_before_end(&mut self, slot: u32) -> bool {
        debug_assert!(self.is_live(slot));
        slot + 1 < self.end && self.holes.insert_within(slot, 1)
    }

    /// Frees a slot if `is` is 1, and returns whether the end moved back. Uses arithmetic instead of a branch: whether
    /// there is a slot is close to random, and a mispredicted branch would wait until the row has come from memory.
    #[inline(always)]
    pub(in crate::store) fn free_if(&mut self, slot: u32, is: u32) -> bool {
        let slot = slot & is.wrapping_neg();
        let last = slot + 1 >= self.end;
        if last {
            return is != 0 && self.free(slot);
        }
        self.holes.insert_if(slot, is);
        false
    }

    #[inline(always)]
    fn take_back(&mut self, slot: u32) {
        self.end = slot;
        if self.holes.count() > 0 {
            self.take_back_holes();
        }
    }

    /// Moves the end back over the holes before it.
    #[inline(never)]
    fn take_back_holes(&mut self) {
        while self.end > 0 && self.holes.contains(self.end - 1) {
            self.end -= 1;
            self.holes.remove(self.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_allocation_is_taken_back_with_the_holes_before_it() {
        let mut slots = LinearAllocator::with_capacity(8);
        let all: Vec<u32> = (0..6).map(|_| slots.allocate_near(0).unwrap()).collect();
        assert_eq!(all, [0, 1, 2, 3, 4, 5]);
        slots.free(3);
        slots.free(4);
        assert_eq!((slots.end(), slots.live()), (6, 4));
        slots.free(5);
        assert_eq!((slots.end(), slots.live(), slots.holes().count()), (3, 3, 0));
    }

    #[test]
    fn a_child_slot_comes_after_its_parent_even_where_nearer_holes_are_free() {
        let mut slots = LinearAllocator::with_capacity(8);
        for _ in 0..6 {
            slots.allocate_near(0);
        }
        slots.free(1);
        slots.free(4);
        assert_eq!(slots.allocate_after(2), Some(4), "the hole at 1 is before the parent");
        assert_eq!(slots.allocate_after(2), Some(6));
        assert_eq!(slots.allocate_near(2), Some(1));
    }

    #[test]
    fn the_slot_that_is_foreseen_is_the_one_that_is_handed_out() {
        let mut slots = LinearAllocator::with_capacity(1000);
        (0..640).for_each(|slot| assert_eq!(slots.allocate_near(0), Some(slot)));
        for hint in [0, 200, 639] {
            assert_eq!(slots.foreseen_near(hint), slots.clone().allocate_near(hint).unwrap());
            assert_eq!(slots.foreseen_after(hint), slots.clone().allocate_after(hint).unwrap());
        }
        [70, 130, 199, 330, 600].into_iter().for_each(|slot| assert!(!slots.free(slot)));
        for hint in 0..640 {
            assert_eq!(slots.foreseen_near(hint), slots.clone().allocate_near(hint).unwrap(), "near {hint}");
            assert_eq!(slots.foreseen_after(hint), slots.clone().allocate_after(hint).unwrap(), "after {hint}");
        }
    }
}
