//! Times inverse kinematics of hedgerow-anim, rebirth-ik and ozz-animation-rs: one thread, the least of alternating turns,
//! nanoseconds a solve without model matrices.
//!
//! `cd benches/ozz && cargo run --release --bin ik`

use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::ik::{Aim, Chain, ChainGoal, End, Goal, Job, Limit, Look, Pole, Rig, TwoBone};
use hedgerow_anim::{Mat34, Pose, Skeleton, SkeletonBuilder, Transform};
use hedgerow_experiments::{Failure, machine};
use ozz_animation_rs as ozz;
use rebirth_ik as rebirth;
use std::hint::black_box;
use std::time::Instant;

const GOALS: usize = 4096;
const CHARACTERS: usize = 64;
const TURNS: usize = 40;
const BONES: u16 = 12;

/// Characters whose joints form a chain.
struct Characters {
    skeleton: Skeleton,
    poses: Vec<Pose>,
    models: Vec<Vec<Mat34>>,
}

impl Characters {
    fn new(joints: u16) -> Result<Self, Failure> {
        let rotation = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.3);
        let mut builder = SkeletonBuilder::new();
        for joint in 0..joints {
            let rest = Transform { rotation, ..Transform::from_xyz(0.0, 0.5, 0.0) };
            builder.joint("", joint.checked_sub(1), rest);
        }
        let (skeleton, _) = builder.build()?;
        let poses = vec![Pose::rest(&skeleton); CHARACTERS];
        let mut models = Vec::new();
        poses[0].to_models(&skeleton, &mut models)?;
        Ok(Self { skeleton, poses, models: vec![models; CHARACTERS] })
    }

    fn rigs(&mut self) -> Result<Vec<Rig<'_>>, Failure> {
        let Self { skeleton, poses, models } = self;
        let rigs = poses.iter_mut().zip(models).map(|(pose, models)| Rig::new(skeleton, pose, models));
        Ok(rigs.collect::<Result<_, _>>()?)
    }
}

/// Keeps the least time of a turn for each name.
#[derive(Default)]
struct Times(Vec<(&'static str, f64)>);

impl Times {
    fn turn(&mut self, name: &'static str, mut solve_all: impl FnMut()) {
        let start = Instant::now();
        solve_all();
        let nanoseconds = start.elapsed().as_nanos() as f64 / GOALS as f64;
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, least)) => *least = least.min(nanoseconds),
            None => self.0.push((name, nanoseconds)),
        }
    }
}

