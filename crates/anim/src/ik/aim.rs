//! Turning a joint, or a chain of joints by shares, so that a line through it meets a point.

use super::math::{M, Q, V, half_angle, share, within};
use super::rig::{Local, Rig};
use super::two_bone::{Reach, rest_path};
use crate::glam::Vec3;
use crate::{Error, Skeleton};

/// Turns one joint so that its forward axis points at a goal: eyes, a head, a turret.
///
/// The line may start beside the joint, as that of an eye, and may be kept within a cone. Exact to 6e-6 radians, with
/// any scales above the joint.
///
/// ```
/// use hedgerow_anim::ik::{Aim, Look, Reach, Rig};
/// use hedgerow_anim::{Pose, SkeletonBuilder, Transform, glam::Vec3};
///
/// let mut builder = SkeletonBuilder::new();
/// let neck = builder.joint("neck", None, Transform::from_xyz(0.0, 1.5, 0.0));
/// builder.joint("head", Some(neck), Transform::from_xyz(0.0, 0.1, 0.0));
/// let (skeleton, _) = builder.build()?;
/// let head = Aim::new(1, Vec3::Z).with_offset(Vec3::new(0.0, 0.1, 0.1)).with_cone(Vec3::Z, 1.2);
///
/// let (mut pose, mut models) = (Pose::rest(&skeleton), Vec::new());
/// pose.to_models(&skeleton, &mut models)?;
/// let mut rig = Rig::new(&skeleton, &mut pose, &mut models)?;
/// assert_eq!(head.solve(&mut rig, &Look::at(Vec3::new(2.0, 1.0, 3.0))), Reach::Reached);
/// assert_eq!(head.solve(&mut rig, &Look::at(Vec3::new(0.0, 1.7, -3.0))), Reach::Far); // outside of the cone
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    joint: u16,
    /// A unit vector, or zero. In the joint's space, as all below.
    forward: V,
    up: V,
    offset: V,
    cone: Option<Cone>,
}

/// A cone in the space of the joint's parent, by the cosine and sine of its angle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cone {
    axis: V,
    cosine: f32,
    sine: f32,
}

/// What to look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The goal, in the space of the matrices.
    pub point: Vec3,
    /// The direction that the joint's [up axis](Aim::with_up) should have, in the space of the matrices; without it, the
    /// joint takes the shortest turn.
    pub up: Option<Vec3>,
    /// From 0, which changes nothing, to 1.
    pub weight: f32,
}

impl Look {
    /// Returns a look at a point, by the shortest turn.
    #[must_use]
    pub const fn at(point: Vec3) -> Self {
        Self { point, up: None, weight: 1.0 }
    }
}

impl Aim {
    /// Makes a solver for a joint whose `forward` axis, in the joint's space, should point at goals.
    #[must_use]
    pub fn new(joint: u16, forward: Vec3) -> Self {
        Self {
            joint,
            forward: V::from(forward).unit_or(V::ZERO),
            up: V::new(0.0, 1.0, 0.0),
            offset: V::ZERO,
            cone: None,
        }
    }

    /// Sets the axis that [`Look::up`] turns upwards, in the joint's space; without it, Y.
    #[must_use]
    pub fn with_up(mut self, up: Vec3) -> Self {
        self.up = up.into();
        self
    }

    /// Sets where the line starts, in the joint's space. A goal that is nearer to the joint than the line, or
    /// than where it starts, cannot be met.
    #[must_use]
    pub fn with_offset(mut self, offset: Vec3) -> Self {
        self.offset = offset.into();
        self
    }

    /// Keeps the forward axis within `angle` radians, up to π, of an axis in the space of the joint's parent.
    #[must_use]
    pub fn with_cone(mut self, axis: Vec3, angle: f32) -> Self {
        let angle = within(angle, 0.0, core::f32::consts::PI);
        let (sine, cosine) = half_angle(2.0 * angle);
        self.cone = V::from(axis).polar().1.map(|axis| Cone { axis, cosine, sine: sine.abs() });
        self
    }

