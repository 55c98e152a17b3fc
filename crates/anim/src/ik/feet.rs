//! Legs on uneven ground: the pelvis goes down, legs are solved, soles turn with the ground.

use super::math::{Q, V, half_angle, share, smooth, within};
use super::rig::Rig;
use super::two_bone::{End, Goal, Reach, TwoBone, rest_path};
use crate::glam::Vec3;
use crate::{Error, Skeleton};

/// Puts the feet of a character that was animated on flat ground onto uneven ground.
///
/// Call [`place`](Self::place) each frame after sampling. The ground of the animation is the plane through the origin
/// of the model (or of the [root](Rig::with_root)) across the up axis. Each foot keeps its height over that plane as
/// height over the ground, so lifted feet stay lifted; soles turn with the ground. The pelvis goes down for the lowest
/// foot, in the first frame at once, then at a bounded speed, and never goes up. Feet go up at once where the ground is
/// higher, else at three times the pelvis' speed. A foot that swings looks ahead to where it lands, so it goes up
/// early.
///
/// Has state, so each character needs its own.
///
/// ```
/// use hedgerow_anim::ik::{Contact, Feet, Rig, TwoBone};
/// use hedgerow_anim::{Pose, SkeletonBuilder, Transform, glam::Vec3};
///
/// let mut builder = SkeletonBuilder::new();
/// let pelvis = builder.joint("pelvis", None, Transform::from_xyz(0.0, 0.95, 0.0));
/// for side in [0.1, -0.1] {
///     let hip = builder.joint("hip", Some(pelvis), Transform::from_xyz(side, 0.0, 0.0));
///     let knee = builder.joint("knee", Some(hip), Transform::from_xyz(0.0, -0.45, 0.03));
///     builder.joint("ankle", Some(knee), Transform::from_xyz(0.0, -0.45, -0.03));
/// }
/// let (skeleton, _) = builder.build()?;
/// let legs = [TwoBone::new(&skeleton, [1, 2, 3])?, TwoBone::new(&skeleton, [4, 5, 6])?];
/// let mut feet = Feet::new(&skeleton, 0, &legs.map(|leg| (leg, 0.05)))?; // ankles are 5 cm over the soles
///
/// // Each frame:
/// let (mut pose, mut models) = (Pose::rest(&skeleton), Vec::new()); // in place of sampling a clip
/// pose.to_models(&skeleton, &mut models)?;
/// let mut rig = Rig::new(&skeleton, &mut pose, &mut models)?;
/// // A cast of a ray in a game; here a step under one foot.
/// let ground = |at: Vec3| Some(Contact { point: at.with_y(if at.x < 0.0 { -0.2 } else { 0.0 }), normal: Vec3::Y });
/// feet.place(&mut rig, 1.0 / 60.0, Vec3::ZERO, ground);
/// assert!((models[6].translation().y - (0.05 - 0.2)).abs() < 1e-4 && models[0].translation().y < 0.76);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Feet {
    pelvis: u16,
    legs: Vec<Leg>,
    up: V,
    step: f32,
    /// The sine and cosine of the steepest slope.
    slope: (f32, f32),
    speed: f32,
    drop: f32,
}

/// Where a foot touches the ground, in the space of the matrices. What a ray hits in the world is brought there by the
/// character's world matrix: points by its inverse, normals by its transpose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The point of the ground.
    pub point: Vec3,
    /// The normal of the ground, of any length.
    pub normal: Vec3,
}

#[derive(Clone, Copy, Debug)]
struct Leg {
    solver: TwoBone,
    heel: f32,
    /// What the previous frame left, if there was one.
    last: Option<Last>,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    /// The ankle as animated, and the root.
    ankle: V,
    origin: V,
    /// By how much the foot was raised.
    offset: f32,
    normal: V,
}

/// How far a swinging foot looks ahead, in seconds, and at how many places.
const AHEAD: f32 = 0.2;
const PLACES: u8 = 4;

/// What a foot wants.
#[derive(Clone, Copy)]
struct Wish {
    position: V,
    rotation: Option<Q>,
}

