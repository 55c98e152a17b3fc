//! Playing clips: advance a player, then sample a pose.
//!
//! | you want | use |
//! |---|---|
//! | to play a clip in memory, forward, backward, by seeks | [`Player`] |
//! | to choose the behaviour at the ends: stop, begin again, turn around | [`Playback`] |
//! | events, such as footsteps, as their times pass | [`Player::advance_events`] |
//! | to sample one joint, now or at any time without a player | [`Player::sample_joint`], [`Clip::sample_joint`] |
//! | to play many clips on several threads | [`Skeleton::par_each_palette`](crate::Skeleton::par_each_palette) |
//!
//! [`Player::sample`] replaces the whole pose; [`Player::sample_over`] keeps parts for which the clip has no track. To
//! [blend](crate::blend) several clips, sample each into its own pose.

// | file | what |
// |---|---|
// | `clock` | the time in a clip from passed time: ends, loops, turning around |
// | `cursor` | the place in the stream: moving in both directions, seeking by jump frames |
// | `events` | the events that a step passes |
// | `lanes` | the active array, and its values at a time |
// | `alone` | one joint at any time, without a player |

mod alone;
mod clock;
mod cursor;
mod events;
mod lanes;

pub use clock::{Playback, Way};
pub use events::PassedEvents;

use crate::{Clip, Error, Pose, Transform};
use core::borrow::Borrow;
use cursor::Cursor;
use lanes::{Lanes, with};

/// Plays a [`Clip`]. A player holds a position in the stream of keys, and each track's keys before and after the
/// current time.
///
/// A step in either direction reads two regions of memory: the stream, where the keys of a frame are adjacent, and the
/// active array. The array has 16 bytes for each track, or 32 if the clip is [tight](crate::clip::Precision::Tight). A
/// player borrows or shares its clip: `Player<&Clip>`, `Player<Arc<Clip>>`.
///
/// Samples at a given time have the same bits, whether the player arrived forward, backward or by a seek.
///
/// ```
/// use hedgerow_anim::{ClipBuilder, Player, RawClip, player::Playback, raw::Track};
/// use std::sync::Arc;
///
/// let mut raw = RawClip::new(2.0, 0)?;
/// raw.add_channel("blink", Track::linear(vec![0.0, 1.0, 1.5], vec![0.0, 0.0, 1.0])?)?;
/// let (clip, _) = ClipBuilder::new().build(&raw)?;
///
/// let mut player = Player::new(Arc::new(clip));
/// player.set_playback(Playback::Loop);
/// let mut weights = [0.0];
/// assert_eq!(player.advance(3.25), 1);      // passed the end once
/// player.sample_channels(&mut weights)?;
/// assert!((weights[0] - 0.5).abs() < 1e-3);
/// player.advance(-0.25);                    // back again
/// assert_eq!((player.time(), player.playback()), (1.0, Playback::Loop));
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Player<C: Borrow<Clip>> {
    clip: C,
    cursor: Cursor,
    clock: clock::Clock,
    /// The least distance between the clip's jump frames, in the clip's units of time.
    gap: f32,
    lanes: Lanes,
}

impl<C: Borrow<Clip>> Player<C> {
    /// Creates a player at the beginning of the clip, with [`Playback::Clamp`].
    ///
    /// Runs in **O(tracks)**.
    #[must_use]
    pub fn new(clip: C) -> Self {
        let mut lanes = Lanes::new(clip.borrow().tables());
        let cursor = with!(&mut lanes.active, active => Cursor::seek(clip.borrow(), active, 0.0));
        let gap = clip.borrow().gap();
        Self { clip, cursor, clock: clock::Clock::default(), gap, lanes }
    }

    /// Returns the clip.
    #[must_use]
    pub fn clip(&self) -> &Clip {
        self.clip.borrow()
    }

    /// Returns the time in the clip, in seconds, from 0 to the clip's duration.
    #[inline]
    #[must_use]
    pub fn time(&self) -> f32 {
        self.clock.time(self.clip().duration())
    }

    /// Returns the behaviour at the ends of the clip.
    #[must_use]
    pub const fn playback(&self) -> Playback {
        self.clock.playback()
    }

    /// Sets the behaviour at the ends of the clip. The time stays the same, and a ping-pong player on its way back
    /// turns around.
    pub fn set_playback(&mut self, playback: Playback) {
        self.clock.set_playback(playback, self.clip.borrow().duration());
    }

    /// Advances by this many seconds, or goes back if negative. Returns how often the player passed the clip's end.
    ///
    /// The number is negative for negative `seconds`, and 0 for [`Playback::Clamp`]. A ping-pong player counts turns at
    /// the end, but not at the beginning. Fetches the needed keys. Ignores numbers that are not finite.
    ///
    /// Runs in **O(keys passed)**, but never takes longer than a [`seek`](Self::seek), even after a long pause.
    #[inline]
    pub fn advance(&mut self, seconds: f32) -> i32 {
        let rounds = self.clock.advance(seconds, self.clip.borrow().duration());
        self.fetch();
        rounds
    }

