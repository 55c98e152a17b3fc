//! Joints, and chains of joints, that aim.

use super::{Body, Random, between, goals};
use hedgerow_anim::Transform;
use hedgerow_anim::glam::{DVec3, Quat, Vec3};
use hedgerow_anim::ik::{Aim, AimChain, Look, Reach};

fn rigid(random: &mut Random) -> Transform {
    let translation = random.unit() * random.within(0.2, 2.0);
    Transform { translation, rotation: random.rotation(), scale: Vec3::ONE }
}

#[test]
fn aims_meet_their_goals_and_stay_within_their_cones() {
    let mut random = Random::new(9);
    let (mut worst, mut outside, mut unmet) = (0.0, 0.0, 0);
    let count = goals(20_000);
    for _ in 0..count {
        let mut locals: Vec<_> = (0..4).map(|_| rigid(&mut random)).collect();
        if random.coin() {
            locals[0].scale = Vec3::new(0.5, -1.0, 2.0);
        }
        let mut body = Body::chain(locals);
        let (forward, cone) = (random.unit(), (random.unit(), random.within(0.1, 3.0)));
        let offset = random.unit() * random.within(0.0, 0.3);
        let aim = Aim::new(2, forward).with_offset(offset).with_up(random.unit());
        let limited = random.coin();
        let aim = if limited { aim.with_cone(cone.0, cone.1) } else { aim };
        let look = Look {
            point: body.position(2) + random.unit() * random.within(0.8, 5.0),
            up: random.coin().then(|| random.unit()),
            weight: 1.0,
        };
        let before = body.locals();
        let reach = aim.solve(&mut body.rig(), &look);
        body.assert_current();
        let at = body.wide();
        let direction = at[2].transform_vector3(forward.as_dvec3()).normalize();
        if reach == Reach::Reached {
            let eye = at[2].transform_point3(offset.as_dvec3());
            worst = f64::max(worst, between(direction, look.point.as_dvec3() - eye));
        } else {
            assert!(reach == Reach::Near || limited && reach == Reach::Far);
            unmet += 1;
        }
        if limited {
            let local = body.pose.get(2).rotation.as_dquat() * forward.as_dvec3();
            outside = f64::max(outside, between(local, cone.0.as_dvec3()) - f64::from(cone.1));
        }
        for (joint, (new, old)) in body.locals().iter().zip(&before).enumerate() {
            assert!(joint == 2 || new == old);
        }
    }
    println!("worst {worst:.1e} radians, outside of cones {outside:.1e}, {unmet} of {count} not met");
    assert!(worst < 6e-6 && outside < 3e-6 && unmet < count / 2);
}

#[test]
fn an_aim_turns_its_up_axis_upwards() {
    let mut random = Random::new(16);
    for _ in 0..1_000 {
        let mut body = Body::chain((0..3).map(|_| rigid(&mut random)).collect::<Vec<_>>());
        let (point, up) = (body.position(1) + random.unit() * 3.0, random.unit());
        let aim = Aim::new(1, Vec3::Z).with_up(Vec3::Y);
        assert_eq!(aim.solve(&mut body.rig(), &Look { up: Some(up), ..Look::at(point) }), Reach::Reached);
        let at = body.wide()[1];
        let sideways = at.transform_vector3(DVec3::X).normalize();
        assert!(sideways.dot(up.as_dvec3()).abs() < 1e-5 && at.transform_vector3(DVec3::Y).dot(up.as_dvec3()) > 0.0);
    }
}

#[test]
fn weight_0_keeps_all_bits_and_half_goes_half_the_way() {
    let mut random = Random::new(17);
    for _ in 0..1_000 {
        let body = Body::chain((0..3).map(|_| rigid(&mut random)).collect::<Vec<_>>());
        let (aim, point) = (Aim::new(1, Vec3::X), random.unit() * 9.0);
        let solve = |weight| {
            let mut body = body.clone();
            aim.solve(&mut body.rig(), &Look { weight, ..Look::at(point) });
            body
        };
        let [none, half, whole] = [0.0, 0.5, 1.0].map(solve);
        assert!(none.pose == body.pose && none.models == body.models);
        let [a, b, c] = [&none, &half, &whole].map(|body| body.pose.get(1).rotation);
        assert!((a.angle_between(b) - b.angle_between(c)).abs() < 2e-3);
    }
}

