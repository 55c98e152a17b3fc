//! An allocator of places in a buffer.

use core::ops::Range;

/// Places in use and free places. Free ranges before the end are listed in ascending order, and joined if they touch;
/// the first range that is long enough is taken.
#[derive(Clone, Debug, Default)]
pub(super) struct Arena {
    free: Vec<Range<u32>>,
    /// One past the last place in use.
    end: u32,
    used: u32,
}

impl Arena {
    pub(super) const EMPTY: Self = Self { free: Vec::new(), end: 0, used: 0 };

    /// Returns one past the last place in use.
    pub(super) const fn end(&self) -> u32 {
        self.end
    }

    /// Returns the number of places in use.
    pub(super) const fn used(&self) -> u32 {
        self.used
    }

    /// Returns whether a place is not in use. Runs in **O(log free ranges)**.
    pub(super) fn is_free(&self, at: u32) -> bool {
        let next = self.free.partition_point(|range| range.end <= at);
        at >= self.end || self.free.get(next).is_some_and(|range| range.start <= at)
    }

    /// Releases everything.
    pub(super) fn clear(&mut self) {
        self.free.clear();
        (self.end, self.used) = (0, 0);
    }

    /// Takes `len` places in a row, and returns the first. Runs in **O(free ranges)**.
    pub(super) fn take(&mut self, len: u32) -> u32 {
        self.used += len;
        // First fit: slices are few, and the lowest range keeps the buffer short.
        if let Some(at) = self.free.iter().position(|range| range.end - range.start >= len) {
            let range = &mut self.free[at];
            let start = range.start;
            range.start += len;
            if range.start == range.end {
                self.free.remove(at);
            }
            return start;
        }
        let start = self.end;
        self.end = start.checked_add(len).expect("a buffer of less than 2^32 matrices");
        start
    }

    /// Releases `len` places in a row. Runs in **O(free ranges)**.
    pub(super) fn release(&mut self, start: u32, len: u32) {
        self.used -= len;
        let end = start + len;
        let at = self.free.partition_point(|range| range.start < start);
        let joins_before = at > 0 && self.free[at - 1].end == start;
        let joins_behind = self.free.get(at).is_some_and(|range| range.start == end);
        match (joins_before, joins_behind) {
            (true, true) => self.free[at - 1].end = self.free.remove(at).end,
            (true, false) => self.free[at - 1].end = end,
            (false, true) => self.free[at].start = start,
            (false, false) => self.free.insert(at, start..end),
        }
        // A free range at the end shortens the buffer instead.
        if let Some(last) = self.free.last()
            && last.end == self.end
        {
            self.end = last.start;
            self.free.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_never_overlap_and_all_come_back() {
        let mut dice = fastrand::Rng::with_seed(9);
        let (mut arena, mut taken) = (Arena::EMPTY, Vec::<Range<u32>>::new());
        for _ in 0..5000 {
            if taken.is_empty() || dice.u32(..5) < 3 && taken.len() < 200 {
                let len = 1 + dice.u32(..70);
                let start = arena.take(len);
                taken.push(start..start + len);
            } else {
                let range = taken.swap_remove(dice.usize(..taken.len()));
                arena.release(range.start, range.end - range.start);
            }
            let mut all: Vec<_> = taken.iter().chain(&arena.free).cloned().collect();
            all.sort_by_key(|range| range.start);
            assert!(all.windows(2).all(|pair| pair[0].end == pair[1].start), "neither gaps nor overlaps");
            assert_eq!(all.last().map_or(0, |last| last.end), arena.end());
            assert!(arena.free.windows(2).all(|pair| pair[0].end < pair[1].start), "free ranges are joined");
            assert_eq!(arena.used(), taken.iter().map(|range| range.end - range.start).sum::<u32>());
        }
        taken.drain(..).for_each(|range| arena.release(range.start, range.end - range.start));
        assert_eq!((arena.end(), arena.used(), arena.free.len()), (0, 0, 0));
    }
}
