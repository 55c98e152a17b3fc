//! The kernels against double precision, for every number of lanes.

use super::*;
use crate::Transform;
use glam::{DAffine3, Quat, Vec3};

/// Deterministic, unremarkable numbers from -1 to 1.
fn numbers(mut state: u32) -> impl FnMut() -> f32 {
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from((state >> 16) as u16) / 32_768.0 - 1.0
    }
}

type Kernel = fn(&[JointLanes], &[u16], Option<&[Mat34]>, &mut [Level], &mut [Mat34]);

fn kernels() -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = vec![scalar::models, models];
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx2") && has!("fma") {
            kernels.push(x86::models_avx2);
        }
    }
    kernels
}

fn wide(matrix: &Mat34) -> DAffine3 {
    matrix.to_wide()
}

#[test]
fn every_level_is_near_double_precision_for_every_number_of_lanes() {
    let mut number = numbers(5);
    let mut transform = || Transform {
        translation: Vec3::new(number(), number(), number()),
        rotation: Quat::from_xyzw(number(), number(), number(), number() + 1.1).normalize(),
        scale: Vec3::new(number(), number(), number()) * 0.1 + 1.0,
    };
    for joints in [1, 2, 7, 30] {
        let parents: Vec<usize> = (0..joints).map(|joint: usize| joint.saturating_sub(1 + joint % 3)).collect();
        // Children of the joint before, or of one on the way to it: depth-first.
        let mut depths = vec![0_u16; joints];
        let mut path = vec![0];
        let mut above = vec![0; joints];
        for joint in 1..joints {
            while path.len() > 1 && *path.last().unwrap() > parents[joint] {
                path.pop();
            }
            above[joint] = *path.last().unwrap();
            depths[joint] = u16::try_from(path.len()).unwrap();
            path.push(joint);
        }
        let mut lanes = vec![JointLanes::IDENTITY; joints];
        lanes.iter_mut().for_each(|lanes| (0..LANES).for_each(|lane| lanes.set(lane, &transform())));
        let binds: Vec<Mat34> = (0..joints).map(|_| transform().to_matrix()).collect();
        for live in 1..=LANES {
            for kernel in kernels() {
                for binds in [None, Some(&binds[..])] {
                    let mut levels = vec![Level::ZERO; joints];
                    let mut out = vec![Mat34::IDENTITY; live * joints];
                    kernel(&lanes, &depths, binds, &mut levels, &mut out);
                    for lane in 0..live {
                        let mut models: Vec<DAffine3> = Vec::new();
                        for joint in 0..joints {
                            let t = lanes[joint].get(lane);
                            let local = DAffine3::from_scale_rotation_translation(
                                t.scale.as_dvec3(),
                                t.rotation.as_dquat(),
                                t.translation.as_dvec3(),
                            );
                            models.push(if joint == 0 { local } else { models[above[joint]] * local });
                            let expected =
                                models[joint] * binds.map_or(DAffine3::IDENTITY, |binds| wide(&binds[joint]));
                            let found = wide(&out[lane * joints + joint]);
                            assert!(
                                found.abs_diff_eq(expected, 2e-6 * (2.0 + f64::from(depths[joint])).powi(2)),
                                "{joints} joints, lane {lane} of {live}, joint {joint}: {found} and {expected}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_depth_beyond_the_levels_is_refused() {
    let mut out = vec![Mat34::IDENTITY; LANES * 2];
    models(&[JointLanes::IDENTITY; 2], &[0, 1], None, &mut [Level::ZERO], &mut out);
}
