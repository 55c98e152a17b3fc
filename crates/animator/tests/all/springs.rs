//! Joints that swing.

use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::{Mat34, Pose, Skeleton, SkeletonBuilder, Transform};
use hedgerow_animator::{Collider, Error, Spring, Springs, Swing};

const STEP: f32 = 1.0 / 60.0;

/// Returns a head, and a tail of four bones of this length that is held along z.
fn skeleton(length: f32) -> Skeleton {
    let mut joints = SkeletonBuilder::new();
    let mut above = joints.joint("head", None, Transform::from_xyz(0.0, 2.0, 0.0));
    for _ in 0..5 {
        above = joints.joint("", Some(above), Transform::from_xyz(0.0, 0.0, length));
    }
    joints.build().unwrap().0
}

fn springs(skeleton: &Skeleton, spring: Spring) -> Springs {
    let mut springs = Springs::new(skeleton);
    springs.chain(&[1, 2, 3, 4, 5], spring).unwrap();
    springs
}

/// Steps from the rest pose, and returns the model matrices.
fn step(springs: &Springs, swing: &mut Swing, skeleton: &Skeleton, world: &Mat34) -> (Pose, Vec<Mat34>) {
    let (mut pose, mut models) = (Pose::rest(skeleton), Vec::new());
    pose.to_models(skeleton, &mut models).unwrap();
    springs.step(swing, &mut pose, &mut models, world, STEP).unwrap();
    let mut anew = Vec::new();
    pose.to_models(skeleton, &mut anew).unwrap();
    assert!(models.iter().zip(&anew).all(|(a, b)| a.same_bits(b)), "matrices are those of the pose");
    (pose, models)
}

#[test]
fn at_rest_nothing_moves() {
    let skeleton = skeleton(0.2);
    let (springs, mut swing) = (springs(&skeleton, Spring::default()), Swing::default());
    for _ in 0..100 {
        let (pose, _) = step(&springs, &mut swing, &skeleton, &Mat34::IDENTITY);
        assert!((0..6).all(|joint| pose.get(joint).rotation.abs_diff_eq(Quat::IDENTITY, 1e-6)));
    }
}

#[test]
fn a_limp_chain_hangs_down_and_a_stiff_one_comes_back() {
    let skeleton = skeleton(0.2);
    let limp = Spring { stiffness: 0.0, gravity: Vec3::new(0.0, -1.0, 0.0), ..Spring::default() };
    let mut swing = Swing::default();
    let hangs = springs(&skeleton, limp);
    for _ in 0..600 {
        step(&hangs, &mut swing, &skeleton, &Mat34::IDENTITY);
    }
    let (_, models) = step(&hangs, &mut swing, &skeleton, &Mat34::IDENTITY);
    let end = models[5].translation();
    assert!(end.abs_diff_eq(models[1].translation() + Vec3::new(0.0, -0.8, 0.0), 1e-3), "{end}");
    let stiff = springs(&skeleton, Spring::default());
    for _ in 0..600 {
        step(&stiff, &mut swing, &skeleton, &Mat34::IDENTITY);
    }
    let (_, models) = step(&stiff, &mut swing, &skeleton, &Mat34::IDENTITY);
    assert!(models[5].translation().abs_diff_eq(Vec3::new(0.0, 2.0, 1.0), 1e-3));
}

#[test]
fn tails_follow_the_rule_of_vrm() {
    // One bone, by hand.
    let skeleton = skeleton(0.5);
    let spring = Spring { stiffness: 0.8, drag: 0.3, gravity: Vec3::new(0.2, -0.4, 0.0), ..Spring::default() };
    let mut springs = Springs::new(&skeleton);
    springs.chain(&[1, 2], spring).unwrap();
    let mut swing = Swing::default();
    let at = |x: f32| Transform::from_xyz(x, 0.0, 0.0).to_matrix();
    let mut tails = [Vec3::new(0.0, 2.0, 1.0); 2];
    for frame in 0..100_u8 {
        let x = (f32::from(frame) * 0.1).sin() - (0.0_f32).sin();
        let (_, models) = step(&springs, &mut swing, &skeleton, &at(x));
        let head = Vec3::new(x, 2.0, 0.5);
        let next = tails[0] + (tails[0] - tails[1]) * 0.7 + Vec3::Z * 0.8 * STEP + spring.gravity * STEP;
        let next = head + (next - head).normalize() * 0.5;
        tails = [next, tails[0]];
        assert!((models[2].translation() + Vec3::X * x).abs_diff_eq(next, 1e-5), "frame {frame}");
    }
}

#[test]
fn tails_are_met_below_any_scales_and_turns() {
    let skeleton = skeleton(0.2);
    let spring = Spring { gravity: Vec3::NEG_Y, stiffness: 0.3, ..Spring::default() };
    let (springs, mut swing) = (springs(&skeleton, spring), Swing::default());
    let world = Transform::from_xyz(4.0, 1.0, -2.0).with_rotation(Quat::from_rotation_y(2.0));
    let world = world.with_scale(Vec3::new(-1.5, 0.5, 2.0)).to_matrix();
    let mut lowest = f32::INFINITY;
    for _ in 0..300 {
        let (_, models) = step(&springs, &mut swing, &skeleton, &world);
        lowest = lowest.min((world * models[5]).translation().y);
    }
    // Down in the world, though axes are mirrored and uneven.
    assert!(lowest < (world * Mat34::from(skeleton.rest(0))).translation().y - 0.2);
}

