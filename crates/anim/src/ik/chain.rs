//! Chains of any length: FABRIK where all joints are free, else cyclic coordinate descent.

use super::limit::{Bound, Limit};
use super::math::{M, Q, V, share};
use super::rig::Rig;
use super::two_bone::{Reach, rest_path};
use crate::glam::Vec3;
use crate::skeleton::SkeletonError;
use crate::{Error, Skeleton};

/// Bends a chain of joints, each the parent of the next, so that its end reaches a goal: tails, tentacles, spines,
/// fingers.
///
/// A few rounds come near, and more come nearer: start each frame from the last solution rather than from the clip's
/// pose, and 98 % of the goals that move by 1 % of the length are met to 1e-4 of it in eight rounds. If joints have
/// limits, hinges meet 90 % to 1e-2. A chain that a far goal has driven to its limits may stay there whatever the rounds:
/// then start from the clip's pose again.
///
/// Without limits, places are solved by FABRIK, and rotations read off them by the shortest turns. With limits, joints
/// turn one after the other by cyclic coordinate descent, each as far as its limit. A solver keeps nothing from one
/// solve to the next but memory, so one will do for all characters of a thread.
///
/// *Source:* A. Aristidou, J. Lasenby, "FABRIK: A fast, iterative solver for the inverse kinematics problem", 2011. A
/// nudge to the side for straight chains that point at the goal, on which it stalls, is added.
///
/// ```
/// use hedgerow_anim::ik::{Chain, Limit, Reach, Rig};
/// use hedgerow_anim::{Pose, SkeletonBuilder, Transform, glam::Vec3};
///
/// let mut builder = SkeletonBuilder::new();
/// for joint in 0..8_u16 {
///     builder.joint("tail", joint.checked_sub(1), Transform::from_xyz(0.0, 0.1, 0.0));
/// }
/// let (skeleton, _) = builder.build()?;
/// let mut tail = Chain::new(&skeleton, 0, 7)?.with_rounds(16);
/// tail.set_limit(1, Limit::Cone { swing: 0.8, twist: 0.1 })?;
///
/// let (mut pose, mut models) = (Pose::rest(&skeleton), Vec::new());
/// pose.to_models(&skeleton, &mut models)?;
/// let mut rig = Rig::new(&skeleton, &mut pose, &mut models)?;
/// assert_eq!(tail.solve(&mut rig, Vec3::new(0.3, 0.4, 0.1), 1.0), Reach::Reached);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chain {
    /// From the start to the end, which does not turn.
    joints: Vec<u16>,
    /// The limits of all joints but the end.
    bounds: Vec<Bound>,
    rest: Vec<Q>,
    rounds: u32,
    tolerance: f32,
    bones: Vec<Bone>,
    /// The joints' places for FABRIK; the goal from each joint for descent. One more than bones.
    places: Vec<V>,
}

/// A bone and the joint at its beginning.
#[derive(Clone, Copy, Debug)]
struct Bone {
    /// To the next joint, in the joint's space, with all scales.
    vector: V,
    length: f32,
    direction: V,
    posed: Q,
    turn: Q,
}

impl Chain {
    /// Makes a solver for the joints from `start` to `end`, with eight rounds and a tolerance of 1e-4.
    ///
    /// # Errors
    /// [`SkeletonError::NotBelow`] or [`SkeletonError::UnknownJoint`].
    pub fn new(skeleton: &Skeleton, start: u16, end: u16) -> Result<Self, Error> {
        rest_path(skeleton, start, end)?;
        let mut joints = vec![end];
        let mut joint = end;
        while joint != start {
            joint = skeleton.parents()[usize::from(joint)];
            joints.push(joint);
        }
        joints.reverse();
        let rest: Vec<Q> = joints.iter().map(|&joint| skeleton.rest(joint).rotation.into()).collect();
        let bounds = rest.iter().skip(1).map(|&rest| Bound::new(rest, Limit::Free)).collect();
        Ok(Self { joints, bounds, rest, rounds: 8, tolerance: 1e-4, bones: Vec::new(), places: Vec::new() })
    }

    /// Sets the greatest number of rounds of a solve.
    #[must_use]
    pub const fn with_rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    /// Sets how near to the goal the end must be, as a share of the chain's length. Rounds end there.
    #[must_use]
    pub const fn with_tolerance(mut self, tolerance: f32) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Sets the limit of a joint, relative to its rotation at rest.
    ///
    /// # Errors
    /// [`SkeletonError::NotBelow`] unless the joint is in the chain and not its end.
    pub fn set_limit(&mut self, joint: u16, limit: Limit) -> Result<(), Error> {
        let ends = (self.joints[0], self.joints[self.bounds.len()]);
        let at = self.joints.iter().position(|&own| own == joint).filter(|&at| at < self.bounds.len());
        let at = at.ok_or(SkeletonError::NotBelow { joint: ends.1, ancestor: joint })?;
        self.bounds[at] = Bound::new(self.rest[at], limit);
        Ok(())
    }