#[test]
fn chains_of_aims_share_the_turn_and_meet_their_goals() {
    let (mut random, mut worst) = (Random::new(18), 0.0);
    for _ in 0..goals(2_000) {
        let mut local = || Transform {
            translation: Vec3::Y * 0.1,
            rotation: Quat::from_axis_angle(random.unit(), 0.2),
            scale: Vec3::ONE,
        };
        let mut body = Body::chain((0..7).map(|_| local()).collect::<Vec<_>>());
        let before = body.locals();
        let (head, offset) = (5, Vec3::new(0.0, 0.1, 0.1));
        let shares = [(1, 0.1), (2, 0.2), (4, 0.3), (head, 0.4)];
        let chain = AimChain::new(&body.skeleton, &shares, Aim::new(head, Vec3::Z).with_offset(offset)).unwrap();
        let point = random.unit() * random.within(2.0, 20.0);
        let turn = between(
            body.wide()[5].transform_vector3(DVec3::Z),
            point.as_dvec3() - body.wide()[5].transform_point3(offset.as_dvec3()),
        );
        assert_eq!(chain.solve(&mut body.rig(), &Look::at(point)), Reach::Reached);
        body.assert_current();
        let at = body.wide()[5];
        let to = point.as_dvec3() - at.transform_point3(offset.as_dvec3());
        worst = f64::max(worst, between(at.transform_vector3(DVec3::Z), to));
        for (joint, (new, old)) in (0_u16..).zip(body.locals().iter().zip(&before)) {
            let turned = f64::from(new.rotation.angle_between(old.rotation));
            let share = shares.iter().find(|&&(own, _)| own == joint).map_or(0.0, |&(_, share)| f64::from(share));
            // Joints before the last see the eye from elsewhere, so shares are not exact.
            assert!(
                turned <= 1.5 * share * turn + 0.1 * share && (share > 0.0 || new == old),
                "joint {joint}: {turned} of {turn}"
            );
        }
    }
    println!("worst {worst:.1e} radians");
    assert!(worst < 4e-6);
}

#[test]
fn hostile_aims_give_finite_poses() {
    let mut random = Random::new(19);
    for _ in 0..goals(20_000) {
        let mut local = || Transform {
            translation: random.hostile_vector(),
            rotation: random.rotation(),
            scale: if random.coin() { Vec3::ONE } else { random.hostile_vector() },
        };
        let mut body = Body::chain((0..4).map(|_| local()).collect::<Vec<_>>());
        let aim = Aim::new(2, random.hostile_vector()).with_up(random.hostile_vector());
        let aim = aim.with_offset(random.hostile_vector()).with_cone(random.hostile_vector(), random.hostile());
        let up = random.coin().then(|| random.hostile_vector());
        let look = Look { point: random.hostile_vector(), up, weight: random.hostile() };
        let before = body.clone();
        if aim.solve(&mut body.rig(), &look) == Reach::Blocked {
            assert!(body.pose == before.pose);
        }
        assert!(body.is_finite(), "{aim:?} {look:?}");
        let mut body = before.clone();
        let chain = AimChain::new(&body.skeleton, &[(0, random.hostile()), (1, random.hostile())], aim).unwrap();
        if chain.solve(&mut body.rig(), &look) == Reach::Blocked {
            assert!(body.pose == before.pose);
        }
        assert!(body.is_finite(), "{aim:?} {look:?}");
    }
}

#[test]
fn a_wide_cone_keeps_what_is_in_it() {
    for (cone, goal, expected) in [
        (2.0, 1.9, Reach::Reached),
        (2.0, 2.1, Reach::Far),
        (core::f32::consts::PI, 3.1, Reach::Reached),
        (core::f32::consts::FRAC_PI_2, 1.5, Reach::Reached),
    ] {
        let mut body = Body::chain([Transform::IDENTITY; 2]);
        let point = Vec3::new(f32::sin(goal), 0.0, f32::cos(goal));
        let aim = Aim::new(1, Vec3::Z).with_cone(Vec3::Z, cone);
        assert_eq!(aim.solve(&mut body.rig(), &Look { point, up: None, weight: 1.0 }), expected, "{cone}, {goal}");
    }
    // Eyes before the joint do not see what is behind them.
    let mut body = Body::chain([Transform::IDENTITY; 2]);
    let aim = Aim::new(1, Vec3::Z).with_offset(Vec3::new(0.0, 0.1, 0.1));
    let look = Look { point: Vec3::new(0.0, 0.0, 0.12), up: None, weight: 1.0 };
    assert_eq!(aim.solve(&mut body.rig(), &look), Reach::Near);
}

#[test]
fn half_a_weight_turns_a_chain_by_half() {
    let mut body = Body::chain([Transform::IDENTITY; 5]);
    let tip = Aim::new(4, Vec3::Z);
    let chain = AimChain::new(&body.skeleton, &[(1, 0.25), (2, 0.25), (3, 0.25)], tip).unwrap();
    let look = Look { point: Vec3::new(3.0, 0.0, 4.0), up: None, weight: 0.5 };
    chain.solve(&mut body.rig(), &look);
    let forward = body.wide()[4].transform_vector3(Vec3::Z.as_dvec3());
    assert!((between(forward, Vec3::Z.as_dvec3()) - 0.5 * 0.75_f64.atan()).abs() < 0.02, "{forward}");
}
