//! Compares the kernels with double precision, for every number of lanes.

use super::*;
use crate::Transform;
use glam::{DAffine3, Quat, Vec3};
use hedgerow_math::internal::level::levels as machine_levels;

fn numbers(seed: u64) -> impl FnMut() -> f32 {
    let mut dice = fastrand::Rng::with_seed(seed);
    move || 2.0 * dice.f32() - 1.0
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
        // In depth-first order, each parent is the previous joint or an ancestor of the previous joint.
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
        let slots: Vec<Slot> = (0..).take(joints).map(|joint| Slot { joint, place: joint }).collect();
        for live in 1..=LANES {
            for level in machine_levels() {
                for binds in [None, Some(&binds[..])] {
                    let mut levels = vec![Level::SCRATCH; joints];
                    let mut out = vec![Mat34::IDENTITY; live * joints];
                    let output = binds.map_or(Output::Models, |binds| Output::Palette { slots: &slots, binds });
                    let part = Part { lanes: &lanes, depths: &depths, first: 0, output, stride: joints };
                    part_at(level, &part, &mut levels, &mut out);
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
    models(&[JointLanes::IDENTITY; 2], &[0, 1], Output::Models, &mut [Level::SCRATCH], &mut out);
}

fn pose(joints: usize, number: &mut impl FnMut() -> f32) -> Vec<PoseBlock> {
    let mut blocks = vec![PoseBlock::IDENTITY; joints.div_ceil(POSE_LANES)];
    for joint in 0..joints {
        let transform = Transform {
            translation: Vec3::new(number(), number(), number()),
            rotation: Quat::from_xyzw(number(), number(), number(), number() + 1.1).normalize(),
            scale: Vec3::new(number(), number(), number()) * 0.1 + 1.0,
        };
        blocks[joint / POSE_LANES].set(joint % POSE_LANES, &transform);
    }
    blocks
}

#[test]
fn poses_go_to_lanes_and_back_at_every_level() {
    let mut number = numbers(9);
    for joints in [1, 3, 4, 7, 8, 9, 21] {
        let poses: [Vec<PoseBlock>; LANES] = core::array::from_fn(|_| pose(joints, &mut number));
        let mut expected = vec![JointLanes::IDENTITY; joints];
        poses.iter().enumerate().for_each(|(lane, pose)| put_pose(pose, lane, &mut expected));
        let (shown, mut lanes) = (poses.each_ref().map(|pose| &pose[..]), vec![JointLanes::IDENTITY; joints]);
        for level in machine_levels() {
            lanes.fill(JointLanes::IDENTITY);
            put_poses_at(level, &shown, &mut lanes);
            assert_eq!(lanes, expected, "{joints} joints");
        }
        for level in machine_levels() {
            // Lanes past the last joint must not keep old values.
            let mut back: [Vec<PoseBlock>; LANES] = core::array::from_fn(|_| pose(shown[0].len() * 8, &mut number));
            take_poses_at(level, &lanes, &mut back.each_mut().map(|pose| &mut pose[..]));
            assert_eq!(back, poses, "{joints} joints");
        }
        let mut one = vec![PoseBlock::IDENTITY; shown[0].len()];
        take_pose(&lanes, 13, &mut one);
        assert_eq!(one, poses[13]);
    }
}

#[test]
fn poses_become_the_matrices_of_their_lanes_to_the_bit() {
    let mut number = numbers(11);
    for joints in [1, 8, 21] {
        let poses: [Vec<PoseBlock>; LANES] = core::array::from_fn(|_| pose(joints, &mut number));
        let poses = poses.each_ref().map(|pose| &pose[..]);
        let mut lanes = vec![JointLanes::IDENTITY; joints];
        put_poses(&poses, &mut lanes);
        let depths: Vec<u16> = (0..joints).map(|joint| u16::try_from(joint.min(1 + joint % 3)).unwrap()).collect();
        // A skin with its joints in reverse order; some joints are missing, and some occur twice.
        let picked = (0..joints).rev().flat_map(|joint| [joint, joint][..[1, 0, 2][joint % 3]].to_vec());
        let picked: Vec<u16> = picked.map(|joint| u16::try_from(joint).unwrap()).collect();
        let binds = (0..picked.len()).map(|place| lanes[place % joints].get(5).to_matrix()).collect();
        let skin = Skin::new(picked.clone(), binds).unwrap();
        for live in 1..=LANES {
            let [mut models_out, mut expected] = [(); 2].map(|()| vec![Mat34::IDENTITY; live * joints]);
            let mut levels = [Level::SCRATCH; 4];
            models_of_poses(&poses, &depths, Output::Models, &mut levels, &mut models_out);
            models(&lanes, &depths, Output::Models, &mut levels, &mut expected);
            assert_eq!(models_out, expected, "{live} of {joints} joints");

            let [mut palettes, mut expected] = [(); 2].map(|()| vec![Mat34::IDENTITY; live * skin.len()]);
            models_of_poses(&poses, &depths, Output::of(&skin), &mut levels, &mut palettes);
            models(&lanes, &depths, Output::of(&skin), &mut levels, &mut expected);
            assert_eq!(palettes, expected, "palettes of {live} of {joints} joints");
            for (lane, palette) in palettes.chunks_exact(skin.len()).enumerate() {
                for ((found, &joint), &bind) in palette.iter().zip(&picked).zip(skin.inverse_binds()) {
                    let product = models_out[lane * joints + usize::from(joint)] * bind;
                    assert!(wide(found).abs_diff_eq(wide(&product), 1e-4), "{found:?} and {product:?}");
                }
            }
        }
        let mut nothing = [];
        models_of_poses(&poses, &depths, Output::of(&Skin::default()), &mut [Level::SCRATCH; 4], &mut nothing);
    }
}
