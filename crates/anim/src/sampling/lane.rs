//! Single lanes: the two current keys of a track, read from a block or followed through a stream.

use super::lanes::{Active, LANES, NUMBERS, Word};
use crate::clip::format::Ranges;
use glam::{Quat, Vec4};

/// The keys of one track before and after the current time: the time and the numbers x, y, z of each key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneKeys<W: Word> {
    from: W::Key,
    to: W::Key,
}

impl<W: Word> Active<W> {
    #[inline]
    pub(crate) fn lane(&self, lane: usize) -> LaneKeys<W> {
        let [t, x, y, z] = &self.pairs;
        let key = |key: usize| W::pack([t[key][lane], x[key][lane], y[key][lane], z[key][lane]]);
        LaneKeys { from: key(0), to: key(1) }
    }
}

impl<W: Word> LaneKeys<W> {
    /// Returns the keys of one lane of a block, given the block's bytes in a jump frame.
    ///
    /// # Panics
    /// Panics if there are fewer bytes.
    #[inline]
    pub(crate) fn of_frame(block: &[u8], lane: usize) -> Self {
        let block = &block[..Active::<W>::BYTES];
        let lane = lane % LANES;
        let word = |vector: usize| W::read(&block[(vector * LANES + lane) * W::BYTES..]);
        Self { from: W::pack([word(0), word(2), word(4), word(6)]), to: W::pack([word(1), word(3), word(5), word(7)]) }
    }

    /// Returns the time of the earlier key, at which the later key was fetched.
    #[inline]
    pub(crate) fn earlier(&self) -> f32 {
        W::unpack(self.from)[0].time()
    }

    /// Returns the time of the later key, at which the next key is needed.
    #[inline]
    pub(crate) fn later(&self) -> f32 {
        W::unpack(self.to)[0].time()
    }

    /// Fetches a key, or takes it back if not `FORWARD`. `bits` is the XOR with the key two places earlier.
    #[inline]
    pub(crate) fn turn<const FORWARD: bool>(&mut self, bits: W::Key) {
        let Self { from, to } = *self;
        *self = if FORWARD { Self { from: to, to: from ^ bits } } else { Self { from: to ^ bits, to: from } };
    }

    /// Returns the share of the later key, from 0 to 1.
    #[inline]
    pub(crate) fn share(&self, time: f32, step: bool) -> f32 {
        let (from, to) = (self.earlier(), self.later());
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
        [W::unpack(self.from)[1 + number].number(), W::unpack(self.to)[1 + number].number()]
    }

    /// Interpolates one number, before the range is applied.
    #[inline]
    pub(crate) fn number(&self, number: usize, share: f32) -> f32 {
        let [from, to] = self.numbers(number);
        (1.0 - share) * from + share * to
    }

    #[inline]
    pub(crate) fn rotation(&self, share: f32) -> Quat {
        let (from, to) = (quaternion(W::unpack(self.from)), quaternion(W::unpack(self.to)));
        let toward = if sum(from * to).is_sign_negative() { -share } else { share };
        let between = (1.0 - share) * from + toward * to;
        Quat::from_vec4(between * (1.0 / sum(between * between).sqrt()))
    }
}

/// Computes [`rotation`](super::rotation) of a key as a vector.
#[inline]
fn quaternion<W: Word>([_, x, y, z]: [W; 1 + NUMBERS]) -> Vec4 {
    let unit = Vec4::new(W::PARAMETER, W::PARAMETER, W::PARAMETER, 1.0);
    let with_one = Vec4::new(x.number(), y.number(), z.number(), 1.0) * unit;
    let squares = with_one * with_one;
    let twice = 2.0 / (1.0 + (squares.x + squares.y + squares.z));
    // Subtracting zero changes no number, not even the sign of a zero.
    with_one * twice - Vec4::W
}

/// Adds the four numbers from first to last, because the order of glam's sum depends on the machine.
#[inline]
fn sum(numbers: Vec4) -> f32 {
    numbers.x + numbers.y + numbers.z + numbers.w
}

/// Applies a lane's range to a number.
#[inline]
pub(crate) fn in_range(ranges: &Ranges, index: usize, lane: usize, number: f32) -> f32 {
    let float = |index: usize| f32::from_bits(u32::read(&ranges[4 * index..]));
    float(index * LANES + lane) + float((NUMBERS + index) * LANES + lane) * number
}