    /// Turns the joints, and computes the matrices from the start on anew. Weight 0 changes nothing, weight 1 solves.
    /// Returns [`Reach::Far`] if the end is not yet, or cannot be, at the goal.
    ///
    /// The matrix of the start joint's parent must be current. Runs in **O(rounds × joints + descendants)**.
    ///
    /// # Panics
    /// Panics if the rig does not have the joints.
    pub fn solve(&mut self, rig: &mut Rig<'_>, goal: Vec3, weight: f32) -> Reach {
        let reach = self.solve_locals(rig, goal, weight);
        if reach != Reach::Blocked && weight > 0.0 {
            rig.update(self.joints[0]);
        }
        reach
    }

    /// Turns the joints, without matrices. Runs in **O(rounds × joints)**.
    ///
    /// # Panics
    /// Panics if the rig does not have the joints.
    pub fn solve_locals(&mut self, rig: &mut Rig<'_>, goal: Vec3, weight: f32) -> Reach {
        self.try_solve(rig, goal, weight).unwrap_or(Reach::Blocked)
    }

    fn try_solve(&mut self, rig: &mut Rig<'_>, goal: Vec3, weight: f32) -> Option<Reach> {
        let start = self.joints[0];
        let (above, place) = rig.above(start);
        let target = above.inverse()? * (V::from(goal) - place) - rig.translation(start);
        if !target.is_finite() {
            return None;
        }
        let (total, even) = self.read_bones(rig);
        if !(total > 0.0 && total.is_finite()) {
            return None;
        }
        let enough = self.tolerance * total;
        let free = self.bounds.iter().all(Bound::is_free);
        let mut left = if free { self.fabrik(target, total, enough) } else { self.descend(target, enough) };
        if !(left.is_finite() && self.bones.iter().all(|bone| bone.turn.is_finite())) {
            return None;
        }
        let weight = share(weight);
        if !even {
            left = (self.end_of(rig)? - target).polar().0;
        }
        if weight > 0.0 {
            for (bone, &joint) in self.bones.iter().zip(&self.joints) {
                rig.set_rotation(joint, Q::mix(bone.posed, bone.turn.near(bone.posed), weight));
            }
        }
        Some(if left <= enough {
            Reach::Reached
        } else if even {
            Reach::Far
        } else {
            Reach::Uneven
        })
    }

    /// Reads the pose. Returns the chain's length, and whether all scales are even: then rotations and scales commute,
    /// and scales can be part of the bones.
    fn read_bones(&mut self, rig: &Rig<'_>) -> (f32, bool) {
        self.bones.clear();
        let (mut scale, mut total, mut even) = (V::new(1.0, 1.0, 1.0), 0.0, true);
        for pair in self.joints.windows(2) {
            let local = rig.local(pair[0]);
            // The last joint's own scale only changes the last bone.
            even &= scale.is_even();
            scale = scale.scaled(local.scale);
            let vector = scale.scaled(rig.translation(pair[1]));
            let (length, direction) = vector.polar();
            total += length;
            let direction = direction.unwrap_or(V::X);
            self.bones.push(Bone { vector, length, direction, posed: local.rotation, turn: local.rotation });
        }
        (total, even)
    }

    /// Returns the place of the end in the space of the start joint's parent, relative to the start joint, by all scales.
    fn end_of(&self, rig: &Rig<'_>) -> Option<V> {
        let mut place = V::ZERO;
        for (bone, pair) in self.bones.iter().zip(self.joints.windows(2)).rev() {
            let next = rig.translation(pair[1]);
            place = M::of_local(bone.turn, rig.local(pair[0]).scale) * (place + next);
        }
        place.is_finite().then_some(place)
    }

