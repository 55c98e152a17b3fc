//! Chains that reach poses: positions with rotations.

use super::chain::beyond;
use super::{Body, Random, angle, between, goals};
use hedgerow_anim::glam::{DVec3, Quat, Vec3};
use hedgerow_anim::ik::{Chain, ChainGoal, Limit, Reach};
use hedgerow_anim::{Pose, Transform};

/// Six hinges and a flange.
#[derive(Clone)]
struct Arm {
    body: Body,
    chain: Chain,
    hinges: [(Vec3, f32, f32); 6],
}

impl Arm {
    fn new(joints: [(Vec3, Quat); 7], hinges: [(Vec3, f32, f32); 6]) -> Self {
        let local = |(translation, rotation)| Transform { translation, rotation, scale: Vec3::ONE };
        let body = Body::chain(joints.map(local));
        let mut chain = Chain::new(&body.skeleton, 0, 6).unwrap().with_rounds(32).with_tolerance(1e-5);
        for (joint, (axis, least, most)) in (0..).zip(hinges) {
            chain.set_limit(joint, Limit::Hinge { axis, least, most }).unwrap();
        }
        Self { body, chain, hinges }
    }

    /// Makes an arm as in factories: the last three axes meet in the wrist.
    fn industrial(_: &mut Random) -> Self {
        let links = [[0.0, 0.35], [0.1, 0.2], [0.0, 0.8], [0.3, 0.05], [0.4, 0.0], [0.1, 0.0], [0.05, 0.0]];
        let limits = [(-2.9, 2.9), (-2.2, 1.3), (-2.0, 2.4), (-3.1, 3.1), (-2.1, 2.1), (-3.0, 3.0)];
        let axes = [Vec3::Y, Vec3::Z, Vec3::Z, Vec3::X, Vec3::Z, Vec3::X].into_iter().zip(limits);
        let hinges: Vec<_> = axes.map(|(axis, (least, most))| (axis, least, most)).collect();
        Self::new(links.map(|[x, y]| (Vec3::new(x, y, 0.0), Quat::IDENTITY)), hinges.try_into().unwrap())
    }

    fn random(random: &mut Random) -> Self {
        let joints = [(); 7].map(|()| (random.unit() * random.within(0.05, 0.6), random.rotation()));
        Self::new(joints, [(); 6].map(|()| (random.unit(), random.within(-3.0, -1.0), random.within(1.0, 3.0))))
    }

    /// Turns the hinges to angles by their shares of the way between their limits.
    fn set(&mut self, shares: [f32; 6]) {
        for ((joint, share), (axis, least, most)) in (0..).zip(shares).zip(self.hinges) {
            let turn = Quat::from_axis_angle(axis, least + (most - least) * share.clamp(0.0, 1.0));
            let rest = self.body.skeleton.rest(joint);
            self.body.pose.set(joint, Transform { rotation: rest.rotation * turn, ..rest });
        }
        self.body.update();
    }

    fn goal(&self) -> ChainGoal {
        let (_, rotation, position) = self.body.wide()[6].to_scale_rotation_translation();
        ChainGoal::pose(position.as_vec3(), rotation.as_quat())
    }

    /// Returns what is left where the goal has weights: a share of the length, and radians.
    fn off(&self, goal: &ChainGoal) -> (f64, f64) {
        let (_, rotation, position) = self.body.wide()[6].to_scale_rotation_translation();
        let wanted = goal.rotation.as_dquat().normalize();
        let way = wanted.inverse() * (position - goal.position.as_dvec3()) * goal.along.as_dvec3();
        let length: f64 = self.body.locals()[1..].iter().map(|joint| f64::from(joint.translation.length())).sum();
        let turn = match goal.about {
            Vec3::ONE => angle(rotation, wanted),
            Vec3::ZERO => 0.0,
            _ => between(rotation * DVec3::X, wanted * DVec3::X),
        };
        (way.length() / length, turn)
    }

    /// Solves, and returns whether the goal is reached, as forward kinematics in double precision says.
    fn solve(&mut self, goal: &ChainGoal) -> bool {
        let reach = self.chain.solve(&mut self.body.rig(), goal);
        let (off, turn) = self.off(goal);
        assert!(reach == Reach::Far || reach == Reach::Reached && off < 1.1e-5 && turn < 1.5e-5, "{off} {turn}");
        for (joint, (axis, least, most)) in (0..).zip(self.hinges) {
            let (rest, now) = (self.body.skeleton.rest(joint).rotation, self.body.pose.get(joint).rotation);
            let limit = Limit::Hinge { axis, least, most };
            assert!(beyond(limit, rest, now).min(beyond(limit, rest, -now)) < 1e-6);
        }
        self.body.assert_current();
        reach == Reach::Reached
    }
}

/// Solves goals from a pose one frame away, or from rest with other starts. Returns the share that is reached.
fn reached(frame: Option<f32>, arm: fn(&mut Random) -> Arm, goal: impl Fn(&Arm) -> ChainGoal) -> f64 {
    let (mut random, count) = (Random::new(1), goals(200));
    let good = (0..count).filter(|_| {
        let mut arm = arm(&mut random);
        let shares = [(); 6].map(|()| random.within(0.0, 1.0));
        arm.set(shares);
        let goal = goal(&arm);
        if let Some(frame) = frame {
            arm.set(shares.map(|share| share + random.within(-frame, frame)));
        } else {
            arm.body.pose = Pose::rest(&arm.body.skeleton);
            arm.chain = arm.chain.with_starts(32);
        }
        arm.solve(&goal)
    });
    let share = good.count() as f64 / count as f64;
    println!("frame {frame:?}: {share:.4}");
    share
}