impl Feet {
    /// Makes a solver for legs below a pelvis, each with the height of the ankle over the sole. Up is Y, steps are at
    /// most 0.4 high, soles follow slopes up to 40°, and the pelvis moves at most 1.5 a second after the first frame.
    ///
    /// # Errors
    /// [`SkeletonError::NotBelow`](crate::skeleton::SkeletonError::NotBelow) or
    /// [`SkeletonError::UnknownJoint`](crate::skeleton::SkeletonError::UnknownJoint).
    pub fn new(skeleton: &Skeleton, pelvis: u16, legs: &[(TwoBone, f32)]) -> Result<Self, Error> {
        for (leg, _) in legs {
            rest_path(skeleton, pelvis, leg.joints()[0])?;
        }
        let legs = legs.iter().map(|&(solver, heel)| Leg { solver, heel: heel.max(0.0), last: None }).collect();
        let feet = Self { pelvis, legs, up: V::ZERO, step: 0.4, slope: (0.0, 1.0), speed: 1.5, drop: 0.0 };
        Ok(feet.with_up(Vec3::Y).with_slope(40_f32.to_radians()))
    }

    /// Sets the up axis, in the space of the matrices.
    #[must_use]
    pub fn with_up(mut self, up: Vec3) -> Self {
        self.up = V::from(up).unit_or(V::new(0.0, 1.0, 0.0));
        self
    }

    /// Sets the greatest height, up or down, by which the ground may differ from that of the animation.
    #[must_use]
    pub fn with_step(mut self, step: f32) -> Self {
        self.step = within(step, 0.0, f32::MAX);
        self
    }

    /// Sets the steepest slope that a sole follows, in radians up to a quarter turn.
    #[must_use]
    pub fn with_slope(mut self, slope: f32) -> Self {
        self.slope = half_angle(2.0 * within(slope, 0.0, core::f32::consts::FRAC_PI_2));
        self
    }

    /// Sets the greatest speed of the pelvis after the first frame, in units a second.
    #[must_use]
    pub fn with_speed(mut self, speed: f32) -> Self {
        self.speed = within(speed, 0.0, f32::MAX);
        self
    }

    /// Returns by how much the pelvis is lowered: 0 or less.
    #[must_use]
    pub const fn drop(&self) -> f32 {
        self.drop
    }

    /// Forgets the previous frames, for example after a teleport: in the next frame, the pelvis goes down at once.
    pub fn reset(&mut self) {
        self.drop = 0.0;
        self.legs.iter_mut().for_each(|leg| leg.last = None);
    }

    /// Moves the pelvis and solves the legs of a pose that was just sampled, `seconds` after the previous one. Returns
    /// how many feet are where they should be; others are short of it, because the pelvis is still on its way or stairs
    /// are too high.
    ///
    /// `travel` is the velocity of the character over the ground, in the space of the matrices; zero if these are in
    /// world space. `ground` returns the ground on the line along the up axis through a point: it is asked once for a
    /// foot that stands, and five times for a foot that swings. `None` is level ground at the height of the
    /// animation's.
    ///
    /// Runs in **O(descendants of the pelvis)**.
    ///
    /// # Panics
    /// Panics if the rig does not have the joints.
    pub fn place(
        &mut self,
        rig: &mut Rig<'_>,
        seconds: f32,
        travel: Vec3,
        mut ground: impl FnMut(Vec3) -> Option<Contact>,
    ) -> usize {
        let (_, origin) = rig.matrix(Skeleton::NO_PARENT);
        let seconds = within(seconds, 0.0, 1.0);
        // Nothing was shown before the first frame, so the pelvis may jump.
        let is_first = self.legs.iter().all(|leg| leg.last.is_none());
        let most = self.speed * if is_first { f32::MAX } else { seconds };
        let mut lowest = 0.0_f32;
        let mut wishes = smallvec::SmallVec::<[Wish; 4]>::new();
        for at in 0..self.legs.len() {
            let mut leg = self.legs[at];
            let (wish, height) = self.wish(&mut leg, rig, origin, seconds, travel.into(), &mut ground);
            self.legs[at] = leg;
            lowest = lowest.min(height);
            wishes.push(wish);
        }
        self.drop += within(lowest - self.drop, -most, most);
        let (above, _) = rig.above(self.pelvis);
        if let Some(into) = above.inverse() {
            let lowered = rig.translation(self.pelvis) + into * (self.up * self.drop);
            if lowered.is_finite() {
                rig.set_translation(self.pelvis, lowered);
            }
        }
        rig.update(self.pelvis);
        let reached = self.legs.iter().zip(wishes).filter(|(leg, wish)| {
            let end = wish.rotation.map_or(End::Model, |rotation| End::Rotation(rotation.into()));
            leg.solver.solve(rig, &Goal { end, ..Goal::at(wish.position.into()) }) == Reach::Reached
        });
        reached.count()
    }

