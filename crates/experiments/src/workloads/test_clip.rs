//! The clip that players are measured with.

use hedgerow::glam::{Quat, Vec3};
use hedgerow_anim::{RawClip, raw::Track};

/// The number of joints in the test clip.
pub const TEST_CLIP_JOINTS: usize = 96;
/// The number of rotation keys of each joint.
pub const TEST_CLIP_KEYS: usize = 120;
/// The number of keys per second.
pub const TEST_CLIP_RATE: f32 = 30.0;

/// Returns the test clip. The rotation of joint *t* at key *k* is sin(0.1 *k* + *t*) radians about y. Its translation
/// (0, 0.1, 0) and its scale 1 are constant, with one key each.
pub fn test_clip() -> RawClip {
    swaying(TEST_CLIP_JOINTS, TEST_CLIP_KEYS, 0.0)
}

/// Returns such a clip with other numbers of joints and keys, and with all joints ahead by `phase` radians.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub fn swaying(joints: usize, keys: usize, phase: f32) -> RawClip {
    let times: Vec<f32> = (0..keys).map(|key| key as f32 / TEST_CLIP_RATE).collect();
    let duration = *times.last().expect("at least two keys");
    let mut clip = RawClip::new(duration, joints).expect("a duration and joints as they may be");
    for joint in 0..u16::try_from(joints).expect("joints have 16 bits") {
        let angle = |key: usize| (0.1 * key as f32 + f32::from(joint) + phase).sin();
        let rotations = (0..keys).map(|key| Quat::from_rotation_y(angle(key))).collect();
        let rotation = Track::linear(times.clone(), rotations).expect("ordered keys");
        clip.set_rotation(joint, rotation).expect("keys within the clip");
        let translation = Track::constant(Vec3::new(0.0, 0.1, 0.0)).expect("a finite value");
        clip.set_translation(joint, translation).expect("a joint of the clip");
        clip.set_scale(joint, Track::constant(Vec3::ONE).expect("a finite value")).expect("a joint of the clip");
    }
    clip
}
