//! The tracks of all joints, and channels.

use super::error::{ClipError, TrackName, TrackPart};
use super::track::Track;
use super::value::TrackValue;
use crate::Error;
use glam::{Quat, Vec3};

/// A clip as an author or an importer has it: for each joint up to three tracks, and any number of named channels of
/// numbers, at full precision.
///
/// What plays in a game is a compiled, quantised clip; this is what it is compiled from and compared with, and what is
/// edited: keys are reduced, root motion is taken out.
///
/// ```
/// use hedgerow_anim::{RawClip, raw::Track};
/// use hedgerow_anim::glam::{Quat, Vec3};
///
/// let mut wave = RawClip::new(1.0, 2)?;                                   // one second, two joints
/// wave.set_translation(0, Track::constant(Vec3::Y)?)?;
/// wave.set_rotation(1, Track::linear(vec![0.0, 1.0], vec![Quat::IDENTITY, Quat::from_rotation_z(1.0)])?)?;
/// let smile = wave.add_channel("smile", Track::linear(vec![0.0, 0.5], vec![0.0, 1.0])?)?;
///
/// assert_eq!(wave.channel(smile).sample(0.25), 0.5);
/// assert_eq!(wave.rotation(0), None);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RawClip {
    duration: f32,
    joints: Vec<JointTracks>,
    channels: Vec<(String, Track<f32>)>,
}

/// What a clip does with one joint.
#[derive(Clone, Debug, Default, PartialEq)]
struct JointTracks {
    translation: Option<Track<Vec3>>,
    rotation: Option<Track<Quat>>,
    scale: Option<Track<Vec3>>,
}

impl RawClip {
    /// Makes a clip of so many seconds for a skeleton of so many joints, without tracks.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::Duration`] or [`ClipError::TooManyJoints`].
    pub fn new(duration: f32, joints: usize) -> Result<Self, Error> {
        if !(duration.is_finite() && duration > 0.0) {
            return Err(ClipError::Duration(duration).into());
        }
        if joints > usize::from(u16::MAX) {
            return Err(ClipError::TooManyJoints(joints).into());
        }
        Ok(Self { duration, joints: vec![JointTracks::default(); joints], channels: Vec::new() })
    }

    /// How long the clip is, in seconds: finite and above zero.
    #[must_use]
    pub const fn duration(&self) -> f32 {
        self.duration
    }

    /// How many joints the clip is for.
    #[must_use]
    pub const fn joints(&self) -> usize {
        self.joints.len()
    }

    /// The numbers of all joints.
    #[expect(clippy::cast_possible_truncation, reason = "there are at most 65,535")]
    pub(crate) fn joint_numbers(&self) -> core::ops::Range<u16> {
        0..self.joints.len() as u16
    }

    /// How many keys all tracks and channels have together. Computes in **O(joints + channels)**.
    #[must_use]
    pub fn keys(&self) -> usize {
        fn of<V: TrackValue>(track: &Option<Track<V>>) -> usize {
            track.as_ref().map_or(0, Track::len)
        }
        let of_joints = self.joints.iter().map(|joint| of(&joint.translation) + of(&joint.rotation) + of(&joint.scale));
        of_joints.sum::<usize>() + self.channels.iter().map(|(_, track)| track.len()).sum::<usize>()
    }

    /// Where a joint lies in its parent's space, over time; `None` where the clip leaves that alone, or has no such joint.
    #[must_use]
    pub fn translation(&self, joint: u16) -> Option<&Track<Vec3>> {
        self.joints.get(usize::from(joint))?.translation.as_ref()
    }

    /// How a joint is turned, over time; `None` where the clip leaves that alone, or has no such joint.
    #[must_use]
    pub fn rotation(&self, joint: u16) -> Option<&Track<Quat>> {
        self.joints.get(usize::from(joint))?.rotation.as_ref()
    }

    /// A joint's scale over time; `None` where the clip leaves that alone, or has no such joint.
    #[must_use]
    pub fn scale(&self, joint: u16) -> Option<&Track<Vec3>> {
        self.joints.get(usize::from(joint))?.scale.as_ref()
    }

