//! Joints that swing: hair, tails, ears, straps and skirts.

use crate::Error;
use crate::error::{expect_joint, expect_joints};
use crate::retarget::is_below;
use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::skeleton::SkeletonError;
use hedgerow_anim::{Mat34, Pose, Skeleton};

/// Springs of a skeleton, shared by all its characters: joints that lag behind their parents, hang down, and keep out of
/// capsules.
///
/// Each joint swings so that its tail, a joint below, follows a point that moves by the rule of VRM's spring bones: what
/// is left of its last movement, a pull to where the pose has it, and gravity, at the length of the bone. So numbers of
/// VRM files can be used as they are. VRM's centers, which give chains a space of their own, have one counterpart for all
/// chains: the matrix `world` of a step. Groups of colliders are 32 bits.
///
/// Sample a clip, compute model matrices, solve inverse kinematics, then [step](Springs::step) the springs: they swing
/// about the pose as it is then.
///
/// ```
/// use hedgerow_anim::glam::Vec3;
/// use hedgerow_anim::{Mat34, Pose, SkeletonBuilder, Transform};
/// use hedgerow_animator::{Collider, Spring, Springs, Swing};
///
/// let mut joints = SkeletonBuilder::new();
/// let head = joints.joint("head", None, Transform::from_xyz(0.0, 1.6, 0.0));
/// let root = joints.joint("hair", Some(head), Transform::from_xyz(0.0, 0.1, -0.1));
/// let middle = joints.joint("hair 2", Some(root), Transform::from_xyz(0.0, 0.0, -0.2));
/// joints.joint("hair 3", Some(middle), Transform::from_xyz(0.0, 0.0, -0.2));
/// let (skeleton, _) = joints.build()?;
///
/// // Once:
/// let mut springs = Springs::new(&skeleton);
/// springs.chain(&[1, 2, 3], Spring { stiffness: 0.2, gravity: Vec3::NEG_Y, ..Spring::default() })?;
/// springs.collider(Collider::sphere(0, Vec3::ZERO, 0.15))?;
///
/// // For each character:
/// let (mut swing, mut pose, mut models) = (Swing::default(), Pose::rest(&skeleton), Vec::new());
///
/// // Each frame:
/// pose = Pose::rest(&skeleton); // or sample a clip
/// pose.to_models(&skeleton, &mut models)?;
/// springs.step(&mut swing, &mut pose, &mut models, &Mat34::IDENTITY, 1.0 / 60.0)?;
/// assert!(models[3].translation().y < 1.7); // it hangs down a little
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Springs {
    skeleton: Skeleton,
    /// Parents first.
    bones: Vec<Bone>,
    colliders: Vec<Collider>,
}

#[derive(Clone, Copy, Debug)]
struct Bone {
    joint: u16,
    tail: u16,
    spring: Spring,
}

/// How a joint swings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The speed at which the tail is pulled to where the pose has it, in units a second.
    pub stiffness: f32,
    /// The share of the tail's movement that is lost in each step, from 0, which swings for ever, to 1, which keeps no
    /// momentum.
    pub drag: f32,
    /// The speed at which the tail is pulled in a direction of the world, in units a second: its gravity, or wind.
    pub gravity: Vec3,
    /// The radius of the tail, which keeps it away from colliders.
    pub radius: f32,
    /// The groups of colliders that the tail keeps out of, a bit for each.
    pub collides: u32,
}

impl Default for Spring {
    fn default() -> Self {
        Self { stiffness: 1.0, drag: 0.5, gravity: Vec3::ZERO, radius: 0.0, collides: u32::MAX }
    }
}

/// A capsule that moves with a joint and pushes tails out: a head, a leg, a shoulder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// The joint.
    pub joint: u16,
    /// The ends of the capsule's axis, in the space of the joint. If they are equal, it is a sphere.
    pub ends: [Vec3; 2],
    /// The radius, in the space of the world: scales do not change it.
    pub radius: f32,
    /// The groups that the collider is in, a bit for each.
    pub groups: u32,
}

impl Collider {
    /// Returns a sphere in all groups.
    #[must_use]
    pub const fn sphere(joint: u16, center: Vec3, radius: f32) -> Self {
        Self { joint, ends: [center; 2], radius, groups: u32::MAX }
    }

    /// Returns a capsule in all groups.
    #[must_use]
    pub const fn capsule(joint: u16, ends: [Vec3; 2], radius: f32) -> Self {
        Self { joint, ends, radius, groups: u32::MAX }
    }
}

/// How the springs of one character swing now. A clone goes on in the same way: for rollback.
///
/// [`Swing::default()`] begins at rest in the pose of the first step, as does one after [`reset`](Swing::reset).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Swing {
    /// The tail of each bone in the world, now and a step ago; empty before the first step.
    tails: Vec<[Vec3; 2]>,
}

impl Swing {
    /// Begins at rest in the next step: after a teleport, or a cut to another place.
    pub fn reset(&mut self) {
        self.tails.clear();
    }
}

