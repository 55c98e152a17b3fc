//! Eight joints' local transforms, a vector for each number.

use crate::Transform;
use glam::{Quat, Vec3};

/// How many joints a block has.
pub(crate) const POSE_LANES: usize = 8;

/// The local transforms of eight joints, joint `8 b + l` in lane `l` of block `b`: 320 bytes, five cache lines.
///
/// Each of the ten numbers is a vector of eight floats, loaded at once. Lanes beyond the last joint hold the identity.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct PoseBlock {
    /// x, y, z.
    pub(crate) translation: [[f32; POSE_LANES]; 3],
    /// x, y, z, w.
    pub(crate) rotation: [[f32; POSE_LANES]; 4],
    /// x, y, z.
    pub(crate) scale: [[f32; POSE_LANES]; 3],
}

impl PoseBlock {
    /// Eight times the transform that changes nothing.
    pub(crate) const IDENTITY: Self = Self {
        translation: [[0.0; POSE_LANES]; 3],
        rotation: [[0.0; POSE_LANES], [0.0; POSE_LANES], [0.0; POSE_LANES], [1.0; POSE_LANES]],
        scale: [[1.0; POSE_LANES]; 3],
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
        let put = |vectors: &mut [[f32; POSE_LANES]], numbers: &[f32]| {
            vectors.iter_mut().zip(numbers).for_each(|(vector, &number)| vector[lane] = number);
        };
        put(&mut self.translation, &transform.translation.to_array());
        put(&mut self.rotation, &transform.rotation.to_array());
        put(&mut self.scale, &transform.scale.to_array());
    }
}
