//! Chains.

use super::{Body, Random, angle, between, goals};
use hedgerow_anim::glam::{DVec3, Quat, Vec3};
use hedgerow_anim::ik::{Chain, ChainGoal, Limit, Reach};
use hedgerow_anim::{Error, Transform, skeleton::SkeletonError};
use hedgerow_testkit::memory::ALLOCATIONS;

const BONES: u16 = 12;
const LENGTH: f64 = 6.0;

fn body(random: &mut Random) -> Body {
    let local = || Transform {
        translation: Vec3::Y * 0.5,
        rotation: Quat::from_axis_angle(random.unit(), 0.3),
        scale: Vec3::ONE,
    };
    Body::chain(std::iter::repeat_with(local).take(13).collect::<Vec<_>>())
}

fn hinge(bone: u16) -> Limit {
    Limit::Hinge { axis: if bone.is_multiple_of(2) { Vec3::X } else { Vec3::Z }, least: -0.87, most: 0.87 }
}

fn cone(_: u16) -> Limit {
    Limit::Cone { swing: 60_f32.to_radians(), twist: 0.3 }
}

fn free(_: u16) -> Limit {
    Limit::Free
}

fn chain(body: &Body, limit: fn(u16) -> Limit) -> Chain {
    let mut chain = Chain::new(&body.skeleton, 0, BONES).unwrap();
    (0..BONES).for_each(|bone| chain.set_limit(bone, limit(bone)).unwrap());
    chain
}

/// Returns by how much a joint is beyond its limit, in radians.
pub(super) fn beyond(limit: Limit, rest: Quat, now: Quat) -> f64 {
    let turn = (rest.as_dquat().inverse() * now.as_dquat()).normalize();
    match limit {
        Limit::Free => 0.0,
        Limit::Hinge { axis, least, most } => {
            let axis = axis.as_dvec3();
            let about = 2.0 * DVec3::new(turn.x, turn.y, turn.z).dot(axis).atan2(turn.w);
            between(turn * axis, axis).max(about - f64::from(most)).max(f64::from(least) - about)
        }
        Limit::Cone { swing, twist } => {
            let about = (2.0 * turn.y.atan2(turn.w)).abs();
            between(turn * DVec3::Y, DVec3::Y).max(f64::from(swing)).max(about - f64::from(twist) + f64::from(swing))
                - f64::from(swing)
        }
    }
}

fn left(body: &Body, goal: Vec3) -> f64 {
    (body.wide()[usize::from(BONES)].translation - goal.as_dvec3()).length() / LENGTH
}

/// Follows goals that move by a hundredth of the length, each solve from the last, and returns the shares of steps that
/// are within 1e-4 and 1e-2 of the length.
fn follow(limit: fn(u16) -> Limit, runs: usize) -> [f64; 2] {
    let mut random = Random::new(12);
    let (mut good, mut near, mut count) = (0, 0, 0);
    for _ in 0..runs {
        let mut body = body(&mut random);
        let rest = body.locals();
        let mut chain = chain(&body, limit);
        let (from, to) = (body.position(BONES), body.position(0) + random.unit() * random.within(2.0, 5.0));
        let mut at = 0.0;
        while at < 1.0 {
            at += 0.06 / from.distance(to);
            let goal = from.lerp(to, at.min(1.0));
            let reach = chain.solve(&mut body.rig(), &ChainGoal::at(goal));
            let left = left(&body, goal);
            assert!(left < 1.1e-4 || reach == Reach::Far);
            (good, near, count) = (good + u32::from(left < 1.1e-4), near + u32::from(left < 1e-2), count + 1);
            for (joint, (new, old)) in (0_u16..).zip(body.locals().iter().zip(&rest)) {
                assert!(new.translation == old.translation && new.scale == old.scale);
                assert!((new.rotation.length() - 1.0).abs() < 1e-6);
                let limit = if joint < BONES { limit(joint) } else { Limit::Free };
                assert!(beyond(limit, old.rotation, new.rotation) < 1e-6);
            }
        }
        body.assert_current();
    }
    [good, near].map(|part| f64::from(part) / f64::from(count))
}

#[test]
fn chains_that_follow_a_goal_meet_it() {
    let runs = goals(60_000) / 1_000;
    for (name, limit, expected) in [
        ("free", free as fn(u16) -> Limit, [0.98, 0.995]),
        ("hinges", hinge, [0.93, 0.95]),
        ("cones", cone, [0.98, 0.99]),
    ] {
        let shares = follow(limit, runs);
        println!("{name}: within 1e-4 {:.3}, within 1e-2 {:.3}", shares[0], shares[1]);
        assert!(shares[0] > expected[0] && shares[1] > expected[1], "{name}: {shares:?}");
    }
}