impl Springs {
    /// Returns springs of a skeleton, without joints that swing.
    #[must_use]
    pub fn new(skeleton: &Skeleton) -> Self {
        Self { skeleton: skeleton.clone(), bones: Vec::new(), colliders: Vec::new() }
    }

    /// Lets joints swing, each with the next as its tail. The last one does not swing; it only marks the end of the
    /// chain.
    ///
    /// For a spring that changes along the chain, add its links one by one: `[a, b]`, then `[b, c]`. A joint that is
    /// added again gets the new spring and tail. [Reset](Swing::reset) the swings of characters that swing already.
    ///
    /// # Errors
    /// [`Error::Anim`] if the skeleton does not have a joint, or one is not below the one before; [`Error::Number`] if a
    /// number is not finite, a stiffness or radius negative, or a drag not from 0 to 1.
    pub fn chain(&mut self, joints: &[u16], spring: Spring) -> Result<(), Error> {
        let Spring { stiffness, drag, gravity, radius, .. } = spring;
        let number = |what| Error::Number { what, of: "springs".into() };
        let is_length = |number: f32| number >= 0.0 && number.is_finite();
        for (is_sound, what) in [
            (is_length(stiffness), "stiffness"),
            ((0.0..=1.0).contains(&drag), "drag"),
            (gravity.is_finite(), "gravity"),
            (is_length(radius), "radius"),
        ] {
            if !is_sound {
                return Err(number(what));
            }
        }
        joints.iter().try_for_each(|&joint| expect_joint(&self.skeleton, joint))?;
        for link in joints.windows(2) {
            let (ancestor, joint) = (link[0], link[1]);
            if !is_below(&self.skeleton, joint, ancestor) {
                return Err(hedgerow_anim::Error::from(SkeletonError::NotBelow { joint, ancestor }).into());
            }
        }
        for link in joints.windows(2) {
            let bone = Bone { joint: link[0], tail: link[1], spring };
            match self.bones.binary_search_by_key(&bone.joint, |bone| bone.joint) {
                Ok(at) => self.bones[at] = bone,
                Err(at) => self.bones.insert(at, bone),
            }
        }
        Ok(())
    }

    /// Adds a collider. Colliders push in the order in which they were added: where two are near each other, a tail may be
    /// inside the first. A collider on a joint that swings pushes as it was before the step, unless its joint comes first.
    ///
    /// # Errors
    /// [`Error::Anim`] if the skeleton does not have its joint; [`Error::Number`] if a number is not finite, or the radius
    /// negative.
    pub fn collider(&mut self, collider: Collider) -> Result<(), Error> {
        expect_joint(&self.skeleton, collider.joint)?;
        let finite = collider.ends.iter().all(|end| end.is_finite()) && collider.radius.is_finite();
        if !finite || collider.radius < 0.0 {
            return Err(Error::Number { what: "collider", of: "springs".into() });
        }
        self.colliders.push(collider);
        Ok(())
    }

    /// Lets the springs swing for some seconds: turns their joints, and computes the matrices from them on anew.
    ///
    /// `models` has the model matrices of the pose, from [`Pose::to_models`]; `world` maps the model to the world. Then
    /// hair also lags behind a character that runs; pass the identity if it should not. Far from the origin of the world
    /// pass a matrix to a place nearby that stays the same, since tails are kept in single precision.
    ///
    /// As in VRM, drag and stiffness work a step at a time: call with the same `seconds` each time, else hair is
    /// stiffer at other frame rates. In 0 seconds, joints turn to where their tails are: for paused games. Seconds that
    /// are negative or not finite count as 0; with a world that is not finite, nothing happens. Joints whose bone has
    /// no length keep their pose. Below uneven scales, bones have the direction of their tails, and the length that
    /// scales give them. After a step the pose [shows no clip](hedgerow_anim::Player::sample), so the next sample into
    /// it writes all joints. Runs in **O(joints below springs + springs × colliders)**.
    ///
    /// # Errors
    /// [`Error::Anim`] if pose or matrices have another number of joints than the skeleton; nothing is changed then.
    pub fn step(
        &self,
        swing: &mut Swing,
        pose: &mut Pose,
        models: &mut [Mat34],
        world: &Mat34,
        seconds: f32,
    ) -> Result<(), Error> {
        expect_joints(self.skeleton.len(), pose.len())?;
        expect_joints(self.skeleton.len(), models.len())?;
        if !world.is_finite() {
            return Ok(());
        }
        let seconds = if seconds > 0.0 && seconds.is_finite() { seconds } else { 0.0 };
        if swing.tails.len() != self.bones.len() {
            swing.tails.clear();
            swing.tails.resize(self.bones.len(), [Vec3::NAN; 2]);
        }
        let mut bones = self.bones.iter().zip(&mut swing.tails).peekable();
        while let Some(&(top, _)) = bones.peek() {
            // Parents first, since a joint swings below its parent as it is now.
            for joint in self.skeleton.subtree(top.joint) {
                if let Some((bone, tails)) = bones.next_if(|(bone, _)| bone.joint == joint) {
                    self.swing(bone, tails, pose, models, world, seconds);
                }
                let parent = self.parent(joint).and_then(|parent| models.get(parent)).unwrap_or(&Mat34::IDENTITY);
                models[usize::from(joint)] = *parent * pose.get(joint).to_matrix();
            }
            // With the bits that `Pose::to_models` computes.
            pose.update_models(&self.skeleton, &Mat34::IDENTITY, top.joint, models)?;
        }
        Ok(())
    }

