//! Error messages: numbers and advice.

use hedgerow_anim::raw::{ClipError, TrackName, TrackPart};
use hedgerow_anim::skeleton::SkeletonError;
use hedgerow_anim::skin::{Skin, SkinError};
use hedgerow_anim::{Error, Transform};

/// Checks that each message contains its parts, and has advice after a semicolon or a colon.
fn check(said: &[(Error, &[&str])]) {
    for (error, parts) in said {
        let text = error.to_string();
        for part in *parts {
            assert!(text.contains(part), "{error:?} says {text:?}, without {part:?}");
        }
        assert!(text.contains("; "), "{error:?} says {text:?}, and not what to do");
        assert!(!text.ends_with('.') && !text.contains("  "), "{text:?}");
    }
}

#[test]
fn clip_errors_say_which_key_and_what_to_do() {
    let track = TrackName::Joint(8, TrackPart::Scale);
    check(&[
        (ClipError::Duration(-3.5).into(), &["-3.5 seconds"]),
        (ClipError::TooManyJoints(70_000).into(), &["70000 joints", "65,535"]),
        (ClipError::NoKeys.into(), &["leave the track out"]),
        (
            ClipError::ValueCount { keys: 4, per_key: 3, values: 5 }.into(),
            &["4 keys need 12 values, 3 per key", "has 5"],
        ),
        (ClipError::Time { key: 6, time: -1.0 }.into(), &["key 6", "-1 seconds"]),
        (ClipError::TimeOrder { key: 2, before: 0.75, time: 0.5 }.into(), &["key 2 is at 0.5", "at 0.75"]),
        (ClipError::NotFinite { key: 9 }.into(), &["key 9"]),
        (ClipError::NotRotation { key: 11 }.into(), &["key 11", "zero quaternion"]),
        (ClipError::BeyondEnd { track, key: 7, time: 2.0, duration: 1.5 }.into(), &["the scale of joint 8", "at 1.5"]),
        (ClipError::EventTime { time: 3.5, duration: 1.5 }.into(), &["3.5 s", "1.5 s"]),
        (ClipError::NoSuchJoint { joint: 31, joints: 30 }.into(), &["30 joints", "no joint 31"]),
        (ClipError::JointCount { clip: 17, skeleton: 18 }.into(), &["17 joints", "has 18"]),
        (ClipError::ChannelCount { expected: 5, found: 6 }.into(), &["6 numbers", "5 channels"]),
        (ClipError::Bound { field: "scale", found: -0.5 }.into(), &["Reduction::scale is -0.5"]),
        (ClipError::TooManyLines(TrackName::Channel(3)).into(), &["channel 3", "1,048,576"]),
        (ClipError::TooLarge.into(), &["split it"]),
        (ClipError::JumpSpacing(-2.0).into(), &["spacing of -2"]),
        (ClipError::ArcError(0.0).into(), &["0 radians"]),
        (ClipError::NotAClip.into(), &["Clip::to_bytes"]),
        (ClipError::Version { found: 99, newest: 4 }.into(), &["version 99"]),
        (ClipError::Length { expected: 1234, found: 567 }.into(), &["1234 bytes", "has 567"]),
        (ClipError::Checksum.into(), &["damaged"]),
        (ClipError::Malformed("the number of its tracks").into(), &["the number of its tracks is wrong"]),
    ]);
}