    /// Turns the joint, and computes the matrices from it on anew. Returns [`Reach::Far`] if the cone kept it away, and
    /// [`Reach::Near`] if the goal is nearer than the line or its start.
    ///
    /// The matrix of the joint's parent must be current. Runs in **O(descendants)**.
    ///
    /// # Panics
    /// Panics if the rig does not have the joint.
    pub fn solve(&self, rig: &mut Rig<'_>, look: &Look) -> Reach {
        let reach = self.solve_locals(rig, look);
        if reach != Reach::Blocked && look.weight > 0.0 {
            rig.update(self.joint);
        }
        reach
    }

    /// Turns the joint, without matrices. Runs in **O(1)**.
    ///
    /// # Panics
    /// Panics if the rig does not have the joint.
    pub fn solve_locals(&self, rig: &mut Rig<'_>, look: &Look) -> Reach {
        self.turn(rig, rig.above(self.joint), look).unwrap_or(Reach::Blocked)
    }

    /// Turns the joint below a parent with this matrix.
    #[inline(always)]
    fn turn(&self, rig: &mut Rig<'_>, (above, place): (M, V), look: &Look) -> Option<Reach> {
        let local = rig.local(self.joint);
        let into = above.inverse()?;
        let mut target = into * (V::from(look.point) - place) - local.translation;
        let (mut forward, mut offset) = (self.forward, self.offset);
        if local.scale != V::new(1.0, 1.0, 1.0) {
            (forward, offset) = (local.scale.scaled(forward).polar().1?, local.scale.scaled(offset));
        } else if forward == V::ZERO {
            return None;
        }
        let mut far_square = target.square();
        if !(1e-15..1e15).contains(&far_square) {
            // Directions do not depend on the unit of length.
            let (far, to) = target.polar();
            (target, offset, far_square) = (to?, offset * (1.0 / far).min(1e30), 1.0);
        }
        // The point of the line that is as far from the joint as the goal.
        let along = offset.dot(forward);
        let beside = offset - forward * along;
        let reach_square = far_square - beside.square();
        let reach = reach_square.max(0.0).sqrt();
        let line = beside + forward * reach;
        // A goal before the line's start is not on the line.
        let is_near = reach_square < 0.0 || along > 0.0 && reach <= along;
        let mut result = if is_near { Reach::Near } else { Reach::Reached };
        let quick = if reach_square >= 0.0 && look.up.is_none() {
            local.rotation.then_shortest_if_exact(line, target, far_square)
        } else {
            None
        };
        let mut rotation = if let Some(quick) = quick {
            quick.unit()
        } else {
            self.rotation(&local, (line.polar().1?, target.polar().1?), look.up.map(|up| into * V::from(up)))?
        };
        if let Some(Cone { axis, cosine, sine }) = self.cone {
            let turned = rotation * forward;
            let outside = turned.cross(axis).square().sqrt() * cosine - turned.dot(axis) * sine;
            if outside > 0.0 {
                result = Reach::Far;
                let edge = axis * cosine + turned.unit_across(axis) * sine;
                rotation = (Q::shortest(turned, edge, || rotation * self.up) * rotation).unit().near(local.rotation);
            }
        }
        if look.weight > 0.0 {
            rig.set_rotation(self.joint, Q::mix(local.rotation, rotation, look.weight));
        }
        Some(result)
    }

    /// Returns the rotation that brings a unit vector of the joint's space to one of its parent's, with the up axis
    /// upwards or by the shortest turn.
    #[inline(never)]
    fn rotation(&self, local: &Local, (from, to): (V, V), up: Option<V>) -> Option<Q> {
        let own = local.scale.scaled(self.up);
        let rotation = if let Some(up) = up {
            (M::frame(to, up.unit_across(to)) * M::frame(from, own.unit_across(from)).transpose()).rotation()
        } else {
            Q::shortest(local.rotation * from, to, || local.rotation * own) * local.rotation
        };
        let rotation = rotation.unit().near(local.rotation);
        rotation.is_finite().then_some(rotation)
    }
}