    /// Moves a tail, and turns its joint.
    fn swing(
        &self,
        bone: &Bone,
        tails: &mut [Vec3; 2],
        pose: &mut Pose,
        models: &[Mat34],
        world: &Mat34,
        seconds: f32,
    ) {
        let Spring { stiffness, drag, gravity, .. } = bone.spring;
        let above = self.parent(bone.joint).map_or(*world, |parent| *world * models[parent]);
        let local = pose.get(bone.joint);
        // The tail in the space of the joint's parent. Joints between the two, if any, are as the pose has them.
        let tail = local.transform_point(self.below(pose, bone));
        let (head, aim) = (above.transform_point(local.translation), above.transform_point(tail));
        let length = (aim - head).length();
        let Some(posed) = (aim - head).try_normalize() else { return };
        if !(tails[0].is_finite() && tails[1].is_finite()) {
            *tails = [aim; 2];
        }
        let [now, before] = *tails;
        let momentum = if seconds > 0.0 { (now - before) * (1.0 - drag) } else { Vec3::ZERO };
        let moved = momentum + (posed * stiffness + gravity) * seconds;
        let at_length = |place: Vec3| head + (place - head).try_normalize().unwrap_or(posed) * length;
        let mut next = at_length(now + moved);
        for collider in self.colliders.iter().filter(|collider| collider.groups & bone.spring.collides != 0) {
            let to_world = *world * models[usize::from(collider.joint)];
            let nearest = nearest(collider, &to_world, next);
            if let Some(place) = beside(head, length, next, nearest, collider.radius + bone.spring.radius) {
                next = at_length(place);
            }
        }
        if seconds > 0.0 {
            *tails = [next, now];
        }
        // In the parent's space, so that the tail is met below any scales.
        let Some(into) = above.inverse() else { return };
        let is = (tail - local.translation).try_normalize();
        let should = (into.transform_point(next) - local.translation).try_normalize();
        if let (Some(is), Some(should)) = (is, should) {
            let rotation = (Quat::from_rotation_arc(is, should) * local.rotation).normalize();
            if rotation.is_finite() {
                pose.set(bone.joint, local.with_rotation(rotation));
            }
        }
    }

    /// Returns the tail of a bone in the space of its joint.
    fn below(&self, pose: &Pose, bone: &Bone) -> Vec3 {
        let (mut at, mut place) = (bone.tail, Vec3::ZERO);
        while at != bone.joint {
            place = pose.get(at).transform_point(place);
            at = self.skeleton.parents()[usize::from(at)];
        }
        place
    }

    fn parent(&self, joint: u16) -> Option<usize> {
        let parent = self.skeleton.parents()[usize::from(joint)];
        (parent != Skeleton::NO_PARENT).then_some(usize::from(parent))
    }
}

/// Returns the point of a capsule's axis that is nearest to a tail.
fn nearest(collider: &Collider, to_world: &Mat34, tail: Vec3) -> Vec3 {
    let [from, to] = collider.ends.map(|end| to_world.transform_point(end));
    let axis = to - from;
    let along = (tail - from).dot(axis) / axis.length_squared();
    // A sphere has no axis, so the quotient is not finite.
    if along.is_finite() { from + axis * along.clamp(0.0, 1.0) } else { from }
}

/// Returns where a tail goes that is inside a sphere: the nearest place on its surface that is at the bone's length from
/// the head. VRM pushes out and restores the length, which comes near this place when it is done again and again.
fn beside(head: Vec3, length: f32, tail: Vec3, center: Vec3, radius: f32) -> Option<Vec3> {
    let away = tail - center;
    if away.length_squared() >= radius * radius {
        return None;
    }
    let (distance, toward) = ((center - head).length(), (center - head).try_normalize());
    // The sphere meets all tails of this length in a circle, whose plane is this far from the head.
    let plane = (distance * distance + length * length - radius * radius) / (2.0 * distance);
    match toward {
        Some(toward) if plane.abs() < length => {
            let around = (tail - head).reject_from_normalized(toward).try_normalize();
            // Straight ahead, all of the circle is as near.
            let around = around.unwrap_or_else(|| toward.any_orthonormal_vector());
            Some(head + toward * plane + around * (length * length - plane * plane).sqrt())
        }
        // All tails of this length are inside.
        _ => Some(center + away.try_normalize()? * radius),
    }
}