fn main() -> Result<(), Failure> {
    let mut dice = fastrand::Rng::with_seed(1);
    let goals: Vec<Vec3> = (0..GOALS).map(|_| Vec3::from_array([(); 3].map(|()| dice.f32() * 2.0 - 1.0))).collect();
    let mut times = Times::default();

    let mut limbs = Characters::new(5)?;
    let limb = TwoBone::new(&limbs.skeleton, [1, 2, 3])?;
    let head = Aim::new(2, Vec3::Z).with_offset(Vec3::new(0.0, 0.05, 0.1));
    let pole = Pole::Direction(Vec3::Z);
    let at = |goal: Vec3, size: f32| Goal { pole, ..Goal::at(Vec3::Y * 0.5 + goal * size) };
    let mut chains = Characters::new(BONES + 1)?;
    let mut free = Chain::new(&chains.skeleton, 0, BONES)?.with_tolerance(-1.0);
    let mut limited = free.clone();
    for joint in 0..BONES {
        let axis = if joint % 2 == 0 { Vec3::X } else { Vec3::Z };
        limited.set_limit(joint, Limit::Hinge { axis, least: -0.87, most: 0.87 })?;
    }
    let config = rebirth::Config { max_iterations: 8, early_exit: false, joint_rotations: true, ..Default::default() };
    let theirs = |goal: Vec3| rebirth::Vec3::new(goal.x, goal.y, goal.z);

    let mut two_bones = ozz::IKTwoBoneJob::default();
    let [mut middle, mut end] = [two_bones.mid_joint(), two_bones.end_joint()];
    middle.w_axis = [0.0, 0.5, 0.0, 1.0].into();
    end.w_axis = [0.4, 0.8, 0.0, 1.0].into();
    two_bones.set_mid_joint(middle);
    two_bones.set_end_joint(end);
    two_bones.set_pole_vector([0.0, 0.0, 1.0].into());
    let mut aim = ozz::IKAimJob::default();
    aim.set_joint(middle);
    aim.set_forward([0.0, 0.0, 1.0].into());
    aim.set_offset([0.0, 0.05, 0.1].into());

    for _ in 0..TURNS {
        let mut rigs = limbs.rigs()?;
        // The same posed limbs in each turn, because solves change them.
        let posed = rigs[0].pose().clone();
        let each = |rigs: &mut [Rig<'_>], solve: &mut dyn FnMut(&mut Rig<'_>, Vec3)| {
            goals.iter().zip((0..CHARACTERS).cycle()).for_each(|(&goal, at)| solve(&mut rigs[at], goal));
        };
        times.turn("hedgerow-anim: two bones, a pole", || {
            each(&mut rigs, &mut |rig, goal| _ = black_box(limb.solve_locals(rig, &at(goal, 0.4))));
        });
        times.turn("hedgerow-anim: two bones, soften, end's rotation", || {
            each(&mut rigs, &mut |rig, goal| {
                let goal = Goal { soften: 0.95, end: End::Rotation(Quat::IDENTITY), ..at(goal, 0.4) };
                black_box(limb.solve_locals(rig, &goal));
            });
        });
        times.turn("hedgerow-anim: aim", || {
            each(&mut rigs, &mut |rig, goal| _ = black_box(head.solve_locals(rig, &Look::at(goal * 5.0))));
        });
        let mut jobs: Vec<Job<'_>> = rigs.into_iter().map(|rig| Job::new(rig, at(Vec3::ZERO, 0.0))).collect();
        times.turn("hedgerow-anim: two bones, a pole, eight at a time", || {
            for goals in goals.chunks(CHARACTERS) {
                jobs.iter_mut().zip(goals).for_each(|(job, &goal)| job.goal = at(goal, 0.4));
                limb.solve_many_locals(&mut jobs);
            }
        });
        drop(jobs);
        limbs.poses.fill(posed);
        times.turn("rebirth-ik: two bones, places and both rotations", || {
            let (base, middle, end) = (theirs(Vec3::ZERO), theirs(Vec3::Y * 0.5), theirs(Vec3::new(0.4, 0.8, 0.0)));
            for &goal in &goals {
                let pole = Some(theirs(Vec3::Z));
                let (elbow, tip) = rebirth::two_bone(base, middle, end, theirs(goal * 0.4), pole);
                black_box(rebirth::segment_rotation(middle - base, elbow - base));
                black_box(rebirth::segment_rotation(end - middle, tip - elbow));
            }
        });
        times.turn("ozz-animation-rs: two bones", || {
            for &goal in &goals {
                two_bones.set_target((Vec3::Y * 0.5 + goal * 0.4).to_array().into());
                two_bones.run().expect("the axis is normalised");
                black_box((two_bones.start_joint_correction(), two_bones.mid_joint_correction()));
            }
        });
        times.turn("ozz-animation-rs: aim", || {
            for &goal in &goals {
                aim.set_target((goal * 5.0).to_array().into());
                aim.run().expect("the axis is normalised");
                black_box(aim.joint_correction());
            }
        });
        let mut rigs = chains.rigs()?;
        times.turn("hedgerow-anim: FABRIK, 12 bones, 8 rounds", || {
            each(&mut rigs, &mut |rig, goal| _ = black_box(free.solve_locals(rig, &ChainGoal::at(goal * 3.0))));
        });
        times.turn("hedgerow-anim: 12 hinges, 8 rounds", || {
            each(&mut rigs, &mut |rig, goal| _ = black_box(limited.solve_locals(rig, &ChainGoal::at(goal * 3.0))));
        });
        // Anew in each turn: its bones grow with each solve, until numbers overflow.
        let mut tentacle = rebirth::Skeleton::new();
        let mut tip = tentacle.add_root(rebirth::Vec3::new(0.0, 0.5, 0.0));
        for _ in 0..BONES {
            tip = tentacle.add_child(tip, rebirth::Vec3::new(0.1, 0.5, 0.0));
        }
        tentacle.set_effector(tip, rebirth::Effector::new(rebirth::Vec3::ZERO));
        let mut fabrik = rebirth::Fabrik::new(&tentacle, config);
        let mut worst = 0.0_f32;
        times.turn("rebirth-ik: FABRIK, 12 bones, 8 rounds", || {
            for &goal in &goals {
                tentacle.set_target(tip, theirs(goal * 3.0));
                worst = worst.max(fabrik.solve(&mut tentacle).max_error);
            }
        });
        if worst > 1.0 {
            return Err(format!("rebirth-ik is off by {worst}").into());
        }
    }
    println!("{}, kernels {}; ns a solve, least of {TURNS} turns", machine::COMPILER, machine::kernels());
    times.0.iter().for_each(|(name, nanoseconds)| println!("{nanoseconds:>9.1}  {name}"));
    Ok(())
}