#[test]
fn straight_chains_that_point_at_the_goal_or_away_bend() {
    let straight = Transform { translation: Vec3::Y * 0.5, ..Transform::IDENTITY };
    for goal in [Vec3::Y * 3.5, Vec3::Y * -3.0, Vec3::Y * 0.5] {
        for limit in [free as fn(u16) -> Limit, cone] {
            let mut body = Body::chain([straight; 13]);
            let mut chain = chain(&body, limit).with_rounds(64);
            let start = body.position(0);
            chain.solve(&mut body.rig(), &ChainGoal::at(start + goal));
            let left = left(&body, start + goal);
            assert!(left < 1.1e-4 || limit(0) != Limit::Free, "{goal}: {left}");
        }
    }
}

#[test]
fn goals_out_of_reach_make_chains_straight() {
    let mut random = Random::new(20);
    let mut body = body(&mut random);
    let goal = body.position(0) + random.unit() * 9.0;
    assert_eq!(chain(&body, free).solve(&mut body.rig(), &ChainGoal::at(goal)), Reach::Far);
    assert!((left(&body, goal) * LENGTH - 3.0).abs() < 1e-4);
}

#[test]
fn rounds_come_nearer_and_weights_go_part_of_the_way() {
    let mut random = Random::new(21);
    for _ in 0..100 {
        let body = body(&mut random);
        let goal = body.position(0) + random.unit() * random.within(1.5, 5.0);
        let solve = |rounds, weight| {
            let mut body = body.clone();
            chain(&body, free).with_rounds(rounds).solve(&mut body.rig(), &ChainGoal { weight, ..ChainGoal::at(goal) });
            body
        };
        assert!(left(&solve(32, 1.0), goal) <= left(&solve(2, 1.0), goal) + 1e-6);
        let none = solve(8, 0.0);
        assert!(none.pose == body.pose && none.models == body.models);
        let (half, whole) = (solve(8, 0.5), solve(8, 1.0));
        for joint in 0..BONES {
            let [a, b, c] = [&none, &half, &whole].map(|body| body.pose.get(joint).rotation.as_dquat());
            assert!((angle(a, b) - angle(b, c)).abs() < 1e-5);
        }
    }
}

#[test]
fn scales_are_solved_if_even_and_reported_if_not() {
    let mut random = Random::new(22);
    let mut counts = [0; 2];
    for _ in 0..500 {
        let uneven = random.coin();
        let mut locals = body(&mut random).locals();
        for local in &mut locals {
            local.scale = Vec3::splat(random.within(0.9, 1.1)) * if random.below(8) == 0 { -1.0 } else { 1.0 };
        }
        if uneven {
            locals[3].scale.x *= 1.2;
        }
        // Only uneven scales before the last turning joint matter.
        locals[11].scale.z = 1.5;
        let mut body = Body::chain(locals);
        let goal = body.position(0) + random.unit() * 2.5;
        let reach =
            Chain::new(&body.skeleton, 0, BONES).unwrap().with_rounds(64).solve(&mut body.rig(), &ChainGoal::at(goal));
        let left = left(&body, goal);
        match reach {
            Reach::Reached => assert!(left < 4e-4, "{left}"),
            other => assert_eq!(other, if uneven { Reach::Uneven } else { Reach::Far }),
        }
        counts[usize::from(uneven)] += u32::from(reach == Reach::Reached);
    }
    println!("reached: even {}, uneven {}", counts[0], counts[1]);
    assert!(counts[0] > 200);
}

#[test]
fn hostile_chains_give_finite_poses() {
    let mut random = Random::new(23);
    for _ in 0..goals(5_000) {
        let mut local = || Transform {
            translation: random.hostile_vector(),
            rotation: random.rotation(),
            scale: if random.coin() { Vec3::ONE } else { random.hostile_vector() },
        };
        let mut body = Body::chain((0..5).map(|_| local()).collect::<Vec<_>>());
        let mut chain = Chain::new(&body.skeleton, 0, 4).unwrap();
        if random.coin() {
            let [axis, least, most] =
                [random.hostile_vector(), Vec3::splat(random.hostile()), Vec3::splat(random.hostile())];
            chain.set_limit(1, Limit::Hinge { axis, least: least.x, most: most.x }).unwrap();
            chain.set_limit(2, Limit::Cone { swing: random.hostile(), twist: random.hostile() }).unwrap();
        }
        let before = body.clone();
        let (position, weight) = (random.hostile_vector(), random.hostile());
        let mut goal = ChainGoal { weight, ..ChainGoal::at(position) };
        if random.coin() {
            let [along, about] = [(); 2].map(|()| random.hostile_vector());
            goal = ChainGoal { rotation: random.rotation(), along, about, ..goal };
        }
        if chain.with_starts(1).solve(&mut body.rig(), &goal) == Reach::Blocked {
            assert!(body.pose == before.pose);
        }
        assert!(body.is_finite(), "{:?} {goal:?}", before.locals());
    }
}

