//! Root motion: takes the motion of a whole character out of a clip, so that the game moves the character and the clip
//! moves its limbs.
//!
//! | you want | use |
//! |---|---|
//! | to split a clip into the motion and a clip that plays in place | [`RootMotion::extract`] |
//! | to say what belongs to the motion: which axes, the turn | [`RootMotionOptions`], [`Axis`] |
//! | how far the character went from one frame to the next, through any loops | [`RootMotion::delta`] |
//! | to move a character by that | [`RootMotion::apply`] |

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
    /// The first.
    X,
    /// The second; up in glTF.
    #[default]
    Y,
    /// The third.
    Z,
}

/// The part of a joint's motion that [`RootMotion::extract`] takes out of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMotionOptions {
    /// Whether the translation along x, y and z, in the joint's parent space, is part of the motion.
    pub axes: [bool; 3],
    /// Whether the turn about the up axis is part of the motion.
    pub yaw: bool,
    /// Which axis is up, in the joint's parent space.
    pub up: Axis,
    /// How far the recombined parts may deviate from the original between its keys, in metres, measured one metre from
    /// the joint. Where lines between the clip's keys deviate more, keys are added, which take 56 bytes each in both
    /// parts together: up to 1,023 between two keys of the clip, and none for differences lost in single precision. If
    /// 1,023 keys are not enough, the deviation is greater.
    pub error: f32,
}

impl RootMotionOptions {
    /// For walking on level ground: x, z and the turn about y are root motion; bobbing and leaning stay in the clip.
    /// The error is at most a tenth of a millimetre.
    pub const WALK: Self = Self { axes: [true, false, true], yaw: true, up: Axis::Y, error: 1e-4 };
    /// Displacement in x, y and z, without turns.
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
/// The remaining clip plays in place: moving its value for the joint by [`at`](Self::at) gives that of the original.
/// Each frame, [`delta`](Self::delta) moves the character, through any number of loops, forward or backward.
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
/// let character = Transform::from_xyz(10.0, 0.0, 0.0);
/// assert_eq!(RootMotion::apply(delta, character).translation, Vec3::new(10.0, 0.0, 2.25));
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RootMotion {
    up: Axis,
    duration: f32,
    /// At least two, strictly ascending, from 0 to the duration.
    times: Vec<f32>,
    /// By key; the first one is zero.
    keys: Vec<MotionKey>,
}

/// The greatest number of loops that double precision counts one by one: 2⁵³.
const MOST_LOOPS: f64 = 9_007_199_254_740_992.0;

/// The position of a character at the time of a key, relative to the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct MotionKey {
    translation: Vec3,
    /// Radians about the up axis, including whole turns.
    yaw: f32,
}

impl RootMotion {
    /// Splits a clip into the root motion of a joint, as selected by the options, and the clip without that motion.
    ///
    /// The joint is usually the root. If it is another joint, the joints above it should not move, since its motion is
    /// relative to its parent space. If the clip has no track for the joint's translation or rotation, they are taken
    /// from `rest`. The clip in place has linear tracks for the joint's translation and, if turns are extracted, its
    /// rotation; all other tracks are unchanged. A jump of a step track becomes a line between two adjacent times.
    ///
    /// Runs in **O((keys of the clip + keys of the motion) × log(keys of the clip))**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NoSuchJoint`](crate::raw::ClipError::NoSuchJoint), the errors of
    /// [`Transform::checked`] for `rest`, and [`Error::Math`] if [`RootMotionOptions::error`] is negative or NaN, or if
    /// the motion exceeds single precision.
    pub fn extract(
        clip: &RawClip,
        joint: u16,
        rest: Transform,
        options: RootMotionOptions,
    ) -> Result<(Self, RawClip), Error> {
        split::extract(clip, joint, rest, options)
    }

    /// The duration of the original clip, in seconds.
    #[must_use]
    pub const fn duration(&self) -> f32 {
        self.duration
    }

    /// How many keys the motion has; at least two.
    #[must_use]
    pub const fn keys(&self) -> usize {
        self.times.len()
    }

    /// The size on the heap without spare capacity, in bytes: 20 for each key.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        size_of_val(self.times.as_slice()) + size_of_val(self.keys.as_slice())
    }

    /// The character's transform at a time of the clip, relative to the beginning. Before the beginning and after the
    /// end it is constant.
    ///
    /// Runs in **O(log keys)**.
    #[must_use]
    pub fn at(&self, time: f32) -> Transform {
        self.planar(f64::from(time)).to_transform(self.up)
    }

    /// The motion of one whole loop of the clip.
    #[must_use]
    pub fn total(&self) -> Transform {
        self.at(self.duration)
    }

    /// The motion between two times of a clip that loops forever, relative to the character at the first time. Times
    /// continue through loops: 2.25 durations is a quarter into the third loop. The second time may be the earlier one,
    /// and either may be negative. Times that are not finite count as 0, loops beyond 2⁵³ are ignored, and a motion
    /// that exceeds single precision is clamped to its greatest number.
    ///
    /// Runs in **O(log keys)** for any number of loops.
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

    /// The motion between two times within the clip, with this many jumps from its end to its beginning in between.
    /// Jumps from the beginning to the end, when playing backward, are negative. This is the number that
    /// [`Player::advance`](crate::Player::advance) returns for a loop. With 0 jumps it also works for clips that do not
    /// loop, and for those that turn around at the ends.
    ///
    /// Runs in **O(log keys)**.
    #[must_use]
    pub fn between(&self, from: f32, to: f32, loops: i32) -> Transform {
        self.over(f64::from(from), f64::from(to), f64::from(loops))
    }

    /// A character's transform after a motion relative to the character: the character's rotation and scale also apply
    /// to the step, and its scale stays the same.
    ///
    /// If the scale is uniform, this is the product of the two matrices.
    #[must_use]
    pub fn apply(delta: Transform, character: Transform) -> Transform {
        Transform {
            translation: character.translation + character.rotation * (character.scale * delta.translation),
            rotation: (character.rotation * delta.rotation).normalize(),
            scale: character.scale,
        }
    }

    fn over(&self, from: f64, to: f64, loops: f64) -> Transform {
        let whole = self.planar(f64::from(self.duration)).repeated(loops, self.up);
        let behind = self.planar(from).inverse(self.up);
        behind.then(whole, self.up).then(self.planar(to), self.up).to_transform(self.up)
    }

    /// The motion at a time within the clip.
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
