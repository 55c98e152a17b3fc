//! Inverse kinematics without model matrices, to goals of which most are in reach. At AVX2, like the kernels.

use super::kernels::at;
use crate::dice::Dice;
use hedgerow::glam::{Quat, Vec3};
use hedgerow_anim::ik::{Aim, Chain, ChainGoal, Goal, Job, Limit, Look, Pole, Rig, TwoBone};
use hedgerow_anim::{Pose, Skeleton, SkeletonBuilder, Transform};
use std::hint::black_box;

/// Passes a chain of joints and goals around the second joint to `work`.
fn with_chain(joints: u16, work: impl FnOnce(&Skeleton, &[Vec3; 64])) {
    let (mut builder, mut dice) = (SkeletonBuilder::new(), Dice::new());
    let rotation = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.3);
    for joint in 0..joints {
        let rest = Transform { rotation, ..Transform::from_xyz(0.0, 0.5, 0.0) };
        builder.joint("", joint.checked_sub(1), rest);
    }
    let (skeleton, _) = builder.build().expect("a chain");
    let goals = [(); 64].map(|()| Vec3::Y * 0.5 + dice.vector() * 0.4);
    at("Avx2", || work(&skeleton, &goals));
}

/// Passes a rig of the rest pose to `work`.
fn with_rig(skeleton: &Skeleton, work: impl FnOnce(Rig<'_>)) {
    let (mut pose, mut models) = (Pose::rest(skeleton), Vec::new());
    pose.to_models(skeleton, &mut models).expect("joints as many");
    work(Rig::new(skeleton, &mut pose, &mut models).expect("joints as many"));
}

fn to(goal: Vec3) -> Goal {
    Goal { pole: Pole::Direction(Vec3::Z), ..Goal::at(goal) }
}

pub(super) fn two_bones(times: u32) {
    with_chain(5, |skeleton, goals| {
        let limb = TwoBone::new(skeleton, [1, 2, 3]).expect("a chain");
        with_rig(skeleton, |mut rig| {
            for &goal in goals.iter().cycle().take(times as usize) {
                black_box(limb.solve_locals(&mut rig, &to(goal)));
            }
        });
    });
}

pub(super) fn eight(times: u32) {
    with_chain(5, |skeleton, goals| {
        let limb = TwoBone::new(skeleton, [1, 2, 3]).expect("a chain");
        let mut bodies = [(); 8].map(|()| (Pose::rest(skeleton), Vec::new()));
        let mut jobs = Vec::new();
        for (pose, models) in &mut bodies {
            pose.to_models(skeleton, models).expect("joints as many");
            jobs.push(Job::new(Rig::new(skeleton, pose, models).expect("joints as many"), to(Vec3::ZERO)));
        }
        for goals in goals.as_chunks::<8>().0.iter().cycle().take(times as usize) {
            jobs.iter_mut().zip(goals).for_each(|(job, &goal)| job.goal = to(goal));
            limb.solve_many_locals(&mut jobs);
            black_box(&mut jobs);
        }
    });
}

pub(super) fn aim(times: u32) {
    with_chain(5, |skeleton, goals| {
        let head = Aim::new(2, Vec3::Z).with_offset(Vec3::new(0.0, 0.05, 0.1));
        with_rig(skeleton, |mut rig| {
            for &goal in goals.iter().cycle().take(times as usize) {
                black_box(head.solve_locals(&mut rig, &Look::at(goal * 9.0)));
            }
        });
    });
}

fn hinged(skeleton: &Skeleton, joints: u16, axes: &[Vec3]) -> Chain {
    let mut chain = Chain::new(skeleton, 0, joints).expect("a chain");
    for (joint, &axis) in (0..joints).zip(axes.iter().cycle()) {
        chain.set_limit(joint, Limit::Hinge { axis, least: -0.87, most: 0.87 }).expect("a joint of the chain");
    }
    chain
}

fn solve_chain(times: u32, make: fn(&Skeleton) -> Chain) {
    with_chain(13, |skeleton, goals| {
        let mut chain = make(skeleton);
        with_rig(skeleton, |mut rig| {
            for &goal in goals.iter().cycle().take(times as usize) {
                black_box(chain.solve_locals(&mut rig, &ChainGoal::at(goal * 6.0)));
            }
        });
    });
}

pub(super) fn chain(times: u32) {
    solve_chain(times, |skeleton| Chain::new(skeleton, 0, 12).expect("a chain").with_tolerance(-1.0));
}

pub(super) fn hinges(times: u32) {
    solve_chain(times, |skeleton| hinged(skeleton, 12, &[Vec3::X, Vec3::Z]));
}

pub(super) fn pose(times: u32) {
    const AXES: [Vec3; 3] = [Vec3::X, Vec3::Y, Vec3::Z];
    with_chain(7, |skeleton, turns| {
        let mut arm = hinged(skeleton, 6, &AXES).with_tolerance(1e-5);
        let (mut pose, mut models) = (Pose::rest(skeleton), Vec::new());
        let goals = turns.map(|turn| {
            for (joint, (angle, axis)) in (0..6).zip(turn.to_array().into_iter().zip(AXES).cycle()) {
                let rest = skeleton.rest(joint);
                let rotation = rest.rotation * Quat::from_axis_angle(axis, 0.3 + 0.05 * angle);
                pose.set(joint, Transform { rotation, ..rest });
            }
            pose.to_models(skeleton, &mut models).expect("joints as many");
            let end = models[6].nearest_transform().expect("a rotation");
            ChainGoal::pose(end.translation, end.rotation)
        });
        with_rig(skeleton, |mut rig| {
            for goal in goals.iter().cycle().take(times as usize) {
                black_box(arm.solve_locals(&mut rig, goal));
            }
        });
    });
}
