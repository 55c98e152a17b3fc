//! Blending of poses: sums, fades and differences, optionally weighted by joint.
//!
//! Weights are at most [`MAX_WEIGHT`], so no result overflows if all numbers of the poses are at most 10¹⁵.

pub(crate) mod kernels;
mod mask;

pub use mask::JointMask;

use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use crate::{Error, Pose, skeleton::SkeletonError};
use kernels::Weights;
use mask::checked;

/// The greatest weight for [`PoseSum::add`] and [`Pose::add`]. For a crossfade or a [`JointMask`], the limit is 1.
pub const MAX_WEIGHT: f32 = 1e6;

/// Accumulates a weighted sum of poses.
///
/// Translations and scales are averaged. Rotations are flipped to the same hemisphere, added and normalised. Weights
/// need not add up to one, because each joint's sum is divided by the total of the joint's weights. Reuse a sum every
/// frame to avoid allocations.
///
/// ```
/// use hedgerow_anim::{Pose, Transform, blend::{MAX_WEIGHT, PoseSum}};
///
/// let (mut walk, mut run, rest) = (Pose::new(1), Pose::new(1), Pose::new(1));
/// walk.set(0, Transform::from_xyz(1.0, 0.0, 0.0));
/// run.set(0, Transform::from_xyz(5.0, 0.0, 0.0));
/// let (mut sum, mut pose) = (PoseSum::new(1), Pose::new(1));
/// sum.add(&walk, 0.75, None)?;
/// sum.add(&run, 0.25, None)?;
/// assert!(sum.add(&run, 2.0 * MAX_WEIGHT, None).is_err());
/// sum.finish(&rest, &mut pose)?;
/// assert_eq!(pose.get(0).translation.x, 2.0);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PoseSum {
    sum: Vec<PoseBlock>,
    totals: Vec<Weights>,
    joints: usize,
    /// Whether nothing was added yet. If true, the other fields are invalid.
    empty: bool,
}

impl PoseSum {
    /// Creates an empty sum, for poses of this many joints.
    #[must_use]
    pub fn new(joints: usize) -> Self {
        let blocks = joints.div_ceil(LANES);
        Self { sum: vec![PoseBlock::IDENTITY; blocks], totals: vec![[0.0; LANES]; blocks], joints, empty: true }
    }

    /// Adds a pose times a weight. If there is a mask, its joint weights multiply the weight.
    ///
    /// Runs in **O(joints)** and processes eight joints at a time.
    ///
    /// # Errors
    /// [`SkeletonError::BadWeight`] unless the weight is from 0 to [`MAX_WEIGHT`]; [`SkeletonError::JointCount`] if the
    /// pose or the mask has the wrong number of joints.
    pub fn add(&mut self, pose: &Pose, weight: f32, mask: Option<&JointMask>) -> Result<(), Error> {
        let weight = checked(weight, MAX_WEIGHT)?;
        expect(self.joints, [Some(pose.len()), mask.map(JointMask::len)])?;
        let put = if core::mem::take(&mut self.empty) { kernels::begin } else { kernels::accumulate };
        put(&mut self.sum, &mut self.totals, pose.blocks(), weight, mask.map(JointMask::weights));
        Ok(())
    }

    /// Writes the result to `out`, and starts an empty sum. A joint whose weights add up to less than
    /// [`f32::MIN_POSITIVE`] gets its transform from `base`, for example the rest pose.
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`] if `base` or `out` has the wrong number of joints; the sum is then unchanged.
    pub fn finish(&mut self, base: &Pose, out: &mut Pose) -> Result<(), Error> {
        expect(self.joints, [Some(base.len()), Some(out.len())])?;
        if self.empty {
            out.blocks_mut().copy_from_slice(base.blocks());
        } else {
            kernels::average(&self.sum, &self.totals, base.blocks(), out.blocks_mut());
        }
        self.empty = true;
        Ok(())
    }
}

impl Pose {
    /// Blends each joint towards another pose: weight 0 keeps this pose, and weight 1 gives the other pose. If there is
    /// a mask, its joint weights multiply the weight. Rotations take the shorter arc and are normalised.
    ///
    /// Runs in **O(joints)** and processes eight joints at a time.
    ///
    /// ```
    /// use hedgerow_anim::{Pose, Transform};
    ///
    /// let (mut pose, mut to) = (Pose::new(2), Pose::new(2));
    /// to.set(1, Transform::from_xyz(0.0, 4.0, 0.0));
    /// pose.crossfade(&to, 0.25, None)?;
    /// assert_eq!(pose.get(1).translation.y, 1.0);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`PoseSum::add`], and [`SkeletonError::BadWeight`] for weights above 1.
    pub fn crossfade(&mut self, to: &Self, weight: f32, mask: Option<&JointMask>) -> Result<(), Error> {
        let weight = checked(weight, 1.0)?;
        expect(self.len(), [Some(to.len()), mask.map(JointMask::len)])?;
        kernels::fade(self.blocks_mut(), to.blocks(), weight, mask.map(JointMask::weights));
        Ok(())
    }

    /// Computes the difference between a reference and this pose, as an additive pose for [`Pose::add`].
    ///
    /// Translations are subtracted, scales are divided, and each rotation turns from the reference to this pose. The
    /// quotient of scales is 1 if the reference's scale is too small to divide by.
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`] if the three poses have different numbers of joints.
    pub fn difference(&self, reference: &Self, out: &mut Self) -> Result<(), Error> {
        expect(self.len(), [Some(reference.len()), Some(out.len())])?;
        kernels::difference(self.blocks(), reference.blocks(), out.blocks_mut());
        Ok(())
    }

    /// Adds the result of [`Pose::difference`], multiplied by a weight, for example to add breathing to another motion.
    /// If there is a mask, its joint weights multiply the weight.
    ///
    /// Rotations multiply on the right, about the joint's own axes. A weight below 1 takes a rotation that far from the
    /// identity, by a normalised sum.
    ///
    /// Runs in **O(joints)** and processes eight joints at a time.
    ///
    /// ```
    /// use hedgerow_anim::{Pose, Transform};
    ///
    /// let (mut leaning, upright, mut pose) = (Pose::new(1), Pose::new(1), Pose::new(1));
    /// leaning.set(0, Transform::from_xyz(0.5, 0.0, 0.0));
    /// pose.set(0, Transform::from_xyz(0.0, 0.0, 2.0));
    /// let mut lean = Pose::new(1);
    /// leaning.difference(&upright, &mut lean)?;
    /// pose.add(&lean, 0.5, None)?;
    /// assert_eq!(pose.get(0).translation.to_array(), [0.25, 0.0, 2.0]);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`PoseSum::add`].
    pub fn add(&mut self, difference: &Self, weight: f32, mask: Option<&JointMask>) -> Result<(), Error> {
        let weight = checked(weight, MAX_WEIGHT)?;
        expect(self.len(), [Some(difference.len()), mask.map(JointMask::len)])?;
        kernels::add(self.blocks_mut(), difference.blocks(), weight, mask.map(JointMask::weights));
        Ok(())
    }
}

/// Returns an error unless all given lengths equal `expected`.
fn expect(expected: usize, lengths: [Option<usize>; 2]) -> Result<(), SkeletonError> {
    match lengths.into_iter().flatten().find(|&found| found != expected) {
        Some(found) => Err(SkeletonError::JointCount { expected, found }),
        None => Ok(()),
    }
}
