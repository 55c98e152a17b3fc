//! Chains of any length: FABRIK to places where all joints are free, else damped least squares.

use super::damped::{Damped, Target, free};
use super::limit::{Bound, Limit, aim_far};
use super::math::{M, Number, Q, V, share};
use super::rig::{Local, Rig};
use super::two_bone::{Reach, rest_path};
use crate::glam::{Quat, Vec3};
use crate::skeleton::SkeletonError;
use crate::{Error, Pose, Skeleton};
use fearless_simd::{Simd, f32x4, prelude::*};
use hedgerow_math::internal::level::{dispatch, level};

/// Turns a chain of joints, each the parent of the next, so that its end reaches a place or a pose: tails, tentacles,
/// spines, fingers, arms of robots.
///
/// Start each frame from the last solution rather than from the clip's pose: eight rounds then meet 98 % of the goals
/// that move by 1 % of the length without limits, and 99 % of the reachable ones with limits. From the rest pose,
/// hinges may end at their limits beside a goal that they could reach; [other starts](Self::with_starts) find 98 % of
/// the poses of six-axis arms. A goal out of reach is neared as far as its weights say, and the chain then stays.
///
/// If all joints are free and the goal is a place, places are solved by FABRIK, and rotations read off them by the
/// shortest turns. Otherwise all joints turn at once by damped least squares, in double precision: each round takes the
/// Jacobian matrix of the end, stops joints at their limits, and solves the others again. The damping grows with the
/// error, and rounds that come no nearer are taken back. The pose has single precision, so the end is at best within
/// about 3e-7 of the length and 1e-6 radians. A solver keeps nothing from one solve to the next but memory, so one will
/// do for all characters of a thread. It and its clones allocate about 830 bytes a joint at the beginning, and nothing
/// in a solve.
///
/// *Sources:* A. Aristidou, J. Lasenby, "FABRIK: A fast, iterative solver for the inverse kinematics problem", 2011; a
/// nudge to the side for straight chains that point at the goal, on which it stalls, is added. C. Wampler, "Manipulator
/// inverse kinematic solutions based on vector formulations and damped least-squares methods", 1986; T. Sugihara,
/// "Solvability-unconcerned inverse kinematics by the Levenberg–Marquardt method", 2011 (the damping); P. Baerlocher,
/// R. Boulic, "An inverse kinematics architecture enforcing an arbitrary number of strict priority levels", 2004
/// (limits).
///
/// A tail that reaches a place:
///
/// ```
/// use hedgerow_anim::ik::{Chain, ChainGoal, Limit, Reach, Rig};
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
/// assert_eq!(tail.solve(&mut rig, &ChainGoal::at(Vec3::new(0.3, 0.4, 0.1))), Reach::Reached);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
///
/// A six-axis arm that brings its flange to a pose:
///
/// ```
/// # use hedgerow_anim::ik::{Chain, ChainGoal, Limit, Reach, Rig};
/// # use hedgerow_anim::{Pose, SkeletonBuilder, Transform, glam::{Quat, Vec3}};
/// let links = [[0.0, 0.3], [0.1, 0.2], [0.0, 0.7], [0.3, 0.1], [0.4, 0.0], [0.1, 0.0], [0.05, 0.0]];
/// let mut builder = SkeletonBuilder::new();
/// for (joint, [x, y]) in (0_u16..).zip(links) {
///     builder.joint("axis", joint.checked_sub(1), Transform::from_xyz(x, y, 0.0)); // the last is the flange
/// }
/// let (skeleton, _) = builder.build()?;
/// let mut arm = Chain::new(&skeleton, 0, 6)?.with_rounds(32).with_tolerance(1e-5);
/// for (joint, axis) in (0..).zip([Vec3::Y, Vec3::Z, Vec3::Z, Vec3::X, Vec3::Z, Vec3::X]) {
///     arm.set_limit(joint, Limit::Hinge { axis, least: -2.2, most: 2.2 })?;
/// }
///
/// let (mut pose, mut models) = (Pose::rest(&skeleton), Vec::new());
/// pose.to_models(&skeleton, &mut models)?;
/// let mut rig = Rig::new(&skeleton, &mut pose, &mut models)?;
/// let goal = ChainGoal::pose(Vec3::new(0.6, 0.5, 0.4), Quat::from_rotation_z(-1.5)); // down
/// assert_eq!(arm.clone().with_starts(32).solve(&mut rig, &goal), Reach::Reached);
/// // From frame to frame, from the last pose. The tool may turn about its axis.
/// let next = ChainGoal { position: Vec3::new(0.6, 0.48, 0.4), about: Vec3::new(0.0, 1.0, 1.0), ..goal };
/// assert_eq!(arm.solve(&mut rig, &next), Reach::Reached);
/// let angles: Vec<f64> = (0..6).filter_map(|joint| arm.angle(&pose, joint)).collect(); // for the drives
/// assert!(angles.len() == 6 && angles.iter().all(|angle| angle.abs() < 2.2001));
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
    starts: u32,
    tolerance: f32,
    bones: Vec<Bone>,
    damped: Damped,
}

