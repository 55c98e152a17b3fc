//! Ranges of a list that changed.

use crate::pass::draw::Listing;
use core::ops::Range;

/// Ranges with fewer unchanged shapes than this between them are joined: another copy costs more than these bytes.
const GAP: usize = 32;

/// Shapes that are looked at together.
const WORD: usize = 8;

/// The ranges of a listing whose marks have a bit.
#[derive(Clone, Debug)]
pub(crate) struct ChangedDraws<'l> {
    /// Nothing is known of shapes past the end.
    marks: &'l [u8],
    bit: u8,
    at: usize,
    len: usize,
}

impl<'l> ChangedDraws<'l> {
    pub(crate) fn new(listing: &'l Listing, bit: u8) -> Self {
        let len = listing.len();
        // A pass that wrote to the list has not marked anything.
        let marks = if listing.marks.len() == len { &*listing.marks } else { &[] };
        Self { marks, bit, at: 0, len }
    }

    /// The next marked shape from `at` on; the end if there is none.
    fn next_marked(&self, mut at: usize) -> usize {
        while at < self.marks.len() {
            if at.is_multiple_of(WORD)
                && let Some(word) = self.marks[at..].first_chunk::<WORD>()
                && u64::from_ne_bytes(*word) == 0
            {
                at += WORD;
                continue;
            }
            if self.marks[at] & self.bit != 0 {
                return at;
            }
            at += 1;
        }
        at.min(self.len)
    }

    fn is_marked(&self, at: usize) -> bool {
        self.marks.get(at).is_none_or(|marks| marks & self.bit != 0)
    }
}

impl Iterator for ChangedDraws<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.next_marked(self.at);
        if start >= self.len {
            self.at = self.len;
            return None;
        }
        let mut end = start;
        loop {
            while end < self.len && self.is_marked(end) {
                end += 1;
            }
            let next = self.next_marked(end);
            if next >= self.len || next - end >= GAP {
                self.at = next;
                return Some(start..end);
            }
            end = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeHandle;
    use crate::pass::draw::{DrawCommand, mark};
    use crate::store::MatrixSlot;

    #[test]
    fn ranges_cover_what_is_marked_and_gaps_that_are_short() {
        let mut dice = fastrand::Rng::with_seed(3);
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
                    assert_eq!(ChangedDraws::new(&listing, bit).collect::<Vec<_>>(), expected);
                }
                listing.marks.truncate(len / 2);
                let all = ChangedDraws::new(&listing, mark::COMMAND);
                assert!(all.eq((len > 0).then_some(0..len)), "unknown marks count as changes");
            }
        }
    }
}
