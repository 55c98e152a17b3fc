//! The settings for compiling a clip.

use super::Clip;
use super::format::write;
use super::plan::Plan;
use super::quantise::{Quantise, rate, unevenness};
use crate::{
    Error, RawClip, Skeleton,
    raw::{ClipError, Reduction, Track},
};

/// The precision of stored keys. The documentation of [`Clip`] has a table of the errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 16-bit words.
    #[default]
    Compact,
    /// 32-bit words.
    Tight,
}

/// The distance between jump frames of a [`Clip`]. The first frame is at the clip's start, the last one at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JumpSpacing {
    /// The greatest distance, in seconds. Frames are farther apart only where there are no keys.
    Seconds(f32),
    /// The number of stream bytes from one frame to the next, rounded up to whole groups of keys.
    Bytes(u32),
    /// Like `Bytes`, but the distance is n times the size of a frame. Frames make the stream about 1/n larger. A seek
    /// copies one frame, then reads keys of at most about n / 2 times the size of a frame.
    Frames(f32),
}

impl Default for JumpSpacing {
    /// Returns `Frames(4.0)`, with which jump frames make the stream a quarter larger.
    fn default() -> Self {
        Self::Frames(4.0)
    }
}

/// The compiler of [`RawClip`]s. [`build`](Self::build) keeps all keys. [`build_reduced`](Self::build_reduced) keeps
/// only the keys that an error bound in model space needs.
///
/// Quantisation errors come on top of a reduction's bound, and may accumulate along a chain of joints. A compact
/// rotation is off by up to 1.1e-4 radians, which moves a point 1 m away by 0.1 mm. [`ClipReport`] has the errors.
///
/// ```
/// use hedgerow_anim::{ClipBuilder, RawClip, clip::{JumpSpacing, Precision}, glam::Quat, raw::Track};
///
/// let mut nod = RawClip::new(2.0, 1)?;
/// nod.set_rotation(0, Track::linear(vec![0.0, 2.0], vec![Quat::IDENTITY, Quat::from_rotation_x(1.0)])?)?;
/// nod.add_channel("nod", Track::linear(vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 0.0])?)?;
/// let builder = ClipBuilder::new().precision(Precision::Tight).jump_frames(JumpSpacing::Seconds(0.5));
/// let (clip, report) = builder.arc_error(1e-3).build(&nod)?;
/// assert_eq!((clip.find_channel("nod"), clip.channel_name(0)), (Some(0), Some("nod")));
/// assert_eq!((report.channel_error, report.inserted_keys), (0.0, 1)); // a key in the middle of the turn
/// assert!(report.arc_error <= 1e-3);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClipBuilder {
    precision: Precision,
    spacing: JumpSpacing,
    arc_error: Option<f32>,
}

/// The size, key counts and errors of a compiled clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClipReport {
    /// The size of the clip, in bytes.
    pub bytes: usize,
    /// The number of keys, including inserted keys and one key for each constant track.
    pub keys: usize,
    /// The number of keys inserted into long arcs: see [`ClipBuilder::arc_error`].
    pub inserted_keys: usize,
    /// The number of constant tracks.
    pub constant_tracks: usize,
    /// The greatest error of a rotation key, in radians; for cubic tracks, of a number in a quaternion or tangent.
    pub rotation_error: f32,
    /// The greatest error of a number in a translation key or its tangents.
    pub translation_error: f32,
    /// The greatest error of a number in a scale key or its tangents.
    pub scale_error: f32,
    /// The greatest error of a number in a channel key or its tangents.
    pub channel_error: f32,
    /// The greatest error of a key's time, in seconds.
    pub time_error: f32,
    /// The greatest deviation of a linear rotation from the arc at constant speed between two keys, in radians. The
    /// deviation exceeds [`ClipBuilder::arc_error`] only where there are too few ticks to insert more keys.
    pub arc_error: f32,
}

impl ClipBuilder {
    /// Creates a builder with compact precision, and with jump frames that make the stream a quarter larger.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the precision of the keys. A compact clip becomes tight if a track has more than 65,535 keys or if key
    /// times do not fit 16-bit ticks. Times do not fit if rounding moves a time by more than a tick, or if the clip is
    /// longer than 65 s and its times have no common grid. [`Clip::precision`] returns the precision of the result.
    #[must_use]
    pub const fn precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// Sets the distance between jump frames. More frames take more memory and make seeks faster: see [`Clip::stats`].
    #[must_use]
    pub const fn jump_frames(self, spacing: JumpSpacing) -> Self {
        Self { spacing, ..self }
    }

    /// Sets the greatest deviation of linear rotations from the arc at constant speed, in radians. The default is 1e-3,
    /// or 1e-5 for tight clips. Between keys, a player uses normalised sums, which follow the arc at a slightly uneven
    /// speed. If two keys are an angle θ apart, the deviation is at most θ³ / 250. Where the bound is exceeded and
    /// ticks are free, keys are inserted. At 1e-3, arcs below 35° need no keys. Turns of nearly 180° always get a key.
    #[must_use]
    pub const fn arc_error(self, radians: f32) -> Self {
        Self { arc_error: Some(radians), ..self }
    }