/// A bone and the joint at its beginning.
#[derive(Clone, Copy, Debug, Default)]
struct Bone {
    /// To the next joint, in the joint's space, with all scales.
    vector: V,
    length: f32,
    posed: Q,
    turn: Q,
    /// For FABRIK, to the next joint, in the space of the start joint's parent.
    way: V,
}

/// Where the end of a [`Chain`] should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainGoal {
    /// The place of the end joint, in the space of the matrices.
    pub position: Vec3,
    /// The rotation of the end joint, in the space of the matrices. Its axes are those of `along` and `about`. Uneven
    /// scales in the chain or above it shear axes: rotations, and positions along some axes only, are then met
    /// approximately, even if [`Reach::Reached`] is returned.
    pub rotation: Quat,
    /// The weights of the position along each axis of the goal, from 0, which leaves it free, to 1. Weights below 0.1
    /// need many more rounds.
    pub along: Vec3,
    /// The same for the rotation about each axis: (1, 1, 0) for a drill along Z, which may turn about itself. Weights
    /// between 0 and 1 only decide what is given up for what if the goal is out of reach.
    pub about: Vec3,
    /// From 0, which changes nothing, to 1, the default. Between them, joints that the pose has within their limits
    /// stay there, and others come back by this share.
    pub weight: f32,
}

impl ChainGoal {
    /// Returns a goal with only a position.
    #[must_use]
    pub const fn at(position: Vec3) -> Self {
        Self { position, rotation: Quat::IDENTITY, along: Vec3::ONE, about: Vec3::ZERO, weight: 1.0 }
    }

