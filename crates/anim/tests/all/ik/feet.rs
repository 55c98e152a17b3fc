//! Feet on terrains, slopes and stairs.

use super::{Body, Random, goals};
use hedgerow_anim::Transform;
use hedgerow_anim::glam::Vec3;
use hedgerow_anim::ik::{Contact, End, Feet, Goal, TwoBone};

const HEEL: f32 = 0.08;
const FRAME: f32 = 1.0 / 60.0;
const LEGS: [[u16; 3]; 2] = [[1, 2, 3], [4, 5, 6]];

/// A pelvis at this height, then two legs of hip, knee and ankle; knees slightly bent.
fn person(height: f32) -> (Body, [TwoBone; 2], Feet) {
    let joint = |x, y, z| Transform::from_xyz(x, y, z);
    let leg = |side, hip| {
        [
            (Some(0), joint(side, 0.0, 0.0)),
            (Some(hip), joint(0.0, -0.45, 0.03)),
            (Some(hip + 1), joint(0.0, -0.45, -0.03)),
        ]
    };
    let joints = [&[(None, joint(0.0, height, 0.0))][..], &leg(0.1, 1), &leg(-0.1, 4)].concat();
    let body = Body::new(&joints);
    let legs = LEGS.map(|joints| TwoBone::new(&body.skeleton, joints).unwrap());
    let feet = Feet::new(&body.skeleton, 0, &legs.map(|leg| (leg, HEEL))).unwrap().with_slope(0.8);
    (body, legs, feet)
}

#[test]
fn standing_soles_are_on_the_ground_and_lifted_feet_stay_lifted() {
    let mut random = Random::new(11);
    let (mut inside, mut off, mut fast, mut short) = (0.0_f32, 0.0_f32, 0.0_f32, 0);
    for _ in 0..goals(1_000) {
        let (rest, legs, mut feet) = person(0.98);
        let slope = Vec3::new(random.within(-0.8, 0.8), 0.0, random.within(-0.2, 0.2));
        let (stairs, height) = (random.coin(), random.within(-0.1, 0.1));
        let ground = |at: Vec3| Contact {
            point: at.with_y(height + if stairs { 0.17 * (at.x * 6.0).floor() } else { slope.dot(at) }),
            normal: if stairs { Vec3::Y } else { (Vec3::Y - slope).normalize() },
        };
        let mut drop = 0.0;
        for frame in 0..80 {
            let mut body = rest.clone();
            let lift = if frame >= 40 { 0.15 } else { 0.0 };
            if lift > 0.0 {
                let position = body.position(3) + Vec3::Y * lift;
                legs[0].solve(&mut body.rig(), &Goal { end: End::Model, ..Goal::at(position) });
            }
            let reached = feet.place(&mut body.rig(), FRAME, Vec3::ZERO, |at| Some(ground(at)));
            if frame > 0 {
                fast = fast.max((feet.drop() - drop).abs() / FRAME);
            }
            drop = feet.drop();
            if frame % 40 < 39 {
                continue;
            }
            body.assert_current();
            short += 2 - reached;
            for (foot, lift) in [(3, lift), (6, 0.0)] {
                let ankle = body.position(foot);
                let over = ankle - ground(ankle).point;
                if lift > 0.0 {
                    off = off.max((over.y - HEEL - lift).abs());
                } else {
                    inside = inside.max(HEEL - over.dot(ground(ankle).normal));
                }
            }
        }
    }
    println!("inside {:.3} mm, lifted off by {:.3} mm, {fast:.3} m/s, {short} short", inside * 1e3, off * 1e3);
    assert!(inside < 1e-3 && off < 1e-3 && fast < 1.501 && short == 0);
}

/// The worst of a walk.
#[derive(Debug, Default)]
struct Worst {
    /// By how much a sole was inside of the ground, and a standing one above it.
    inside: f32,
    above: f32,
    /// The speed of the pelvis relative to the animation.
    pelvis: f32,
    /// How far an ankle was moved up against the animation from one frame to the next.
    jump: f32,
}

