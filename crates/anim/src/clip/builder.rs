//! The settings of compiling a clip.

use super::Clip;
use super::head::Width;
use super::plan::Plan;
use super::quantise::{Quantise, rate, unevenness};
use super::write::write;
use crate::{
    Error, RawClip, Skeleton,
    raw::{ClipError, Reduction, Track},
};

/// How precisely a [`Clip`] keeps its keys: the table there has the figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Words of 16 bits.
    #[default]
    Compact,
    /// Words of 32 bits.
    Tight,
}

/// How far apart the jump frames of a [`Clip`] are. One more is always at its end, and one at its beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JumpSpacing {
    /// At most so many seconds, where keys are needed in between.
    Seconds(f32),
    /// At the first group of keys that begins so many bytes of the stream after the last jump frame.
    Bytes(u32),
    /// The same, with so many times the bytes of a jump frame. They take about this part of the stream's size on top of it, and a
    /// seek takes as long as copying a frame and reading half of so many frames' bytes of keys.
    Frames(f32),
}

impl Default for JumpSpacing {
    /// Four times a frame's bytes: jump frames make a clip a quarter larger.
    fn default() -> Self {
        Self::Frames(4.0)
    }
}

/// Compiles [`RawClip`]s: with all their keys, or with those that a bound in model space needs
/// ([`build_reduced`](Self::build_reduced)).
///
/// What words round comes on top of a reduction's bound, and joint by joint it may add up: the most that a compact turn is off,
/// 1.1e-4 radians, is a tenth of a millimetre at a metre. [`ClipReport`] has the errors of a clip's own keys.
///
/// ```
/// use hedgerow_anim::{ClipBuilder, RawClip, clip::{JumpSpacing, Precision}, raw::Track};
///
/// let mut nod = RawClip::new(2.0, 1)?;
/// nod.add_channel("nod", Track::linear(vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 0.0])?)?;
/// let (clip, report) =
///     ClipBuilder::new().precision(Precision::Tight).jump_frames(JumpSpacing::Seconds(0.5)).build(&nod)?;
/// assert_eq!(clip.find_channel("nod"), Some(0));
/// assert_eq!(report.channel_error, 0.0);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClipBuilder {
    precision: Precision,
    spacing: JumpSpacing,
    arc_error: Option<f32>,
}

/// What became of the keys of a compiled clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClipReport {
    /// What the clip takes.
    pub bytes: usize,
    /// How many keys it has: those of the raw clip but all but one of each constant track, and the inserted ones.
    pub keys: usize,
    /// How many keys were inserted into long arcs: see [`ClipBuilder::arc_error`].
    pub inserted_keys: usize,
    /// How many tracks are constant.
    pub constant_tracks: usize,
    /// The furthest that a rotation's key is from what was asked for, in radians. Cubic tracks keep the four numbers of a
    /// quaternion, and this is also the furthest that one of these is from what was asked for, tangents included.
    pub rotation_error: f32,
    /// The furthest that a number of a translation's key is from what was asked for; tangents, too.
    pub translation_error: f32,
    /// The same of scales.
    pub scale_error: f32,
    /// The same of channels.
    pub channel_error: f32,
    /// The furthest that a key's time is from what was asked for, in seconds.
    pub time_error: f32,
    /// The furthest that a linear rotation is from the arc at constant speed between two of its keys, in radians: what
    /// [`ClipBuilder::arc_error`] asked for, or less, unless a turn takes so few ticks that the keys for it found no room.
    pub arc_error: f32,
}

impl ClipBuilder {
    /// Compact precision, jump frames for a quarter of the stream's size.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How precisely keys are kept. A compact clip becomes a tight one if it is longer than a minute and the times of its keys lie on no
    /// grid that 16 bits can count, if a track has more than 65,535 keys, or if so many keys of a track are so near to each other
    /// that one would be more than a tick off. [`Clip::precision`] tells what became of it.
    #[must_use]
    pub const fn precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// How far apart jump frames are: memory against the time of a seek, both of which [`Clip::stats`] tells.
    #[must_use]
    pub const fn jump_frames(self, spacing: JumpSpacing) -> Self {
        Self { spacing, ..self }
    }

