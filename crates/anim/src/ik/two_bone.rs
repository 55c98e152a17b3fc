//! Two bones: the places are constructed, then rotations read off them.

use super::limb::{LANES, NUMBERS, Results, Solved, Triangle, solve_lanes, solve_one, span};
use super::math::{M, Q, V, half_angle, share, smooth};
use super::rig::Rig;
use crate::glam::{Quat, Vec3};
use crate::skeleton::SkeletonError;
use crate::{Error, Skeleton};
use fearless_simd::Simd;
use hedgerow_math::internal::level::{dispatch, level};

/// Solves arms and legs: turns two joints, so that a third below them reaches a goal.
///
/// The three joints may have others between them, which keep their local transforms. Lengths of bones stay the same
/// unless a goal lets them [stretch](Goal::stretch). A solver is 24 bytes without state, for all characters of a
/// skeleton.
///
/// The elbow's place is constructed from the goal, the pole and the lengths, and rotations are read off the places. So
/// the end misses reachable goals by at most 2e-6 of the chain's length, however the pose was twisted, and has the same
/// bits on every machine for the same matrices.
///
/// ```
/// use hedgerow_anim::ik::{Goal, Pole, Reach, Rig, TwoBone};
/// use hedgerow_anim::{Pose, SkeletonBuilder, Transform, glam::Vec3};
///
/// let mut builder = SkeletonBuilder::new();
/// let shoulder = builder.joint("shoulder", None, Transform::from_xyz(0.0, 1.5, 0.0));
/// let elbow = builder.joint("elbow", Some(shoulder), Transform::from_xyz(0.3, 0.0, 0.0));
/// builder.joint("wrist", Some(elbow), Transform::from_xyz(0.25, 0.0, 0.0));
/// let (skeleton, _) = builder.build()?;
/// let arm = TwoBone::new(&skeleton, [0, 1, 2])?;
///
/// let (mut pose, mut models) = (Pose::rest(&skeleton), Vec::new());
/// pose.to_models(&skeleton, &mut models)?;
/// let mut rig = Rig::new(&skeleton, &mut pose, &mut models)?;
/// let handle = Vec3::new(0.1, 1.2, 0.3);
/// let goal = Goal { pole: Pole::Direction(Vec3::NEG_Y), ..Goal::at(handle) };
/// assert_eq!(arm.solve(&mut rig, &goal), Reach::Reached);
/// assert!(rig.position(2).distance(handle) < 1e-6);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBone {
    joints: [u16; 3],
    /// The parent of the start joint.
    parent: u16,
    /// Whether no joints are between the three.
    direct: bool,
    /// The normal of the chain's plane in the middle joint's space, for nearly straight poses.
    bend: Vec3,
}

/// To which side the middle joint bends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pole {
    /// As in the pose: its plane is carried along by the shortest turn. A goal opposite the posed end is singular: near
    /// it joints turn fast, within 6° by more than 20 times as much as the goal.
    #[default]
    Pose,
    /// In this direction, in the space of the matrices. A goal along the direction is singular: near it joints turn fast,
    /// within 3° by more than 20 times as much as the goal.
    Direction(Vec3),
    /// Towards this point.
    Point(Vec3),
}

/// The rotation of the end joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum End {
    /// The local rotation stays, so that the hand follows the forearm.
    #[default]
    Local,
    /// The rotation in the space of the matrices stays, so that a foot keeps its angle to the ground.
    Model,
    /// The end gets this rotation in the space of the matrices.
    Rotation(Quat),
}

/// Where the end should be, and how it gets there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The place of the end joint, in the space of the matrices.
    pub position: Vec3,
    /// The rotation of the end joint.
    pub end: End,
    /// The side to which the middle joint bends.
    pub pole: Pole,
    /// Radians by which the middle joint is turned about the line from start to end.
    pub twist: f32,
    /// The share of the chain's length from which on the end lags behind the goal, so that the chain is straight only in
    /// the limit and does not snap. The same share of the distance within which bones of different lengths cannot fold.
    /// 1, the default, always reaches; 0.97 is usual.
    pub soften: f32,
    /// The longest that the chain becomes, as a factor of its length; 1, the default, for never longer.
    pub stretch: f32,
    /// From 0, which changes nothing, to 1, the default.
    pub weight: f32,
}

