//! The joints of the puppet: a person 1.8 metres tall who faces +z, with the left hand at +x, arms half lowered and
//! feet apart.
//!
//! At rest no joint is rotated, so the axes of joints are the model's.

use hedgerow::Transform;
use hedgerow::glam::Vec3;
use hedgerow_anim::{Skeleton, SkeletonBuilder};
use hedgerow_character::CharacterError;

/// The skeleton, the rest positions of its joints in model space, and the joints by name.
pub(crate) struct Rig {
    pub(crate) skeleton: Skeleton,
    pub(crate) places: Vec<Vec3>,
    pub(crate) body: Body,
}

/// The joints that clips move and flesh follows.
pub(crate) struct Body {
    pub(crate) hips: u16,
    /// The spine, from waist to chest.
    pub(crate) spine: [u16; 4],
    pub(crate) neck: [u16; 2],
    pub(crate) head: u16,
    pub(crate) jaw: u16,
    /// The arms, left first.
    pub(crate) arms: [Arm; 2],
    pub(crate) legs: [Leg; 2],
}

/// The joints of an arm. A twist joint is halfway down its bone and turns half as far as the end.
pub(crate) struct Arm {
    pub(crate) clavicle: u16,
    pub(crate) upper: u16,
    pub(crate) upper_twist: u16,
    pub(crate) fore: u16,
    pub(crate) fore_twist: u16,
    pub(crate) hand: u16,
    /// Three joints per finger, thumb first.
    pub(crate) fingers: [[u16; 3]; 5],
}

/// The joints of a leg.
pub(crate) struct Leg {
    pub(crate) thigh: u16,
    pub(crate) thigh_twist: u16,
    pub(crate) shin: u16,
    pub(crate) shin_twist: u16,
    pub(crate) foot: u16,
    pub(crate) toes: u16,
}

/// The direction of the left arm at rest: 40 degrees below the horizontal.
const ARM: Vec3 = Vec3::new(0.766, -0.643, 0.0);
/// Fingers, thumb first: name, start along the hand, start toward the front, and the length of each bone.
const FINGERS: [(&str, f32, f32, [f32; 3]); 5] = [
    ("thumb", 0.025, 0.032, [0.040, 0.030, 0.024]),
    ("index", 0.088, 0.030, [0.040, 0.025, 0.020]),
    ("middle", 0.092, 0.010, [0.044, 0.028, 0.021]),
    ("ring", 0.088, -0.010, [0.040, 0.026, 0.020]),
    ("little", 0.080, -0.029, [0.032, 0.020, 0.017]),
];

impl Rig {
    /// Builds the skeleton: 68 joints.
    pub(crate) fn new() -> Result<Self, CharacterError> {
        let mut tree = Tree { builder: SkeletonBuilder::new(), places: Vec::new() };
        let root = tree.joint("root", None, Vec3::ZERO);
        let hips = tree.joint("hips", Some(root), Vec3::new(0.0, 0.96, 0.0));
        let mut top = hips;
        let spine =
            [("waist", 1.06, 0.0), ("spine_1", 1.16, -0.012), ("spine_2", 1.26, -0.016), ("chest", 1.36, -0.012)];
        let spine = spine.map(|(name, y, z)| {
            top = tree.joint(name, Some(top), Vec3::new(0.0, y, z));
            top
        });
        let chest = top;
        let neck = [("neck_1", 1.49, -0.018), ("neck_2", 1.545, -0.006)].map(|(name, y, z)| {
            top = tree.joint(name, Some(top), Vec3::new(0.0, y, z));
            top
        });
        let head = tree.joint("head", Some(top), Vec3::new(0.0, 1.60, 0.004));
        let jaw = tree.joint("jaw", Some(head), Vec3::new(0.0, 1.625, 0.025));
        for (name, side) in [("eye_l", 1.0), ("eye_r", -1.0)] {
            tree.joint(name, Some(head), Vec3::new(0.032 * side, 1.685, 0.085));
        }
        let sides = [("l", 1.0), ("r", -1.0)];
        let arms = sides.map(|(side, sign)| tree.arm(chest, side, sign));
        let legs = sides.map(|(side, sign)| tree.leg(hips, side, sign));
        let body = Body { hips, spine, neck, head, jaw, arms, legs };

        let (skeleton, map) = tree.builder.build()?;
        // The builder keeps the order of joints that are given depth first.
        assert!((0..).zip(map.as_slice()).all(|(given, &joint)| given == joint));
        Ok(Self { skeleton, places: tree.places, body })
    }