    /// Compiles a clip.
    ///
    /// Runs in **O(keys log keys)**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::JumpSpacing`], [`ClipError::ArcError`] or [`ClipError::TooLarge`].
    pub fn build(&self, clip: &RawClip) -> Result<(Clip, ClipReport), Error> {
        #[expect(clippy::cast_precision_loss, reason = "only whether it is zero counts")]
        let spacing = match self.spacing {
            JumpSpacing::Seconds(number) | JumpSpacing::Frames(number) => number,
            JumpSpacing::Bytes(bytes) => bytes as f32,
        };
        // Rejects NaN, too.
        if spacing.partial_cmp(&0.0) != Some(core::cmp::Ordering::Greater) {
            return Err(ClipError::JumpSpacing(spacing).into());
        }
        if let Some(error) = self.arc_error
            && error.partial_cmp(&0.0) != Some(core::cmp::Ordering::Greater)
        {
            return Err(ClipError::ArcError(error).into());
        }
        match self.precision {
            Precision::Compact => match ticks(clip) {
                Some(rate) => self.compile::<u16>(clip, rate),
                None => self.compile::<u32>(clip, 1.0),
            },
            Precision::Tight => self.compile::<u32>(clip, 1.0),
        }
    }

    /// Keeps only the keys that an error bound in model space needs, as [`RawClip::reduced`] does, then compiles them.
    ///
    /// The bound holds for the poses that a player samples from the remaining keys, so arcs need no inserted keys. Keys
    /// are inserted as in [`build`](Self::build) only if an [`arc_error`](Self::arc_error) was set, the bound of a
    /// joint is 0, or a turn is nearly 180°.
    ///
    /// Usually runs in **O(joints · keys · log keys)**.
    ///
    /// ```
    /// use hedgerow_anim::{ClipBuilder, RawClip, SkeletonBuilder, Transform, raw::{Reduction, Track}};
    /// use hedgerow_anim::glam::Vec3;
    ///
    /// let mut builder = SkeletonBuilder::new();
    /// builder.joint("lift", None, Transform::IDENTITY);
    /// let (skeleton, _) = builder.build()?;
    ///
    /// let times: Vec<f32> = (0..100_u8).map(|key| f32::from(key) / 30.0).collect();
    /// let places = times.iter().map(|&time| Vec3::new(0.0, time, 0.0)).collect();
    /// let mut clip = RawClip::new(4.0, 1)?;
    /// clip.set_translation(0, Track::linear(times, places)?)?;
    /// let (clip, report) = ClipBuilder::new().build_reduced(&clip, &skeleton, &Reduction::new(1e-4, 0.03))?;
    /// assert_eq!((report.keys, clip.joints()), (2, 1));
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`RawClip::reduced`] and of [`ClipBuilder::build`].
    pub fn build_reduced(
        &self,
        clip: &RawClip,
        skeleton: &Skeleton,
        reduction: &Reduction,
    ) -> Result<(Clip, ClipReport), Error> {
        let reduced = clip.reduced(skeleton, reduction)?;
        // A lossless reduction only considers exact sampling.
        let lossless = clip.joint_numbers().any(|joint| reduction.bound(joint).0 == 0.0);
        let arc_error = if lossless { self.arc_error } else { self.arc_error.or(Some(f32::MAX)) };
        Self { arc_error, ..*self }.build(&reduced)
    }

    fn compile<W: Quantise>(&self, clip: &RawClip, rate: f32) -> Result<(Clip, ClipReport), Error> {
        let arc_error = self.arc_error.unwrap_or(match W::PRECISION {
            Precision::Compact => 1e-3,
            Precision::Tight => 1e-5,
        });
        // Blocks and channels are numbered with 16 bits.
        if clip.channels() > usize::from(u16::MAX) {
            return Err(ClipError::TooLarge.into());
        }
        let mut report = ClipReport::default();
        let plan = Plan::<W>::new(clip, rate, arc_error, &mut report);
        debug_assert!(plan.is_ordered(), "two keys of a track at the same time");
        report.keys = plan.keys();
        #[expect(clippy::cast_possible_truncation, reason = "an error is told in single precision")]
        let arc_error = unevenness(plan.widest) as f32;
        report.arc_error = arc_error;
        let bytes = write(clip, &plan, rate, self.spacing)?;
        report.bytes = bytes.len();
        Ok((Clip::from_bytes(bytes)?, report))
    }
}

/// Returns the ticks per second at which all key times fit 16 bits, or `None` if there is no such rate.
fn ticks(clip: &RawClip) -> Option<f32> {
    // Each key of a track needs its own tick.
    if times(clip).any(|times| times.len() > usize::from(u16::MAX)) {
        return None;
    }
    // One tick rate serves all tracks, so the times of all are needed at once.
    let mut times: Vec<f32> = times(clip).flatten().copied().collect();
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    let rate = rate(&times, clip.duration())?;
    // Keys may be so close together that rounding would move a time by more than a tick.
    self::times(clip).all(|times| u16::times(times, clip.duration(), rate).is_some()).then_some(rate)
}

/// Returns the key times of each track.
fn times(clip: &RawClip) -> impl Iterator<Item = &[f32]> {
    let of_joint = |joint: u16| {
        let [translation, scale] = [clip.translation(joint), clip.scale(joint)].map(|track| track.map(Track::times));
        [translation, clip.rotation(joint).map(Track::times), scale].into_iter().flatten()
    };
    clip.joint_numbers().flat_map(of_joint).chain((0..clip.channels()).map(|channel| clip.channel(channel).times()))
}
