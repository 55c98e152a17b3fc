//! The frame in which each slot of a column last changed.

use crate::fallible;
use crate::store::allocation::Bits;
use crate::store::columns::put;
use std::collections::TryReserveError;

/// How many slots a word of bits is about.
pub(super) const WORD: usize = 64;

/// A frame for each slot; 0 for none. Takes 4 bytes and a bit a slot.
///
/// The slots that changed in the newest frame are a bit set. The number of a frame is written only to slots that
/// changed in it and not in the next one that is noted: where all slots change in each, only bits are written.
#[derive(Clone, Debug)]
pub(in crate::store) struct Frames {
    /// What holds for slots that are not among the newest.
    earlier: Vec<u32>,
    newest: Bits,
    frame: u32,
}

impl Frames {
    pub(super) fn try_with_capacity(slots: usize) -> Result<Self, TryReserveError> {
        Ok(Self { earlier: fallible::with_capacity(slots)?, newest: Bits::default(), frame: 0 })
    }

    /// Makes room for so many slots, or returns an error where the allocator refuses.
    pub(super) fn try_reserve(&mut self, slots: u32) -> Result<(), TryReserveError> {
        fallible::reserve_for(&mut self.earlier, slots as usize)?;
        self.newest.try_reserve(slots)
    }

    /// The number of slots.
    pub(in crate::store) fn len(&self) -> usize {
        self.earlier.len()
    }

    /// The frame of a slot.
    #[inline]
    pub(in crate::store) fn get(&self, slot: u32) -> u32 {
        if self.newest.contains(slot) { self.frame } else { self.earlier[slot as usize] }
    }

    /// Sets the frame of a slot, which may be the next one behind the last.
    pub(in crate::store) fn put(&mut self, slot: u32, frame: u32) {
        put(&mut self.earlier, slot, frame);
        self.newest.remove(slot);
    }

    pub(super) fn truncate(&mut self, slots: usize) {
        self.earlier.truncate(slots);
    }

    /// Forgets all frames.
    pub(super) fn clear(&mut self) {
        self.earlier.fill(0);
        self.newest.clear();
        self.frame = 0;
    }

    /// Notes that slots changed in a frame that is not before the newest: those that `changed` returns for each word.
    pub(super) fn note(&mut self, frame: u32, mut changed: impl FnMut(usize) -> u64) {
        let Self { earlier, newest, frame: before } = self;
        let same = *before == frame;
        // Bits of slots that were freed are of no use.
        let slots = u32::try_from(earlier.len()).expect("slots are numbered in 31 bits");
        let words = newest.words_for(slots);
        for ((number, word), earlier) in words.iter_mut().enumerate().zip(earlier.chunks_mut(WORD)) {
            let now = changed(number) & (u64::MAX >> (WORD - earlier.len()));
            if same {
                *word |= now;
                continue;
            }
            let over = core::mem::replace(word, now) & !now & (u64::MAX >> (WORD - earlier.len()));
            each_bit(over, |bit| earlier[bit] = *before);
        }
        *before = frame;
    }

    /// Adds the slots with a later frame to a list, in ascending order.
    pub(super) fn list_after(&self, frame: u32, slots: &mut Vec<u32>) {
        let is_newest = self.frame > frame;
        for (number, earlier) in self.earlier.chunks(WORD).enumerate() {
            let newest = if is_newest { self.newest.word(number) } else { 0 };
            // Where few slots changed, most words have none of them.
            if newest == 0 && earlier.iter().fold(0, |latest, &at| at.max(latest)) <= frame {
                continue;
            }
            let first = u32::try_from(number * WORD).expect("slots are numbered in 31 bits");
            let later = |&(bit, &at): &(u32, &u32)| (newest >> bit & 1 != 0) | (at > frame);
            slots.extend((0..).zip(earlier).filter(later).map(|(bit, _)| first + bit));
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.earlier.capacity() * size_of::<u32>() + self.newest.bytes()
    }
}

/// Calls `each` with the number of each bit that is set.
pub(super) fn each_bit(mut bits: u64, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_has_the_last_frame_that_was_noted_of_it() {
        let mut dice = fastrand::Rng::with_seed(3);
        let (mut frames, mut model) = (Frames::try_with_capacity(0).unwrap(), Vec::<u32>::new());
        let mut frame = 1;
        for step in 0..4000 {
            match dice.u8(..6) {
                0 | 1 => {
                    let slot = dice.usize(..=model.len().min(300));
                    let frame = dice.u32(..=frame);
                    frames.put(u32::try_from(slot).unwrap(), frame);
                    if slot == model.len() { model.push(frame) } else { model[slot] = frame }
                }
                2 if step % 7 == 0 => {
                    model.truncate(dice.usize(..=model.len()));
                    frames.truncate(model.len());
                }
                _ => {
                    frame += u32::from(dice.u8(..4) > 0);
                    let share = dice.u8(..4);
                    let words: Vec<u64> = (0..8)
                        .map(|_| match share {
                            0 => u64::MAX,
                            1 => dice.u64(..) & dice.u64(..) & dice.u64(..),
                            _ => dice.u64(..),
                        })
                        .collect();
                    frames.note(frame, |word| words[word]);
                    for (slot, at) in
                        model.iter_mut().enumerate().filter(|(slot, _)| words[slot / 64] >> (slot % 64) & 1 != 0)
                    {
                        let _ = slot;
                        *at = frame;
                    }
                }
            }
            let slots = 0..u32::try_from(model.len()).unwrap();
            assert_eq!(frames.len(), model.len());
            assert!(slots.clone().all(|slot| frames.get(slot) == model[slot as usize]));
            let after = dice.u32(..=frame);
            let mut listed = Vec::new();
            frames.list_after(after, &mut listed);
            assert!(slots.filter(|&slot| model[slot as usize] > after).eq(listed));
        }
    }
}