/// Walks at 1.5 m/s for some seconds: on stairs of this height and 30 cm, by a share of a stair further on, or on a
/// slope to the side and ahead. Feet stand for half of each second.
fn walk((stairs, share): (f32, f32), [aside, slope]: [f32; 2], seconds: u16) -> Worst {
    let (rest, legs, mut feet) = person(0.87);
    let (mut worst, mut drop, mut raised) = (Worst::default(), 0.0, [None; 2]);
    for frame in 0..seconds * 60 {
        let time = f32::from(frame) * FRAME;
        let mut body = rest.clone();
        let mut lifts = [0.0; 2];
        for (foot, leg) in legs.iter().enumerate() {
            let phase = (time + if foot == 0 { 0.0 } else { 0.5 }).fract();
            let swing = (phase - 0.5).max(0.0);
            lifts[foot] = 0.15 * (std::f32::consts::TAU * swing).sin();
            let stride = if phase < 0.5 { 0.375 - 1.5 * phase } else { -0.375 + 1.5 * swing };
            let ankle = Vec3::new(body.position(LEGS[foot][2]).x, HEEL + lifts[foot], stride);
            leg.solve(&mut body.rig(), &Goal { end: End::Model, ..Goal::at(ankle) });
        }
        // The model moves over the ground, on a ramp.
        let walked = 1.5 * time;
        let ramp = slope + stairs / 0.3;
        let ground = |at: Vec3| {
            let stair = ((walked + at.z) / 0.3 + share).floor();
            let height = stairs * stair + aside * at.x + slope * (walked + at.z) - ramp * walked;
            Contact { point: at.with_y(height), normal: Vec3::new(-aside, 1.0, -slope).normalize() }
        };
        feet.place(&mut body.rig(), FRAME, Vec3::new(0.0, ramp, 1.0) * 1.5, |at| Some(ground(at)));
        for (foot, (lift, raised)) in [3, 6].into_iter().zip(lifts.into_iter().zip(&mut raised)) {
            let ankle = body.position(foot);
            let contact = ground(ankle);
            let over = (ankle - contact.point).dot(contact.normal) - HEEL;
            worst.inside = worst.inside.max(-over);
            if lift == 0.0 {
                worst.above = worst.above.max(over);
            }
            let now = ankle.y - HEEL - lift;
            worst.jump = raised.map_or(0.0, |raised: f32| now - raised).max(worst.jump);
            *raised = Some(now);
        }
        if frame > 0 {
            worst.pelvis = worst.pelvis.max((feet.drop() - drop).abs() / FRAME);
        }
        drop = feet.drop();
    }
    worst
}

#[test]
fn walking_soles_stay_out_of_slopes_and_stairs() {
    let check = |name: &str, stairs: (f32, f32), slope: [f32; 2], seconds: u16| {
        let worst = walk(stairs, slope, seconds);
        let limit = if stairs.0 == 0.0 { 1e-3 } else { 1e-2 };
        assert!(worst.inside < limit && worst.pelvis < 1.501, "{name} {stairs:?} {slope:?}: {worst:?}");
        worst
    };
    for (name, stairs, slope) in [
        ("flat", 0.0, 0.0),
        ("20 degrees up", 0.0, 0.36),
        ("20 degrees down", 0.0, -0.36),
        ("40 degrees up", 0.0, 0.84),
        ("40 degrees down", 0.0, -0.84),
        ("stairs up", 0.17, 0.0),
        ("stairs down", -0.17, 0.0),
    ] {
        let worst = check(name, (stairs, 0.0), [0.0, slope], 10);
        println!("{name}: {worst:.4?}");
        // Without looking ahead, a foot jumps onto each stair at once.
        assert!(worst.jump < 0.09, "{name}: {worst:?}");
    }
    let (mut random, mut inside) = (Random::new(14), [0.0_f32; 2]);
    for _ in 0..goals(1_000) / 50 {
        let (direction, steep) = (random.unit().with_y(0.0).normalize(), random.within(0.0, 0.839));
        let slope = [direction.x * steep, direction.z * steep];
        inside[0] = inside[0].max(check("slope", (0.0, 0.0), slope, 3).inside);
        let stairs = if random.coin() { 0.17 } else { -0.17 };
        inside[1] = inside[1].max(check("stairs", (stairs, random.within(0.0, 1.0)), [0.0; 2], 3).inside);
    }
    println!("random slopes and stairs: {inside:.6?} m inside");
}

#[test]
fn hostile_feet_give_finite_poses() {
    let mut random = Random::new(13);
    for _ in 0..goals(5_000) {
        let mut local = || Transform {
            translation: random.hostile_vector(),
            rotation: random.rotation(),
            scale: if random.coin() { Vec3::ONE } else { random.hostile_vector() },
        };
        let mut body = Body::chain((0..4).map(|_| local()).collect::<Vec<_>>());
        let leg = TwoBone::new(&body.skeleton, [1, 2, 3]).unwrap();
        let feet = Feet::new(&body.skeleton, 0, &[(leg, random.hostile())]).unwrap();
        let feet = feet.with_up(random.hostile_vector()).with_step(random.hostile()).with_slope(random.hostile());
        let mut feet = feet.with_speed(random.hostile());
        for _ in 0..3 {
            let contact = Contact { point: random.hostile_vector(), normal: random.hostile_vector() };
            let some = random.coin();
            feet.place(&mut body.rig(), random.hostile(), random.hostile_vector(), |_| some.then_some(contact));
            assert!(body.is_finite() && feet.drop().is_finite(), "{contact:?}");
        }
    }
}

#[test]
fn a_jump_over_no_ground_moves_neither_pelvis_nor_feet() {
    let (rest, _, mut feet) = person(0.98);
    for frame in 0..30_u8 {
        let mut body = rest.clone();
        let lifted = Vec3::Y * 0.01 * f32::from(frame);
        let root = body.pose.get(0);
        body.pose.set(0, root.with_translation(root.translation + lifted));
        body.update();
        let ankles = [3, 6].map(|foot| body.position(foot));
        let travel = Vec3::Y * if frame < 15 { 4.0 } else { -4.0 };
        feet.place(&mut body.rig(), FRAME, travel, |_| None);
        assert_eq!(feet.drop(), 0.0, "{frame}");
        for (foot, ankle) in [3, 6].into_iter().zip(ankles) {
            assert!(body.position(foot).distance(ankle) < 1e-4, "{frame}");
        }
    }
}