#[test]
fn tails_stay_out_of_colliders() {
    let skeleton = skeleton(0.2);
    let spring = Spring { stiffness: 0.1, gravity: Vec3::NEG_Y, radius: 0.02, ..Spring::default() };
    let mut dice = fastrand::Rng::with_seed(3);
    for collider in [
        Collider::sphere(0, Vec3::new(0.0, -0.3, 0.5), 0.25),
        Collider::capsule(0, [Vec3::new(-1.0, -0.3, 0.5), Vec3::new(1.0, -0.3, 0.5)], 0.25),
    ] {
        let mut springs = springs(&skeleton, spring);
        springs.collider(collider).unwrap();
        let (mut swing, mut touched) = (Swing::default(), 0);
        for _ in 0..2000 {
            let shake = Transform::from_xyz(dice.f32() * 0.1, 0.0, dice.f32() * 0.1).to_matrix();
            let (_, models) = step(&springs, &mut swing, &skeleton, &shake);
            for tail in &models[2..] {
                let tail = tail.translation() - models[0].translation();
                let [from, to] = collider.ends;
                let nearest = Vec3::new(tail.x.clamp(from.x, to.x), from.y, from.z);
                let depth = 0.27 - tail.distance(nearest);
                assert!(depth < 2e-3, "{depth}");
                touched += usize::from(depth > -1e-3);
            }
        }
        assert!(touched > 100, "tails touched the collider {touched} times");
        // In no group of the spring, it pushes nothing.
        let mut through = Springs::new(&skeleton);
        through.chain(&[1, 2, 3, 4, 5], Spring { collides: 2, ..spring }).unwrap();
        through.collider(Collider { groups: 1, ..collider }).unwrap();
        let mut swing = Swing::default();
        let end = (0..600).map(|_| step(&through, &mut swing, &skeleton, &Mat34::IDENTITY).1[5]).last().unwrap();
        let free = self::springs(&skeleton, spring);
        let mut swing = Swing::default();
        let same = (0..600).map(|_| step(&free, &mut swing, &skeleton, &Mat34::IDENTITY).1[5]).last().unwrap();
        assert!(end.same_bits(&same));
    }
}

#[test]
fn a_tail_straight_ahead_of_a_collider_goes_beside_it() {
    let skeleton = skeleton(0.5);
    let mut springs = Springs::new(&skeleton);
    springs.chain(&[1, 2], Spring::default()).unwrap();
    springs.collider(Collider::sphere(1, Vec3::new(0.0, 0.0, 0.45), 0.2)).unwrap();
    let mut swing = Swing::default();
    let (_, models) = step(&springs, &mut swing, &skeleton, &Mat34::IDENTITY);
    let center = models[1].translation() + Vec3::new(0.0, 0.0, 0.45);
    assert!((models[2].translation().distance(center) - 0.2).abs() < 1e-5);
}

#[test]
fn while_no_time_passes_tails_stay_where_they_are() {
    let skeleton = skeleton(0.2);
    let limp = Spring { stiffness: 0.0, gravity: Vec3::NEG_Y, ..Spring::default() };
    let (springs, mut swing) = (springs(&skeleton, limp), Swing::default());
    let hangs = (0..60).map(|_| step(&springs, &mut swing, &skeleton, &Mat34::IDENTITY).1[5]).last().unwrap();
    let before = swing.clone();
    for seconds in [0.0, -1.0, f32::NAN] {
        let (mut pose, mut models) = (Pose::rest(&skeleton), Vec::new());
        pose.to_models(&skeleton, &mut models).unwrap();
        springs.step(&mut swing, &mut pose, &mut models, &Mat34::IDENTITY, seconds).unwrap();
        assert!(models[5].translation().abs_diff_eq(hangs.translation(), 1e-5));
    }
    assert_eq!(swing, before);
}