    /// Returns where a foot should be, and the lowest height for which the pelvis should go down.
    fn wish(
        &self,
        leg: &mut Leg,
        rig: &Rig<'_>,
        origin: V,
        seconds: f32,
        travel: V,
        ground: &mut impl FnMut(Vec3) -> Option<Contact>,
    ) -> (Wish, f32) {
        let (up, heel) = (self.up, leg.heel);
        let (linear, ankle) = rig.matrix(leg.solver.joints()[2]);
        let mut height_at = |point: V, rising: f32| {
            let contact = point.is_finite().then(|| ground(point.into())).flatten();
            let contact = contact.filter(|contact| contact.point.is_finite() && contact.normal.is_finite());
            let height = contact.map_or(0.0, |contact| (V::from(contact.point) - origin).dot(up) - rising);
            (within(height, -self.step, self.step), contact.map_or(up, |contact| V::from(contact.normal).unit_or(up)))
        };
        let (height, normal) = height_at(ankle, 0.0);
        let lift = ((ankle - origin).dot(up) - heel).max(0.0);
        // 1 on the ground, 0 where the foot is a heel's height above it.
        let planted = 1.0 - smooth(0.0, heel, lift);

        // Where the foot will land, by its velocity, and the highest ground on the way.
        let (mut highest, mut landing) = (height, height);
        if let Some(last) = leg.last
            && lift > 0.02 * heel
            && seconds > 0.0
        {
            // In world space, the root moves, too.
            let root = origin - last.origin;
            let moved = (ankle - last.ankle - root) * (1.0 / seconds);
            let travel = travel + root * (1.0 / seconds);
            let fall = -moved.dot(up);
            let ahead = if fall > 0.0 { (lift / fall).min(AHEAD) } else { AHEAD };
            let velocity = (moved + travel).across(up);
            for place in 1..=PLACES {
                let time = ahead * f32::from(place) / f32::from(PLACES);
                (landing, _) = height_at(ankle + velocity * time, travel.dot(up) * time);
                highest = highest.max(landing);
            }
        }

        // The steepest slope, then the ankle's height: it is over the sole along the normal.
        let (sine, cosine) = self.slope;
        let normal = if normal.dot(up) < cosine { up * cosine + normal.unit_across(up) * sine } else { normal };
        let tilt = heel * (1.0 / normal.dot(up).max(0.2) - 1.0) * planted;
        let (least, wanted) = (height + tilt, highest + tilt);
        let most = 3.0 * self.speed * seconds;
        let offset = leg.last.map_or(least, |last| last.offset + within(wanted - last.offset, -most, most)).max(least);
        let turned = leg.last.map_or(normal, |last| {
            let share = share(12.0 * seconds / (1.0 + 12.0 * seconds));
            (last.normal + (normal - last.normal) * share).unit_or(up)
        });
        leg.last = Some(Last { ankle, origin, offset, normal: turned });

        let turn = Q::mix(Q::IDENTITY, Q::shortest(up, turned, || V::X).unit(), planted);
        let rotation = linear.nearest_rotation().map(|rotation| (turn * rotation).unit());
        let position = ankle + up * offset;
        (Wish { position, rotation }, offset.min(landing))
    }
}