    /// Solves places, then reads rotations off them. Returns the distance that is left.
    fn fabrik(&mut self, target: V, total: f32, enough: f32) -> f32 {
        let Self { bones, places, rounds, .. } = self;
        let count = bones.len();
        places.clear();
        places.push(V::ZERO);
        let (mut place, mut frame) = (V::ZERO, Q::IDENTITY);
        for bone in &*bones {
            frame = frame * bone.turn;
            place = place + frame * bone.vector;
            places.push(place);
        }
        let mut left = (places[count] - target).square().sqrt();
        if left <= enough {
            return left;
        }
        let (far, axis) = target.polar();
        if let Some(axis) = axis.filter(|_| far >= total) {
            for (at, bone) in bones.iter().enumerate() {
                places[at + 1] = places[at] + axis * bone.length;
            }
            left = far - total;
        } else {
            nudge(bones, places, axis, total);
            for _ in 0..*rounds {
                left = round(bones, places, target);
                if left <= enough {
                    break;
                }
            }
        }
        // By shortest turns from the posed bones, in the spaces of their parents.
        let mut frame = Q::IDENTITY;
        for (bone, pair) in bones.iter_mut().zip(places.windows(2)) {
            if let Some(to) = (pair[1] - pair[0]).polar().1.filter(|_| bone.length > 0.0) {
                let turn = bone.turn;
                let side = || turn * V::new(0.0, 0.0, 1.0);
                bone.turn = (Q::shortest(turn * bone.direction, frame.inverse() * to, side) * turn).unit();
            }
            frame = frame * bone.turn;
        }
        left
    }

    /// Turns joints one after the other, from the end to the start, so that the end comes nearest to the goal. Returns the
    /// distance that is left.
    fn descend(&mut self, target: V, enough: f32) -> f32 {
        let Self { bones, bounds, places, rounds, .. } = self;
        for (bone, bound) in bones.iter_mut().zip(&*bounds) {
            bone.turn = if bound.is_free() { bone.turn } else { bound.nearest(bone.turn, bone.direction) };
        }
        places.resize(bones.len() + 1, V::ZERO);
        // The end from each joint, in the space of the joint's parent.
        let mut end = bones.iter().rev().fold(V::ZERO, |end, bone| bone.turn * (end + bone.vector));
        for _ in 0..*rounds {
            if (end - target).square().sqrt() <= enough {
                break;
            }
            // The goal from each joint, in the space of the joint's parent. Turns below a joint do not change it.
            places[0] = target;
            for (at, bone) in bones.iter().enumerate() {
                places[at + 1] = bone.turn.inverse() * places[at] - bone.vector;
            }
            end = V::ZERO;
            for ((bone, bound), &to) in bones.iter_mut().zip(&*bounds).zip(&*places).rev() {
                let own = end + bone.vector;
                let from = bone.turn * own;
                bone.turn = bound.aim(bone.turn, from, to, bone.direction);
                end = bone.turn * own;
            }
        }
        (end - target).square().sqrt()
    }
}

/// Moves the middle of a straight chain to the side if it points at the goal or away from it: it would stay straight.
fn nudge(bones: &[Bone], places: &mut [V], axis: Option<V>, total: f32) {
    let count = bones.len();
    let line = places[count].unit_or(V::X);
    let straight = places.iter().all(|place| place.cross(line).square() < 1e-8 * total * total);
    if straight && axis.is_none_or(|axis| axis.cross(line).square() < 1e-6) {
        let side = (bones[0].turn * V::new(0.0, 0.0, 1.0)).unit_across(line).cross(line) * (0.02 * total);
        places[1..count].iter_mut().for_each(|place| *place = *place + side);
    }
}

/// One round of FABRIK: from the goal to the start, whose place stays, and back.
fn round(bones: &[Bone], places: &mut [V], target: V) -> f32 {
    let count = bones.len();
    pull(target, bones[1..].iter().zip(&mut places[1..count]).rev());
    places[count] = target;
    (pull(V::ZERO, bones.iter().zip(&mut places[1..])) - target).square().sqrt()
}

/// Brings each place to the bone's length from the one before, and returns the last.
fn pull<'a>(from: V, steps: impl Iterator<Item = (&'a Bone, &'a mut V)>) -> V {
    let (mut before, mut last, mut step, mut share, mut length) = (from, from, V::ZERO, 0.0, 0.0);
    for (bone, place) in steps {
        // The square of the way by the law of cosines from the place before the last, which does not wait for the last.
        let (to, way) = (*place - before, *place - last);
        let whole = to.square() + length * length;
        let mut square = whole - 2.0 * to.dot(step) * share;
        if square < 0.01 * whole {
            square = way.square(); // the difference has few digits
        }
        before = last;
        if square > 1e-30 && square < 1e30 {
            (step, share) = (way, bone.length / square * square.sqrt());
        } else {
            (step, share) = (way.unit_or(V::X), bone.length);
        }
        last = last + step * share;
        length = bone.length;
        *place = last;
    }
    last
}