    /// Sets where a joint lies over time, and answers the track that was there before.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NoSuchJoint`] or [`ClipError::BeyondEnd`].
    pub fn set_translation(&mut self, joint: u16, track: Track<Vec3>) -> Result<Option<Track<Vec3>>, Error> {
        let tracks = self.checked(joint, TrackPart::Translation, &track)?;
        Ok(tracks.translation.replace(track))
    }

    /// Sets how a joint is turned over time, and answers the track that was there before.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NoSuchJoint`] or [`ClipError::BeyondEnd`].
    pub fn set_rotation(&mut self, joint: u16, track: Track<Quat>) -> Result<Option<Track<Quat>>, Error> {
        let tracks = self.checked(joint, TrackPart::Rotation, &track)?;
        Ok(tracks.rotation.replace(track))
    }

    /// Sets a joint's scale over time, and answers the track that was there before.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NoSuchJoint`] or [`ClipError::BeyondEnd`].
    pub fn set_scale(&mut self, joint: u16, track: Track<Vec3>) -> Result<Option<Track<Vec3>>, Error> {
        let tracks = self.checked(joint, TrackPart::Scale, &track)?;
        Ok(tracks.scale.replace(track))
    }

    /// Takes a joint's translation track out of the clip.
    pub fn take_translation(&mut self, joint: u16) -> Option<Track<Vec3>> {
        self.joints.get_mut(usize::from(joint))?.translation.take()
    }

    /// Takes a joint's rotation track out of the clip.
    pub fn take_rotation(&mut self, joint: u16) -> Option<Track<Quat>> {
        self.joints.get_mut(usize::from(joint))?.rotation.take()
    }

    /// Takes a joint's scale track out of the clip.
    pub fn take_scale(&mut self, joint: u16) -> Option<Track<Vec3>> {
        self.joints.get_mut(usize::from(joint))?.scale.take()
    }

    /// Adds a channel of numbers, for morph weights and the like, and answers its number: channels count from 0 in the
    /// order in which they are added. Names need not differ.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::BeyondEnd`].
    pub fn add_channel(&mut self, name: impl Into<String>, track: Track<f32>) -> Result<usize, Error> {
        let channel = self.channels.len();
        self.check_end(TrackName::Channel(channel), &track)?;
        self.channels.push((name.into(), track));
        Ok(channel)
    }

    /// How many channels there are.
    #[must_use]
    pub const fn channels(&self) -> usize {
        self.channels.len()
    }

    /// A channel's track.
    ///
    /// # Panics
    /// Panics if there is no such channel.
    #[must_use]
    pub fn channel(&self, channel: usize) -> &Track<f32> {
        &self.channels[channel].1
    }

    /// A channel's name.
    ///
    /// # Panics
    /// Panics if there is no such channel.
    #[must_use]
    pub fn channel_name(&self, channel: usize) -> &str {
        &self.channels[channel].0
    }

    /// The number of the first channel of this name. Computes in **O(channels)**.
    #[must_use]
    pub fn find_channel(&self, name: &str) -> Option<usize> {
        self.channels.iter().position(|(found, _)| found == name)
    }

    /// The tracks of a joint that is to have a new one, once both are found sound.
    fn checked<V: TrackValue>(
        &mut self,
        joint: u16,
        part: TrackPart,
        track: &Track<V>,
    ) -> Result<&mut JointTracks, Error> {
        self.check_end(TrackName::Joint(joint, part), track)?;
        let joints = self.joints.len();
        self.joints.get_mut(usize::from(joint)).ok_or_else(|| ClipError::NoSuchJoint { joint, joints }.into())
    }

    fn check_end<V: TrackValue>(&self, name: TrackName, track: &Track<V>) -> Result<(), Error> {
        let key = track.times().partition_point(|&time| time <= self.duration);
        match track.times().get(key) {
            None => Ok(()),
            Some(&time) => Err(ClipError::BeyondEnd { track: name, key, time, duration: self.duration }.into()),
        }
    }
}