#[test]
fn a_chain_below_a_branch_swings_below_joints_that_do_not() {
    let mut joints = SkeletonBuilder::new();
    let head = joints.joint("head", None, Transform::IDENTITY);
    let ear = joints.joint("ear", Some(head), Transform::from_xyz(0.0, 0.0, 0.2));
    joints.joint("tip", Some(ear), Transform::from_xyz(0.0, 0.0, 0.2));
    let ring = joints.joint("ring", Some(ear), Transform::from_xyz(0.1, 0.0, 0.0));
    let bead = joints.joint("bead", Some(ring), Transform::from_xyz(0.1, 0.0, 0.0));
    joints.joint("end", Some(bead), Transform::from_xyz(0.1, 0.0, 0.0));
    let skeleton = joints.build().unwrap().0;
    let mut springs = Springs::new(&skeleton);
    let limp = Spring { stiffness: 0.0, gravity: Vec3::NEG_Y, ..Spring::default() };
    let find = |name| skeleton.find(name).unwrap();
    springs.chain(&[find("bead"), find("end")], limp).unwrap();
    springs.chain(&[find("ear"), find("tip")], limp).unwrap();
    let (mut swing, mut models) = (Swing::default(), Vec::new());
    for _ in 0..600 {
        models = step(&springs, &mut swing, &skeleton, &Mat34::IDENTITY).1;
    }
    let [tip, end] = ["tip", "end"].map(|name| models[usize::from(find(name))].translation());
    let bead = models[usize::from(find("bead"))].translation();
    assert!(tip.abs_diff_eq(Vec3::new(0.0, -0.2, 0.2), 1e-3), "{tip}");
    assert!(end.abs_diff_eq(bead + Vec3::new(0.0, -0.1, 0.0), 1e-3), "{end}, {bead}");
}

#[test]
fn a_clone_goes_on_alike_and_a_reset_begins_anew() {
    let skeleton = skeleton(0.2);
    let (springs, mut swing) = (springs(&skeleton, Spring::default()), Swing::default());
    let far = Transform::from_xyz(50.0, 0.0, 0.0).to_matrix();
    step(&springs, &mut swing, &skeleton, &Mat34::IDENTITY);
    let mut other = swing.clone();
    let [a, b] = [&mut swing, &mut other].map(|swing| step(&springs, swing, &skeleton, &far).1);
    assert!(a.iter().zip(&b).all(|(a, b)| a.same_bits(b)));
    assert!(a[5].translation().x < -0.5, "hair is left behind");
    swing.reset();
    let (pose, _) = step(&springs, &mut swing, &skeleton, &far);
    assert!((0..6).all(|joint| pose.get(joint).rotation.abs_diff_eq(Quat::IDENTITY, 1e-6)));
}

#[test]
fn no_number_makes_a_pose_unsound() {
    let mut dice = fastrand::Rng::with_seed(11);
    let numbers = [0.0, -0.0, 1.0, -1.0, 1e-38, 1e-20, 1e19, 3e38, f32::MIN_POSITIVE];
    for _ in 0..20_000 {
        let mut any = || if dice.bool() { numbers[dice.usize(..numbers.len())] } else { dice.f32() * 4.0 - 2.0 };
        let mut joints = SkeletonBuilder::new();
        let mut above = None;
        for _ in 0..5 {
            let local = Transform::from_xyz(any(), any(), any()).with_scale(Vec3::new(any(), any(), any()));
            above = Some(joints.joint("", above, local));
        }
        let skeleton = joints.build().unwrap().0;
        let spring = Spring {
            stiffness: any().abs(),
            drag: 0.3,
            gravity: Vec3::new(any(), any(), any()),
            radius: any().abs(),
            collides: 1,
        };
        let mut springs = Springs::new(&skeleton);
        springs.chain(&[0, 1, 2, 3, 4], spring).unwrap();
        springs.collider(Collider::sphere(0, Vec3::new(any(), any(), any()), any().abs())).unwrap();
        let (mut swing, mut pose, mut models) = (Swing::default(), Pose::rest(&skeleton), Vec::new());
        for _ in 0..4 {
            pose.to_models(&skeleton, &mut models).unwrap();
            let world = Transform::from_xyz(any(), any(), any()).to_matrix();
            springs.step(&mut swing, &mut pose, &mut models, &world, any()).unwrap();
            assert!((0..5).all(|joint| pose.get(joint).is_finite()), "{pose:?}");
        }
    }
}

#[test]
fn what_cannot_swing_is_refused() {
    let skeleton = skeleton(0.2);
    let mut springs = Springs::new(&skeleton);
    let spring = Spring::default();
    assert!(matches!(springs.chain(&[1, 6], spring), Err(Error::Anim(_))));
    assert!(matches!(springs.chain(&[2, 1], spring), Err(Error::Anim(_))));
    assert!(matches!(springs.chain(&[2, 2], spring), Err(Error::Anim(_))));
    for wrong in [
        Spring { stiffness: -1.0, ..spring },
        Spring { drag: 1.5, ..spring },
        Spring { gravity: Vec3::NAN, ..spring },
        Spring { radius: f32::INFINITY, ..spring },
    ] {
        assert!(matches!(springs.chain(&[1, 2], wrong), Err(Error::Number { .. })));
    }
    assert!(matches!(springs.collider(Collider::sphere(6, Vec3::ZERO, 1.0)), Err(Error::Anim(_))));
    assert!(matches!(springs.collider(Collider::sphere(0, Vec3::ZERO, -1.0)), Err(Error::Number { .. })));
    let (mut pose, mut models) = (Pose::rest(&skeleton), vec![Mat34::IDENTITY; 3]);
    let refused = springs.step(&mut Swing::default(), &mut pose, &mut models, &Mat34::IDENTITY, STEP);
    assert!(matches!(refused, Err(Error::Anim(_))));
}
