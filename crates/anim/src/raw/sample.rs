//! The pose of a clip at a time.

use super::clip::RawClip;
use super::error::ClipError;
use super::track::Track;
use super::value::TrackValue;
use crate::{Error, Pose, Transform, skeleton::SkeletonError};

impl RawClip {
    /// Samples the whole pose in double precision and rounds once. Before a track's first key and after its last key,
    /// the value is constant. Parts without a track get the [rest pose](Pose::rest) of the pose's skeleton.
    ///
    /// Runs in **O(joints · log keys)**.
    ///
    /// ```
    /// use hedgerow_anim::{Pose, RawClip, Transform, raw::Track};
    /// use hedgerow_anim::glam::Vec3;
    ///
    /// let mut clip = RawClip::new(1.0, 1)?;
    /// clip.set_translation(0, Track::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::X])?)?;
    /// let mut pose = Pose::new(1);
    /// clip.sample(0.5, &mut pose)?;
    /// assert_eq!(pose.get(0), Transform::from_xyz(0.5, 0.0, 0.0));
    /// assert_eq!(clip.sample_joint(0.5, 0, Transform::IDENTITY), pose.get(0));
    ///
    /// pose.set(0, Transform::from_scale(Vec3::splat(2.0)));
    /// clip.sample_over(1.0, &mut pose)?; // keeps the scale, which has no track
    /// assert_eq!(pose.get(0), Transform::from_scale(Vec3::splat(2.0)).with_translation(Vec3::X));
    /// clip.sample_as_played(0.5, &mut pose)?;
    /// assert_eq!(pose.get(0), Transform::from_xyz(0.5, 0.0, 0.0));
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Skeleton`] with [`SkeletonError::JointCount`] if the pose has a different number of joints.
    pub fn sample(&self, time: f32, pose: &mut Pose) -> Result<(), Error> {
        self.sample_all(pose, Pose::rest_of, |joint, rest| self.sample_joint(time, joint, rest))
    }

    /// Samples like [`sample`](Self::sample), but does not change parts without a track. Use this method to layer a
    /// clip of some joints over another clip.
    ///
    /// # Errors
    /// The errors of [`sample`](Self::sample).
    pub fn sample_over(&self, time: f32, pose: &mut Pose) -> Result<(), Error> {
        self.sample_all(pose, Pose::get, |joint, over| self.sample_joint(time, joint, over))
    }

    /// Samples like [`sample`](Self::sample), but with normalised sums (nlerp) between linear rotation keys. A built
    /// clip has more keys and is closer to `sample`: see [`Track::sample_as_played`].
    ///
    /// # Errors
    /// The errors of [`sample`](Self::sample).
    pub fn sample_as_played(&self, time: f32, pose: &mut Pose) -> Result<(), Error> {
        self.sample_all(pose, Pose::rest_of, |joint, rest| Transform {
            translation: sampled(self.translation(joint), rest.translation, |track| track.sample_as_played(time)),
            rotation: sampled(self.rotation(joint), rest.rotation, |track| track.sample_as_played(time)),
            scale: sampled(self.scale(joint), rest.scale, |track| track.sample_as_played(time)),
        })
    }

    /// Samples one joint. Parts without a track come from `rest`.
    ///
    /// Runs in **O(log keys)**.
    #[must_use]
    pub fn sample_joint(&self, time: f32, joint: u16, rest: Transform) -> Transform {
        Transform {
            translation: sampled(self.translation(joint), rest.translation, |track| track.sample(time)),
            rotation: sampled(self.rotation(joint), rest.rotation, |track| track.sample(time)),
            scale: sampled(self.scale(joint), rest.scale, |track| track.sample(time)),
        }
    }

    /// Samples all channels into `values`, in the order of their numbers.
    ///
    /// Runs in **O(channels · log keys)**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::ChannelCount`] if the numbers of values and channels differ.
    pub fn sample_channels(&self, time: f32, values: &mut [f32]) -> Result<(), Error> {
        let (expected, found) = (self.channels(), values.len());
        if expected != found {
            return Err(ClipError::ChannelCount { expected, found }.into());
        }
        for (channel, value) in values.iter_mut().enumerate() {
            *value = self.channel(channel).sample(time);
        }
        Ok(())
    }

    fn sample_all(
        &self,
        pose: &mut Pose,
        over: impl Fn(&Pose, u16) -> Transform,
        mut sample: impl FnMut(u16, Transform) -> Transform,
    ) -> Result<(), Error> {
        let (expected, found) = (self.joints(), pose.len());
        if expected != found {
            return Err(SkeletonError::JointCount { expected, found }.into());
        }
        for joint in self.joint_numbers() {
            pose.set(joint, sample(joint, over(pose, joint)));
        }
        Ok(())
    }
}

fn sampled<V: TrackValue>(track: Option<&Track<V>>, rest: V, sample: impl Fn(&Track<V>) -> V) -> V {
    track.map_or(rest, sample)
}