#[test]
fn six_axis_arms_reach_poses() {
    for arm in [Arm::industrial, Arm::random] {
        assert!(reached(Some(0.004), arm, Arm::goal) > 0.99);
        assert!(reached(None, arm, Arm::goal) > 0.95);
    }
}

#[test]
fn what_has_no_weight_is_free() {
    let free_x = Vec3::new(0.0, 1.0, 1.0);
    assert!(reached(None, Arm::random, |arm| ChainGoal { about: free_x, ..arm.goal() }) > 0.97);
    assert!(reached(None, Arm::random, |arm| ChainGoal { along: free_x, ..arm.goal() }) > 0.97);
    // Nearly a half turn about the free axis leaves nothing to do.
    let mut arm = Arm::industrial(&mut Random::new(2));
    arm.set([0.4, 0.6, 0.3, 0.7, 0.6, 0.2]);
    let before = arm.goal();
    assert!(arm.solve(&ChainGoal { rotation: before.rotation * Quat::from_rotation_x(3.1), about: free_x, ..before }));
    assert!(arm.goal().rotation.angle_between(before.rotation) < 1e-3);
}

#[test]
fn singular_poses_are_left() {
    // The arm is straight, three axes are in one line, and the goal is in it.
    let hinges = [Vec3::Y, Vec3::X, Vec3::X, Vec3::Y, Vec3::X, Vec3::Y].map(|axis| (axis, -2.5, 2.5));
    let mut arm = Arm::new([0.3, 0.3, 0.5, 0.2, 0.3, 0.1, 0.1].map(|y| (Vec3::Y * y, Quat::IDENTITY)), hinges);
    assert!(arm.clone().solve(&ChainGoal::at(Vec3::Y * 1.3)));
    assert!(arm.solve(&ChainGoal::pose(Vec3::Y * 1.3, Quat::from_rotation_y(0.5))));
}

#[test]
fn goals_out_of_reach_are_neared_without_shaking() {
    let (mut random, arms, mut jumps) = (Random::new(5), goals(30), 0);
    for _ in 0..arms {
        let mut arm = Arm::random(&mut random);
        let goal = ChainGoal::pose(random.unit() * 9.0, random.rotation());
        let (mut last, mut cost) = (arm.goal(), f64::INFINITY);
        for frame in 0..160_u16 {
            // From frame 80 on, it moves to and fro by 1e-3 of its distance.
            let part = if frame < 80 { 1.0 } else { 1.0 - 1e-3 * f32::from(frame % 2) };
            assert!(!arm.solve(&ChainGoal { position: goal.position * part, ..goal }));
            let (off, turn) = arm.off(&goal);
            assert!(frame >= 80 || off.hypot(turn) < cost + 1e-5);
            let now = arm.goal();
            let step = now.position.distance(last.position) + now.rotation.angle_between(last.rotation);
            jumps += usize::from(frame >= 60 && step > 0.05);
            (last, cost) = (now, off.hypot(turn));
        }
    }
    // Seldom, a pose that was the nearest of those around it no longer is.
    assert!(jumps <= arms / 50, "{jumps} of {arms} arms jump");
}

#[test]
fn goals_that_are_no_poses_and_weights_of_zero_change_nothing() {
    let mut arm = Arm::industrial(&mut Random::new(6));
    arm.set([0.4, 0.6, 0.3, 0.7, 0.6, 0.2]);
    let (before, goal) = (arm.body.clone(), ChainGoal { position: Vec3::ONE, ..arm.goal() });
    for (bad, reach) in [
        (ChainGoal { position: Vec3::NAN, ..goal }, Reach::Blocked),
        (ChainGoal { position: Vec3::INFINITY, ..goal }, Reach::Blocked),
        (ChainGoal { rotation: Quat::from_array([f32::NAN; 4]), ..goal }, Reach::Blocked),
        (ChainGoal { rotation: Quat::from_array([0.0; 4]), ..goal }, Reach::Blocked),
        (ChainGoal { weight: 0.0, ..goal }, Reach::Far),
    ] {
        assert_eq!(arm.chain.solve(&mut arm.body.rig(), &bad), reach);
        assert!(arm.body.pose == before.pose && arm.body.models == before.models);
    }
    assert!(!arm.solve(&ChainGoal { position: Vec3::splat(3e38), ..goal }) && arm.body.is_finite());
}

#[test]
fn goals_are_in_the_space_of_the_matrices() {
    // Below a parent that turns, scales and mirrors evenly.
    let above = Transform { translation: Vec3::X, rotation: Quat::from_rotation_z(1.0), scale: Vec3::splat(-2.0) };
    let mut body = Body::chain(std::iter::once(above).chain([Transform::from_xyz(0.0, 0.5, 0.0); 8]));
    let goal = ChainGoal::pose(body.position(8) + Vec3::new(-0.7, 0.5, 0.3), Quat::from_rotation_y(0.7));
    let mut chain = Chain::new(&body.skeleton, 1, 8).unwrap().with_rounds(32);
    assert_eq!(chain.solve(&mut body.rig(), &goal), Reach::Reached);
    assert!(body.position(8).distance(goal.position) < 1e-3);
    assert!((body.models[8].transform_vector(Vec3::X) * -0.5).distance(goal.rotation * Vec3::X) < 2e-4);
    assert!((body.models[8].transform_vector(Vec3::Y) * -0.5).distance(goal.rotation * Vec3::Y) < 2e-4);
}