impl Goal {
    /// Returns a goal with only a position: the end's local rotation and the pose's plane stay.
    #[must_use]
    pub const fn at(position: Vec3) -> Self {
        Self { position, end: End::Local, pole: Pole::Pose, twist: 0.0, soften: 1.0, stretch: 1.0, weight: 1.0 }
    }
}

/// What a solver could do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// The end is at the goal.
    #[default]
    Reached,
    /// The goal is too far: the chain is straight, softened or at its limits.
    Far,
    /// The goal is too near: the chain is folded or softened.
    Near,
    /// An uneven scale between start and middle joint kept the end away from the goal.
    Uneven,
    /// Nothing was changed: a matrix has no inverse, bones have no length, a number is not finite, or the joints are not
    /// in a line.
    Blocked,
}

/// One limb of many: see [`TwoBone::solve_many`].
#[derive(Debug)]
pub struct Job<'a> {
    /// The character.
    pub rig: Rig<'a>,
    /// Its goal.
    pub goal: Goal,
    /// The result.
    pub reach: Reach,
}

impl<'a> Job<'a> {
    /// Returns a job that is still to be done.
    #[must_use]
    pub fn new(rig: Rig<'a>, goal: Goal) -> Self {
        Self { rig, goal, reach: Reach::default() }
    }
}

impl TwoBone {
    /// Makes a solver for a start, a middle and an end joint, each above the next.
    ///
    /// # Errors
    /// [`SkeletonError::NotBelow`] or [`SkeletonError::UnknownJoint`].
    pub fn new(skeleton: &Skeleton, joints: [u16; 3]) -> Result<Self, Error> {
        let [start, middle, end] = joints;
        let (to_middle, to_end) = (rest_path(skeleton, start, middle)?, rest_path(skeleton, middle, end)?);
        let parents = skeleton.parents();
        let direct = parents[usize::from(middle)] == start && parents[usize::from(end)] == middle;
        let upper = to_middle.1.unit_or(V::X);
        let normal = upper.cross((to_middle.0 * to_end.1).unit_or(V::X));
        let normal = if normal.square() > 4e-4 { normal } else { upper.any_across() };
        let bend = to_middle.0.inverse().map_or(normal, |back| back * normal).unit_or(V::X);
        Ok(Self { joints, parent: parents[usize::from(start)], direct, bend: bend.into() })
    }

    /// Sets the axis about which the middle joint bends, in its space. Only nearly straight poses use it; without it, the
    /// rest pose decides, so it is needed only for chains that are straight at rest.
    #[must_use]
    pub fn with_bend(mut self, axis: Vec3) -> Self {
        self.bend = V::from(axis).unit_or(self.bend.into()).into();
        self
    }

    /// Returns the start, the middle and the end joint.
    #[must_use]
    pub const fn joints(&self) -> [u16; 3] {
        self.joints
    }

    /// Turns the joints, and computes the matrices from the start joint on anew.
    ///
    /// The matrix of the start joint's parent must be current. Runs in **O(descendants of the start joint)**.
    ///
    /// # Panics
    /// Panics if the rig does not have the joints.
    pub fn solve(&self, rig: &mut Rig<'_>, goal: &Goal) -> Reach {
        let reach = self.solve_locals(rig, goal);
        self.update(rig, goal, reach);
        reach
    }

    /// Turns the joints, without matrices: to update once for several limbs. Runs in **O(joints between the three)**.
    ///
    /// # Panics
    /// Panics if the rig does not have the joints.
    pub fn solve_locals(&self, rig: &mut Rig<'_>, goal: &Goal) -> Reach {
        dispatch!(level(), simd => self.solve_in(simd, rig, goal))
    }

    #[inline(always)]
    fn solve_in<S: Simd>(&self, simd: S, rig: &mut Rig<'_>, goal: &Goal) -> Reach {
        let (mut numbers, mut solved) = ([0.0; NUMBERS], None);
        if self.limb(rig, goal, &mut numbers) {
            solved = Some(solve_one(simd, &numbers, goal.pole == Pole::Pose));
        }
        self.finish(rig, goal, solved)
    }

