//! Compares blends with double precision, and tests errors.

use hedgerow_anim::glam::{DQuat, DVec3, Quat, Vec3};
use hedgerow_anim::{
    Error, Pose, Transform,
    blend::{JointMask, MAX_WEIGHT, PoseSum},
    skeleton::SkeletonError,
};
use proptest::prelude::*;

fn transform() -> impl Strategy<Value = Transform> {
    let number = || -1.0..1.0_f32;
    ((number(), number(), number()), [number(), number(), number(), number()], (number(), number(), number())).prop_map(
        |(t, r, s)| Transform {
            translation: Vec3::new(t.0, t.1, t.2) * 10.0,
            rotation: Quat::from_array(r).try_normalize_or_identity(),
            scale: Vec3::new(s.0, s.1, s.2) + 2.0,
        },
    )
}

trait OrIdentity {
    fn try_normalize_or_identity(self) -> Self;
}

impl OrIdentity for Quat {
    fn try_normalize_or_identity(self) -> Self {
        if self.length() > 0.1 { self.normalize() } else { Self::IDENTITY }
    }
}

fn poses(count: usize) -> impl Strategy<Value = Vec<Pose>> {
    (1..30_usize).prop_flat_map(move |joints| {
        prop::collection::vec(prop::collection::vec(transform(), joints).prop_map(pose), count)
    })
}

fn pose(transforms: Vec<Transform>) -> Pose {
    let mut pose = Pose::new(transforms.len());
    (0..).zip(transforms).for_each(|(joint, transform)| pose.set(joint, transform));
    pose
}

fn same(found: Transform, translation: DVec3, rotation: DQuat, scale: DVec3) -> bool {
    found.translation.as_dvec3().abs_diff_eq(translation, 1e-4)
        && found.scale.as_dvec3().abs_diff_eq(scale, 1e-4)
        && found.rotation.as_dquat().dot(rotation).abs() > 1.0 - 1e-6
        && (found.rotation.length() - 1.0).abs() < 1e-6
}

fn joints(pose: &Pose) -> impl Iterator<Item = u16> {
    0..u16::try_from(pose.len()).unwrap()
}

proptest! {
    #[test]
    fn a_sum_is_the_average_with_rotations_in_one_hemisphere(
        poses in poses(4), weights in prop::array::uniform4(0.05..2.0_f32), masked in any::<prop::sample::Index>(),
    ) {
        let mut sum = PoseSum::new(poses[0].len());
        let mut mask = JointMask::new(poses[0].len(), 0.5).unwrap();
        let masked = u16::try_from(masked.index(poses[0].len())).unwrap();
        mask.set(masked, 0.0).unwrap();
        let base = poses[3].clone();
        let mut out = Pose::new(poses[0].len());
        for _ in 0..2 {
            // Runs twice, to test that `finish` empties the sum.
            for (pose, &weight) in poses.iter().zip(&weights).take(3) {
                sum.add(pose, weight, Some(&mask)).unwrap();
            }
            sum.finish(&base, &mut out).unwrap();
        }
        for joint in joints(&out) {
            if joint == masked {
                prop_assert_eq!(out.get(joint), base.get(joint));
                continue;
            }
            let (mut t, mut r, mut s, mut total) = (DVec3::ZERO, [0.0; 4], DVec3::ZERO, 0.0);
            let mut near = false;
            for (pose, &weight) in poses.iter().zip(&weights).take(3) {
                let (one, w) = (pose.get(joint), 0.5 * f64::from(weight));
                t += one.translation.as_dvec3() * w;
                s += one.scale.as_dvec3() * w;
                let q = one.rotation.as_dquat().to_array();
                let dot: f64 = (0..4).map(|part| q[part] * r[part]).sum();
                near |= dot.abs() < 1e-4 && total > 0.0;
                (0..4).for_each(|part| r[part] += if dot < 0.0 { -w } else { w } * q[part]);
                total += w;
            }
            // Near the border of two hemispheres, rounding decides whether a rotation is negated.
            prop_assert!(near || same(out.get(joint), t / total, DQuat::from_array(r).normalize(), s / total));
        }
    }

    #[test]
    fn a_crossfade_goes_the_shorter_way_from_one_pose_to_the_other(poses in poses(2), weight in 0.0..=1.0_f32) {
        let mut out = poses[0].clone();
        out.crossfade(&poses[1], weight, None).unwrap();
        for joint in joints(&out) {
            let (a, b, w) = (poses[0].get(joint), poses[1].get(joint), f64::from(weight));
            let (from, mut to) = (a.rotation.as_dquat(), b.rotation.as_dquat());
            if from.dot(to).abs() < 1e-4 {
                continue;
            }
            if from.dot(to) < 0.0 {
                to = -to;
            }
            let rotation = (from * (1.0 - w) + to * w).normalize();
            let lerp = |a: Vec3, b: Vec3| a.as_dvec3().lerp(b.as_dvec3(), w);
            prop_assert!(same(out.get(joint), lerp(a.translation, b.translation), rotation, lerp(a.scale, b.scale)));
        }
        out = poses[0].clone();
        out.crossfade(&poses[1], 1.0, Some(&JointMask::new(out.len(), 0.0).unwrap())).unwrap();
        for joint in joints(&out) {
            let kept = poses[0].get(joint);
            let (t, r, s) = (kept.translation.as_dvec3(), kept.rotation.as_dquat(), kept.scale.as_dvec3());
            prop_assert!(same(out.get(joint), t, r, s));
        }
    }

    #[test]
    fn a_difference_leads_from_the_reference_to_the_pose(poses in poses(2)) {
        let (pose, mut reference) = (&poses[0], poses[1].clone());
        let mut difference = Pose::new(pose.len());
        pose.difference(&reference, &mut difference).unwrap();
        let before = reference.clone();
        reference.add(&difference, 0.0, None).unwrap();
        for joint in joints(pose) {
            let kept = before.get(joint);
            let (t, r, s) = (kept.translation.as_dvec3(), kept.rotation.as_dquat(), kept.scale.as_dvec3());
            prop_assert!(same(reference.get(joint), t, r, s), "a weight of nothing changes nothing");
        }
        reference = before;
        reference.add(&difference, 1.0, None).unwrap();
        for joint in joints(pose) {
            let want = pose.get(joint);
            let (t, r, s) = (want.translation.as_dvec3(), want.rotation.as_dquat(), want.scale.as_dvec3());
            prop_assert!(same(reference.get(joint), t, r, s));
        }
    }
}