    /// Advances like [`advance`](Self::advance), and returns the events that were passed, each exactly once: those after
    /// the previous time, up to and including the new time, in the direction of the step.
    ///
    /// The first step after [`new`](Self::new) or [`seek`](Self::seek) that moves the time includes the time where it
    /// starts, so that an event at 0 comes when a clip begins. Events at the end and at the beginning of a looping clip
    /// both come when it begins again; at a turn of a ping-pong player, events come once. A step over many rounds
    /// yields the events of all. Steps by [`advance`](Self::advance) yield no events.
    ///
    /// Runs in **O(keys passed + log events)**, and O(1) for each event.
    ///
    /// ```
    /// use hedgerow_anim::{ClipBuilder, Player, RawClip, player::Playback};
    ///
    /// let mut walk = RawClip::new(1.0, 0)?;
    /// walk.add_event(0.25, 0, "left foot")?;
    /// walk.add_event(0.75, 1, "right foot")?;
    /// let (walk, _) = ClipBuilder::new().build(&walk)?;
    ///
    /// let mut player = Player::new(&walk);
    /// player.set_playback(Playback::Loop);
    /// let names: Vec<_> = player.advance_events(1.5).map(|event| event.name).collect();
    /// assert_eq!(names, ["left foot", "right foot", "left foot"]);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    pub fn advance_events(&mut self, seconds: f32) -> PassedEvents<'_> {
        let (rounds, way) = self.clock.advance_on_way(seconds, self.clip.borrow().duration());
        self.fetch();
        PassedEvents { rounds, ..self.clip.borrow().events_on(way) }
    }

    /// Fetches the keys of the present time.
    #[inline(always)]
    fn fetch(&mut self) {
        let clip = self.clip.borrow();
        let time = clip.tables().units(self.clock.time(clip.duration()));
        with!(&mut self.lanes.active, active => self.cursor.advance(clip, self.gap, active, time));
    }

    /// Goes to a time in seconds, which is clamped to the clip.
    ///
    /// Runs in **O(log jump frames + tracks + keys to the nearest jump frame)**: [`ClipStats`](crate::clip::ClipStats)
    /// has these numbers.
    pub fn seek(&mut self, seconds: f32) {
        self.clock.seek(seconds, self.clip.borrow().duration());
        self.fetch();
    }

    /// Replaces the whole pose by the pose at the current time. Parts without a track get the [rest pose](Pose::rest)
    /// of the pose's skeleton.
    ///
    /// A pose remembers its clip. If the pose shows this player's clip, only animated tracks are written. After another
    /// clip, a blend or [`Pose::set`], the rest pose and constant tracks are also written, and sampling takes two or
    /// three times as long.
    ///
    /// Runs in **O(joints)**.
    ///
    /// ```
    /// use hedgerow_anim::{ClipBuilder, Player, Pose, RawClip, Transform, raw::Track};
    /// use hedgerow_anim::glam::Vec3;
    ///
    /// let standing = |height: f32| {
    ///     let mut raw = RawClip::new(1.0, 1)?;
    ///     raw.set_translation(0, Track::constant(Vec3::new(0.0, height, 0.0))?)?;
    ///     Ok::<_, hedgerow_anim::Error>(ClipBuilder::new().build(&raw)?.0)
    /// };
    /// let (upright, crouched) = (standing(1.0)?, standing(0.5)?);
    ///
    /// let mut pose = Pose::new(1);
    /// for (clip, height) in [(&upright, 1.0), (&crouched, 0.5)] {
    ///     Player::new(clip).sample(&mut pose)?;
    ///     assert_eq!(pose.get(0).translation.y, height);
    /// }
    /// let large = Transform::from_scale(Vec3::splat(2.0));
    /// pose.set(0, large);
    /// Player::new(&upright).sample_over(&mut pose)?;              // keeps the scale
    /// assert_eq!(pose.get(0), large.with_translation(Vec3::Y));
    /// assert_eq!(Player::new(&upright).sample_joint(0, large), pose.get(0));
    /// assert_eq!(upright.sample_joint(0.3, 0, large), pose.get(0));
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Skeleton`] with [`SkeletonError::JointCount`](crate::skeleton::SkeletonError::JointCount) if the pose
    /// has a different number of joints.
    #[inline]
    pub fn sample(&self, pose: &mut Pose) -> Result<(), Error> {
        self.lanes.sample(self.clip().tables(), self.cursor.time(), pose)
    }

    /// Like [`sample`](Self::sample), but parts without a track stay the same, so that a clip of some joints can be
    /// layered over another clip.
    ///
    /// # Errors
    /// The errors of [`sample`](Self::sample).
    pub fn sample_over(&self, pose: &mut Pose) -> Result<(), Error> {
        self.lanes.sample_over(self.clip().tables(), self.cursor.time(), pose)
    }

    /// Writes all channels at the current time.
    ///
    /// Runs in **O(channels + cubic tracks)**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::ChannelCount`](crate::clip::ClipError::ChannelCount) unless the slice has one
    /// number for each channel.
    pub fn sample_channels(&self, channels: &mut [f32]) -> Result<(), Error> {
        self.lanes.sample_channels(self.clip().tables(), self.cursor.time(), channels)
    }

    /// Samples one joint at the current time. Parts without a track, and joints that the clip does not have, come from
    /// `rest`.
    ///
    /// Runs in **O(log tracks + cubic tracks)**.
    #[must_use]
    pub fn sample_joint(&self, joint: u16, rest: Transform) -> Transform {
        self.lanes.sample_joint(self.clip().tables(), self.cursor.time(), joint, rest)
    }
}
