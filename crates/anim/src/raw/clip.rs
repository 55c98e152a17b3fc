//! The tracks of all joints, and channels.

use super::error::{ClipError, TrackName, TrackPart};
use super::track::Track;
use super::value::TrackValue;
use crate::Error;
use crate::clip::Event;
use glam::{Quat, Vec3};

/// A clip as authored or imported, at full precision: up to three tracks for each joint, and any number of channels.
///
/// Games play compiled, quantised clips. A raw clip is the source of a compiled clip, the reference for its errors, and
/// the form in which clips are edited, for example to reduce keys or to extract root motion.
///
/// ```
/// use hedgerow_anim::{RawClip, raw::Track};
/// use hedgerow_anim::glam::{Quat, Vec3};
///
/// let mut wave = RawClip::new(1.0, 2)?;                                   // one second, two joints
/// wave.set_translation(0, Track::constant(Vec3::Y)?)?;
/// wave.set_scale(0, Track::constant(Vec3::ONE)?)?;
/// wave.set_rotation(1, Track::linear(vec![0.0, 1.0], vec![Quat::IDENTITY, Quat::from_rotation_z(1.0)])?)?;
/// let smile = wave.add_channel("smile", Track::linear(vec![0.0, 0.5], vec![0.0, 1.0])?)?;
///
/// assert_eq!((wave.channel_name(smile), wave.channel(smile).sample(0.25)), ("smile", 0.5));
/// assert_eq!(wave.rotation(0), None);
/// assert_eq!(wave.take_rotation(0), None);
/// assert_eq!(wave.take_translation(0), Some(Track::constant(Vec3::Y)?));
/// assert_eq!(wave.take_scale(0), Some(Track::constant(Vec3::ONE)?));
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RawClip {
    duration: f32,
    joints: Vec<JointTracks>,
    channels: Vec<(String, Track<f32>)>,
    /// By time; in the order of calls at the same time.
    events: Vec<(f32, u32, String)>,
}

/// The tracks of one joint.
#[derive(Clone, Debug, Default, PartialEq)]
struct JointTracks {
    translation: Option<Track<Vec3>>,
    rotation: Option<Track<Quat>>,
    scale: Option<Track<Vec3>>,
}