#[test]
fn only_joints_of_the_chain_have_limits() {
    let mut random = Random::new(24);
    let body = body(&mut random);
    let mut chain = Chain::new(&body.skeleton, 3, 6).unwrap();
    assert!(chain.set_limit(5, Limit::Free).is_ok());
    for joint in [2, 6, 7] {
        let refused = chain.set_limit(joint, Limit::Free);
        assert_eq!(refused, Err(Error::Skeleton(SkeletonError::NotBelow { joint: 6, ancestor: joint })));
    }
    assert!(Chain::new(&body.skeleton, 6, 3).is_err());
}

#[test]
fn half_turns_as_limits_keep_every_turn() {
    use core::f32::consts::PI;
    for limit in [Limit::Cone { swing: PI, twist: PI }, Limit::Hinge { axis: Vec3::X, least: -PI, most: PI }] {
        let mut random = Random::new(2);
        let mut free = body(&mut random);
        (0..13).for_each(|joint| free.pose.set(joint, Transform::from_xyz(0.0, 0.5, 0.0)));
        free.update();
        let mut limited = free.clone();
        let goal = Vec3::new(0.0, 3.0, 2.0);
        let mut solver = chain(&limited, cone);
        (0..BONES).for_each(|bone| solver.set_limit(bone, limit).unwrap());
        for _ in 0..40 {
            solver.solve(&mut limited.rig(), &ChainGoal::at(goal));
        }
        assert!(left(&limited, goal) < 0.05, "{limit:?}: {}", left(&limited, goal));
    }
}

#[test]
fn hinges_that_are_locked_or_end_at_a_half_turn_keep_their_limits() {
    use core::f32::consts::PI;
    let at = |angle: f32| Quat::from_axis_angle(Vec3::X, angle);
    // The goal is straight ahead or behind: the angle that is wanted is exactly 0 or a half turn.
    for (least, most) in
        [(PI, PI), (-PI, -PI), (-1.5, PI), (0.1, PI), (-PI, 1.5), (-1.5, 0.0), (0.0, 2.0), (-2.0, -1.0)]
    {
        for (start, goal) in [0.0, 0.5, -0.5, 3.0].into_iter().flat_map(|start| [1.0, -1.0].map(|goal| (start, goal))) {
            let mut body = Body::chain([Transform::from_xyz(0.0, 0.5, 0.0); 2]);
            let mut hinge = Chain::new(&body.skeleton, 0, 1).unwrap();
            let limit = Limit::Hinge { axis: Vec3::X, least, most };
            hinge.set_limit(0, limit).unwrap();
            let rest = body.pose.get(0);
            body.pose.set(0, Transform { rotation: at(start), ..rest });
            body.update();
            hinge.solve(&mut body.rig(), &ChainGoal::at(rest.translation + Vec3::Y * goal));
            let now = body.pose.get(0).rotation;
            // A half turn is one angle, whatever its sign.
            let beyond = beyond(limit, rest.rotation, now).min(beyond(limit, rest.rotation, -now));
            assert!(beyond < 1e-6, "{least} to {most} from {start} to {goal}: {now}");
        }
    }
}

#[test]
fn the_angle_of_a_hinge_is_read_off_a_pose() {
    let mut random = Random::new(31);
    for _ in 0..200 {
        let mut body = body(&mut random);
        let (mut chain, axis, rest) = (chain(&body, cone), random.unit(), body.pose.get(3));
        let angle = random.within(-3.1, 3.1);
        chain.set_limit(3, Limit::Hinge { axis, least: angle.min(-1.0), most: angle.max(1.0) }).unwrap();
        let turned = rest.rotation * Quat::from_axis_angle(axis, angle);
        for rotation in [turned, -turned] {
            body.pose.set(3, Transform { rotation, ..rest });
            let read = chain.angle(&body.pose, 3).expect("a hinge");
            assert!((read - f64::from(angle)).abs() < 2e-6, "{read} instead of {angle}");
        }
        assert_eq!([4, BONES, BONES + 1].map(|joint| chain.angle(&body.pose, joint)), [None; 3], "no hinges");
    }
}