    /// By how many radians linear rotations may leave the arc at constant speed. A player goes between two keys by normalised sums,
    /// on the same arc at a slightly uneven speed: by an angle θ between keys it is ahead or behind by at most θ³ / 250.
    /// Where that is more, keys are inserted, as many as there are ticks for them: [`ClipReport::arc_error`] has what came of it.
    /// 1e-3 by default, which none are below 35° for; 1e-5 where tight. A turn of nearly 180° or more gets a key in any case.
    #[must_use]
    pub const fn arc_error(self, radians: f32) -> Self {
        Self { arc_error: Some(radians), ..self }
    }

    /// Compiles a clip.
    ///
    /// Computes in **O(keys log keys)**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::JumpSpacing`], [`ClipError::ArcError`] or [`ClipError::TooLarge`].
    pub fn build(&self, clip: &RawClip) -> Result<(Clip, ClipReport), Error> {
        #[expect(clippy::cast_precision_loss, reason = "only whether it is zero counts")]
        let spacing = match self.spacing {
            JumpSpacing::Seconds(number) | JumpSpacing::Frames(number) => number,
            JumpSpacing::Bytes(bytes) => bytes as f32,
        };
        // Not a number is not above zero either.
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

    /// Takes out all keys that a bound in model space does without ([`RawClip::reduced`]), then compiles the others.
    ///
    /// The bound holds for what a player makes of the keys that are left, so none are inserted into arcs, unless an
    /// [`arc_error`](Self::arc_error) was set, a turn is of nearly 180°, or the bound of a joint is 0: then keys are inserted
    /// as in [`build`](Self::build).
    ///
    /// Computes in **O(joints · keys · log keys)** as a rule.
    ///
    /// ```
    /// use hedgerow_anim::{ClipBuilder, Mat34, RawClip, SkeletonBuilder, Transform, raw::{Reduction, Track}};
    /// use hedgerow_anim::glam::Vec3;
    ///
    /// let mut builder = SkeletonBuilder::new();
    /// builder.joint("lift", None, Transform::IDENTITY, Mat34::IDENTITY);
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
    /// Those of [`RawClip::reduced`] and of [`ClipBuilder::build`].
    pub fn build_reduced(
        &self,
        clip: &RawClip,
        skeleton: &Skeleton,
        reduction: &Reduction,
    ) -> Result<(Clip, ClipReport), Error> {
        let reduced = clip.reduced(skeleton, reduction)?;
        // A reduction that loses nothing looks at exact sampling alone.
        let lossless = clip.joint_numbers().any(|joint| reduction.bound(joint).0 == 0.0);
        let arc_error = if lossless { self.arc_error } else { self.arc_error.or(Some(f32::MAX)) };
        Self { arc_error, ..*self }.build(&reduced)
    }

    fn compile<W: Quantise>(&self, clip: &RawClip, rate: f32) -> Result<(Clip, ClipReport), Error> {
        let arc_error = self.arc_error.unwrap_or(match W::WIDTH {
            Width::Compact => 1e-3,
            Width::Tight => 1e-5,
        });
        // Blocks and channels have numbers of 16 bits.
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

/// The rate at which the times of all keys fit 16 bits, if there is one.
fn ticks(clip: &RawClip) -> Option<f32> {
    // Each key of a track has a tick of its own.
    if times(clip).any(|times| times.len() > usize::from(u16::MAX)) {
        return None;
    }
    let mut times: Vec<f32> = times(clip).flatten().copied().collect();
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    let rate = rate(&times, clip.duration())?;
    // So many may crowd that some would have to go too far.
    self::times(clip).all(|times| u16::times(times, clip.duration(), rate).is_some()).then_some(rate)
}

/// The times of the keys of each track.
fn times(clip: &RawClip) -> impl Iterator<Item = &[f32]> {
    let of_joint = |joint: u16| {
        let [translation, scale] = [clip.translation(joint), clip.scale(joint)].map(|track| track.map(Track::times));
        [translation, clip.rotation(joint).map(Track::times), scale].into_iter().flatten()
    };
    clip.joint_numbers().flat_map(of_joint).chain((0..clip.channels()).map(|channel| clip.channel(channel).times()))
}