#[test]
fn opposite_quaternions_are_the_same_rotation() {
    let turn = Quat::from_rotation_z(1.0);
    let (a, b) = (pose(vec![Transform::from_rotation(turn)]), pose(vec![Transform::from_rotation(-turn)]));
    let mut sum = PoseSum::new(1);
    let mut out = Pose::new(1);
    sum.add(&a, 1.0, None).unwrap();
    sum.add(&b, 1.0, None).unwrap();
    sum.finish(&Pose::new(1), &mut out).unwrap();
    assert!(out.get(0).rotation.abs_diff_eq(turn, 1e-6));
    let mut out = a;
    out.crossfade(&b, 0.5, None).unwrap();
    assert!(out.get(0).rotation.abs_diff_eq(turn, 1e-6));
}

#[test]
fn a_sum_of_one_pose_is_that_pose_however_small_or_large_its_weight() {
    let (mut only, base) = (Pose::new(3), Pose::new(3));
    only.set(1, Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_x(2.0)));
    let (mut sum, mut out) = (PoseSum::new(3), Pose::new(3));
    for weight in [1e-37, 1e-25, 1e-10, 1e3, MAX_WEIGHT] {
        sum.add(&only, weight, None).unwrap();
        sum.finish(&base, &mut out).unwrap();
        let far = (out.get(1).rotation - only.get(1).rotation).length();
        assert!(far < 1e-6 && out.get(1).translation.abs_diff_eq(only.get(1).translation, 1e-5), "{weight}: {out:?}");
    }
    // A weight too small to divide by counts as zero.
    sum.add(&only, 1e-45, None).unwrap();
    sum.finish(&base, &mut out).unwrap();
    assert_eq!(out, base);
}

#[test]
fn a_reference_without_size_has_a_difference_without_growth() {
    let (flat, whole) = (pose(vec![Transform::from_scale(Vec3::ZERO)]), Pose::new(1));
    let mut difference = Pose::new(1);
    whole.difference(&flat, &mut difference).unwrap();
    assert_eq!(difference.get(0).scale, Vec3::ONE);
    let tiny = pose(vec![Transform::from_scale(Vec3::new(1e-40, -1e-45, 1e-30))]);
    whole.difference(&tiny, &mut difference).unwrap();
    assert_eq!(difference.get(0).scale, Vec3::new(1.0, 1.0, 1e30));
}

