//! Root motion: separates the motion of a whole character from a clip, so that the game moves the character and the
//! clip moves the limbs.
//!
//! | you want | use |
//! |---|---|
//! | to split a clip into root motion and a clip that plays in place | [`RootMotion::extract`] |
//! | to choose the axes and the turn of the motion | [`RootMotionOptions`], [`Axis`] |
//! | the character's motion from one frame to the next, through any loops | [`RootMotion::delta`] |
//! | to move a character by that delta | [`RootMotion::apply`] |

// | file | what |
// |---|---|
// | `planar` | a displacement with a turn about the up axis: composing, inverting, repeating |
// | `split` | how a clip is split into the motion and the rest |

mod planar;
mod split;

use crate::{Error, RawClip, Transform};
use glam::Vec3;
use planar::Planar;

/// An axis of a coordinate system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Axis {
    /// The first axis.
    X,
    /// The second axis, up in glTF.
    #[default]
    Y,
    /// The third axis.
    Z,
}

/// The part of a joint's motion that [`RootMotion::extract`] splits from a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMotionOptions {
    /// Whether the translation along x, y and z of the joint's parent space is part of the motion.
    pub axes: [bool; 3],
    /// Whether the turn about the up axis is part of the motion.
    pub yaw: bool,
    /// The up axis, in the joint's parent space.
    pub up: Axis,
    /// The greatest deviation of the recombined parts from the original at points one metre from the joint, in metres.
    /// Where lines between the clip's keys deviate more, up to 1,023 keys are added between two keys. Each takes 56
    /// bytes in both parts together. If 1,023 keys are not enough, the deviation is greater.
    pub error: f32,
}

impl RootMotionOptions {
    /// Options for walking on level ground: x, z and the turn about y are root motion; bobbing and leaning stay in the
    /// clip. The error is a tenth of a millimetre.
    pub const WALK: Self = Self { axes: [true, false, true], yaw: true, up: Axis::Y, error: 1e-4 };
    /// Options for displacement in x, y and z, without turns.
    pub const TRANSLATION: Self = Self { axes: [true; 3], yaw: false, ..Self::WALK };
}

impl Default for RootMotionOptions {
    fn default() -> Self {
        Self::WALK
    }
}

/// The root motion of a clip: a displacement of the character and a turn about the up axis, over time. Both start at
/// zero.
///
/// The remaining clip plays in place: [`at`](Self::at) times the joint's transform in that clip gives the original
/// transform. Each frame, [`delta`](Self::delta) moves the character forward or backward, through any number of loops.
///
/// ```
/// use hedgerow_anim::{RawClip, Transform, raw::Track, root_motion::{RootMotion, RootMotionOptions}};
/// use hedgerow_anim::glam::Vec3;
///
/// let mut walk = RawClip::new(1.0, 1)?;
/// walk.set_translation(0, Track::linear(vec![0.0, 1.0], vec![Vec3::Y, Vec3::new(0.0, 1.0, 1.5)])?)?;
/// let (motion, in_place) = RootMotion::extract(&walk, 0, Transform::IDENTITY, RootMotionOptions::WALK)?;
/// assert_eq!(in_place.translation(0).unwrap().sample(0.7), Vec3::Y);
///
/// // From 0.75 seconds to 2.25 seconds of the walk, which loops twice meanwhile: a second and a half.
/// let delta = motion.delta(0.75, 2.25);
/// assert_eq!((motion.between(0.75, 0.25, 2), motion.at(1.0)), (delta, motion.total()));
/// let character = Transform::from_xyz(10.0, 0.0, 0.0);
/// assert_eq!(RootMotion::apply(delta, character).translation, Vec3::new(10.0, 0.0, 2.25));
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RootMotion {
    up: Axis,
    duration: f32,
    /// The key times: at least two, strictly ascending from 0 to the duration.
    times: Vec<f32>,
    /// The motion at each key. The first motion is zero.
    keys: Vec<MotionKey>,
}

/// The greatest number of loops that double precision counts one by one: 2⁵³.
const MOST_LOOPS: f64 = 9_007_199_254_740_992.0;

/// The position of a character at the time of a key, relative to the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct MotionKey {
    translation: Vec3,
    /// The turn about the up axis in radians, including whole turns.
    yaw: f32,
}

