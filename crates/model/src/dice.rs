//! Random numbers seeded by the head of an input.

use fastrand::Rng;
use hedgerow_math::Transform;
use hedgerow_math::glam::{Quat, Vec3, Vec4};

pub struct Dice(Rng);

impl Dice {
    /// Creates a source seeded by the first eight bytes.
    pub fn new(head: &[u8]) -> Self {
        Self::with_seed(head.iter().take(8).fold(0, |seed, &byte| seed << 8 | u64::from(byte)))
    }

    pub fn with_seed(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        self.0.u32(..end)
    }

    /// Returns an index below `end`.
    pub fn index(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    /// Returns a number from -1 to 1.
    pub fn number(&mut self) -> f32 {
        self.0.f32() * 2.0 - 1.0
    }

    /// Returns a number from 0 to 1.
    pub fn share(&mut self) -> f32 {
        self.0.f32()
    }

    /// Returns true with a probability of 1 in `turns`.
    pub fn one_of(&mut self, turns: u32) -> bool {
        self.below(turns) == 0
    }

    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    pub fn rotation(&mut self) -> Quat {
        let direction = Vec4::new(self.number(), self.number(), self.number(), self.number());
        Quat::from_vec4(direction.try_normalize().unwrap_or(Vec4::W))
    }

    /// Returns a transform with a scale near 1.
    pub fn transform(&mut self) -> Transform {
        let scale = Vec3::ONE + 0.3 * self.vector();
        Transform { translation: self.vector(), rotation: self.rotation(), scale }
    }
}