#[test]
fn skeleton_errors_say_which_joint_and_what_to_do() {
    check(&[
        (SkeletonError::NoJoints.into(), &["give the builder a root"]),
        (SkeletonError::TooManyJoints(65_536).into(), &["65536 joints"]),
        (SkeletonError::UnknownParent { joint: 4, parent: 44 }.into(), &["joint 4 ", "parent 44 "]),
        (SkeletonError::SecondRoot { root: 1, joint: 2 }.into(), &["joint 2 ", "joint 1;"]),
        (SkeletonError::Cycle { joint: 13 }.into(), &["joint 13"]),
        (SkeletonError::NotFinite { joint: 14 }.into(), &["joint 14 is not finite"]),
        (SkeletonError::NotRotation { joint: 15 }.into(), &["joint 15 is zero"]),
        (SkeletonError::LongNames.into(), &["4 GiB"]),
        (SkeletonError::NotASkeleton.into(), &["Skeleton::to_bytes"]),
        (SkeletonError::Version { found: 77, newest: 3 }.into(), &["version 77"]),
        (SkeletonError::Length { expected: 321, found: 123 }.into(), &["321 bytes", "has 123"]),
        (SkeletonError::Checksum.into(), &["damaged"]),
        (SkeletonError::Invalid("a joint before its parent").into(), &["a joint before its parent"]),
        (SkeletonError::JointCount { expected: 6, found: 5 }.into(), &["5 joints", "instead of 6"]),
        (SkeletonError::BadWeight.into(), &["clamp it"]),
        (SkeletonError::NotBelow { joint: 4, ancestor: 9 }.into(), &["joint 4", "below joint 9"]),
        (SkeletonError::UnknownJoint { joint: 5, joints: 4 }.into(), &["joint 5 is out of range", "below 4"]),
    ]);
}

#[test]
fn skin_errors_say_which_vertex_and_what_to_do() {
    let [expected, found] = [(); 2].map(|()| Skin::new(vec![0], vec![Transform::IDENTITY.to_matrix()]).unwrap().id());
    let ids = [expected, found].map(|id| format!("{id:?}"));
    check(&[
        (SkinError::InverseBinds { joints: 3, found: 2 }.into(), &["3 joints", "2 inverse bind"]),
        (SkinError::InverseBind { joint: 7 }.into(), &["joint 7"]),
        (SkinError::TooManyJoints { joints: 70_000 }.into(), &["70000 joints"]),
        (SkinError::Models { expected: 8, found: 9 }.into(), &["8 model matrices", "9 were passed"]),
        (SkinError::Palette { expected: 8, found: 9 }.into(), &["9 matrices instead of 8"]),
        (SkinError::OtherSkin { expected, found }.into(), &[&ids[0], &ids[1]]),
        (SkinError::SkinJoints { expected: 5, found: 6 }.into(), &["5 joints and not of 6"]),
        (SkinError::Length { what: "normals", expected: 5, found: 6 }.into(), &["6 normals", "5 are expected"]),
        (SkinError::TooManyVertices { vertices: 1 << 33 }.into(), &["8589934592 vertices"]),
        (SkinError::NotFinite { what: "positions", vertex: 4 }.into(), &["positions of vertex 4"]),
        (SkinError::Weight { vertex: 3, weight: -1.0 }.into(), &["vertex 3 is -1"]),
        (SkinError::Joint { vertex: 2, joint: 6, joints: 5 }.into(), &["vertex 2 follows joint 6", "has 5"]),
        (SkinError::Index { place: 1, index: 8, vertices: 7 }.into(), &["index 1 is vertex 8", "has 7"]),
        (SkinError::MorphWeight { target: 2, weight: f32::INFINITY }.into(), &["target 2 is inf"]),
        (SkinError::WrongKind("skinned mesh").into(), &["not a skinned mesh"]),
        (SkinError::Version { found: 55, newest: 3 }.into(), &["version 55"]),
        (SkinError::FileLength { expected: 40, found: 39 }.into(), &["39 bytes instead of 40"]),
        (SkinError::Checksum.into(), &["damaged"]),
        (SkinError::Malformed("unknown flags").into(), &["unknown flags"]),
        (SkinError::Absent { what: "tangents" }.into(), &["no tangents"]),
        (SkinError::Character { character: 9, characters: 8 }.into(), &["character 9", "has 8"]),
    ]);
}

#[test]
fn errors_of_numbers_say_what_is_wanted() {
    check(&[
        (hedgerow_math::Error::NotFinite("a root motion").into(), &["a root motion must be finite"]),
        (hedgerow_math::Error::NotRotation.into(), &["a nonzero quaternion"]),
        (hedgerow_math::Error::NotAffine.into(), &["0, 0, 0, 1"]),
        (hedgerow_math::Error::Singular.into(), &["no inverse"]),
    ]);
}
