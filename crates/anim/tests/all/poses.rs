//! Skeletons and poses with joints in any order, compared with double precision.

use hedgerow_anim::glam::{DAffine3, DVec3, Quat, Vec3};
use hedgerow_anim::{Mat34, Pose, Skeleton, SkeletonBuilder, Transform};
use proptest::prelude::*;

fn transform() -> impl Strategy<Value = Transform> {
    prop::array::uniform10(-1.0..1.0_f32).prop_map(|[tx, ty, tz, x, y, z, w, sx, sy, sz]| Transform {
        translation: Vec3::new(tx, ty, tz),
        rotation: Quat::from_xyzw(x, y, z, w + 1.5).normalize(),
        scale: Vec3::ONE + 0.1 * Vec3::new(sx, sy, sz),
    })
}

/// Generates joints for a builder: a tree, numbered in any order.
fn joints() -> impl Strategy<Value = Vec<(Option<u16>, Transform)>> {
    let tree = prop::collection::vec((any::<prop::sample::Index>(), transform()), 1..40);
    tree.prop_flat_map(|tree| {
        let order: Vec<u16> = (0..).take(tree.len()).collect();
        (Just(tree), Just(order).prop_shuffle()).prop_map(|(tree, order)| {
            let mut joints = vec![(None, Transform::IDENTITY); tree.len()];
            for (joint, (parent, local)) in tree.iter().enumerate() {
                let parent = joint.checked_sub(1).map(|_| order[parent.index(joint)]);
                joints[usize::from(order[joint])] = (parent, *local);
            }
            joints
        })
    })
}

/// Composes the model transform of a joint along the chain of parents.
fn expected(joints: &[(Option<u16>, Transform)], mut joint: u16) -> DAffine3 {
    let local = |joint: u16| {
        let Transform { translation, rotation, scale } = joints[usize::from(joint)].1;
        DAffine3::from_scale_rotation_translation(scale.as_dvec3(), rotation.as_dquat(), translation.as_dvec3())
    };
    let mut model = local(joint);
    while let Some(parent) = joints[usize::from(joint)].0 {
        model = local(parent) * model;
        joint = parent;
    }
    model
}

fn near(found: &Mat34, expected: DAffine3) -> bool {
    [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].iter().all(|&point| {
        let (found, expected) = (found.transform_point(point.as_vec3()).as_dvec3(), expected.transform_point3(point));
        (found - expected).abs().max_element() < 1e-5 * (1.0 + expected.abs().max_element())
    })
}

proptest! {
    #[test]
    fn joints_given_in_any_order_have_the_models_of_their_chains(joints in joints()) {
        let mut builder = SkeletonBuilder::new();
        for (number, &(parent, rest)) in (0_u16..).zip(&joints) {
            builder.joint(format!("joint {number}"), parent, rest);
        }
        let (skeleton, map) = builder.build().unwrap();
        prop_assert_eq!(&Skeleton::from_bytes(&skeleton.to_bytes()).unwrap(), &skeleton);

        let pose = Pose::rest(&skeleton);
        let mut models = Vec::new();
        pose.to_models(&skeleton, &mut models).unwrap();
        for (number, &(parent, _)) in (0_u16..).zip(&joints) {
            let joint = map[number];
            prop_assert_eq!(skeleton.name(joint), format!("joint {number}"));
            prop_assert_eq!(skeleton.parents()[usize::from(joint)], parent.map_or(Skeleton::NO_PARENT, |parent| map[parent]));
            prop_assert!(near(&models[usize::from(joint)], expected(&joints, number)), "joint {}", joint);
        }
    }
}
