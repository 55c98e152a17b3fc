//! Single lanes: the two current keys of a track.

use super::lanes::{Active, LANES, NUMBERS, Word};
use crate::clip::format::Ranges;

/// The keys of one track before and after the current time: the time and the numbers x, y, z of each key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneKeys<W>([[W; 2]; 1 + NUMBERS]);

impl<W: Word> Active<W> {
    #[inline]
    pub(crate) fn lane(&self, lane: usize) -> LaneKeys<W> {
        LaneKeys(self.pairs.map(|pair| pair.map(|words| words[lane])))
    }
}

impl<W: Word> LaneKeys<W> {
    /// Returns the times of the earlier key and of the later key.
    #[inline]
    pub(crate) fn times(&self) -> [f32; 2] {
        self.0[0].map(W::time)
    }

    /// Returns the share of the later key, from 0 to 1.
    #[inline]
    pub(crate) fn share(&self, time: f32, step: bool) -> f32 {
        let [from, to] = self.times();
        if step {
            return if to <= time { 1.0 } else { 0.0 };
        }
        let share = (time - from) / (to - from);
        let share = if share > 0.0 { share } else { 0.0 };
        if share < 1.0 { share } else { 1.0 }
    }

    /// Returns one number of the earlier key and of the later key, before the range is applied.
    #[inline]
    pub(crate) fn numbers(&self, number: usize) -> [f32; 2] {
        self.0[1 + number].map(W::number)
    }

    /// Interpolates one number, before the range is applied.
    #[inline]
    pub(crate) fn number(&self, number: usize, share: f32) -> f32 {
        let [from, to] = self.numbers(number);
        (1.0 - share) * from + share * to
    }
}

/// Applies a lane's range to a number.
#[inline]
pub(crate) fn in_range(ranges: &Ranges, index: usize, lane: usize, number: f32) -> f32 {
    let float = |index: usize| f32::from_bits(u32::read(&ranges[4 * index..]));
    float(index * LANES + lane) + float((NUMBERS + index) * LANES + lane) * number
}
