//! Compares crowds with single poses while instances are added and removed.

use hedgerow_anim::crowd::InstanceHandle;
use hedgerow_anim::glam::{self, Quat, Vec3};
use hedgerow_anim::skeleton::SkeletonError;
use hedgerow_anim::skin::{Palette, SkinError};
use hedgerow_anim::{Crowd, Error, Mat34, Pose, Skeleton, SkeletonBuilder, Skin, Transform};
use proptest::prelude::*;

fn skeleton(joints: usize) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..u16::try_from(joints).unwrap() {
        let parent = joint.checked_sub(1).map(|before| before - before % 3);
        builder.joint("", parent, Transform::IDENTITY);
    }
    builder.build().expect("a tree").0
}

/// Returns a skin with the joints in reverse order; every fifth joint is missing, and the root occurs twice.
fn skin(joints: usize) -> Skin {
    let mut picked: Vec<u16> = (0..u16::try_from(joints).unwrap()).rev().filter(|joint| joint % 5 != 3).collect();
    picked.push(0);
    let bind = |&joint: &u16| Transform::from_xyz(0.1, -0.2, f32::from(joint)).with_scale(Vec3::splat(1.5)).to_matrix();
    let binds = picked.iter().map(bind).collect();
    Skin::new(picked, binds).unwrap()
}

fn pose(joints: usize, seed: u16) -> Pose {
    let mut pose = Pose::new(joints);
    for joint in 0..u16::try_from(joints).unwrap() {
        let x = f32::from(seed) * 0.37 + f32::from(joint);
        let turn = Quat::from_euler(glam::EulerRot::XYZ, x.sin(), x.cos(), 0.3 * x);
        let scale = Vec3::new(1.0 + 0.1 * x.sin(), 1.0 + 0.1 * x.cos(), 0.9);
        pose.set(joint, Transform::from_xyz(x.cos(), 0.5, x.sin()).with_rotation(turn).with_scale(scale));
    }
    pose
}

fn near(a: &[Mat34], b: &[Mat34]) -> bool {
    let flat = |m: &Mat34| m.rows.as_flattened().to_vec();
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| flat(a).iter().zip(flat(b)).all(|(a, b)| (a - b).abs() < 1e-4))
}

fn check(crowd: &Crowd, expected: &[(InstanceHandle, Pose)]) {
    let skeleton = crowd.skeleton();
    let skin = skin(skeleton.len());
    assert_eq!(crowd.len(), expected.len());
    let (mut models, mut palettes) = (Vec::new(), Vec::new());
    crowd.models(&mut models);
    crowd.palettes(&skin, &mut palettes).unwrap();
    assert_eq!((models.len(), palettes.len()), (expected.len() * skeleton.len(), expected.len() * skin.len()));
    let (mut own, mut own_palette) = (Vec::new(), Vec::new());
    for (instance, pose) in expected {
        assert_eq!(&crowd.pose(*instance).unwrap(), pose);
        pose.to_models(skeleton, &mut own).unwrap();
        skin.palette(&own, &mut own_palette).unwrap();
        let range = crowd.range(*instance).unwrap();
        assert!(near(&models[range.clone()], &own), "models of {instance:?}");
        let range = crowd.palette_range(*instance, &skin).unwrap();
        assert!(near(&palettes[range], &own_palette), "palette of {instance:?}");
        let last = u16::try_from(skeleton.len() - 1).unwrap();
        assert!(near(&[crowd.model(*instance, last).unwrap()], &own[own.len() - 1..]));
    }
    let mut room = Vec::new();
    let mut at = 0;
    let visited: Result<(), Error> = crowd.each_models(&mut room, |instance, shown| {
        assert_eq!(crowd.range(instance), Some(at..at + shown.len()));
        assert_eq!(shown, &models[at..at + shown.len()]);
        at += shown.len();
        Ok(())
    });
    assert_eq!((visited, at), (Ok(()), models.len()));
    let visited: Result<(), Error> = crowd.each_palette(&skin, &mut room, |instance, shown| {
        assert_eq!(shown.skin(), skin.id());
        assert_eq!(shown.matrices(), &palettes[crowd.palette_range(instance, &skin).unwrap()]);
        Ok(())
    });
    assert_eq!(visited, Ok(()));
    check_poses(crowd, &skin, &models, &palettes);
    let mut listed: Vec<_> = crowd.instances().collect();
    listed.sort_unstable();
    let mut handles: Vec<_> = expected.iter().map(|(handle, _)| *handle).collect();
    handles.sort_unstable();
    assert_eq!(listed, handles);
}