    /// Solves the same limb of many characters, each like [`solve`](Self::solve) and with the same bits. Eight at a time
    /// whose joints are parent and child, with even scales and bent bones, take two fifths of the time.
    ///
    /// # Panics
    /// Panics if a rig does not have the joints.
    pub fn solve_many(&self, jobs: &mut [Job<'_>]) {
        self.solve_many_locals(jobs);
        for Job { rig, goal, reach } in jobs {
            self.update(rig, goal, *reach);
        }
    }

    /// [`solve_many`](Self::solve_many) without matrices.
    ///
    /// # Panics
    /// Panics if a rig does not have the joints.
    pub fn solve_many_locals(&self, jobs: &mut [Job<'_>]) {
        let (mut limbs, mut solved) = ([[0.0; NUMBERS]; LANES], Results::default());
        for jobs in jobs.chunks_mut(LANES) {
            for (job, numbers) in jobs.iter().zip(&mut limbs) {
                if !self.limb(&job.rig, &job.goal, numbers) {
                    numbers.fill(0.0); // has no solution
                }
            }
            let posed = jobs.iter().any(|job| job.goal.pole == Pole::Pose);
            solve_lanes(level(), &limbs, posed, &mut solved);
            for (lane, Job { rig, goal, reach }) in jobs.iter_mut().enumerate() {
                *reach = self.finish(rig, goal, Some(Solved::from_numbers(|at| solved[at][lane])));
            }
        }
    }

    fn update(&self, rig: &mut Rig<'_>, goal: &Goal, reach: Reach) {
        if reach != Reach::Blocked && goal.weight > 0.0 {
            rig.update(self.joints[0]);
        }
    }

    /// Writes the numbers of the quick path and returns true, if it may be right.
    #[inline(always)]
    fn limb(&self, rig: &Rig<'_>, goal: &Goal, numbers: &mut [f32; NUMBERS]) -> bool {
        let [start, middle, end] = self.joints;
        let (s, m) = (rig.local(start), rig.local(middle));
        if !self.direct || !s.scale.is_even() || goal.twist != 0.0 {
            return false;
        }
        let model = rig.model(self.parent);
        let place = model.translation();
        let (pole, kind) = match goal.pole {
            Pole::Pose => (Vec3::ZERO, -1.0),
            Pole::Direction(direction) => (direction, 0.0),
            Pole::Point(point) => (point - place, 1.0),
        };
        let (upper, lower) = (m.translation * s.scale.x, rig.translation(end).scaled(m.scale) * s.scale.x);
        let (above, rest) = numbers.as_chunks_mut::<4>().0.split_at_mut(3);
        above.copy_from_slice(&model.rows);
        let put = |four: &mut [f32; 4], v: V, w: f32| *four = [v.x, v.y, v.z, w];
        put(&mut rest[0], (goal.position - place).into(), share(goal.soften));
        put(&mut rest[1], pole.into(), kind);
        put(&mut rest[2], s.translation, 0.0);
        put(&mut rest[3], s.rotation.v, s.rotation.w);
        put(&mut rest[4], m.rotation.v, m.rotation.w);
        put(&mut rest[5], upper, 0.0);
        put(&mut rest[6], lower, 0.0);
        true
    }

    /// Writes rotations: those of the quick path, if they are exact, or of the general one.
    #[inline(always)]
    fn finish(&self, rig: &mut Rig<'_>, goal: &Goal, quick: Option<Solved>) -> Reach {
        let solved = match quick {
            Some(solved) if solved.margin > 0.0 => solved,
            _ => match self.general(rig, goal) {
                Some(solved) => solved,
                None => return Reach::Blocked,
            },
        };
        let Solved { far, span, .. } = solved;
        let factor = if far > span { (far / span).min(goal.stretch.max(1.0)) } else { 1.0 };
        let reach = if far < span * (1.0 - 1e-6) {
            Reach::Near
        } else if far > span * factor * (1.0 + 1e-6) {
            Reach::Far
        } else if solved.margin < 0.0 {
            Reach::Uneven
        } else {
            Reach::Reached
        };
        if goal.weight >= 1.0 && goal.end == End::Local && factor == 1.0 {
            rig.set_rotation(self.joints[0], solved.start);
            rig.set_rotation(self.joints[1], solved.middle);
        } else if goal.weight > 0.0 {
            self.write(rig, goal, &solved, factor);
        }
        reach
    }

    /// Writes rotations with a weight, a longer chain, or a rotation of the end.
    fn write(&self, rig: &mut Rig<'_>, goal: &Goal, solved: &Solved, factor: f32) {
        let [start, middle, end] = self.joints;
        let weight = share(goal.weight);
        let (s, m) = (rig.local(start), rig.local(middle));
        // Blended in the space of the matrices: in the parent's, which turns too, the short way could change.
        let mut kept = None;
        if let End::Rotation(new) = goal.end
            && weight >= 1.0
        {
            kept = Some(new.into());
        } else if goal.end != End::Local
            && let Some(above) = self.rotation_above_end(rig, goal.end)
        {
            let old = above * rig.local(end).rotation;
            kept = Some(if let End::Rotation(new) = goal.end { Q::mix(old, new.into(), weight) } else { old });
        }
        rig.set_rotation(start, Q::mix(s.rotation, solved.start, weight));
        rig.set_rotation(middle, Q::mix(m.rotation, solved.middle, weight));
        if factor != 1.0 {
            let factor = 1.0 + (factor - 1.0) * weight;
            let mut joint = end;
            while joint != start {
                let longer = rig.translation(joint) * factor;
                if longer.is_finite() {
                    rig.set_translation(joint, longer);
                }
                joint = rig.parent(joint);
            }
        }
        if let Some(kept) = kept
            && let Some(above) = self.rotation_above_end(rig, goal.end)
        {
            let rotation = (above.inverse() * kept).unit();
            if rotation.is_finite() {
                rig.set_rotation(end, rotation);
            }
        }
    }

    /// Returns the rotation of the end's parent in the space of the matrices, by the matrix above the start joint and by
    /// local transforms from there; if the end's rotation stays, in any space above.
    fn rotation_above_end(&self, rig: &Rig<'_>, kind: End) -> Option<Q> {
        let [start, middle, end] = self.joints;
        let (s, m) = (rig.local(start), rig.local(middle));
        if self.direct && s.scale.is_even() && m.scale.x > 0.0 && m.scale.y > 0.0 && m.scale.z > 0.0 {
            let inner = s.rotation * m.rotation;
            return if kind == End::Model {
                Some(inner)
            } else {
                Some(rig.matrix(self.parent).0.nearest_rotation()? * inner)
            };
        }
        let (above, _) = rig.matrix(self.parent);
        let (path, _) = rig.path(start, rig.parent(end))?;
        (above * (s.linear() * path)).nearest_rotation()
    }

    #[inline(never)]
    fn general(&self, rig: &Rig<'_>, goal: &Goal) -> Option<Solved> {
        let [start, middle, end] = self.joints;
        let (s, m) = (rig.local(start), rig.local(middle));
        let (above, place) = rig.matrix(self.parent);
        let into = above.inverse()?;
        let inside = |point: Vec3| into * (V::from(point) - place) - s.translation;
        let target = inside(goal.position);
        // From the middle joint's parent to the start joint's rotated space, and the bones in that space.
        let (between, joint) = rig.path(start, rig.parent(middle))?;
        let inner = M(M::of_local(Q::IDENTITY, s.scale).0) * between;
        let outer = inner.inverse()?;
        let upper = s.scale.scaled(between * m.translation + joint);
        let lower = m.scale.scaled(rig.path(middle, end)?.1);
        let bent = inner * (m.rotation * lower);
        let ((l1, u), (mut l2, w)) = (upper.polar(), bent.polar());
        let (u, w) = (u.or(w)?, w.or(u)?);
        if !target.is_finite() {
            return None;
        }

        // The normal of the pose's plane. While the chain is nearly straight, the bend decides.
        let fold = u.cross(w);
        let sine = fold.square().sqrt();
        let normal = if sine > 0.2 {
            fold * (1.0 / sine)
        } else {
            let bend = inner * (m.rotation * m.scale.scaled(self.bend.into()));
            let share = 0.1 * (1.0 - smooth(0.05, 0.2, sine));
            (fold + bend.unit_or(V::ZERO) * share).unit_across(u)
        };

        let posed = match (upper + bent).polar() {
            (length, Some(axis)) if length > 1e-3 * (l1 + l2) => axis,
            _ => u,
        };
        let posed = s.rotation * posed;
        let (far, axis) = target.polar();
        let axis = axis.filter(|_| far > 1e-7 * (l1 + l2)).unwrap_or(posed);
        let carried = || {
            let normal = s.rotation * normal;
            Q::shortest(posed, axis, || normal).unit() * posed.cross(normal).unit_across(posed)
        };
        let pole = match goal.pole {
            Pole::Pose => None,
            Pole::Direction(direction) => (into * V::from(direction)).polar().1,
            Pole::Point(point) => inside(point).polar().1,
        };
        let side = match pole {
            None => carried(),
            Some(pole) => {
                // The singular direction cannot be faded out, only moved. So the pose's plane takes over only where the
                // side has no right digits left.
                const NEAR: f32 = 0.02;
                let flat = pole.across(axis);
                let length = flat.square().sqrt();
                if length < NEAR {
                    let share = 1.0 - length / NEAR;
                    flat + carried() * (0.5 * NEAR * share * share)
                } else {
                    flat
                }
            }
        };
        let mut side = side.unit_across(axis);
        if goal.twist != 0.0 && goal.twist.is_finite() {
            let (sine, cosine) = half_angle(goal.twist);
            side = Q { v: axis * sine, w: cosine } * side;
        }

        let uneven = !inner.is_even();
        let old = M::frame(u, normal).transpose();
        let place_elbow = |l2: f32| {
            let span = span(far, l1, l2, share(goal.soften));
            let elbow = if l1 <= 0.0 || span <= 1e-7 * (l1 + l2) {
                side
            } else {
                // By shares of the first bone, so that nothing overflows.
                {
                    let triangle = Triangle::new(1.0, l2 / l1, span / l1);
                    (axis * triangle.along + side * triangle.height).unit_or(axis)
                }
            };
            let turn = if l1 > 0.0 { (M::frame(elbow, side.cross(axis)) * old).rotation().unit() } else { s.rotation };
            (span, turn)
        };
        let (mut span, mut turn) = place_elbow(l2);
        if uneven {
            // The length of the lower bone depends on its direction.
            for _ in 0..24 {
                let Some(way) = (turn.inverse() * (axis * span) - upper).polar().1 else { break };
                let length = lower.polar().0 / (outer * way).polar().0;
                if !(length > 0.0 && length.is_finite()) {
                    break;
                }
                l2 = 0.5 * (l2 + length);
                (span, turn) = place_elbow(l2);
            }
        }

        // The second turn starts from where the first, as rounded, brought the elbow.
        let turn = turn.near(s.rotation);
        let tip = turn.inverse() * (axis * span);
        // As the elbow's: frames, which keep the normal. A shortest arc would swing round where a nearly straight pose,
        // whose bones need not be across the normal, is folded.
        let normal = outer * normal;
        let frame = |x: V| M::frame(x, normal.unit_across(x));
        let second = match ((m.rotation * lower).polar().1, (outer * (tip - upper)).polar().1) {
            (Some(from), Some(to)) => (frame(to) * frame(from).transpose()).rotation().unit(),
            _ => Q::IDENTITY,
        };
        let bent = (second * m.rotation).unit();
        if !(turn.is_finite() && bent.is_finite() && far.is_finite()) {
            return None;
        }
        let missed = uneven && (upper + inner * (bent * lower) - tip).polar().0 > 1e-5 * (l1 + l2);
        Some(Solved { start: turn, middle: bent, far, span, margin: if missed { -1.0 } else { 1.0 } })
    }
}

/// Returns the matrix from a joint's space to that of an ancestor, at rest.
pub(super) fn rest_path(skeleton: &Skeleton, ancestor: u16, joint: u16) -> Result<(M, V), Error> {
    let range = skeleton.subtree_range(ancestor)?;
    skeleton.expect_joint(joint)?;
    if joint == ancestor || !range.contains(&usize::from(joint)) {
        return Err(SkeletonError::NotBelow { joint, ancestor }.into());
    }
    let (mut linear, mut place, mut at) = (M::IDENTITY, V::ZERO, joint);
    while at != ancestor {
        let rest = skeleton.rest(at);
        let own = M::of_local(rest.rotation.into(), rest.scale.into());
        (linear, place) = (own * linear, own * place + rest.translation.into());
        at = skeleton.parents()[usize::from(at)];
    }
    Ok((linear, place))
}