/// Turns a chain of joints by shares, so that the last points at a goal: spine, neck and head, for example.
///
/// Each joint but the last turns by its share of the whole turn, the last by what is left.
///
/// ```
/// # use hedgerow_anim::{SkeletonBuilder, Transform, glam::Vec3};
/// # let mut builder = SkeletonBuilder::new();
/// # for joint in 0..4_u16 {
/// #     builder.joint("", joint.checked_sub(1), Transform::from_xyz(0.0, 0.2, 0.0));
/// # }
/// # let (skeleton, _) = builder.build()?;
/// use hedgerow_anim::ik::{Aim, AimChain};
///
/// let (spine, neck, head) = (1, 2, 3);
/// let look = AimChain::new(&skeleton, &[(spine, 0.2), (neck, 0.3), (head, 0.5)], Aim::new(head, Vec3::Z))?;
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AimChain {
    /// Each joint with its part of the turn that is left when it comes.
    joints: Vec<(u16, f32)>,
    tip: Aim,
}

impl AimChain {
    /// Makes a solver for joints with their shares, each above the next. `tip` says what points at goals; its joint gets
    /// all that is left, and its cone limits only that joint.
    ///
    /// # Errors
    /// [`SkeletonError::NotBelow`](crate::skeleton::SkeletonError::NotBelow) or
    /// [`SkeletonError::UnknownJoint`](crate::skeleton::SkeletonError::UnknownJoint).
    pub fn new(skeleton: &Skeleton, joints: &[(u16, f32)], tip: Aim) -> Result<Self, Error> {
        let mut left: f32 = joints.iter().map(|&(_, share)| share.max(0.0)).sum();
        let mut parts = Vec::with_capacity(joints.len() + 1);
        let others: Vec<(u16, f32)> = joints.iter().copied().filter(|&(joint, _)| joint != tip.joint).collect();
        for (at, &(joint, of_joint)) in others.iter().enumerate() {
            rest_path(skeleton, joint, others.get(at + 1).map_or(tip.joint, |&(next, _)| next))?;
            parts.push((joint, if left > 0.0 { share(of_joint / left) } else { 0.0 }));
            left -= of_joint.max(0.0);
        }
        skeleton.expect_joint(tip.joint)?;
        parts.push((tip.joint, 1.0));
        Ok(Self { joints: parts, tip })
    }

    /// Turns the joints, and computes the matrices from the first on anew: see [`Aim::solve`].
    ///
    /// Runs in **O(joints between first and last + descendants)**.
    ///
    /// # Panics
    /// Panics if the rig does not have the joints.
    pub fn solve(&self, rig: &mut Rig<'_>, look: &Look) -> Reach {
        let first = self.joints[0].0;
        let mut above = rig.above(first);
        let mut result = Reach::Blocked;
        // A joint's part is that of what is left of the turn, and its weight that of what was not turned.
        let (whole, mut left, mut undone) = (share(look.weight), 1.0, 1.0);
        for (at, &(joint, part)) in self.joints.iter().enumerate() {
            let Some((path, place)) = rig.path(joint, self.tip.joint) else { return Reach::Blocked };
            let tip = joint == self.tip.joint;
            let aim = Aim {
                joint,
                forward: (path * self.tip.forward).unit_or(V::ZERO),
                up: path * self.tip.up,
                offset: path * self.tip.offset + place,
                cone: self.tip.cone.filter(|_| tip),
            };
            let own = part * left;
            let weight = if whole < 1.0 { whole * own / undone } else { part };
            (left, undone) = (left - own, undone - whole * own);
            let look = Look { weight, up: look.up.filter(|_| tip), ..*look };
            let unmoved = if result == Reach::Blocked { Reach::Blocked } else { Reach::Far };
            result = aim.turn(rig, above, &look).unwrap_or(unmoved);
            if let Some(&(next, _)) = self.joints.get(at + 1) {
                let parent = rig.parent(next);
                let Some((path, place)) = rig.path(joint, parent) else { return Reach::Blocked };
                let local = rig.local(joint);
                let linear = above.0 * local.linear();
                above = (linear * path, above.1 + above.0 * local.translation + linear * place);
            }
        }
        if result != Reach::Blocked && look.weight > 0.0 {
            rig.update(first);
        }
        result
    }
}