impl RootMotion {
    /// Splits a clip into the root motion of a joint and the clip without that motion.
    ///
    /// The joint is usually the root. If the joint is not the root, its ancestors should not move, since the motion is
    /// in the joint's parent space. Parts without a track come from `rest`. In the clip in place, the joint has a
    /// linear translation track and, if turns are extracted, a linear rotation track. All other tracks are unchanged. A
    /// jump of a step track becomes a line between two adjacent times.
    ///
    /// Runs in **O((keys of the clip + keys of the motion) × log(keys of the clip))**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NoSuchJoint`](crate::raw::ClipError::NoSuchJoint), the errors of
    /// [`Transform::checked`] for `rest`, and [`Error::Math`] if the motion exceeds single precision, or if
    /// [`RootMotionOptions::error`] is negative or NaN.
    pub fn extract(
        clip: &RawClip,
        joint: u16,
        rest: Transform,
        options: RootMotionOptions,
    ) -> Result<(Self, RawClip), Error> {
        split::extract(clip, joint, rest, options)
    }

    /// Returns the duration of the original clip, in seconds.
    #[must_use]
    pub const fn duration(&self) -> f32 {
        self.duration
    }

    /// Returns the number of keys, at least two.
    #[must_use]
    pub const fn keys(&self) -> usize {
        self.times.len()
    }

    /// Returns the size on the heap without spare capacity: 20 bytes for each key.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        size_of_val(self.times.as_slice()) + size_of_val(self.keys.as_slice())
    }

    /// Returns the character's transform at a time of the clip, relative to the beginning. The time is clamped to the
    /// clip.
    ///
    /// Runs in **O(log keys)**.
    #[must_use]
    pub fn at(&self, time: f32) -> Transform {
        self.planar(f64::from(time)).to_transform(self.up)
    }

    /// Returns the motion of one whole loop of the clip.
    #[must_use]
    pub fn total(&self) -> Transform {
        self.at(self.duration)
    }

    /// Returns the motion between two times of a clip that loops forever, relative to the character at the time `from`.
    /// Times continue through loops: 2.25 durations is a quarter into the third loop.
    ///
    /// `to` may be before `from`, and times may be negative. Times that are not finite count as 0. Loops beyond 2⁵³ are
    /// ignored, and results are clamped to single precision.
    ///
    /// Runs in **O(log keys)**, for any number of loops.
    #[must_use]
    pub fn delta(&self, from: f64, to: f64) -> Transform {
        let duration = f64::from(self.duration);
        let turn = |time: f64| {
            let time = if time.is_finite() { time } else { 0.0 };
            let within = time.rem_euclid(duration);
            (((time - within) / duration).round().clamp(-MOST_LOOPS, MOST_LOOPS), within)
        };
        let ((first, from), (last, to)) = (turn(from), turn(to));
        self.over(from, to, last - first)
    }

    /// Returns the motion between two times within the clip, with `loops` jumps from the end to the beginning in
    /// between: the result of [`Player::advance`](crate::Player::advance).
    ///
    /// `loops` is negative if the clip plays backward. For players that do not loop, pass 0.
    ///
    /// Runs in **O(log keys)**.
    #[must_use]
    pub fn between(&self, from: f32, to: f32, loops: i32) -> Transform {
        self.over(f64::from(from), f64::from(to), f64::from(loops))
    }

    /// Returns a character's transform after a motion relative to the character. The character's rotation and scale
    /// apply to the displacement; the character's scale stays the same.
    ///
    /// If the scale is uniform, the result is the product of the two matrices.
    #[must_use]
    pub fn apply(delta: Transform, character: Transform) -> Transform {
        // In double precision, which is not computed with the machine's vectors, so that bits are the same.
        let (own, turn) = (character.rotation.as_dquat(), delta.rotation.as_dquat());
        let moved = own * (character.scale * delta.translation).as_dvec3();
        Transform {
            translation: character.translation + moved.as_vec3(),
            rotation: (own * turn).normalize().as_quat(),
            scale: character.scale,
        }
    }

    fn over(&self, from: f64, to: f64, loops: f64) -> Transform {
        let whole = self.planar(f64::from(self.duration)).repeated(loops, self.up);
        let behind = self.planar(from).inverse(self.up);
        behind.then(whole, self.up).then(self.planar(to), self.up).to_transform(self.up)
    }

    /// Returns the motion at a time within the clip.
    fn planar(&self, time: f64) -> Planar {
        let key = self.times.partition_point(|&key| f64::from(key) <= time);
        if key == 0 || time.is_nan() {
            return self.keys[0].into();
        }
        let (Some(&end), begin) = (self.times.get(key), f64::from(self.times[key - 1])) else {
            return self.keys[key - 1].into();
        };
        let (a, b) = (Planar::from(self.keys[key - 1]), Planar::from(self.keys[key]));
        a.lerp(b, (time - begin) / (f64::from(end) - begin))
    }
}

impl From<MotionKey> for Planar {
    fn from(key: MotionKey) -> Self {
        Self { translation: key.translation.as_dvec3(), yaw: f64::from(key.yaw) }
    }
}
