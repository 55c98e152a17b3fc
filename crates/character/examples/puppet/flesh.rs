//! The flesh of the puppet: cones with rounded ends that blend into each other.

use super::rig::{Arm, Leg, Rig};
use hedgerow::glam::Vec3;

/// The cover of a part of the puppet; each character has its own colour for each cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cover {
    Skin,
    Hair,
    Shirt,
    Trousers,
    Boots,
}

impl Cover {
    pub(crate) const COUNT: usize = 5;
}

/// A cone with rounded ends that follows a joint.
pub(crate) struct Limb {
    pub(crate) joint: u16,
    pub(crate) cover: Cover,
    from: Vec3,
    to: Vec3,
    radii: [f32; 2],
}

impl Limb {
    /// Returns the approximate distance of a point from the limb's surface; negative inside.
    pub(crate) fn distance(&self, point: Vec3) -> f32 {
        let along = self.to - self.from;
        let t = ((point - self.from).dot(along) / along.length_squared().max(1e-9)).clamp(0.0, 1.0);
        (point - self.from - along * t).length() - (self.radii[0] + (self.radii[1] - self.radii[0]) * t)
    }
}

/// The width of the blend around a seam of two limbs, in metres.
const MELT: f32 = 0.045;

/// All limbs of the puppet without fingers; the legs come last.
pub(crate) struct Flesh {
    pub(crate) limbs: Vec<Limb>,
    /// The first limb of the left and of the right leg.
    legs: [usize; 2],
}

impl Flesh {
    pub(crate) fn new(rig: &Rig) -> Self {
        let mut flesh = Self { limbs: Vec::new(), legs: [0; 2] };
        flesh.trunk(rig);
        flesh.head(rig);
        for (arm, side) in rig.body.arms.iter().zip([1.0, -1.0]) {
            flesh.arm(rig, arm, side);
        }
        flesh.legs = [(&rig.body.legs[0], 1.0), (&rig.body.legs[1], -1.0)].map(|(leg, side)| {
            let begin = flesh.limbs.len();
            flesh.leg(rig, leg, side);
            begin
        });
        flesh
    }

    /// Returns the approximate distance of a point from the puppet's surface; negative inside. Each leg blends into the
    /// trunk, but not into the other leg. Uses only operations with exact rounding, so the mesh is the same on all
    /// machines.
    pub(crate) fn distance(&self, point: Vec3) -> f32 {
        let [left, right] = self.legs;
        let trunk = Self::melted(&self.limbs[..left], point, f32::INFINITY);
        let with_left = Self::melted(&self.limbs[left..right], point, trunk);
        with_left.min(Self::melted(&self.limbs[right..], point, trunk))
    }

    /// Returns the distance to limbs that blend into each other and into a surface at `distance`.
    fn melted(limbs: &[Limb], point: Vec3, distance: f32) -> f32 {
        limbs.iter().fold(distance, |nearest, limb| {
            let distance = limb.distance(point);
            // Polynomial smooth minimum: I. Quilez, "Smooth minimum", 2013.
            let seam = (MELT - (nearest - distance).abs()).max(0.0);
            nearest.min(distance) - seam * seam / (4.0 * MELT)
        })
    }

    /// Returns the unit gradient of the distance: on the surface, the outward normal.
    pub(crate) fn outward(&self, point: Vec3) -> Vec3 {
        self.slope(point).normalize_or(Vec3::Y)
    }

    /// Returns the nearest point of the surface, by two steps of Newton's method.
    pub(crate) fn on_surface(&self, mut point: Vec3) -> Vec3 {
        for _ in 0..2 {
            let slope = self.slope(point);
            point -= slope * (self.distance(point) / slope.length_squared().max(0.25));
        }
        point
    }

    fn slope(&self, point: Vec3) -> Vec3 {
        const STEP: f32 = 0.004;
        let across = |axis: Vec3| self.distance(point + axis * STEP) - self.distance(point - axis * STEP);
        Vec3::new(across(Vec3::X), across(Vec3::Y), across(Vec3::Z)) / (2.0 * STEP)
    }

    fn limb(&mut self, joint: u16, cover: Cover, from: Vec3, to: Vec3, radii: [f32; 2]) {
        self.limbs.push(Limb { joint, cover, from, to, radii });
    }

    /// Adds a pair of limbs, mirrored at the middle.
    fn pair(&mut self, joint: u16, cover: Cover, from: [f32; 3], to: [f32; 3], radii: [f32; 2]) {
        for side in [1.0, -1.0] {
            let place = |[x, y, z]: [f32; 3]| Vec3::new(x * side, y, z);
            self.limb(joint, cover, place(from), place(to), radii);
        }
    }

