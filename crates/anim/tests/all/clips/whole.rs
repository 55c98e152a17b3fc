//! Sampling gives the whole pose, whatever the pose held before.

use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::raw::Track;
use hedgerow_anim::{Clip, ClipBuilder, Player, Pose, RawClip, Skeleton, SkeletonBuilder, Transform, blend::PoseSum};

/// Returns hips, a spine and a head, half a metre each.
fn skeleton() -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    let half = Transform::from_xyz(0.0, 0.5, 0.0);
    builder.joint("hips", None, half);
    builder.joint("spine", Some(0), half);
    builder.joint("head", Some(1), half);
    builder.build().expect("a chain").0
}

/// Returns a clip with constant hips and a turning spine, without tracks of the head.
fn bowing(height: f32) -> RawClip {
    let mut raw = RawClip::new(1.0, 3).expect("a sound clip");
    raw.set_translation(0, Track::constant(Vec3::new(0.0, height, 0.0)).expect("a value")).expect("a joint");
    let turns = [0.0, 1.0].map(Quat::from_rotation_x).to_vec();
    raw.set_rotation(1, Track::linear(vec![0.0, 1.0], turns).expect("keys")).expect("a joint");
    raw
}

/// Returns a clip with only a constant head rotation.
fn nodding() -> RawClip {
    let mut raw = RawClip::new(1.0, 3).expect("a sound clip");
    raw.set_rotation(2, Track::constant(Quat::from_rotation_z(0.4)).expect("a value")).expect("a joint");
    raw
}

fn compiled(raw: &RawClip) -> Clip {
    ClipBuilder::new().build(raw).expect("a sound clip").0
}

fn fresh(clip: &Clip, skeleton: &Skeleton) -> Pose {
    let mut pose = Pose::rest(skeleton);
    at_half(clip).sample(&mut pose).expect("joints as many");
    pose
}

fn at_half(clip: &Clip) -> Player<&Clip> {
    let mut player = Player::new(clip);
    player.seek(0.5);
    player
}

#[test]
fn a_pose_that_held_another_clip_shows_the_present_one() {
    let skeleton = skeleton();
    let (upright, crouched, nod) = (compiled(&bowing(1.0)), compiled(&bowing(0.5)), compiled(&nodding()));
    let mut pose = Pose::rest(&skeleton);
    // Shows each clip after each other clip, and after itself.
    for clip in [&upright, &crouched, &nod, &nod, &upright, &nod, &crouched, &crouched, &upright, &upright] {
        at_half(clip).sample(&mut pose).expect("joints as many");
        assert_eq!(pose, fresh(clip, &skeleton));
    }
    assert_eq!(pose.get(0).translation.y, 1.0);
    assert_eq!(pose.get(2), Transform::from_xyz(0.0, 0.5, 0.0), "the head rests, since this clip does not move it");
}

type Edit<'e> = &'e dyn Fn(&mut Pose);

#[test]
fn whatever_is_done_to_a_pose_between_two_samples_is_gone() {
    let skeleton = skeleton();
    let (upright, crouched) = (compiled(&bowing(1.0)), compiled(&bowing(0.5)));
    let other = fresh(&crouched, &skeleton);
    let mut difference = Pose::new(3);
    other.difference(&Pose::rest(&skeleton), &mut difference).unwrap();
    let edits: [(&str, Edit<'_>); 7] = [
        ("set", &|pose| pose.set(0, Transform::from_xyz(9.0, 9.0, 9.0))),
        ("crossfade", &|pose| pose.crossfade(&other, 0.5, None).unwrap()),
        ("add", &|pose| pose.add(&difference, 0.5, None).unwrap()),
        ("difference", &|pose| other.difference(&Pose::rest(&skeleton), pose).unwrap()),
        ("sum", &|pose| {
            let mut sum = PoseSum::new(3);
            sum.add(&other, 1.0, None).unwrap();
            sum.finish(&Pose::rest(&skeleton), pose).unwrap();
        }),
        ("authored", &|pose| bowing(7.0).sample(0.3, pose).unwrap()),
        ("over", &|pose| at_half(&crouched).sample_over(pose).unwrap()),
    ];
    let expected = fresh(&upright, &skeleton);
    for (name, edit) in edits {
        let mut pose = expected.clone();
        at_half(&upright).sample(&mut pose).unwrap();
        edit(&mut pose);
        assert_ne!(pose, expected, "{name}");
        at_half(&upright).sample(&mut pose).unwrap();
        assert_eq!(pose, expected, "{name}");
    }
}

#[test]
fn clips_with_the_same_bytes_are_the_same_to_a_pose_and_others_are_not() {
    let skeleton = skeleton();
    let upright = compiled(&bowing(1.0));
    let (copy, again) = (upright.clone(), Clip::from_bytes(upright.to_bytes().to_vec()).unwrap());
    assert!(upright == copy && upright == again && upright != compiled(&bowing(0.5)));
    let mut pose = Pose::rest(&skeleton);
    for clip in [&upright, &copy, &again] {
        at_half(clip).sample(&mut pose).unwrap();
        assert_eq!(pose, fresh(&upright, &skeleton));
    }
}

#[test]
fn a_clip_of_some_joints_is_sampled_over_another() {
    let skeleton = skeleton();
    let mut pose = fresh(&compiled(&bowing(1.0)), &skeleton);
    at_half(&compiled(&nodding())).sample_over(&mut pose).unwrap();
    assert_eq!((pose.get(0).translation.y, pose.get(2).rotation), (1.0, Quat::from_rotation_z(0.4)));
}
