//! A character of 96 joints, and poses for a thousand such characters.

use super::rng::Rng;
use hedgerow::Transform;
use hedgerow::glam::{EulerRot, Quat, Vec3};
use hedgerow_anim::{Skeleton, SkeletonBuilder};

/// The number of characters. Source: S. Reinalter, *Adventures in data-oriented design*, part 2.
pub const CHARACTERS: usize = 1000;
/// The number of joints of each character.
pub const JOINTS: usize = 96;

/// Returns a humanoid rig of [`JOINTS`] joints, with face, fingers, twist joints and a tail.
pub fn rig() -> Skeleton {
    let mut rig = Rig::default();
    let root = rig.chain("root", None, 1, Vec3::ZERO);
    let hips = rig.chain("hips", Some(root), 1, Vec3::new(0.0, 1.0, 0.0));
    let chest = rig.chain("spine", Some(hips), 5, Vec3::new(0.0, 0.1, 0.01));
    let neck = rig.chain("neck", Some(chest), 2, Vec3::new(0.0, 0.07, 0.0));
    let head = rig.chain("head", Some(neck), 1, Vec3::new(0.0, 0.1, 0.02));
    let jaw = rig.chain("jaw", Some(head), 1, Vec3::new(0.0, -0.02, 0.06));
    rig.chain("tongue", Some(jaw), 2, Vec3::new(0.0, 0.0, 0.02));
    rig.chain("lip", Some(jaw), 1, Vec3::new(0.0, 0.0, 0.05));
    for side in [-1.0, 1.0] {
        for (name, height) in [("eye", 0.06), ("lid", 0.07), ("brow", 0.09), ("cheek", 0.02)] {
            rig.chain(name, Some(head), 1, Vec3::new(0.03 * side, height, 0.08));
        }
        let shoulder = rig.chain("clavicle", Some(chest), 1, Vec3::new(0.1 * side, 0.05, 0.0));
        let upper = rig.chain("upper arm", Some(shoulder), 1, Vec3::new(0.1 * side, 0.0, 0.0));
        rig.chain("sleeve", Some(upper), 1, Vec3::new(0.05 * side, 0.0, 0.0));
        rig.chain("upper arm twist", Some(upper), 1, Vec3::new(0.15 * side, 0.0, 0.0));
        let lower = rig.chain("lower arm", Some(upper), 1, Vec3::new(0.3 * side, 0.0, 0.0));
        rig.chain("lower arm twist", Some(lower), 1, Vec3::new(0.13 * side, 0.0, 0.0));
        let hand = rig.chain("hand", Some(lower), 1, Vec3::new(0.26 * side, 0.0, 0.0));
        for (finger, place) in
            ["thumb", "index", "middle", "ring", "little"].into_iter().zip([-2.0, -1.0, 0.0, 1.0, 2.0])
        {
            rig.chain(finger, Some(hand), 4, Vec3::new(0.03 * side, 0.0, 0.008 * place));
        }
        let leg = rig.chain("upper leg", Some(hips), 1, Vec3::new(0.1 * side, -0.05, 0.0));
        rig.chain("upper leg twist", Some(leg), 1, Vec3::new(0.0, -0.2, 0.0));
        let foot = rig.chain("lower leg", Some(leg), 2, Vec3::new(0.0, -0.43, 0.0));
        rig.chain("toe", Some(foot), 2, Vec3::new(0.0, -0.02, 0.09));
    }
    rig.chain("tail", Some(hips), 8, Vec3::new(0.0, 0.0, -0.1));
    let (skeleton, _) = rig.builder.build().expect("a tree of finite joints");
    assert_eq!(skeleton.len(), JOINTS);
    skeleton
}

/// Returns local transforms of all joints: the rest pose with rotations of up to 0.5 rad about each axis and scales
/// within 5 % of 1.
pub fn character(skeleton: &Skeleton, seed: u64) -> Vec<Transform> {
    let mut rng = Rng::new(seed);
    (0..skeleton.parents().len())
        .map(|joint| {
            let rest = skeleton.rest(u16::try_from(joint).expect("joints are u16"));
            let [x, y, z, a, b, c] = core::array::from_fn(|_| rng.signed());
            let turn = Quat::from_euler(EulerRot::XYZ, 0.5 * x, 0.5 * y, 0.5 * z);
            Transform { rotation: rest.rotation * turn, scale: Vec3::ONE + 0.05 * Vec3::new(a, b, c), ..rest }
        })
        .collect()
}

#[derive(Default)]
struct Rig {
    builder: SkeletonBuilder,
}

impl Rig {
    /// Adds `count` joints, each below the previous joint and at the same offset. Returns the last.
    fn chain(&mut self, name: &str, parent: Option<u16>, count: usize, at: Vec3) -> u16 {
        let mut last = parent;
        for link in 1..=count {
            let rest = Transform::from_translation(at).with_rotation(Quat::from_rotation_y(0.1));
            last = Some(self.builder.joint(format!("{name} {link}"), last, rest));
        }
        last.expect("a chain has links")
    }
}