/// Checks that poses outside a crowd, by reference and by value, have the same matrices as in the crowd.
fn check_poses(crowd: &Crowd, skin: &Skin, models: &[Mat34], palettes: &[Mat34]) {
    let poses: Vec<Pose> = crowd.instances().map(|instance| crowd.pose(instance).unwrap()).collect();
    let (mut room, mut found) = (Vec::new(), Vec::new());
    let visit = |found: &mut Vec<Mat34>, index, shown: &[Mat34]| {
        assert_eq!(found.len(), index * shown.len());
        found.extend_from_slice(shown);
        Ok::<_, Error>(())
    };
    let (skeleton, borrowed) = (crowd.skeleton(), |index: usize| Ok((&poses[index], index)));
    let all = || 0..poses.len();
    skeleton.each_models(all(), borrowed, &mut room, |of, shown| visit(&mut found, of, shown)).unwrap();
    assert_eq!(found, models);
    found.clear();
    let owned = |index: usize| Ok((poses[index].clone(), index));
    skeleton.each_palette(skin, all(), owned, &mut room, |of, shown| visit(&mut found, of, &shown)).unwrap();
    assert_eq!(found, palettes);
}

#[test]
fn any_number_of_instances_has_the_matrices_of_single_poses() {
    let skeleton = skeleton(11);
    let mut crowd = Crowd::new(&skeleton);
    let mut expected = Vec::new();
    for seed in 0..50 {
        check(&crowd, &expected);
        let pose = pose(11, seed);
        expected.push((crowd.insert(&pose).unwrap(), pose));
    }
    while !expected.is_empty() {
        let (instance, _) = expected.swap_remove(expected.len() / 2);
        crowd.remove(instance).unwrap();
        check(&crowd, &expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn instances_keep_their_poses_through_any_edits(
        joints in 1..20_usize,
        edits in prop::collection::vec((0..7_u8, any::<prop::sample::Index>(), any::<u16>()), 0..90),
    ) {
        let skeleton = skeleton(joints);
        let mut crowd = Crowd::new(&skeleton);
        let (mut expected, mut gone): (Vec<(InstanceHandle, Pose)>, Vec<InstanceHandle>) = Default::default();
        for (edit, which, seed) in edits {
            let new = pose(joints, seed);
            match edit {
                0 if !expected.is_empty() => {
                    let (instance, _) = expected.swap_remove(which.index(expected.len()));
                    crowd.remove(instance).unwrap();
                    gone.push(instance);
                }
                1 if !expected.is_empty() => {
                    let at = which.index(expected.len());
                    crowd.set_pose(expected[at].0, &new).unwrap();
                    expected[at].1 = new;
                }
                2 if !expected.is_empty() => {
                    let at = which.index(expected.len());
                    let joint = seed % u16::try_from(joints).unwrap();
                    crowd.set(expected[at].0, joint, new.get(joint)).unwrap();
                    prop_assert_eq!(crowd.get(expected[at].0, joint).unwrap(), new.get(joint));
                    expected[at].1.set(joint, new.get(joint));
                }
                3 => {
                    // Every second pose is unchanged.
                    let mut of = Vec::new();
                    crowd.change_poses(|instance, shown| {
                        let at = expected.iter().position(|(handle, _)| *handle == instance).unwrap();
                        assert_eq!(shown, &expected[at].1);
                        if at % 2 == 0 {
                            shown.clone_from(&new);
                            expected[at].1.clone_from(&new);
                        }
                        of.push(instance);
                        Ok::<_, Error>(())
                    }).unwrap();
                    prop_assert!(of.into_iter().eq(crowd.instances()));
                }
                _ => expected.push((crowd.insert(&new).unwrap(), new)),
            }
        }
        check(&crowd, &expected);
        for instance in gone {
            prop_assert!(!crowd.contains(instance) && crowd.range(instance).is_none());
            prop_assert_eq!(crowd.remove(instance), Err(Error::Skeleton(SkeletonError::StaleInstance(instance))));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let skeleton = skeleton(3);
    let mut crowd = Crowd::new(&skeleton);
    let instance = crowd.insert(&pose(3, 1)).unwrap();
    let count = Error::Skeleton(SkeletonError::JointCount { expected: 3, found: 4 });
    let unknown = Error::Skeleton(SkeletonError::UnknownJoint { joint: 3, joints: 3 });
    assert_eq!(crowd.insert(&Pose::new(4)), Err(count));
    assert_eq!(crowd.set_pose(instance, &Pose::new(4)), Err(count));
    assert_eq!(crowd.set(instance, 3, Transform::IDENTITY), Err(unknown));
    assert_eq!(crowd.model(instance, 3), Err(unknown));
    check(&crowd, &[(instance, pose(3, 1))]);
}

#[test]
fn a_chain_deeper_than_usual_is_posed_too() {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..300_u16 {
        builder.joint("", joint.checked_sub(1), Transform::IDENTITY);
    }
    let (skeleton, _) = builder.build().unwrap();
    let mut crowd = Crowd::new(&skeleton);
    let mut pose = Pose::new(300);
    (0..300).for_each(|joint| pose.set(joint, Transform::from_xyz(1.0, 0.0, 0.0)));
    let instance = crowd.insert(&pose).unwrap();
    let mut models = Vec::new();
    crowd.models(&mut models);
    assert_eq!(models[299].translation().x, 300.0);
    assert_eq!(crowd.model(instance, 299).unwrap().translation().x, 300.0);
}

#[test]
fn a_pose_of_another_skeleton_is_refused_after_those_before_its_sixteen_were_shown() {
    let skeleton = skeleton(5);
    let poses: Vec<Pose> = (0..40).map(|seed| pose(if seed == 20 { 4 } else { 5 }, seed)).collect();
    let mut shown = 0;
    let count = Error::Skeleton(SkeletonError::JointCount { expected: 5, found: 4 });
    let room = &mut Vec::new();
    let refused = skeleton.each_models(
        &poses,
        |pose| Ok((pose, ())),
        room,
        |(), _| {
            shown += 1;
            Ok::<_, Error>(())
        },
    );
    assert_eq!((refused, shown), (Err(count), 16));
}

/// The error of a closure.
#[derive(Debug, PartialEq)]
pub(crate) enum Stop {
    At(usize),
    Refused(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

#[test]
fn an_error_of_a_closure_ends_the_walk_and_is_returned() {
    let (skeleton, poses) = (skeleton(5), (0..40).map(|seed| pose(5, seed)).collect::<Vec<_>>());
    let (skin, room) = (skin(5), &mut Vec::new());
    for stop in [0, 7, 16, 39] {
        let mut seen = Vec::new();
        let mut visit = |number| {
            if number == stop {
                return Err(Stop::At(number));
            }
            seen.push(number);
            Ok(())
        };
        let numbered = |number: usize| Ok((&poses[number], number));
        assert_eq!(skeleton.each_models(0..40, numbered, room, |number, _| visit(number)), Err(Stop::At(stop)));
        assert_eq!(seen, (0..stop).collect::<Vec<_>>());
        let failing = |number: usize| if number == stop { Err(Stop::At(number)) } else { Ok((&poses[number], number)) };
        seen.clear();
        let stopped = skeleton.each_palette(&skin, 0..40, failing, room, |number, _| {
            seen.push(number);
            Ok(())
        });
        assert_eq!((stopped, seen), (Err(Stop::At(stop)), (0..stop / 16 * 16).collect()), "no part of its sixteen");
    }

    let mut crowd = Crowd::new(&skeleton);
    let mut expected: Vec<_> = poses.iter().map(|pose| (crowd.insert(pose).unwrap(), pose.clone())).collect();
    let mut calls = 0;
    let stopped = crowd.each_models(room, |_, _| {
        calls += 1;
        if calls == 21 { Err(Stop::At(calls)) } else { Ok(()) }
    });
    assert_eq!((stopped, calls), (Err(Stop::At(21)), 21));
    let stopped = crowd.each_palette(&skin, room, |_, _| {
        calls += 1;
        if calls == 25 { Err(Stop::At(calls)) } else { Ok(()) }
    });
    assert_eq!((stopped, calls), (Err(Stop::At(25)), 25));
    let new = pose(5, 99);
    let stopped = crowd.change_poses(|instance, shown| {
        if instance == expected[20].0 {
            return Err(Stop::At(20));
        }
        shown.clone_from(&new);
        Ok(())
    });
    assert_eq!(stopped, Err(Stop::At(20)));
    expected[..16].iter_mut().for_each(|(_, pose)| pose.clone_from(&new));
    check(&crowd, &expected);
}

#[test]
fn a_skin_that_follows_joints_beyond_the_skeleton_is_refused() {
    let (skeleton, skin, room) = (skeleton(5), skin(6), &mut Vec::new());
    let refused = Error::Skin(SkinError::Models { expected: 6, found: 5 });
    let mut crowd = Crowd::new(&skeleton);
    crowd.insert(&pose(5, 1)).unwrap();
    assert_eq!(crowd.palettes(&skin, room), Err(refused));
    assert_eq!(crowd.each_palette(&skin, room, |_, _| Ok(())), Err(refused));
    assert_eq!(crowd.par_each_palette(&skin, &mut [()], room, |_, (), _| Ok(())), Err(refused));
    let pose = Pose::rest(&skeleton);
    assert_eq!(skeleton.each_palette(&skin, [&pose], |pose| Ok((pose, ())), room, |(), _| Ok(())), Err(refused));
    let mut poses = [&pose];
    let asked = skeleton.par_each_palette(&skin, &mut poses, |pose| Ok((&**pose, ())), room, |(), _| Ok(()));
    assert_eq!(asked, Err(refused));
    let items = Error::Skeleton(SkeletonError::ItemCount { expected: 1, found: 2 });
    assert_eq!(crowd.par_each_models(&mut [(); 2], room, |_, (), _| Ok(())), Err(items));
    assert_eq!(crowd.par_change_poses(&mut [(); 2], |_, (), _| Ok(())), Err(items));
}

#[test]
fn palettes_of_a_skin_without_joints_are_empty() {
    let (skeleton, skin, room) = (skeleton(5), Skin::default(), &mut Vec::new());
    let mut crowd = Crowd::new(&skeleton);
    let instance = crowd.insert(&pose(5, 1)).unwrap();
    crowd.palettes(&skin, room).unwrap();
    assert_eq!((room.len(), crowd.palette_range(instance, &skin)), (0, Some(0..0)));
    let mut calls = 0;
    let mut count = |palette: Palette<'_>| {
        calls += 1;
        assert!(palette.is_empty());
        Ok::<_, Error>(())
    };
    crowd.each_palette(&skin, room, |_, palette| count(palette)).unwrap();
    skeleton.each_palette(&skin, [pose(5, 1)], |pose| Ok((pose, ())), room, |(), palette| count(palette)).unwrap();
    assert_eq!(calls, 2);
}

#[test]
#[cfg_attr(panic = "abort", ignore = "needs unwinding")]
fn a_pose_put_in_the_place_of_one_of_another_length_panics_and_changes_nothing_of_its_sixteen() {
    let skeleton = skeleton(5);
    let mut crowd = Crowd::new(&skeleton);
    let mut expected: Vec<_> = (0..20).map(|seed| (crowd.insert(&pose(5, seed)).unwrap(), pose(5, seed))).collect();
    let wrong = |_: InstanceHandle, shown: &mut Pose| {
        *shown = Pose::new(13);
        Ok::<_, Error>(())
    };
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| crowd.change_poses(wrong)));
    assert!(panicked.is_err());
    check(&crowd, &expected);
    let changed: Result<(), Error> = crowd.change_poses(|_, shown| {
        shown.clone_from(&expected[3].1);
        Ok(())
    });
    assert_eq!(changed, Ok(()));
    let same = expected[3].1.clone();
    expected.iter_mut().for_each(|(_, pose)| pose.clone_from(&same));
    check(&crowd, &expected);
}

#[test]
fn a_handle_is_stale_once_its_instance_is_gone_whoever_has_its_slot_then() {
    let skeleton = skeleton(3);
    let mut crowd = Crowd::new(&skeleton);
    let first = crowd.insert(&pose(3, 1)).unwrap();
    crowd.remove(first).unwrap();
    let second = crowd.insert(&pose(3, 2)).unwrap();
    assert_eq!(crowd.remove(first), Err(Error::Skeleton(SkeletonError::StaleInstance(first))));
    assert_eq!((crowd.range(first), crowd.range(second)), (None, Some(0..3)));
    check(&crowd, &[(second, pose(3, 2))]);
}