#[test]
fn chains_at_their_goals_stand_still() {
    let mut random = Random::new(26);
    for _ in 0..100 {
        let mut locals = body(&mut random).locals();
        locals.iter_mut().for_each(|local| local.translation = random.unit() * 0.5);
        let mut body = Body::chain(locals);
        let mut chain = chain(&body, cone);
        let goal = ChainGoal::at(body.position(BONES) + random.unit() * 0.5);
        (0..32).for_each(|_| _ = chain.solve(&mut body.rig(), &goal));
        let before = body.locals();
        (0..1_000).for_each(|_| _ = chain.solve(&mut body.rig(), &goal));
        for (now, before) in body.locals().iter().zip(before) {
            let moved = (now.rotation.as_dquat() - before.rotation.as_dquat()).length();
            assert!(moved < 5e-7, "{moved}");
        }
    }
}

#[test]
fn weights_between_0_and_1_keep_limits_and_go_by_and_by_from_poses_beyond_them() {
    let mut random = Random::new(27);
    let limits = [Limit::Hinge { axis: Vec3::X, least: -2.5, most: 2.5 }, Limit::Cone { swing: 2.8, twist: 0.5 }];
    for limit in limits.into_iter().cycle().take(400) {
        let mut body = Body::chain([Transform::from_xyz(0.0, 0.5, 0.0); 4]);
        let mut chain = Chain::new(&body.skeleton, 0, 3).unwrap();
        (0..3).for_each(|bone| chain.set_limit(bone, limit).unwrap());
        let mut goal = || ChainGoal::at(Vec3::new(0.0, 0.5, 0.0) + random.unit() * 1.2);
        chain.clone().with_starts(8).solve(&mut body.rig(), &goal());
        let (mut part, goal) = (body.clone(), goal());
        let mut chain = chain.with_starts(8);
        chain.solve(&mut part.rig(), &ChainGoal { weight: 0.5, ..goal });
        for joint in 0..3 {
            let (rest, now) = (Quat::IDENTITY, part.pose.get(joint).rotation);
            let beyond = beyond(limit, rest, now).min(beyond(limit, rest, -now));
            assert!(beyond < 1e-5, "{limit:?}: {beyond}");
        }
        for joint in 0..3 {
            body.pose.set(joint, Transform { rotation: random.rotation(), ..body.pose.get(joint) });
        }
        body.update();
        let before = body.locals();
        chain.solve(&mut body.rig(), &ChainGoal { weight: 1e-4, ..goal });
        for (now, before) in body.locals().iter().zip(before) {
            assert!(angle(now.rotation.as_dquat(), before.rotation.as_dquat()) < 2e-3);
        }
    }
}

#[test]
fn a_tolerance_below_0_or_no_number_is_0() {
    let mut body = Body::chain([Transform::from_xyz(0.0, 0.5, 0.0); 3]);
    for tolerance in [-1.0, f32::NAN] {
        let mut chain = Chain::new(&body.skeleton, 0, 2).unwrap().with_tolerance(tolerance);
        chain.set_limit(0, Limit::Hinge { axis: Vec3::X, least: -1.0, most: 1.0 }).unwrap();
        let goal = ChainGoal::at(body.position(2));
        assert_eq!(chain.solve(&mut body.rig(), &goal), Reach::Reached);
    }
}

#[test]
fn uneven_scales_do_not_matter_along_axes_without_weight() {
    let mut locals = [Transform::from_xyz(0.0, 0.5, 0.0); 5];
    locals[1].scale.x = 3.0;
    let mut body = Body::chain(locals);
    let goal = ChainGoal { along: Vec3::ZERO, ..ChainGoal::pose(Vec3::ZERO, Quat::from_rotation_x(1.0)) };
    let mut chain = Chain::new(&body.skeleton, 0, 4).unwrap().with_rounds(32);
    assert_eq!(chain.solve(&mut body.rig(), &goal), Reach::Reached);
}

#[test]
fn solvers_and_their_clones_allocate_nothing_in_a_solve() {
    let mut body = body(&mut Random::new(28));
    let chain = chain(&body, cone);
    for mut chain in [chain.clone(), chain] {
        let (mut rig, before) = (body.rig(), ALLOCATIONS.get());
        chain.solve(&mut rig, &ChainGoal::at(Vec3::ONE));
        assert_eq!(ALLOCATIONS.get(), before);
    }
}
