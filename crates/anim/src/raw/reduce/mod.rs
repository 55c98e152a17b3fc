//! Key reduction within a bound in model space.
//!
//! | file | what |
//! |---|---|
//! | `sensitivity` | the effect of a track's error on points of the model |
//! | `marks` | points of a track's curve to compare a reduction with |
//! | `fit` | the fewest keys of a track within its tolerance |
//! | `check` | the error of all tracks together, measured in model space |
//! | `plan` | the tolerance of each track |

mod check;
mod fit;
mod marks;
mod plan;
mod sensitivity;

use super::clip::RawClip;
use super::error::ClipError;
use crate::{Error, Skeleton};
use std::collections::BTreeMap;

/// The error bounds of [`RawClip::reduced`].
///
/// The error is measured in model space. Around each joint are six imaginary skin points: at a *distance* from the
/// joint, in both directions of each axis. No point is ever farther than the *error* from its position in the original
/// clip, even if the errors of all ancestors add up. New keys are rounded to single precision, so a bound below a
/// two-millionth of a track's values may be exceeded.
///
/// ```
/// use hedgerow_anim::raw::Reduction;
///
/// // A tenth of a millimetre at three centimetres from each joint, but a hundredth at the tip of the sword in joint 7.
/// let reduction = Reduction::new(1e-4, 0.03).with_joint(7, 1e-5, 1.2);
/// assert_eq!(reduction.bound(7), (1e-5, 1.2));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// The greatest error in model space, in metres. If 0, a key is removed only if rounding hides the difference.
    pub error: f32,
    /// The distance from a joint at which the error is measured, in metres. If 0, a leaf joint's rotation is ignored.
    pub distance: f32,
    /// The greatest error of a channel, in the channel's own unit.
    pub channel_error: f32,
    /// Whether a cubic track may stay cubic, if that takes fewer values than straight lines (a cubic key has three
    /// values). If false, cubic tracks become straight lines, except if their error must be 0. A track that needs too
    /// many lines is an error ([`ClipError::TooManyLines`]).
    pub cubic: bool,
    /// Whether to drop tracks that always equal the rest pose. Sampling then takes their values from the pose's
    /// skeleton, so make the pose with [`Pose::rest`](crate::Pose::rest).
    pub drop_rest: bool,
    /// The error and distance of each joint that has its own bound, in metres.
    joints: BTreeMap<u16, (f32, f32)>,
}

impl Reduction {
    /// A lossless reduction: removes only keys whose absence changes samples by less than single-precision rounding.
    pub const LOSSLESS: Self =
        Self { error: 0.0, distance: 0.0, channel_error: 0.0, cubic: true, drop_rest: false, joints: BTreeMap::new() };

    /// Creates a bound for all joints: the error in model space, and the distance from the joint at which it is
    /// measured. Both are in metres. [`channel_error`](Self::channel_error) is 0.001, [`cubic`](Self::cubic) is true
    /// and [`drop_rest`](Self::drop_rest) is false.
    #[must_use]
    pub const fn new(error: f32, distance: f32) -> Self {
        Self { error, distance, channel_error: 1e-3, cubic: true, drop_rest: false, joints: BTreeMap::new() }
    }

    /// Sets the bound of one joint. A later call for the same joint replaces the bound.
    ///
    /// Runs in **O(log n)** for n joints with their own bounds.
    #[must_use]
    pub fn with_joint(mut self, joint: u16, error: f32, distance: f32) -> Self {
        self.joints.insert(joint, (error, distance));
        self
    }

    /// Returns the error and distance of a joint, in metres.
    ///
    /// Runs in **O(log n)** for n joints with their own bounds.
    #[must_use]
    pub fn bound(&self, joint: u16) -> (f32, f32) {
        self.joints.get(&joint).copied().unwrap_or((self.error, self.distance))
    }

    fn check(&self) -> Result<(), ClipError> {
        let all = [("error", self.error), ("distance", self.distance), ("channel_error", self.channel_error)];
        let own = self.joints.values().flat_map(|&(error, distance)| [("error", error), ("distance", distance)]);
        match all.into_iter().chain(own).find(|&(_, found)| !(found.is_finite() && found >= 0.0)) {
            Some((field, found)) => Err(ClipError::Bound { field, found }),
            None => Ok(()),
        }
    }
}

/// Bounds the error to 0.1 mm at 3 cm from each joint.
impl Default for Reduction {
    fn default() -> Self {
        Self::new(1e-4, 0.03)
    }
}

impl RawClip {
    /// Returns the clip with fewer keys, within a bound in model space.
    ///
    /// The bound holds when [`sample`](Self::sample) or [`sample_as_played`](Self::sample_as_played) fills a pose made
    /// for the skeleton. The remaining keys have their original times and values, except that rotations are normalised.
    /// A track that needs one key becomes constant, which costs a player nothing. Keys are added if a player would
    /// interpolate a rotation too unevenly, or if straight lines take fewer values than a cubic track.
    ///
    /// Usually runs in **O(joints · keys · log keys)**: about half a second for 100 joints with 1,000 keys each.
    ///
    /// ```
    /// use hedgerow_anim::{RawClip, SkeletonBuilder, Transform, raw::{Reduction, Track}};
    /// use hedgerow_anim::glam::Quat;
    ///
    /// let mut builder = SkeletonBuilder::new();
    /// builder.joint("door", None, Transform::IDENTITY);
    /// let (skeleton, _) = builder.build()?;
    ///
    /// let times: Vec<f32> = (0..100_u8).map(|key| f32::from(key) / 30.0).collect();
    /// let turns = times.iter().map(|time| Quat::from_rotation_y(0.2 * time)).collect();
    /// let mut clip = RawClip::new(4.0, 1)?;
    /// clip.set_rotation(0, Track::linear(times, turns)?)?;
    /// let reduced = clip.reduced(&skeleton, &Reduction::new(1e-4, 0.8))?;
    /// assert_eq!(reduced.rotation(0).unwrap().len(), 4); // a player's speed between two keys is slightly uneven
    /// assert!(clip.reduced(&skeleton, &Reduction::LOSSLESS)?.keys() > 4);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::JointCount`], [`ClipError::Bound`], [`ClipError::TooManyLines`], or with
    /// [`ClipError::NoSuchJoint`] if a joint with its own bound does not exist.
    pub fn reduced(&self, skeleton: &Skeleton, reduction: &Reduction) -> Result<Self, Error> {
        reduction.check()?;
        let joints = self.joints();
        if joints != skeleton.len() {
            return Err(ClipError::JointCount { clip: joints, skeleton: skeleton.len() }.into());
        }
        if let Some(&joint) = reduction.joints.keys().find(|joint| usize::from(**joint) >= joints) {
            return Err(ClipError::NoSuchJoint { joint, joints }.into());
        }
        plan::reduce(self, skeleton, reduction)
    }
}
