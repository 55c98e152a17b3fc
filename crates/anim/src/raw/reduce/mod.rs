//! Fewer keys within a bound in model space.
//!
//! | file | what |
//! |---|---|
//! | `sensitivity` | how far an error of a track moves points of the model |
//! | `marks` | a track's curve as points that a reduction is held against |
//! | `fit` | the fewest keys of a track within a tolerance of its own |
//! | `check` | the error of all tracks together, measured in model space |
//! | `plan` | which tolerance each track is given |

mod check;
mod fit;
mod marks;
mod plan;
mod sensitivity;

use super::clip::RawClip;
use super::error::ClipError;
use crate::{Error, Skeleton};
use std::collections::BTreeMap;

/// What [`RawClip::reduced`] may change.
///
/// The measure is taken where one sees it: on the model. Around each joint six points are thought of, at a *distance*
/// along its axes, forth and back, as if a skin were there; however the errors of the joint and of all joints above it
/// come together, none of the six points is farther than the *error* from where the original clip has it, at any time. New
/// keys are rounded to single precision, which adds to errors that are smaller than a two-millionth of a track's values.
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
    /// The greatest error in model space, in metres. 0 keeps each key without which single precision would show a difference.
    pub error: f32,
    /// The distance from a joint at which it is measured, in metres. At 0, how a joint without children is turned counts for
    /// nothing.
    pub distance: f32,
    /// The greatest error of a channel, in the channel's own unit.
    pub channel_error: f32,
    /// Whether cubic tracks may stay cubic, where that takes fewer numbers than straight lines within the same bound (a key
    /// has three values). Without it, all tracks become straight lines or steps, unless their error is to be 0; one that takes
    /// too many lines is refused ([`ClipError::TooManyLines`]).
    pub cubic: bool,
    /// Whether tracks that never leave the rest pose are dropped. A pose that they are sampled into keeps what it has
    /// there, so it has to begin with the rest pose.
    pub drop_rest: bool,
    /// Error and distance of joints with bounds of their own.
    joints: BTreeMap<u16, (f32, f32)>,
}

impl Reduction {
    /// Nothing is lost: only keys go without which every sample is the same to within less than single precision's
    /// rounding.
    pub const LOSSLESS: Self =
        Self { error: 0.0, distance: 0.0, channel_error: 0.0, cubic: true, drop_rest: false, joints: BTreeMap::new() };

    /// The bound for all joints: an error in model space, and the distance from the joint at which it is measured, both in
    /// metres. Channels may be off by a thousandth.
    #[must_use]
    pub const fn new(error: f32, distance: f32) -> Self {
        Self { error, distance, channel_error: 1e-3, cubic: true, drop_rest: false, joints: BTreeMap::new() }
    }

    /// Another bound for one joint. The last one that is given for a joint counts.
    ///
    /// Computes in **O(log n)** for n joints with bounds of their own.
    #[must_use]
    pub fn with_joint(mut self, joint: u16, error: f32, distance: f32) -> Self {
        self.joints.insert(joint, (error, distance));
        self
    }

    /// Error and distance of a joint.
    ///
    /// Computes in **O(log n)** for n joints with bounds of their own.
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

/// A tenth of a millimetre at three centimetres.
impl Default for Reduction {
    fn default() -> Self {
        Self::new(1e-4, 0.03)
    }
}

impl RawClip {
    /// The same clip with fewer keys, within a bound in model space.
    ///
    /// The bound holds both for exact sampling and for sampling as a player does it
    /// ([`sample_as_played`](Self::sample_as_played)), over a pose that begins as the skeleton's rest pose. Keys that stay
    /// have the times and values they had, rotations normalised. Tracks that need one key have one, which costs a
    /// player nothing. Where a straight line between the keys of a rotation is too uneven as a player goes it, and where
    /// a cubic track is cheaper as lines, keys are added.
    ///
    /// Computes in **O(joints · keys · log keys)** as a rule: about half a second for 100 joints of 1,000 keys.
    ///
    /// ```
    /// use hedgerow_anim::{Mat34, RawClip, SkeletonBuilder, Transform, raw::{Reduction, Track}};
    /// use hedgerow_anim::glam::Quat;
    ///
    /// let mut builder = SkeletonBuilder::new();
    /// builder.joint("door", None, Transform::IDENTITY, Mat34::IDENTITY);
    /// let (skeleton, _) = builder.build()?;
    ///
    /// let times: Vec<f32> = (0..100_u8).map(|key| f32::from(key) / 30.0).collect();
    /// let turns = times.iter().map(|time| Quat::from_rotation_y(0.2 * time)).collect();
    /// let mut clip = RawClip::new(4.0, 1)?;
    /// clip.set_rotation(0, Track::linear(times, turns)?)?;
    /// let reduced = clip.reduced(&skeleton, &Reduction::new(1e-4, 0.8))?;
    /// assert_eq!(reduced.rotation(0).unwrap().len(), 4); // players go lines between two a little unevenly
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::JointCount`], [`ClipError::Bound`], [`ClipError::NoSuchJoint`] for a joint that is
    /// given another bound, or [`ClipError::TooManyLines`].
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
