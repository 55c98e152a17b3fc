//! Inverse kinematics, compared with forward kinematics in double precision. `HEDGEROW_IK_GOALS=10000000` sets the number
//! of random goals.

mod aim;
mod chain;
mod chain_pose;
mod feet;
mod two_bone;

use hedgerow_anim::glam::{DAffine3, DQuat, DVec3, Quat, Vec3};
use hedgerow_anim::ik::Rig;
use hedgerow_anim::{Mat34, Pose, Skeleton, SkeletonBuilder, Transform};

/// Returns the number of random goals: `short`, or the number that the environment sets.
pub(crate) fn goals(short: usize) -> usize {
    std::env::var("HEDGEROW_IK_GOALS").map_or(short, |number| number.parse().expect("a number"))
}

pub(crate) struct Random(fastrand::Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.0.bool()
    }

    pub(crate) fn within(&mut self, from: f32, to: f32) -> f32 {
        from + (to - from) * self.0.f32()
    }

    pub(crate) fn unit(&mut self) -> Vec3 {
        loop {
            let v = Vec3::from_array([(); 3].map(|()| self.within(-1.0, 1.0)));
            if (0.01..1.0).contains(&v.length()) {
                return v.normalize();
            }
        }
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        Quat::from_axis_angle(self.unit(), self.within(-3.1, 3.1))
    }

    /// A number of which every third is hard: zero, tiny or huge.
    pub(crate) fn hostile(&mut self) -> f32 {
        const HARD: [f32; 12] = [0.0, -0.0, 1.0, -1.0, 1e-38, 1e-20, -1e-7, 1e7, 1e19, -3e38, 3e38, 0.5];
        if self.below(3) > 0 { self.within(-2.0, 2.0) } else { HARD[self.below(HARD.len())] }
    }

    pub(crate) fn hostile_vector(&mut self) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.hostile()))
    }
}

/// One character.
#[derive(Clone)]
pub(crate) struct Body {
    pub(crate) skeleton: Skeleton,
    pub(crate) pose: Pose,
    pub(crate) models: Vec<Mat34>,
}

impl Body {
    /// Makes joints with these parents, at rest.
    pub(crate) fn new(joints: &[(Option<u16>, Transform)]) -> Self {
        let mut builder = SkeletonBuilder::new();
        joints.iter().for_each(|&(parent, rest)| {
            builder.joint("", parent, rest);
        });
        let (skeleton, _) = builder.build().unwrap();
        let mut body = Self { pose: Pose::rest(&skeleton), skeleton, models: Vec::new() };
        body.update();
        body
    }

    /// Makes joints each of which is the child of the one before.
    pub(crate) fn chain(locals: impl IntoIterator<Item = Transform>) -> Self {
        let joints: Vec<_> = (0..).map(|joint: u16| joint.checked_sub(1)).zip(locals).collect();
        Self::new(&joints)
    }

    pub(crate) fn update(&mut self) {
        self.pose.to_models(&self.skeleton, &mut self.models).unwrap();
    }

    pub(crate) fn rig(&mut self) -> Rig<'_> {
        Rig::new(&self.skeleton, &mut self.pose, &mut self.models).unwrap()
    }

    pub(crate) fn position(&self, joint: u16) -> Vec3 {
        self.models[usize::from(joint)].translation()
    }

    pub(crate) fn locals(&self) -> Vec<Transform> {
        (0..).take(self.pose.len()).map(|joint| self.pose.get(joint)).collect()
    }

    /// Model matrices in double precision.
    pub(crate) fn wide(&self) -> Vec<DAffine3> {
        let mut all: Vec<DAffine3> = Vec::new();
        for (local, &parent) in self.locals().iter().zip(self.skeleton.parents()) {
            let Transform { translation, rotation, scale } = *local;
            let local = DAffine3::from_scale_rotation_translation(
                scale.as_dvec3(),
                rotation.as_dquat(),
                translation.as_dvec3(),
            );
            all.push(all.get(usize::from(parent)).copied().unwrap_or_default() * local);
        }
        all
    }

    /// Asserts that the model matrices are those of the pose.
    pub(crate) fn assert_current(&self) {
        let mut models = Vec::new();
        self.pose.to_models(&self.skeleton, &mut models).unwrap();
        assert!(models == self.models, "the matrices are those of the pose");
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.locals().iter().all(|local| local.rotation.is_finite() && local.translation.is_finite())
    }
}

pub(crate) fn angle(a: DQuat, b: DQuat) -> f64 {
    let d = a.inverse() * b;
    2.0 * DVec3::new(d.x, d.y, d.z).length().atan2(d.w.abs())
}

pub(crate) fn between(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b))
}
