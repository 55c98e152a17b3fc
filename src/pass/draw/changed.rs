//! Ranges of a list that changed.

use crate::pass::draw::Listing;
use core::ops::Range;

/// If fewer unchanged drawables than this lie between two ranges, the ranges are joined: a second copy costs more.
const GAP: usize = 32;

/// The number of drawables whose marks are tested together.
const WORD: usize = 8;

/// Ascending ranges, joined if less than `gap` lies between them.
#[derive(Clone, Debug)]
pub(crate) struct Joined {
    pub(crate) open: Option<Range<usize>>,
    gap: usize,
}

impl Joined {
    pub(crate) const fn new(gap: usize) -> Self {
        Self { open: None, gap }
    }

    /// Adds a range. Returns the range before, if that is complete.
    pub(crate) fn add(&mut self, next: Range<usize>) -> Option<Range<usize>> {
        match &mut self.open {
            Some(range) if next.start - range.end < self.gap => {
                range.end = next.end;
                None
            }
            open => open.replace(next),
        }
    }
}

/// The ranges of a listing that have one kind of change: a bit of [`mark`](super::mark).
#[derive(Clone, Debug)]
pub(crate) struct ChangedDraws<'l> {
    source: Source<'l>,
    bit: u8,
    at: usize,
    len: usize,
    joined: Joined,
}

#[derive(Clone, Copy, Debug)]
enum Source<'l> {
    /// Marks. Drawables past the end count as changed.
    Marks(&'l [u8]),
    /// A listing and the previous listing, to be compared.
    Listings(&'l Listing, &'l Listing),
}

impl<'l> ChangedDraws<'l> {
    /// Creates the ranges of `listing`. `before` is the previous listing, which is used if `listing.is_compared`.
    pub(crate) fn new(listing: &'l Listing, before: &'l Listing, bit: u8) -> Self {
        let len = listing.len();
        let source = if listing.is_compared {
            Source::Listings(listing, before)
        } else {
            // If a pass wrote to the list, nothing was marked.
            Source::Marks(if listing.marks.len() == len { &listing.marks } else { &[] })
        };
        Self { source, bit, at: 0, len, joined: Joined::new(GAP) }
    }

    /// Returns the first changed drawable from `at` on, or the end if there is none.
    fn next_changed(&self, mut at: usize) -> usize {
        while at < self.len {
            // Most marks are zero, so eight are tested at once.
            if let Source::Marks(marks) = self.source
                && at.is_multiple_of(WORD)
                && let Some(word) = marks.get(at..).and_then(<[u8]>::first_chunk::<WORD>)
                && u64::from_ne_bytes(*word) == 0
            {
                at += WORD;
                continue;
            }
            if self.is_changed(at) {
                return at;
            }
            at += 1;
        }
        self.len
    }

    fn is_changed(&self, at: usize) -> bool {
        let marks = match self.source {
            Source::Marks(marks) => marks.get(at).copied().unwrap_or(u8::MAX),
            Source::Listings(now, before) => now.marks_against(before, at),
        };
        marks & self.bit != 0
    }
}

impl Iterator for ChangedDraws<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let start = self.next_changed(self.at);
            if start >= self.len {
                self.at = self.len;
                return self.joined.open.take();
            }
            self.at = start + 1;
            let complete = self.joined.add(start..self.at);
            if complete.is_some() {
                return complete;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::draw::{DrawCommand, mark};
    use crate::store::MatrixSlot;
    use crate::{Mat34, NodeHandle};

    #[test]
    fn a_compared_listing_tells_what_differs_from_the_one_before() {
        let node = NodeHandle::from_bits(1).unwrap();
        let filled = |len: usize| {
            let mut listing = Listing::EMPTY;
            listing.commands.resize(len, DrawCommand::new(node, 1, None, false));
            listing.matrices.resize(len, Mat34::IDENTITY);
            listing.slots.resize(len, MatrixSlot::default());
            listing
        };
        let (before, mut now) = (filled(180), filled(200));
        now.is_compared = true;
        now.commands[3].mesh = 7;
        now.slots[10].slot = 9;
        now.matrices[90].rows[0][3] = 5.0;
        let ranges = |bit| ChangedDraws::new(&now, &before, bit).collect::<Vec<_>>();
        assert_eq!(ranges(mark::COMMAND), [3..11, 180..200]);
        assert_eq!(ranges(mark::MATRIX), [90..91, 180..200]);
        assert!(now.differs_from(&before) && !filled(9).differs_from(&filled(9)));
    }

    #[test]
    fn ranges_cover_what_is_marked_and_gaps_that_are_short() {
        let mut dice = fastrand::Rng::with_seed(3);
        let none = Listing::EMPTY;
        for len in [0, 1, 7, 64, 65, 1000] {
            for share in [1, 20, 200] {
                let mut listing = Listing::EMPTY;
                let node = NodeHandle::from_bits(1).unwrap();
                listing.commands.resize(len, DrawCommand::new(node, 1, None, false));
                listing.slots.resize(len, MatrixSlot::default());
                listing.marks = (0..len).map(|_| if dice.u32(..share) == 0 { dice.u8(..4) } else { 0 }).collect();
                for bit in [mark::COMMAND, mark::MATRIX] {
                    let marked: Vec<usize> = (0..len).filter(|&at| listing.marks[at] & bit != 0).collect();
                    let mut expected: Vec<Range<usize>> = Vec::new();
                    for &at in &marked {
                        match expected.last_mut() {
                            Some(last) if at - last.end < GAP => last.end = at + 1,
                            _ => expected.push(at..at + 1),
                        }
                    }
                    assert_eq!(ChangedDraws::new(&listing, &none, bit).collect::<Vec<_>>(), expected);
                }
                listing.marks.truncate(len / 2);
                let all = ChangedDraws::new(&listing, &none, mark::COMMAND);
                assert!(all.eq((len > 0).then_some(0..len)), "unknown marks count as changes");
            }
        }
    }
}
