//! Local transforms in lanes, with a vector for each number.

use crate::Transform;
use bytemuck::{Pod, Zeroable};
use glam::{Quat, Vec3};

/// The number of joints in a block of a pose.
pub(crate) const POSE_LANES: usize = 8;

type Vector = [f32; POSE_LANES];

/// The local transforms of eight joints, with joint `8 b + l` in lane `l` of block `b`. Takes five cache lines. Lanes
/// past the last joint hold the identity.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct PoseBlock {
    /// x, y, z.
    pub(crate) translation: [Vector; 3],
    /// x, y, z, w.
    pub(crate) rotation: [Vector; 4],
    /// x, y, z.
    pub(crate) scale: [Vector; 3],
}

impl PoseBlock {
    /// The identity transform in each lane.
    pub(crate) const IDENTITY: Self = Self {
        translation: [[0.0; POSE_LANES]; 3],
        rotation: [[0.0; POSE_LANES], [0.0; POSE_LANES], [0.0; POSE_LANES], [1.0; POSE_LANES]],
        scale: [[1.0; POSE_LANES]; 3],
    };

    /// Returns the transform in one lane.
    #[inline]
    pub(crate) fn get(&self, lane: usize) -> Transform {
        // Not by `map`, which first copies all lanes.
        let ([x, y, z], [i, j, k, w], [a, b, c]) = (&self.translation, &self.rotation, &self.scale);
        Transform {
            translation: Vec3::new(x[lane], y[lane], z[lane]),
            rotation: Quat::from_xyzw(i[lane], j[lane], k[lane], w[lane]),
            scale: Vec3::new(a[lane], b[lane], c[lane]),
        }
    }

    /// Replaces the transform in one lane.
    #[inline]
    pub(crate) fn set(&mut self, lane: usize, transform: &Transform) {
        let put = |vectors: &mut [Vector], numbers: &[f32]| {
            vectors.iter_mut().zip(numbers).for_each(|(vector, &number)| vector[lane] = number);
        };
        put(&mut self.translation, &transform.translation.to_array());
        put(&mut self.rotation, &transform.rotation.to_array());
        put(&mut self.scale, &transform.scale.to_array());
    }
}
