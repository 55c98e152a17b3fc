//! The weighted sum of three poses.

use super::{ALL_JOINTS, TOUCHED, case, pose_of, same};
use crate::Outcome;
use crate::front::{Calls, Front, checked_elsewhere};
use crate::workloads::{CHARACTERS, JOINTS, Streams, character};
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{
    Mat34, Transform,
    anim::{Pose, Skeleton, blend::PoseSum},
};

const WEIGHTS: [f32; 3] = [0.5, 0.3, 0.2];

/// Three poses, their sum, and what it comes to.
type Blended = (Vec<Pose>, PoseSum, Pose);

/// Three poses summed and finished, against the same by joint, with glam, and against the bytes that this touches.
pub(super) fn run<F: Front>(front: &mut F, skeleton: &Skeleton) -> Outcome {
    let three: Vec<Vec<Transform>> = (0..3).map(|seed| character(skeleton, seed, false)).collect();
    let poses: Vec<Pose> = three.iter().map(|locals| pose_of(skeleton, locals)).collect();
    let mut ours: Blended = (poses, PoseSum::new(JOINTS), Pose::new(JOINTS));
    let calls = Calls {
        case: case("blend", "joint by joint, with glam"),
        // One character is blended in a call.
        per: ALL_JOINTS / CHARACTERS,
        repeats: CHARACTERS,
        sides: (&mut ours, &mut (three, vec![Transform::IDENTITY; JOINTS])),
        ours: blend,
        baseline: |(poses, out)| {
            for (joint, out) in out.iter_mut().enumerate() {
                let (mut translation, mut scale, mut rotation) = (Vec3::ZERO, Vec3::ZERO, Quat::from_array([0.0; 4]));
                for (pose, weight) in poses.iter().zip(WEIGHTS) {
                    let one = &pose[joint];
                    translation += one.translation * weight;
                    scale += one.scale * weight;
                    let near = if rotation.dot(one.rotation) < 0.0 { -weight } else { weight };
                    rotation += one.rotation * near;
                }
                *out = Transform { translation, rotation: rotation.normalize(), scale };
            }
        },
    };
    front.calls(calls, |(_, _, ours), (_, theirs)| {
        let found: Vec<Mat34> = (0..).zip(&*theirs).map(|(joint, _)| ours.get(joint).to_matrix()).collect();
        same(&found, theirs.iter().map(|transform| transform.to_matrix().into()))
    })?;
    let transform = size_of::<[f32; 10]>();
    let calls = Calls {
        case: case("blend-memory", TOUCHED),
        per: ALL_JOINTS / CHARACTERS,
        repeats: CHARACTERS,
        sides: (&mut ours, &mut Streams::new(JOINTS, JOINTS, WEIGHTS.len() * transform, transform)),
        ours: blend,
        baseline: Streams::touch,
    };
    front.calls(calls, checked_elsewhere)
}

/// The weighted sum of all poses.
fn blend((poses, sum, out): &mut Blended) {
    for (pose, weight) in poses.iter().zip(WEIGHTS) {
        sum.add(pose, weight, None).expect("poses of as many joints");
    }
    sum.finish(&poses[0], out).expect("poses of as many joints");
}
