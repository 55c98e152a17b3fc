//! Compares each level's results with those of the other levels and with results in double precision.

use super::*;
use crate::Transform;
use glam::{DAffine3, Quat, Vec3};
use hedgerow_math::internal::level::at_levels;

fn numbers(seed: u64) -> impl FnMut() -> f32 {
    let mut dice = fastrand::Rng::with_seed(seed);
    move || 2.0 * dice.f32() - 1.0
}

fn transforms(count: usize, seed: u64) -> Vec<Transform> {
    let mut number = numbers(seed);
    (0..count)
        .map(|_| Transform {
            translation: Vec3::new(number(), number(), number()),
            rotation: Quat::from_xyzw(number(), number(), number(), number() + 1.1).normalize(),
            scale: Vec3::new(number(), number(), number()) * 0.1 + 1.0,
        })
        .collect()
}

fn wide(t: &Transform) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(t.scale.as_dvec3(), t.rotation.as_dquat(), t.translation.as_dvec3())
}

#[test]
fn every_level_is_near_double_precision_for_every_start_and_end() {
    let count = 45;
    let locals = transforms(count, 1);
    let root = transforms(1, 2)[0].to_matrix();
    let parents: Vec<u16> = (0..45_u16).map(|joint| joint.checked_sub(1 + joint % 4).unwrap_or(u16::MAX)).collect();
    let parents: Vec<u16> =
        (0..).zip(parents).map(|(joint, parent)| if joint == 0 { u16::MAX } else { parent.min(joint - 1) }).collect();
    let mut blocks = vec![PoseBlock::IDENTITY; count.div_ceil(8)];
    locals.iter().enumerate().for_each(|(joint, local)| blocks[joint / 8].set(joint % 8, local));
    let mut expected: Vec<DAffine3> = Vec::new();
    for (joint, local) in locals.iter().enumerate() {
        let above = if joint == 0 { root.to_wide() } else { expected[usize::from(parents[joint])] };
        expected.push(above * wide(local));
    }
    at_levels(|_| {
        let mut all = vec![Mat34::IDENTITY; count];
        models(&blocks, &parents, &root, &mut all, 0..count);
        for (joint, (found, expected)) in all.iter().zip(&expected).enumerate() {
            let found = found.to_wide();
            assert!(found.abs_diff_eq(*expected, 1e-4), "joint {joint}: {found} and {expected}");
        }
        for (start, end) in (0..count).flat_map(|start| (start..=count).map(move |end| (start, end))) {
            let mut some = all.clone();
            some[start..end].fill(Mat34 { rows: [[f32::NAN; 4]; 3] });
            models(&blocks, &parents, &root, &mut some, start..end);
            assert!(some == all, "joints {start} to {end} by themselves have other bits");
        }
    });
}

#[test]
#[cfg(target_arch = "x86_64")]
fn levels_with_fused_multiply_add_give_the_same_bits_and_so_do_those_without() {
    let mut blocks = vec![PoseBlock::IDENTITY; 12];
    transforms(96, 9).iter().enumerate().for_each(|(joint, local)| blocks[joint / 8].set(joint % 8, local));
    let parents: Vec<u16> =
        (0..96_u16).map(|joint| if joint == 0 { u16::MAX } else { joint - 1 - joint / 7 % joint }).collect();
    let mut found = [Vec::new(), Vec::new()];
    at_levels(|level| {
        let mut all = vec![Mat34::IDENTITY; 96];
        models(&blocks, &parents, &Mat34::IDENTITY, &mut all, 0..96);
        let bits: Vec<_> = all.iter().map(|model| model.to_bits()).collect();
        found[usize::from(level.as_avx2().is_some())].push(bits);
    });
    assert!(found.iter().all(|found| found.windows(2).all(|pair| pair[0] == pair[1])));
}

#[test]
fn palettes_are_products_to_the_bit() {
    let models: Vec<Mat34> = transforms(13, 4).iter().map(Transform::to_matrix).collect();
    let binds: Vec<Mat34> = transforms(9, 5).iter().map(Transform::to_matrix).collect();
    let joints = [3, 12, 0, 7, 7, 1, 11, 2, 5];
    at_levels(|_| {
        let mut out = vec![Mat34::IDENTITY; 9];
        palette(&models, &joints, &binds, &mut out);
        for ((found, joint), &bind) in out.iter().zip(joints).zip(&binds) {
            assert_eq!(found.to_bits(), (models[usize::from(joint)] * bind).to_bits());
        }
    });
}
