//! The clips that players are measured on.

use super::rng::Rng;
use hedgerow::anim::{RawClip, raw::Track};
use hedgerow::glam::{Quat, Vec3};
use std::f32::consts::TAU;

/// Joints of the test clip.
pub const TEST_CLIP_JOINTS: usize = 96;
/// Rotation keys of each of its joints.
pub const TEST_CLIP_KEYS: usize = 120;
/// Keys in a second of it.
pub const TEST_CLIP_RATE: f32 = 30.0;

/// The test clip: the rotation of joint *t* at key *k* is sin(0.1 *k* + *t*) radians about y, at 30 keys a second; its
/// translation (0, 0.1, 0) and its scale 1 are constant, and have a key each.
#[must_use]
pub fn test_clip() -> RawClip {
    swaying(TEST_CLIP_JOINTS, TEST_CLIP_KEYS, 0.0)
}

/// The same with other numbers of joints and keys, and with all joints ahead by a phase in radians.
///
/// # Panics
/// Panics where there are fewer than two keys, or more than 65,535 joints.
#[must_use]
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

/// What a capture's rotations are off by, in radians: three hundredths of a degree.
const NOISE: f32 = 5e-4;

/// As many joints and keys as the test clip has, as motion capture leaves them: each joint turns about two axes by
/// three frequencies of its own, a quarter of the joints not at all (one key); a third stand still for a while; the
/// first one walks; and every key is off by a little seeded noise, in rest, too. Scales and the other translations are
/// constant.
///
/// # Panics
/// Never.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
pub fn captured_clip() -> RawClip {
    let mut rng = Rng::new(14);
    let times: Vec<f32> = (0..TEST_CLIP_KEYS).map(|key| key as f32 / TEST_CLIP_RATE).collect();
    let mut clip = RawClip::new(times[TEST_CLIP_KEYS - 1], TEST_CLIP_JOINTS).expect("a duration as it may be");
    for joint in 0..u16::try_from(TEST_CLIP_JOINTS).expect("joints have 16 bits") {
        let swings = [1.0, 0.4, 0.1].map(|share| Swing::new(&mut rng, share));
        // Still from one key to another.
        let still = if joint % 3 == 1 { 20 + rng.below(40) as usize } else { TEST_CLIP_KEYS };
        let until = still + 15 + rng.below(30) as usize;
        let mut rotation = |key: usize| {
            let moved = if key < still { key } else { still.max((key + still).saturating_sub(until)) };
            let angles: Vec3 = swings.iter().map(|swing| swing.at(times[moved])).sum();
            Quat::from_scaled_axis(angles + noise(&mut rng, NOISE))
        };
        let rotation = if joint % 4 == 3 {
            Track::constant(rotation(0))
        } else {
            Track::linear(times.clone(), (0..TEST_CLIP_KEYS).map(rotation).collect())
        };
        clip.set_rotation(joint, rotation.expect("ordered keys")).expect("keys within the clip");
        let translation = if joint == 0 {
            let walk = |&time: &f32| Vec3::new(0.0, 0.9 + 0.03 * (2.0 * TAU * time).sin(), 1.4 * time);
            let places = times.iter().map(|time| walk(time) + noise(&mut rng, 1e-3)).collect();
            Track::linear(times.clone(), places)
        } else {
            Track::constant(Vec3::new(0.0, 0.05 + 0.3 * rng.signed().abs(), 0.0))
        };
        clip.set_translation(joint, translation.expect("ordered keys")).expect("keys within the clip");
        clip.set_scale(joint, Track::constant(Vec3::ONE).expect("a finite value")).expect("a joint of the clip");
    }
    clip
}

/// A vector within a cube of this half edge.
fn noise(rng: &mut Rng, most: f32) -> Vec3 {
    Vec3::from_array([(); 3].map(|()| most * rng.signed()))
}

/// One of the frequencies that a joint turns by.
struct Swing {
    /// Radians about each axis.
    most: Vec3,
    /// Turns in a second.
    often: f32,
    phase: f32,
}

impl Swing {
    /// The smaller the share of the whole motion, the faster: steps last some half a second.
    fn new(rng: &mut Rng, share: f32) -> Self {
        let [x, y] = [(); 2].map(|()| share * (0.3 + 0.2 * rng.signed()));
        Self { most: Vec3::new(x, y, 0.0), often: (1.4 + 0.6 * rng.signed()) / share.sqrt(), phase: rng.signed() * TAU }
    }

    fn at(&self, time: f32) -> Vec3 {
        self.most * (TAU * self.often * time + self.phase).sin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_captured_clip_moves_rests_and_is_never_twice_the_same() {
        let clip = captured_clip();
        let keys = |joint| clip.rotation(joint).expect("each joint has a track");
        let moving = (0..96).filter(|&joint| keys(joint).len() == TEST_CLIP_KEYS).count();
        assert_eq!(moving, 72);
        let steps = |joint: u16| {
            let track = keys(joint);
            let step = |key| 2.0 * (track.value(key + 1) - track.value(key)).length();
            (0..track.len() - 1).map(step).collect::<Vec<_>>()
        };
        for joint in (0..96).filter(|joint| joint % 4 != 3) {
            assert!(steps(joint).iter().all(|&step| step > 0.0), "joint {joint} has noise in every key");
            let still = steps(joint).iter().filter(|&&step| step < 4.0 * NOISE).count();
            assert_eq!(still >= 10, joint % 3 == 1, "joint {joint} rests for {still} keys");
        }
    }
}