impl RawClip {
    /// Creates an empty clip of `duration` seconds, for a skeleton of `joints` joints.
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
        Ok(Self { duration, joints: vec![JointTracks::default(); joints], channels: Vec::new(), events: Vec::new() })
    }

    /// Returns the duration, in seconds: finite and above zero.
    #[must_use]
    pub const fn duration(&self) -> f32 {
        self.duration
    }

    /// Returns the number of joints that the clip is for.
    #[must_use]
    pub const fn joints(&self) -> usize {
        self.joints.len()
    }

    /// Returns the numbers of all joints, as a range.
    #[expect(clippy::cast_possible_truncation, reason = "there are at most 65,535")]
    pub(crate) fn joint_numbers(&self) -> core::ops::Range<u16> {
        0..self.joints.len() as u16
    }

    /// Returns the number of keys of all tracks and channels. Runs in **O(joints + channels)**.
    #[must_use]
    pub fn keys(&self) -> usize {
        fn of<V: TrackValue>(track: &Option<Track<V>>) -> usize {
            track.as_ref().map_or(0, Track::len)
        }
        let of_joints = self.joints.iter().map(|joint| of(&joint.translation) + of(&joint.rotation) + of(&joint.scale));
        of_joints.sum::<usize>() + self.channels.iter().map(|(_, track)| track.len()).sum::<usize>()
    }

    /// Returns a joint's translation track, in the parent's space, or `None` if there is no such track or joint.
    #[must_use]
    pub fn translation(&self, joint: u16) -> Option<&Track<Vec3>> {
        self.joints.get(usize::from(joint))?.translation.as_ref()
    }

    /// Returns a joint's rotation track, or `None` if there is no such track or joint.
    #[must_use]
    pub fn rotation(&self, joint: u16) -> Option<&Track<Quat>> {
        self.joints.get(usize::from(joint))?.rotation.as_ref()
    }

    /// Returns a joint's scale track, or `None` if there is no such track or joint.
    #[must_use]
    pub fn scale(&self, joint: u16) -> Option<&Track<Vec3>> {
        self.joints.get(usize::from(joint))?.scale.as_ref()
    }

    /// Sets a joint's translation track and returns the previous track.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NoSuchJoint`] or [`ClipError::BeyondEnd`].
    pub fn set_translation(&mut self, joint: u16, track: Track<Vec3>) -> Result<Option<Track<Vec3>>, Error> {
        let tracks = self.checked(joint, TrackPart::Translation, &track)?;
        Ok(tracks.translation.replace(track))
    }

    /// Sets a joint's rotation track and returns the previous track.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NoSuchJoint`] or [`ClipError::BeyondEnd`].
    pub fn set_rotation(&mut self, joint: u16, track: Track<Quat>) -> Result<Option<Track<Quat>>, Error> {
        let tracks = self.checked(joint, TrackPart::Rotation, &track)?;
        Ok(tracks.rotation.replace(track))
    }

    /// Sets a joint's scale track and returns the previous track.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NoSuchJoint`] or [`ClipError::BeyondEnd`].
    pub fn set_scale(&mut self, joint: u16, track: Track<Vec3>) -> Result<Option<Track<Vec3>>, Error> {
        let tracks = self.checked(joint, TrackPart::Scale, &track)?;
        Ok(tracks.scale.replace(track))
    }

    /// Removes a joint's translation track from the clip and returns it.
    pub fn take_translation(&mut self, joint: u16) -> Option<Track<Vec3>> {
        self.joints.get_mut(usize::from(joint))?.translation.take()
    }

    /// Removes a joint's rotation track from the clip and returns it.
    pub fn take_rotation(&mut self, joint: u16) -> Option<Track<Quat>> {
        self.joints.get_mut(usize::from(joint))?.rotation.take()
    }

    /// Removes a joint's scale track from the clip and returns it.
    pub fn take_scale(&mut self, joint: u16) -> Option<Track<Vec3>> {
        self.joints.get_mut(usize::from(joint))?.scale.take()
    }

    /// Adds a channel of numbers, for example morph weights, and returns the channel's number. Channels are numbered
    /// from 0 in the order of calls. Names may repeat.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::BeyondEnd`].
    pub fn add_channel(&mut self, name: impl Into<String>, track: Track<f32>) -> Result<usize, Error> {
        let channel = self.channels.len();
        self.check_end(TrackName::Channel(channel), &track)?;
        self.channels.push((name.into(), track));
        Ok(channel)
    }

    /// Returns the number of channels.
    #[must_use]
    pub const fn channels(&self) -> usize {
        self.channels.len()
    }

    /// Returns a channel's track.
    ///
    /// # Panics
    /// Panics if there is no such channel.
    #[must_use]
    pub fn channel(&self, channel: usize) -> &Track<f32> {
        &self.channels[channel].1
    }

    /// Returns a channel's name.
    ///
    /// # Panics
    /// Panics if there is no such channel.
    #[must_use]
    pub fn channel_name(&self, channel: usize) -> &str {
        &self.channels[channel].0
    }

    /// Returns the number of the first channel with this name. Runs in **O(channels)**.
    #[must_use]
    pub fn find_channel(&self, name: &str) -> Option<usize> {
        self.channels.iter().position(|(found, _)| found == name)
    }

    /// Adds an event, which a [`Player`](crate::Player::advance_events) yields as it passes the time: a footstep, for
    /// example, named or numbered as you like. Names and times may repeat. Runs in **O(events)**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::EventTime`] unless the time is from 0 to the duration.
    pub fn add_event(&mut self, time: f32, number: u32, name: impl Into<String>) -> Result<(), Error> {
        if !(0.0..=self.duration).contains(&time) {
            return Err(ClipError::EventTime { time, duration: self.duration }.into());
        }
        let at = self.events.partition_point(|&(other, ..)| other <= time);
        // Not the negative zero, which has other bits.
        self.events.insert(at, (time + 0.0, number, name.into()));
        Ok(())
    }

    /// Returns all events, by time.
    pub fn events(&self) -> impl ExactSizeIterator<Item = Event<'_>> + DoubleEndedIterator {
        self.events.iter().map(|&(time, number, ref name)| Event { time, number, name })
    }

    /// Removes the events for which `keep` returns false.
    pub fn retain_events(&mut self, mut keep: impl FnMut(Event<'_>) -> bool) {
        self.events.retain(|&(time, number, ref name)| keep(Event { time, number, name }));
    }

    /// Checks a joint's number and its new track, and returns the joint's tracks.
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