    fn trunk(&mut self, rig: &Rig) {
        let [waist, low, high, chest] = rig.body.spine;
        self.pair(rig.body.hips, Cover::Trousers, [0.055, 0.97, -0.01], [0.075, 0.93, -0.025], [0.095, 0.105]);
        self.pair(waist, Cover::Shirt, [0.0, 1.05, -0.005], [0.055, 1.05, 0.0], [0.095, 0.092]);
        self.pair(low, Cover::Shirt, [0.0, 1.14, -0.005], [0.058, 1.15, -0.003], [0.09, 0.087]);
        self.pair(high, Cover::Shirt, [0.0, 1.24, 0.0], [0.07, 1.25, -0.003], [0.09, 0.09]);
        self.pair(chest, Cover::Shirt, [0.055, 1.33, 0.012], [0.085, 1.36, -0.005], [0.098, 0.092]);
        self.pair(chest, Cover::Shirt, [0.0, 1.42, -0.025], [0.08, 1.42, -0.025], [0.075, 0.07]);
    }

    fn head(&mut self, rig: &Rig) {
        let [low, high] = rig.body.neck;
        let (head, jaw) = (rig.body.head, rig.body.jaw);
        let at = |y, z| Vec3::new(0.0, y, z);
        self.limb(low, Cover::Skin, at(1.47, -0.02), at(1.53, -0.01), [0.062, 0.054]);
        self.limb(high, Cover::Skin, at(1.53, -0.01), at(1.60, 0.0), [0.054, 0.05]);
        self.limb(head, Cover::Skin, at(1.67, 0.02), at(1.715, 0.005), [0.074, 0.086]);
        self.limb(head, Cover::Hair, at(1.69, -0.022), at(1.735, -0.012), [0.08, 0.084]);
        self.limb(head, Cover::Skin, at(1.685, 0.098), at(1.658, 0.108), [0.011, 0.017]);
        self.limb(jaw, Cover::Skin, at(1.635, 0.04), at(1.612, 0.062), [0.045, 0.03]);
    }

    fn arm(&mut self, rig: &Rig, arm: &Arm, side: f32) {
        let at = |joint| rig.place(joint);
        self.limb(arm.clavicle, Cover::Shirt, Vec3::new(0.09 * side, 1.435, -0.02), at(arm.upper), [0.058, 0.06]);
        self.limb(arm.upper, Cover::Shirt, at(arm.upper), at(arm.upper_twist), [0.058, 0.05]);
        self.limb(arm.upper_twist, Cover::Shirt, at(arm.upper_twist), at(arm.fore), [0.05, 0.043]);
        self.limb(arm.fore, Cover::Skin, at(arm.fore), at(arm.fore_twist), [0.042, 0.039]);
        self.limb(arm.fore_twist, Cover::Skin, at(arm.fore_twist), at(arm.hand), [0.038, 0.029]);
        // The palm is two cones side by side, from the wrist to the first and to the last knuckle.
        let [_, index, .., little] = arm.fingers.map(|[knuckle, ..]| at(knuckle));
        self.limb(arm.hand, Cover::Skin, at(arm.hand), at(arm.hand).lerp(index, 0.8), [0.026, 0.022]);
        self.limb(arm.hand, Cover::Skin, at(arm.hand), at(arm.hand).lerp(little, 0.8), [0.026, 0.021]);
    }

    fn leg(&mut self, rig: &Rig, leg: &Leg, side: f32) {
        let at = |joint| rig.place(joint);
        let by = |x: f32, y, z| Vec3::new(x * side, y, z);
        self.limb(leg.thigh, Cover::Trousers, by(0.097, 0.90, -0.005), at(leg.thigh_twist), [0.092, 0.074]);
        self.limb(leg.thigh_twist, Cover::Trousers, at(leg.thigh_twist), at(leg.shin), [0.074, 0.058]);
        self.limb(leg.shin, Cover::Trousers, at(leg.shin), by(0.144, 0.36, -0.018), [0.056, 0.058]);
        self.limb(leg.shin_twist, Cover::Boots, by(0.146, 0.34, -0.018), by(0.164, 0.10, -0.02), [0.058, 0.045]);
        self.limb(leg.foot, Cover::Boots, by(0.165, 0.05, -0.045), by(0.171, 0.055, 0.06), [0.046, 0.042]);
        self.limb(leg.foot, Cover::Boots, by(0.165, 0.10, -0.02), by(0.172, 0.045, 0.10), [0.045, 0.04]);
        self.limb(leg.toes, Cover::Boots, at(leg.toes) + Vec3::Y * 0.007, by(0.176, 0.034, 0.165), [0.04, 0.032]);
    }
}