#[test]
fn large_weights_and_numbers_blend_to_finite_ones() {
    let at = |x: f32| pose(vec![Transform::from_xyz(x, 0.0, 0.0).with_scale(Vec3::splat(x))]);
    let (base, mut out, mut sum) = (Pose::new(1), Pose::new(1), PoseSum::new(1));
    for large in [1.0, 1e15] {
        for weight in [1e-30, 1.0, MAX_WEIGHT] {
            for _ in 0..100 {
                sum.add(&at(large), weight, None).unwrap();
                sum.add(&at(3.0 * large), weight, None).unwrap();
            }
            sum.finish(&base, &mut out).unwrap();
            let [moved, scaled] = [out.get(0).translation.x, out.get(0).scale.x].map(|x| x / large);
            assert!((moved - 2.0).abs() < 1e-4 && (scaled - 2.0).abs() < 1e-4, "{weight:e}, {large:e}: {out:?}");
            out.add(&at(large), weight, None).unwrap();
            let finite = |vector: Vec3| vector.is_finite();
            assert!(finite(out.get(0).translation) && finite(out.get(0).scale), "{weight:e}, {large:e}: {out:?}");
        }
    }
}

#[test]
fn weights_that_are_none_and_poses_that_do_not_fit_are_refused_and_change_nothing() {
    let refused = |result: Result<(), Error>| match result {
        Err(Error::Skeleton(error)) => error,
        other => panic!("{other:?}"),
    };
    let (mut a, b, other) = (Pose::new(9), pose(vec![Transform::from_xyz(1.0, 0.0, 0.0); 9]), Pose::new(10));
    let mut sum = PoseSum::new(9);
    for weight in [f32::NAN, f32::INFINITY, -0.1, MAX_WEIGHT.next_up(), f32::MAX] {
        assert_eq!(refused(a.crossfade(&b, weight, None)), SkeletonError::BadWeight);
        assert_eq!(refused(a.add(&b, weight, None)), SkeletonError::BadWeight);
        assert_eq!(refused(sum.add(&b, weight, None)), SkeletonError::BadWeight);
        assert_eq!(refused(JointMask::new(9, weight).map(|_| ())), SkeletonError::BadWeight);
    }
    assert_eq!(refused(a.crossfade(&b, 1.1, None)), SkeletonError::BadWeight);
    assert_eq!(refused(JointMask::new(9, 1.1).map(|_| ())), SkeletonError::BadWeight, "a fade would go too far");
    let count = SkeletonError::JointCount { expected: 9, found: 10 };
    let mask = JointMask::new(10, 1.0).unwrap();
    assert_eq!(refused(a.crossfade(&other, 0.5, None)), count);
    assert_eq!(refused(a.crossfade(&b, 0.5, Some(&mask))), count);
    assert_eq!(refused(a.add(&b, 0.5, Some(&mask))), count);
    assert_eq!(refused(b.difference(&other, &mut a)), count);
    assert_eq!(refused(sum.add(&other, 0.5, None)), count);
    assert_eq!(refused(sum.finish(&b, &mut Pose::new(10))), count);
    assert_eq!(a, Pose::new(9));
    let mut mask = JointMask::new(9, 1.0).unwrap();
    assert_eq!(refused(mask.set(9, 1.0)), SkeletonError::UnknownJoint { joint: 9, joints: 9 });
    assert_eq!(refused(mask.set(0, f32::NAN)), SkeletonError::BadWeight);
}

#[test]
fn a_sum_of_nothing_is_the_base() {
    let (mut one, mut base, mut out) = (Pose::new(9), Pose::new(9), Pose::new(9));
    one.set(8, Transform::from_xyz(1.0, 2.0, 3.0));
    base.set(8, Transform::from_xyz(4.0, 5.0, 6.0));
    let mut sum = PoseSum::new(9);
    sum.finish(&base, &mut out).unwrap();
    assert_eq!(out, base);
    sum.add(&one, 1.0, None).unwrap();
    sum.finish(&base, &mut out).unwrap();
    assert_eq!(out, one);
    sum.finish(&base, &mut out).unwrap();
    assert_eq!(out, base, "what was finished is over");
}
