//! Skeletons. Built ones are compared with lists of children. Changed bytes are refused or give working skeletons.

use crate::checksum::set_checksum;
use crate::dice::Dice;
use crate::forged;
use hedgerow_anim::{Pose, Skeleton, SkeletonBuilder, skeleton::SkeletonError};
use hedgerow_math::glam::{Quat, Vec3};
use hedgerow_math::{Mat34, Transform};

/// Settings, and changes of the bytes.
pub type Input = crate::Input<12, { forged::BEND_BYTES }>;

/// The greatest number of changes; more would leave nothing of a skeleton.
const MOST_BENDS: usize = 16;

/// The arguments of a builder's joint.
struct Joint {
    name: String,
    parent: Option<u16>,
    rest: Transform,
}

pub fn run(input: &Input) {
    let mut dice = Dice::new(&input.head);
    let [.., count, faults, drawable, _] = input.head;
    let joints = joints(&mut dice, usize::from(count % 48), faults, drawable);
    let mut builder = SkeletonBuilder::new();
    for Joint { name, parent, rest } in &joints {
        builder.joint(name.as_str(), *parent, *rest);
    }
    let expected = depth_first(&joints);
    let built = builder.build();
    let (skeleton, map) = match (built, expected) {
        (Ok(built), Some(order)) => {
            check(&built.0, &order, &joints);
            assert!(order.iter().enumerate().all(|(at, &number)| built.1.as_slice()[number] as usize == at));
            built
        }
        (Err(error), None) => {
            assert!(!error.to_string().is_empty());
            return;
        }
        (built, expected) => panic!("{expected:?} are built as {built:?}"),
    };
    assert_eq!(map.as_slice().len(), skeleton.len());
    let mut bytes = skeleton.to_bytes();
    assert_eq!(Skeleton::from_bytes(&bytes).as_ref(), Ok(&skeleton), "what was written is read");
    for &how in input.steps.iter().take(MOST_BENDS) {
        let before = bytes.clone();
        forged::bend(&mut bytes, how);
        assert!(bytes == before || Skeleton::from_bytes(&bytes).is_err(), "damage is not found by the checksum");
        set_checksum(&mut bytes);
        match Skeleton::from_bytes(&bytes) {
            Ok(read) => live_on(&read, &bytes),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Returns the joints of a random tree in any order, sometimes with a fault.
fn joints(dice: &mut Dice, count: usize, faults: u8, drawable: u8) -> Vec<Joint> {
    let names = ["hip", "knee", "", "föot", "a joint with a rather long name"];
    // In a hidden order, each joint's parent comes earlier.
    let mut order: Vec<usize> = (0..count).collect();
    for at in 0..count {
        if drawable.is_multiple_of(3) {
            order.swap(at, dice.index(count));
        }
    }
    let mut parents = vec![None; count];
    for at in 1..count {
        let reach = if drawable & 4 == 0 { at } else { at.min(2) };
        parents[order[at]] = Some(u16::try_from(order[at - 1 - dice.index(reach)]).expect("few joints"));
    }
    let mut joints: Vec<Joint> = parents
        .into_iter()
        .map(|parent| Joint { name: names[dice.index(names.len())].to_owned(), parent, rest: dice.transform() })
        .collect();
    if let Some(joint) = joints.len().checked_sub(1).map(|last| dice.index(last + 1)) {
        let joint = &mut joints[joint];
        match faults {
            200..=205 => joint.parent = None,
            206..=211 => joint.parent = Some(u16::MAX - u16::from(faults % 3)),
            212..=223 => joint.parent = Some(u16::try_from(dice.index(count)).expect("few joints")),
            224..=229 => joint.rest.translation.y = f32::NAN,
            230..=235 => joint.rest.rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            236..=241 => joint.rest.scale.z = f32::INFINITY,
            242..=247 => joint.rest.scale = Vec3::ZERO,
            _ => {}
        }
    }
    joints
}

/// Returns the joints depth-first, siblings in order, or `None` if they form no skeleton.
fn depth_first(joints: &[Joint]) -> Option<Vec<usize>> {
    let sound = |rest: &Transform| rest.is_finite() && rest.rotation.to_array() != [0.0; 4];
    if !joints.iter().all(|joint| sound(&joint.rest)) {
        return None;
    }
    let (mut order, mut stack) = (Vec::new(), Vec::new());
    let below = |parent: Option<usize>| {
        let same = move |joint: &Joint| joint.parent.map(usize::from) == parent;
        (0..joints.len()).rev().filter(move |&number| same(&joints[number]))
    };
    stack.extend(below(None));
    if stack.len() != 1 {
        return None;
    }
    while let Some(joint) = stack.pop() {
        order.push(joint);
        stack.extend(below(Some(joint)));
    }
    // Joints that the root does not reach are on a cycle or below a joint that does not exist.
    (order.len() == joints.len()).then_some(order)
}

/// Compares a skeleton with the joints given to the builder.
fn check(skeleton: &Skeleton, order: &[usize], joints: &[Joint]) {
    assert_eq!(skeleton.len(), joints.len());
    let place = |number: u16| order.iter().position(|&other| other == usize::from(number));
    for (at, &number) in order.iter().enumerate() {
        let Joint { name, parent, rest } = &joints[number];
        let joint = u16::try_from(at).expect("few joints");
        assert_eq!(skeleton.name(joint), name);
        let above = usize::from(skeleton.parents()[at]);
        assert_eq!(parent.map_or(usize::from(Skeleton::NO_PARENT), |parent| place(parent).expect("a joint")), above);
        let kept = skeleton.rest(joint);
        assert_eq!((kept.translation, kept.scale), (rest.translation, rest.scale));
        assert!((kept.rotation.normalize() - rest.rotation.normalize()).length() < 1e-6);
        let first = order.iter().position(|&number| joints[number].name == *name);
        assert_eq!(skeleton.find(name).map(usize::from), first, "the first joint of the name");
    }
    structure(skeleton);
    models(skeleton);
}

/// Checks that parents come first, and that each subtree is the range that it states.
fn structure(skeleton: &Skeleton) {
    let parents = skeleton.parents();
    assert_eq!(parents[0], Skeleton::NO_PARENT);
    for (joint, &parent) in parents.iter().enumerate().skip(1) {
        assert!(usize::from(parent) < joint, "joint {joint} is before its parent {parent}");
    }
    for joint in 0..skeleton.len() {
        let is_below = |other: usize| {
            let up = |&joint: &usize| (joint != 0).then(|| usize::from(parents[joint]));
            core::iter::successors(Some(other), up).any(|above| above == joint)
        };
        let end = (joint..skeleton.len()).take_while(|&other| is_below(other)).count() + joint;
        let range = skeleton.subtree(u16::try_from(joint).expect("few joints"));
        assert_eq!((usize::from(range.start), usize::from(range.end)), (joint, end));
    }
}

/// Checks that model matrices at rest are products of local ones.
fn models(skeleton: &Skeleton) {
    let mut found = Vec::new();
    Pose::rest(skeleton).to_models(skeleton, &mut found).expect("as many joints");
    let mut expected: Vec<Mat34> = Vec::new();
    for (joint, &parent) in (0_u16..).zip(skeleton.parents()) {
        let local = skeleton.rest(joint).to_matrix();
        let above = expected.get(usize::from(parent)).copied();
        expected.push(above.map_or(local, |above| above * local));
    }
    for (joint, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let size = expected.rows.iter().flatten().fold(1.0_f32, |most, number| most.max(number.abs()));
        let pairs = found.rows.iter().flatten().zip(expected.rows.iter().flatten());
        // Overflowing numbers overflow in both.
        let off = pairs.map(|(a, b)| (a - b).abs()).filter(|off| off.is_finite()).fold(0.0, f32::max);
        let sound = !size.is_finite() || off <= 1e-4 * size;
        assert!(sound, "the matrix of joint {joint} is {found:?}, not {expected:?}");
    }
}

/// Uses a skeleton of changed bytes, and checks that it is written as it was read.
pub fn live_on(skeleton: &Skeleton, bytes: &[u8]) {
    assert_eq!(skeleton.to_bytes(), bytes, "other bytes than were read");
    structure(skeleton);
    skeleton.names().for_each(|name| assert!(skeleton.find(name).is_some()));
    for joint in 0..skeleton.len() {
        let rest = skeleton.rest(u16::try_from(joint).expect("at most 65,535 joints"));
        assert!(rest.is_finite(), "joint {joint} rests at {rest:?}");
    }
    let mut models = Vec::new();
    Pose::rest(skeleton).to_models(skeleton, &mut models).expect("as many joints");
    assert_eq!(models.len(), skeleton.len());
    let refused = Pose::new(skeleton.len() + 1).to_models(skeleton, &mut models);
    let joints = matches!(refused, Err(hedgerow_anim::Error::Skeleton(SkeletonError::JointCount { .. })));
    assert!(joints, "a pose of more joints: {refused:?}");
}