    /// Returns a goal with a position and a rotation.
    #[must_use]
    pub const fn pose(position: Vec3, rotation: Quat) -> Self {
        Self { rotation, about: Vec3::ONE, ..Self::at(position) }
    }
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
        let (count, bones) = (joints.len() - 1, vec![Bone::default(); joints.len() - 1]);
        Ok(Self { joints, bounds, rest, rounds: 8, starts: 0, tolerance: 1e-4, bones, damped: Damped::new(count) })
    }

    /// Sets the greatest number of rounds of a solve.
    #[must_use]
    pub const fn with_rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    /// Also tries other starts while a goal is not reached from the pose. The chain may jump: use it for the first
    /// pose, not from frame to frame.
    ///
    /// `starts` is how many are tried, each for as many rounds; 0 without this call. They spread hinges evenly over
    /// their limits, the same in every solve, and the best pose is taken.
    #[must_use]
    pub const fn with_starts(mut self, starts: u32) -> Self {
        self.starts = starts;
        self
    }

    /// Sets how near to the goal the end must be, as a share of the chain's length and in radians. Rounds end there. A
    /// negative number and NaN are 0.
    #[must_use]
    pub const fn with_tolerance(mut self, tolerance: f32) -> Self {
        self.tolerance = tolerance.max(0.0);
        self
    }

    /// Sets the limit of a joint, relative to its rotation at rest.
    ///
    /// # Errors
    /// [`SkeletonError::NotBelow`] unless the joint is in the chain and not its end.
    pub fn set_limit(&mut self, joint: u16, limit: Limit) -> Result<(), Error> {
        let end = self.joints[self.bounds.len()];
        let at = self.place_of(joint).ok_or(SkeletonError::NotBelow { joint: end, ancestor: joint })?;
        self.bounds[at] = Bound::new(self.rest[at], limit);
        Ok(())
    }

    /// Returns the angle to which a pose turns a [hinge](Limit::Hinge), in radians from its rotation at rest; `None`
    /// for other joints. It is the position that a robot's drive takes.
    ///
    /// After a solve it is within the limits, but for the rounding of the pose. Of a rotation about another axis it is
    /// the nearest angle. Runs in **O(joints of the chain)**.
    ///
    /// # Panics
    /// Panics if the pose does not have the joint.
    #[must_use]
    pub fn angle(&self, pose: &Pose, joint: u16) -> Option<f64> {
        match self.bounds[self.place_of(joint)?] {
            Bound::Hinge(hinge) => Some(hinge.angle(Q::from(pose.get(joint).rotation).all(1.0_f64))),
            Bound::Free | Bound::Cone(_) => None,
        }
    }

    /// Returns the place in the chain of a joint that turns.
    fn place_of(&self, joint: u16) -> Option<usize> {
        self.joints.iter().position(|&own| own == joint).filter(|&at| at < self.bounds.len())
    }

    /// Turns the joints, and computes the matrices from the start on anew. Weight 0 changes nothing, weight 1 solves.
    /// Returns [`Reach::Far`] if the end is not yet, or cannot be, at the goal.
    ///
    /// The matrix of the start joint's parent must be current. Runs in **O((1 + starts) × rounds × joints +
    /// descendants)**. If limits stop joints one after the other, a round may take as many passes as there are joints.
    ///
    /// # Panics
    /// Panics if the rig does not have the joints.
    pub fn solve(&mut self, rig: &mut Rig<'_>, goal: &ChainGoal) -> Reach {
        let reach = self.solve_locals(rig, goal);
        if reach != Reach::Blocked && goal.weight > 0.0 {
            rig.update(self.joints[0]);
        }
        reach
    }

    /// Turns the joints, without matrices. Costs what [`solve`](Self::solve) does, but for the descendants.
    ///
    /// # Panics
    /// Panics if the rig does not have the joints.
    pub fn solve_locals(&mut self, rig: &mut Rig<'_>, goal: &ChainGoal) -> Reach {
        dispatch!(level(), simd => self.try_solve(simd, rig, goal)).unwrap_or(Reach::Blocked)
    }

    #[inline(always)]
    fn try_solve<S: Simd>(&mut self, simd: S, rig: &mut Rig<'_>, goal: &ChainGoal) -> Option<Reach> {
        let start = self.joints[0];
        let (above, place) = rig.above(start);
        let target = above.inverse()? * (V::from(goal.position) - place) - rig.translation(start);
        if !target.is_finite() {
            return None;
        }
        let (total, even) = self.read_bones(rig);
        if !(total > 0.0 && total.is_finite()) {
            return None;
        }
        let weights = [goal.along, goal.about].map(|weights| V::from(Vec3::from(weights.to_array().map(share))));
        let is_place = weights == [V::new(1.0, 1.0, 1.0), V::ZERO];
        let mut rotation = Q::IDENTITY;
        let mut left = if is_place && self.bounds.iter().all(Bound::is_free) {
            self.fabrik(simd, target, total, self.tolerance * total) / total
        } else {
            let end = rig.local(self.joints[self.bounds.len()]).rotation;
            rotation = above.nearest_rotation()?.inverse() * Q::from(goal.rotation);
            let goal = Target {
                place: target.all(1.0_f64) * (1.0 / f64::from(total)),
                rotation: rotation.all(1.0_f64).unit(),
                weights: weights.map(|weights| weights.all(1.0_f64)),
                end: end.all(1.0_f64).unit(),
            };
            if !(goal.rotation * goal.end).first().is_finite() {
                return None;
            }
            self.descend(&goal, total)
        };
        let squares: f32 = self.bones.iter().map(|bone| bone.turn.dot(bone.turn)).sum();
        if left.is_nan() || !squares.is_finite() {
            return None;
        }
        if !even {
            let off = rotation.inverse() * (self.end_of(rig)? - target);
            left = left.max((off - free(off, weights[0])).polar().0 / total);
        }
        if goal.weight > 0.0 {
            for ((bone, bound), &joint) in self.bones.iter().zip(&self.bounds).zip(&self.joints) {
                rig.set_rotation(joint, bound.mix(bone.posed, bone.turn, bone.vector, goal.weight));
            }
        }
        Some(if left <= self.tolerance {
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
        let (mut scale, mut total, mut even) = (V::new(1.0, 1.0, 1.0), 0.0, true);
        let mut local = rig.local(self.joints[0]);
        for (bone, &joint) in self.bones.iter_mut().zip(&self.joints[1..]) {
            let Local { rotation: posed, scale: own, .. } = local;
            local = rig.local(joint);
            // The last joint's own scale only changes the last bone.
            even &= scale.is_even();
            scale = scale.scaled(own);
            let vector = scale.scaled(local.translation);
            let length = vector.polar().0;
            total += length;
            *bone = Bone { vector, length, posed, turn: posed, way: V::ZERO };
        }
        (total, even)
    }

    /// Returns the place of the end in the space of the start joint's parent, relative to the start joint, by all
    /// scales.
    fn end_of(&self, rig: &Rig<'_>) -> Option<V> {
        let mut place = V::ZERO;
        for (bone, pair) in self.bones.iter().zip(self.joints.windows(2)).rev() {
            let next = rig.translation(pair[1]);
            place = M::of_local(bone.turn, rig.local(pair[0]).scale) * (place + next);
        }
        place.is_finite().then_some(place)
    }

    /// Solves the ways along the bones, then reads rotations off them. Returns the distance that is left.
    #[inline(always)]
    fn fabrik<S: Simd>(&mut self, simd: S, target: V, total: f32, enough: f32) -> f32 {
        let Self { bones, rounds, .. } = self;
        let zero = f32x4::splat(simd, 0.0);
        let (mut end, mut frame) = (V::ZERO.all(zero), Q::IDENTITY.all(zero));
        for bone in &mut *bones {
            frame = frame * bone.turn.all(zero);
            let way = frame * bone.vector.all(zero);
            bone.way = way.first();
            end = end + way;
        }
        let end = end.first();
        let mut left = (target - end).square().sqrt();
        if left <= enough {
            return left;
        }
        let (far, axis) = target.polar();
        if let Some(axis) = axis.filter(|_| far >= total) {
            bones.iter_mut().for_each(|bone| bone.way = axis * bone.length);
            left = far - total;
        } else {
            nudge(bones, end, axis, total);
            let mut rest = Rest::new((target - end).all(zero));
            let last = bones.len() - 1;
            let mut from = bones.len();
            for _ in 0..*rounds {
                // Not by `fold`, which is not compiled for the vectors of its caller.
                for bone in bones[..from].iter_mut().rev() {
                    rest = rest.pull(bone);
                }
                for bone in &mut bones[1..] {
                    rest = rest.pull(bone);
                }
                left = (rest.length * rest.length).first().sqrt();
                if left <= enough {
                    break;
                }
                from = last; // whose way is along the rest
            }
        }
        // By shortest turns from the posed bones, in the spaces of their parents.
        let (mut frame, mut square) = (Q::IDENTITY.all(zero), zero.all(1.0));
        for bone in bones {
            // Frames do not wait to be made unit quaternions.
            let (above, above_square) = (frame.inverse(), square);
            let posed = frame * bone.turn.all(zero);
            let half = zero.all(0.5) / zero.all(bone.length);
            let (from, to) = (bone.vector.all(zero) * (half + half), bone.way.all(zero) * half);
            frame = posed.then_shortest(from, to, zero.all(0.5));
            square = frame.dot(frame);
            // Near half turns, the rotation has few digits.
            if !((above_square * zero.all(0.025)).at_least(zero.all(1e-9)).any_less(square)) {
                frame = aim_far(posed.first().unit(), bone.vector, bone.way).unit().all(zero);
                square = zero.all(1.0);
            }
            bone.turn = (above * frame).times((above_square * square).over_root()).first();
        }
        left
    }

    /// Solves turns of all joints at once. Returns what is left: the distance in lengths of the chain, or the angle.
    #[inline(always)]
    fn descend(&mut self, target: &Target, total: f32) -> f32 {
        let Self { bones, bounds, damped, rounds, starts, tolerance, .. } = self;
        damped.read(bones.iter().map(|bone| (bone.vector, bone.posed)), bounds, total);
        let (tries, enough) = ((*rounds, *starts), f64::from(*tolerance));
        let left = if target.weights[1] == V::ZERO.all(0.0) {
            damped.solve::<3>(bounds, target, tries, enough)
        } else {
            damped.solve::<6>(bounds, target, tries, enough)
        };
        for (bone, turn) in bones.iter_mut().zip(damped.rotations()) {
            bone.turn = turn.near(bone.posed);
        }
        left.first()
    }
}

/// Moves the middle of a straight chain to the side if it points at the goal or away from it: it would stay straight.
fn nudge(bones: &mut [Bone], end: V, axis: Option<V>, total: f32) {
    let line = end.unit_or(V::X);
    if axis.is_some_and(|axis| axis.cross(line).square() >= 1e-6) {
        return;
    }
    let mut place = V::ZERO;
    for bone in &*bones {
        place = place + bone.way;
        if place.cross(line).square() >= 1e-8 * total * total {
            return;
        }
    }
    if let [first, .., last] = bones {
        let side = (first.turn * V::new(0.0, 0.0, 1.0)).unit_across(line).cross(line) * (0.02 * total);
        first.way = first.way + side;
        last.way = last.way - side;
    }
}

/// The way that is left to the goal, as a part of the sum of a bone and the way before it.
#[derive(Clone, Copy)]
struct Rest<T> {
    whole: V<T>,
    part: T,
    /// Its length, or the opposite.
    length: T,
}

impl<T: Number> Rest<T> {
    #[inline(always)]
    fn new(whole: V<T>) -> Self {
        let length = whole.square().sqrt();
        Self { whole, part: length.all(1.0), length }
    }

    /// Turns a bone to take up as much of the way as it can, and returns what it leaves.
    ///
    /// FABRIK's passes pull one end of the bones to the goal, then the other back to the start. In both, a bone and the
    /// gap at its near end become a bone along their sum, and a gap at its far end.
    #[inline(always)]
    fn pull(self, bone: &mut Bone) -> Self {
        let number = |number| self.part.all(number);
        let (way, length) = (bone.way.all(self.part), number(bone.length));
        // By the law of cosines the square of the sum does not wait for the sum.
        let whole = way + self.whole * self.part;
        let dot = way.dot(self.whole);
        let squares = way.square() + self.length * self.length;
        let square = squares + (dot + dot) * self.part;
        // Otherwise the square has few digits, and its error would grow from bone to bone.
        if (squares * number(0.25)).at_least(number(1e-30)).any_less(square) {
            let root = square.sqrt();
            let share = length / square * root;
            bone.way = (whole * share).first();
            return Self { whole, part: number(1.0) - share, length: root - length };
        }
        Self::new(pull_slowly(whole.first(), bone).all(self.part))
    }
}

#[cold]
fn pull_slowly(whole: V, bone: &mut Bone) -> V {
    bone.way = whole.unit_or(V::X) * bone.length;
    whole - bone.way
}
