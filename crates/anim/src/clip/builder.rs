//! The settings of a clip's compilation.

use super::Clip;
use super::format::{Width, write};
use super::plan::Plan;
use super::quantise::{Quantise, rate, unevenness};
use crate::{
    Error, RawClip, Skeleton,
    raw::{ClipError, Reduction, Track},
};

/// How precisely a [`Clip`] stores its keys; see the table there for figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 16-bit words.
    #[default]
    Compact,
    /// 32-bit words.
    Tight,
}

/// How far apart the jump frames of a [`Clip`] are. There is always one at the beginning and one at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JumpSpacing {
    /// At most this many seconds apart, if there are keys in between.
    Seconds(f32),
    /// At the first group of keys that starts at least this many stream bytes after the last jump frame.
    Bytes(u32),
    /// Like `Bytes`, with a multiple of the size of a jump frame. With a multiple of n, jump frames make the stream
    /// about 1/n larger. A seek copies one frame, and reads at most about n / 2 times the size of a frame in keys.
    Frames(f32),
}

impl Default for JumpSpacing {
    /// Four times a frame's bytes: jump frames make a clip a quarter larger.
    fn default() -> Self {
        Self::Frames(4.0)
    }
}

/// Compiles [`RawClip`]s, with all their keys or only with the keys that an error bound in model space needs
/// ([`build_reduced`](Self::build_reduced)).
///
/// Quantisation adds to the error bound of a reduction and may accumulate along a chain of joints: the greatest error
/// of a compact rotation, 1.1e-4 radians, moves a point one metre away by a tenth of a millimetre. [`ClipReport`] has
/// the errors of the keys themselves.
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

/// Statistics of a compilation: the numbers of keys, and their errors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClipReport {
    /// The size of the clip.
    pub bytes: usize,
    /// The number of keys: those of the raw clip, with one per constant track, and the inserted ones.
    pub keys: usize,
    /// How many keys were inserted into long arcs: see [`ClipBuilder::arc_error`].
    pub inserted_keys: usize,
    /// How many tracks are constant.
    pub constant_tracks: usize,
    /// The greatest error of a rotation key, in radians. Cubic tracks store the four numbers of a quaternion; for these
    /// this is also the greatest error of any number, including tangents.
    pub rotation_error: f32,
    /// The greatest error of a number in a translation key, including tangents.
    pub translation_error: f32,
    /// The greatest error of a number in a scale key, including tangents.
    pub scale_error: f32,
    /// The greatest error of a number in a channel key, including tangents.
    pub channel_error: f32,
    /// The greatest error of a key's time, in seconds.
    pub time_error: f32,
    /// The greatest deviation, in radians, of a linear rotation from the arc at constant speed between two of its keys.
    /// At most the [`ClipBuilder::arc_error`] that was set, unless a turn is so short that there are too few ticks to
    /// insert keys.
    pub arc_error: f32,
}

impl ClipBuilder {
    /// A builder with compact precision, and jump frames that take a quarter of the stream's size.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How precisely keys are stored. A compact clip becomes tight in three cases: it is longer than a minute and its
    /// key times fit no grid that 16 bits can count; a track has more than 65,535 keys; or keys of a track are so close
    /// together that one would be more than a tick off. [`Clip::precision`] returns the precision of the result.
    #[must_use]
    pub const fn precision(self, precision: Precision) -> Self {
        Self { precision, ..self }
    }

    /// How far apart jump frames are: more frames take more memory and make seeks faster. [`Clip::stats`] returns both
    /// costs.
    #[must_use]
    pub const fn jump_frames(self, spacing: JumpSpacing) -> Self {
        Self { spacing, ..self }
    }

    /// By how many radians linear rotations may deviate from the arc at constant speed. Between two keys a player uses
    /// normalised sums, which follow the same arc at a slightly uneven speed. With an angle θ between keys, the
    /// deviation is at most θ³ / 250. If it exceeds the bound, keys are inserted, as far as there are ticks for them:
    /// [`ClipReport::arc_error`] has the result. The default is 1e-3, which needs no keys below 35°, or 1e-5 for tight
    /// clips. A turn of nearly 180° or more always gets a key.
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
        // NaN is not above zero either.
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

    /// Removes the keys that an error bound in model space does not need ([`RawClip::reduced`]), then compiles the
    /// rest.
    ///
    /// The bound holds for the poses that a player samples from the remaining keys. So no keys are inserted into arcs,
    /// unless an [`arc_error`](Self::arc_error) was set, a turn is nearly 180°, or the bound of a joint is 0: then keys
    /// are inserted as in [`build`](Self::build).
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
    /// Those of [`RawClip::reduced`] and of [`ClipBuilder::build`].
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
        let arc_error = self.arc_error.unwrap_or(match W::WIDTH {
            Width::Compact => 1e-3,
            Width::Tight => 1e-5,
        });
        // Blocks and channels have 16-bit numbers.
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
    // Too many may be so close that some would move too far.
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
