//! The pose of a clip at a time.

use super::clip::RawClip;
use super::track::Track;
use super::value::TrackValue;
use crate::{Pose, Transform};

impl RawClip {
    /// Samples all joint tracks exactly, computed in double precision and rounded once. Before a track's first key and
    /// after its last one, the value is constant.
    ///
    /// Parts for which the clip has no track are not written: start with [`Pose::rest`].
    ///
    /// Runs in **O(joints · log keys)**.
    ///
    /// ```
    /// use hedgerow_anim::{Pose, RawClip, raw::Track};
    /// use hedgerow_anim::glam::Vec3;
    ///
    /// let mut clip = RawClip::new(1.0, 1)?;
    /// clip.set_translation(0, Track::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::X])?)?;
    /// let mut pose = Pose::new(1);
    /// clip.sample(0.5, &mut pose);
    /// assert_eq!(pose.get(0).translation, Vec3::X * 0.5);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the pose and the clip have different numbers of joints.
    pub fn sample(&self, time: f32, pose: &mut Pose) {
        self.sample_all(pose, |joint, over| self.sample_joint(time, joint, over));
    }

    /// Like [`sample`](Self::sample), but as a player does it: linear rotations use normalised sums (nlerp). See
    /// [`Track::sample_as_played`].
    ///
    /// # Panics
    /// Panics if the pose and the clip have different numbers of joints.
    pub fn sample_as_played(&self, time: f32, pose: &mut Pose) {
        self.sample_all(pose, |joint, over| Transform {
            translation: sampled(self.translation(joint), over.translation, |track| track.sample_as_played(time)),
            rotation: sampled(self.rotation(joint), over.rotation, |track| track.sample_as_played(time)),
            scale: sampled(self.scale(joint), over.scale, |track| track.sample_as_played(time)),
        });
    }

    /// Samples one joint; parts for which the clip has no track are taken from `over`.
    ///
    /// Runs in **O(log keys)**.
    #[must_use]
    pub fn sample_joint(&self, time: f32, joint: u16, over: Transform) -> Transform {
        Transform {
            translation: sampled(self.translation(joint), over.translation, |track| track.sample(time)),
            rotation: sampled(self.rotation(joint), over.rotation, |track| track.sample(time)),
            scale: sampled(self.scale(joint), over.scale, |track| track.sample(time)),
        }
    }

    /// Samples all channels, by number.
    ///
    /// Runs in **O(channels · log keys)**.
    ///
    /// # Panics
    /// Panics if the numbers of values and channels differ.
    pub fn sample_channels(&self, time: f32, values: &mut [f32]) {
        assert_eq!(values.len(), self.channels(), "a number for each channel");
        for (channel, value) in values.iter_mut().enumerate() {
            *value = self.channel(channel).sample(time);
        }
    }

    fn sample_all(&self, pose: &mut Pose, mut sample: impl FnMut(u16, Transform) -> Transform) {
        assert_eq!(pose.len(), self.joints(), "a pose of the clip's joints");
        for joint in self.joint_numbers() {
            pose.set(joint, sample(joint, pose.get(joint)));
        }
    }
}

fn sampled<V: TrackValue>(track: Option<&Track<V>>, over: V, sample: impl Fn(&Track<V>) -> V) -> V {
    track.map_or(over, sample)
}
