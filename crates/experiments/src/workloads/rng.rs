//! A small random number generator whose sequences never change, so that every run measures the same trees.

use hedgerow::Transform;
use hedgerow::glam::{Quat, Vec3};

/// `SplitMix64`. Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// Starts the sequence of this seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) const fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    pub(crate) const fn below(&mut self, end: u32) -> u32 {
        ((self.word() as u64 * end as u64) >> 32) as u32
    }

    /// Moves `count` random items, or all if there are fewer, to the front of the list, in random order.
    pub(crate) fn choose(&mut self, list: &mut [u32], count: usize) {
        let length = u32::try_from(list.len()).expect("lists hold recipe ids");
        for (place, left) in (0..count).zip((1..=length).rev()) {
            list.swap(place, place + self.below(left) as usize);
        }
    }

    /// Returns a number from -1 to 1.
    pub(crate) const fn signed(&mut self) -> f32 {
        (self.next() >> 40) as f32 * (2.0 / 16_777_216.0) - 1.0
    }

    /// Returns a transform within ten units, with any rotation, and a scale within 10 % of 1; one in sixteen mirrors.
    #[expect(clippy::cast_possible_truncation, reason = "rounding to single precision")]
    pub(crate) fn transform(&mut self) -> Transform {
        let [x, y, z, w] = core::array::from_fn(|_| f64::from(self.signed()));
        let length = (x * x + y * y + z * z + w * w).sqrt().max(1e-3);
        let unit = [x, y, z, w].map(|part| (part / length) as f32);
        let mut scale = core::array::from_fn(|_| 1.0 + 0.1 * self.signed());
        if self.below(16) == 0 {
            scale[0] = -scale[0];
        }
        Transform {
            translation: Vec3::from_array(core::array::from_fn(|_| 10.0 * self.signed())),
            rotation: Quat::from_array(unit),
            scale: Vec3::from_array(scale),
        }
    }
}
