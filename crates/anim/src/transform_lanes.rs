//! Several local transforms in lanes, with a vector for each number.

use crate::Transform;
use glam::{Quat, Vec3};

/// How many joints are in a block of a pose.
pub(crate) const POSE_LANES: usize = 8;

/// How many characters are in a block of a crowd: the number of floats in an AVX-512 vector, or in two AVX2 vectors.
pub(crate) const CROWD_LANES: usize = 16;

/// The local transforms of eight joints, with joint `8 b + l` in lane `l` of block `b`: 320 bytes, five cache lines.
/// Lanes past the last joint have the identity.
pub(crate) type PoseBlock = TransformLanes<POSE_LANES>;

/// The local transforms of one joint of sixteen characters: 640 bytes, a cache line for each of the ten numbers.
pub(crate) type JointLanes = TransformLanes<CROWD_LANES>;

/// Local transforms, one in each lane: each of the ten numbers is a vector, loaded at once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct TransformLanes<const N: usize> {
    /// x, y, z.
    pub(crate) translation: [[f32; N]; 3],
    /// x, y, z, w.
    pub(crate) rotation: [[f32; N]; 4],
    /// x, y, z.
    pub(crate) scale: [[f32; N]; 3],
}

impl<const N: usize> TransformLanes<N> {
    /// The identity in each lane.
    pub(crate) const IDENTITY: Self =
        Self { translation: [[0.0; N]; 3], rotation: [[0.0; N], [0.0; N], [0.0; N], [1.0; N]], scale: [[1.0; N]; 3] };

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
        let put = |vectors: &mut [[f32; N]], numbers: &[f32]| {
            vectors.iter_mut().zip(numbers).for_each(|(vector, &number)| vector[lane] = number);
        };
        put(&mut self.translation, &transform.translation.to_array());
        put(&mut self.rotation, &transform.rotation.to_array());
        put(&mut self.scale, &transform.scale.to_array());
    }
}
