//! Inverse kinematics of legs, and closing of fingers.

use super::rig::{Arm, Leg, Rig};
use hedgerow::glam::{Mat3, Quat, Vec3};

/// Returns the rotations of thigh and shin, in model space, with which the leg reaches from hip to ankle, or as far as
/// its length allows. The knee points along `knee`.
///
/// The law of cosines gives the angle at the hip.
pub(super) fn reach(rig: &Rig, leg: &Leg, hip: Vec3, ankle: Vec3, knee: Vec3) -> [Quat; 2] {
    let [thigh, shin] = [(leg.thigh, leg.shin), (leg.shin, leg.foot)].map(|(from, to)| rig.place(to) - rig.place(from));
    let (a, b) = (thigh.length(), shin.length());
    let way = ankle - hip;
    let distance = way.length().clamp((a - b).abs() + 1e-3, a + b - 1e-3);
    let down = way.normalize_or(Vec3::NEG_Y);
    let forward = knee.reject_from(down).normalize_or(Vec3::Z);
    let cosine = ((a * a + distance * distance - b * b) / (2.0 * a * distance)).clamp(-1.0, 1.0);
    let bent = down * (a * cosine) + forward * (a * (1.0 - cosine * cosine).sqrt());
    let hinge = forward.cross(down);
    [(thigh, bent), (shin, down * distance - bent)].map(|(rest, bone)| {
        let frame = |bone: Vec3, hinge: Vec3| {
            let along = bone.normalize();
            let across = hinge.reject_from(along).normalize();
            Mat3::from_cols(across, along, across.cross(along))
        };
        Quat::from_mat3(&(frame(bone, hinge) * frame(rest, Vec3::X).transpose())).normalize()
    })
}

/// Returns the rotation of each joint of a finger that closes by an angle, about the axis perpendicular to the finger
/// and the palm's normal.
pub(super) fn curl(rig: &Rig, arm: &Arm, finger: usize, angle: f32) -> Quat {
    let [first, second, _] = arm.fingers[finger].map(|joint| rig.place(joint));
    let down = (rig.place(arm.hand) - rig.place(arm.fore)).normalize();
    let front = rig.place(arm.fingers[1][0]) - rig.place(arm.fingers[4][0]);
    // At rest, palms face down and toward the body.
    let normal = down.cross(front).normalize();
    let normal = if normal.y < 0.0 { normal } else { -normal };
    Quat::from_axis_angle((second - first).cross(normal).normalize(), angle)
}
