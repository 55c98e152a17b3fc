//! One joint of sixteen characters, a vector for each number.

use crate::Transform;
use glam::{Quat, Vec3};

/// How many characters a block has: as many as an AVX-512 vector has floats, and two AVX2 vectors.
pub(crate) const CROWD_LANES: usize = 16;

/// The local transforms of one joint of sixteen characters: 640 bytes, a cache line for each of the ten numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct JointLanes {
    /// x, y, z.
    pub(crate) translation: [[f32; CROWD_LANES]; 3],
    /// x, y, z, w.
    pub(crate) rotation: [[f32; CROWD_LANES]; 4],
    /// x, y, z.
    pub(crate) scale: [[f32; CROWD_LANES]; 3],
}

impl JointLanes {
    /// Sixteen times the transform that changes nothing.
    pub(crate) const IDENTITY: Self = Self {
        translation: [[0.0; CROWD_LANES]; 3],
        rotation: [[0.0; CROWD_LANES], [0.0; CROWD_LANES], [0.0; CROWD_LANES], [1.0; CROWD_LANES]],
        scale: [[1.0; CROWD_LANES]; 3],
    };

    /// The transform in one lane.
    #[inline]
    pub(crate) fn get(&self, lane: usize) -> Transform {
        Transform {
            translation: Vec3::from_array(self.translation.map(|numbers| numbers[lane])),
            rotation: Quat::from_array(self.rotation.map(|numbers| numbers[lane])),
            scale: Vec3::from_array(self.scale.map(|numbers| numbers[lane])),
        }
    }

    /// Replaces the transform in one lane.
    #[inline]
    pub(crate) fn set(&mut self, lane: usize, transform: &Transform) {
        let put = |vectors: &mut [[f32; CROWD_LANES]], numbers: &[f32]| {
            vectors.iter_mut().zip(numbers).for_each(|(vector, &number)| vector[lane] = number);
        };
        put(&mut self.translation, &transform.translation.to_array());
        put(&mut self.rotation, &transform.rotation.to_array());
        put(&mut self.scale, &transform.scale.to_array());
    }
}