    /// Returns the place of a joint at rest, in model space.
    pub(crate) fn place(&self, joint: u16) -> Vec3 {
        self.places[usize::from(joint)]
    }

    pub(crate) fn parent(&self, joint: u16) -> Option<u16> {
        Some(self.skeleton.parents()[usize::from(joint)]).filter(|&parent| parent != Skeleton::NO_PARENT)
    }
}

struct Tree {
    builder: SkeletonBuilder,
    places: Vec<Vec3>,
}

impl Tree {
    fn joint(&mut self, name: &str, parent: Option<u16>, place: Vec3) -> u16 {
        let above = parent.map_or(Vec3::ZERO, |parent| self.places[usize::from(parent)]);
        let rest = Transform::from_translation(place - above);
        self.places.push(place);
        self.builder.joint(name, parent, rest)
    }

    fn arm(&mut self, chest: u16, side: &str, sign: f32) -> Arm {
        let place = |x: f32, y: f32, z: f32| Vec3::new(x * sign, y, z);
        let along = |from: Vec3, distance: f32| from + place(ARM.x, ARM.y, ARM.z) * distance;
        let mut joint =
            |name: &str, parent: u16, place: Vec3| self.joint(&format!("{name}_{side}"), Some(parent), place);
        let shoulder = place(0.178, 1.435, -0.015);
        let clavicle = joint("clavicle", chest, place(0.03, 1.45, 0.0));
        let upper = joint("upper_arm", clavicle, shoulder);
        let upper_twist = joint("upper_arm_twist", upper, along(shoulder, 0.15));
        let fore = joint("forearm", upper, along(shoulder, 0.285));
        let fore_twist = joint("forearm_twist", fore, along(shoulder, 0.41));
        let hand = joint("hand", fore, along(shoulder, 0.535));
        joint("grip", hand, along(shoulder, 0.60) + place(-0.02, -0.025, 0.0));
        let fingers = FINGERS.map(|(name, down, front, lengths)| {
            let knuckle = along(shoulder, 0.535 + down) + Vec3::Z * front;
            // The thumb points equally forward and down.
            let direction = if name == "thumb" { place(0.62, -0.52, 0.59) } else { along(Vec3::ZERO, 1.0) };
            let middle = knuckle + direction * lengths[0];
            let first = joint(&format!("{name}_1"), hand, knuckle);
            let second = joint(&format!("{name}_2"), first, middle);
            [first, second, joint(&format!("{name}_3"), second, middle + direction * lengths[1])]
        });
        Arm { clavicle, upper, upper_twist, fore, fore_twist, hand, fingers }
    }

    fn leg(&mut self, hips: u16, side: &str, sign: f32) -> Leg {
        let mut joint = |name: &str, parent: u16, x: f32, y: f32, z: f32| {
            self.joint(&format!("{name}_{side}"), Some(parent), Vec3::new(x * sign, y, z))
        };
        let thigh = joint("thigh", hips, 0.092, 0.92, 0.0);
        let thigh_twist = joint("thigh_twist", thigh, 0.114, 0.71, 0.002);
        let shin = joint("shin", thigh, 0.135, 0.505, 0.005);
        let shin_twist = joint("shin_twist", shin, 0.150, 0.29, -0.008);
        let foot = joint("foot", shin, 0.165, 0.085, -0.02);
        let toes = joint("toes", foot, 0.174, 0.03, 0.115);
        Leg { thigh, thigh_twist, shin, shin_twist, foot, toes }
    }
}

/// Returns the vector from a finger's last joint to its tip, along the last bone.
pub(crate) fn finger_tip(rig: &Rig, finger: usize, joints: [u16; 3]) -> Vec3 {
    let [_, second, third] = joints.map(|joint| rig.place(joint));
    let lengths = FINGERS[finger].3;
    third + (third - second) * (lengths[2] / lengths[1])
}
