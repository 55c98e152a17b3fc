//! The fingers of the puppet: ten closed tubes with six sides that begin within the palms.

use super::flesh::Cover;
use super::mesh::{PuppetMesh, Vertex};
use super::rig::{self, Arm, Rig};
use hedgerow::glam::Vec3;

/// The radius of a finger at its knuckle and at its tip.
const RADII: [f32; 2] = [0.0105, 0.0075];
/// The corners of a ring around the finger.
const RING: [(f32, f32); 6] = [(1.0, 0.0), (0.5, 0.866), (-0.5, 0.866), (-1.0, 0.0), (-0.5, -0.866), (0.5, -0.866)];

/// A ring of a tube: middle, radius, and two joints that it follows with equal weights.
struct Ring {
    middle: Vec3,
    radius: f32,
    joints: [u16; 2],
}

/// Adds the fingers of a hand.
pub(super) fn add(mesh: &mut PuppetMesh, rig: &Rig, arm: &Arm) {
    for (number, joints) in arm.fingers.into_iter().enumerate() {
        let [first, second, third] = joints;
        let [knuckle, middle, last] = joints.map(|joint| rig.place(joint));
        let tip = rig::finger_tip(rig, number, joints);
        let thick = if number == 0 { 1.25 } else { 1.0 };
        let ring =
            |middle, t: f32, joints| Ring { middle, radius: (RADII[0] + (RADII[1] - RADII[0]) * t) * thick, joints };
        let rings = [
            ring(knuckle - (middle - knuckle) * 0.4, 0.0, [arm.hand, first]),
            ring(knuckle + (middle - knuckle) * 0.3, 0.1, [first, first]),
            ring(middle, 0.4, [first, second]),
            ring(last, 0.7, [second, third]),
            ring(last.lerp(tip, 0.75), 1.0, [third, third]),
        ];
        tube(mesh, &rings, tip);
    }
}

fn tube(mesh: &mut PuppetMesh, rings: &[Ring], tip: Vec3) {
    let (Some(first), Some(last)) = (rings.first(), rings.last()) else { return };
    let along = (tip - first.middle).normalize();
    let across = along.any_orthonormal_vector();
    let up = along.cross(across);
    let sides = u32::try_from(RING.len()).expect("six");

    let foot = end(mesh, first, first.middle, -along);
    let mut before: Option<u32> = None;
    for ring in rings {
        let begin = mesh.next_vertex();
        for (x, y) in RING {
            let normal = across * x + up * y;
            let influences = if ring.joints[0] == ring.joints[1] {
                vec![(ring.joints[0], 1.0)]
            } else {
                ring.joints.map(|joint| (joint, 0.5)).to_vec()
            };
            mesh.push(Vertex { place: ring.middle + normal * ring.radius, normal, cover: Cover::Skin, influences });
        }
        for side in 0..sides {
            let next = (side + 1) % sides;
            match before {
                None => mesh.triangles.push([foot, begin + next, begin + side]),
                Some(before) => {
                    mesh.triangles.push([before + side, before + next, begin + next]);
                    mesh.triangles.push([before + side, begin + next, begin + side]);
                }
            }
        }
        before = Some(begin);
    }
    let head = end(mesh, last, tip, along);
    let begin = head - sides;
    for side in 0..sides {
        mesh.triangles.push([begin + side, begin + (side + 1) % sides, head]);
    }
}

/// Adds the end vertex of a tube next to a ring.
fn end(mesh: &mut PuppetMesh, ring: &Ring, place: Vec3, normal: Vec3) -> u32 {
    mesh.push(Vertex { place, normal, cover: Cover::Skin, influences: vec![(ring.joints[0], 1.0)] })
}
