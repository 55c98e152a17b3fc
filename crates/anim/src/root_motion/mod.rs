//! The motion of a whole character, taken out of a clip, so that the game moves the character and the clip moves its
//! limbs.
//!
//! | file | what |
//! |---|---|
//! | `planar` | a displacement with a turn about the upward axis: composing, inverting, repeating |
//! | `split` | how a clip is split into the motion and the rest |

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
    /// The second; upward in glTF.
    #[default]
    Y,
    /// The third.
    Z,
}

/// Which part of a joint's motion [`RootMotion::extract`] takes out of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMotionOptions {
    /// Along which of the axes x, y and z of the joint's parent's space the translation goes with the motion.
    pub axes: [bool; 3],
    /// Whether the turn about the upward axis goes with it.
    pub yaw: bool,
    /// Which axis is upward, in the joint's parent's space.
    pub up: Axis,
    /// How far the two parts, put together again, may be from the original between its keys, in metres at one metre from
    /// the joint. Where translation and turn run together, keys are added until it is so: up to 256 between two keys of the
    /// clip, and none for less than single precision can tell.
    pub error: f32,
}

impl RootMotionOptions {
    /// Walking on level ground: x, z and the turn about y; what bobs and leans stays. To a tenth of a millimetre.
    pub const WALK: Self = Self { axes: [true, false, true], yaw: true, up: Axis::Y, error: 1e-4 };
    /// Displacement without turns: x, y and z.
    pub const TRANSLATION: Self = Self { axes: [true; 3], yaw: false, ..Self::WALK };
}

impl Default for RootMotionOptions {
    fn default() -> Self {
        Self::WALK
    }
}

/// How a clip moves a whole character: a displacement and a turn about the upward axis, over time, both none at the
/// clip's beginning.
///
/// The clip that is left plays in place; what it says of the joint, moved by [`at`](Self::at), is what the original said.
/// From frame to frame the character is moved by [`delta`](Self::delta), which goes on over any number of loops, forward
/// and backward.
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
    /// By key; the first is none.
    keys: Vec<MotionKey>,
}

/// Where a character is at the time of a key, seen from where it was at the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct MotionKey {
    translation: Vec3,
    /// Radians about the upward axis, counted on over whole turns.
    yaw: f32,
}

impl RootMotion {
    /// Splits a clip into the motion of a joint, as far as the options say, and the clip without it.
    ///
    /// The joint is the root as a rule. If it is another one, what is above it should stand still, since its motion is
    /// told in its parent's space. Where the clip has no track for the joint's translation or rotation, `rest` has them. The
    /// clip in place has linear tracks for the joint's translation and, where the turn is taken, rotation; all others are
    /// as they were. A jump of a step track becomes a line between two adjacent times.
    ///
    /// Computes in **O(keys of the clip + keys of the motion)**.
    ///
    /// # Errors
    /// [`Error::Clip`] with [`ClipError::NoSuchJoint`](crate::raw::ClipError::NoSuchJoint), what
    /// [`Transform::checked`] says of `rest`, and [`Error::NotFinite`] for an error that is negative or not a number, or
    /// where the motion is beyond the range of single precision.
    pub fn extract(
        clip: &RawClip,
        joint: u16,
        rest: Transform,
        options: RootMotionOptions,
    ) -> Result<(Self, RawClip), Error> {
        split::extract(clip, joint, rest, options)
    }

    /// How long the clip is that the motion is of, in seconds.
    #[must_use]
    pub const fn duration(&self) -> f32 {
        self.duration
    }

    /// How many keys the motion has; at least two.
    #[must_use]
    pub const fn keys(&self) -> usize {
        self.times.len()
    }

    /// The bytes that it takes on the heap, without spare capacity: 20 for each key.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        size_of_val(self.times.as_slice()) + size_of_val(self.keys.as_slice())
    }

    /// Where the character is at a time of the clip, seen from where it was at the beginning. Before the beginning it has
    /// not moved, and after the end it stands.
    ///
    /// Computes in **O(log keys)**.
    #[must_use]
    pub fn at(&self, time: f32) -> Transform {
        self.planar(f64::from(time)).to_transform(self.up)
    }

    /// Where one loop of the clip takes the character.
    #[must_use]
    pub fn total(&self) -> Transform {
        self.at(self.duration)
    }

    /// The motion from one time to another of a clip that loops for ever, seen from where the character is at the first: times
    /// count on through loops, so that 2.25 durations are the first quarter of the third loop. The second time may be
    /// the earlier one, and either may be negative. Times that are not finite count as 0.
    ///
    /// Computes in **O(log keys)**, whatever the number of loops.
    #[must_use]
    pub fn delta(&self, from: f64, to: f64) -> Transform {
        let duration = f64::from(self.duration);
        let turn = |time: f64| {
            let time = if time.is_finite() { time } else { 0.0 };
            let within = time.rem_euclid(duration);
            (((time - within) / duration).round(), within)
        };
        let ((first, from), (last, to)) = (turn(from), turn(to));
        self.over(from, to, last - first)
    }

    /// The motion between two times within the clip, with so many jumps from its end to its beginning in between; jumps from the
    /// beginning to the end, when playing backward, count as negative: what [`Player::advance`](crate::Player::advance) answers where
    /// it loops. Without jumps it serves clips that do not loop, and those that turn around at the ends, too.
    ///
    /// Computes in **O(log keys)**.
    #[must_use]
    pub fn between(&self, from: f32, to: f32, loops: i32) -> Transform {
        self.over(f64::from(from), f64::from(to), f64::from(loops))
    }

    /// A character's transform after a motion, which is told in the character's own space: its rotation turns the step,
    /// its scale makes the step larger or smaller, and stays.
    ///
    /// Where the scale is uniform, this is the product of the two matrices.
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
