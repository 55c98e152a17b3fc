//! Gaits as one formula: feet follow tracks over the ground, legs reach for the feet, and the body swings along.
//!
//! At phase 0 and again at 1, the left foot meets the ground in front; the right foot is half a cycle later. Angles are
//! in radians, lengths in metres.

use super::limbs;
use super::rig::{Arm, Leg, Rig};
use hedgerow::glam::{Quat, Vec3};
use std::f32::consts::{PI, TAU};

/// The parameters of a gait.
pub(crate) struct Gait {
    pub(crate) name: &'static str,
    /// Keys of a cycle, at 30 per second.
    pub(crate) keys: u16,
    /// The fraction of a cycle in which a foot is on the ground, and the distance that it moves back meanwhile.
    stance: f32,
    stride: f32,
    /// The middle of that distance: how far in front of the hips, and how far to the side.
    centre: f32,
    width: f32,
    /// The height to which a foot is lifted.
    lift: f32,
    /// The pitch of a foot: toes up at the strike, toes down at push-off, and during the swing.
    strike: f32,
    push: f32,
    kick: f32,
    /// The hips' drop below rest, the height of their bob, and the phase at which they are highest.
    drop: f32,
    bob: f32,
    crest: f32,
    /// The sway of the hips to the standing leg, and their turn with the leg in front.
    sway: f32,
    turn: f32,
    /// The forward lean of the chest, and how far the head looks about.
    lean: f32,
    look: f32,
    /// The swing of an arm, how far it is held forward and bent, and how far fingers are closed.
    swing: f32,
    hold: f32,
    elbow: f32,
    fist: f32,
}

/// Local rotations of all joints, and the position of the hips.
pub(crate) struct Stance {
    pub(crate) hips: Vec3,
    pub(crate) rotations: Vec<Quat>,
}

impl Gait {
    pub(crate) const ALL: [Self; 4] = [
        Self {
            name: "walk",
            keys: 31,
            stance: 0.62,
            stride: 0.72,
            centre: -0.03,
            width: 0.075,
            lift: 0.07,
            strike: 0.32,
            push: 0.62,
            kick: 0.75,
            drop: 0.05,
            bob: 0.018,
            crest: 0.32,
            sway: 0.022,
            turn: 0.10,
            lean: 0.06,
            look: 0.03,
            swing: 0.48,
            hold: 0.0,
            elbow: 0.32,
            fist: 0.32,
        },
        Self {
            name: "run",
            keys: 21,
            stance: 0.36,
            stride: 0.84,
            centre: -0.10,
            width: 0.05,
            lift: 0.30,
            strike: 0.12,
            push: 0.75,
            kick: 1.15,
            drop: 0.075,
            bob: 0.035,
            crest: 0.43,
            sway: 0.012,
            turn: 0.16,
            lean: 0.24,
            look: 0.0,
            swing: 0.65,
            hold: 0.0,
            elbow: 1.35,
            fist: 0.95,
        },
        Self {
            name: "sneak",
            keys: 45,
            stance: 0.64,
            stride: 0.62,
            centre: 0.05,
            width: 0.10,
            lift: 0.12,
            strike: 0.15,
            push: 0.50,
            kick: 0.60,
            drop: 0.24,
            bob: 0.015,
            crest: 0.32,
            sway: 0.035,
            turn: 0.12,
            lean: 0.75,
            look: 0.25,
            swing: 0.22,
            hold: 0.65,
            elbow: 1.05,
            fist: 0.65,
        },
        Self {
            name: "stand",
            keys: 120,
            stance: 1.0,
            stride: 0.0,
            centre: 0.0,
            width: 0.12,
            lift: 0.0,
            strike: 0.0,
            push: 0.0,
            kick: 0.0,
            drop: 0.012,
            bob: 0.004,
            crest: 0.2,
            sway: 0.030,
            turn: 0.03,
            lean: 0.02,
            look: 0.45,
            swing: 0.05,
            hold: 0.02,
            elbow: 0.28,
            fist: 0.28,
        },
    ];

    pub(crate) fn duration(&self) -> f32 {
        f32::from(self.keys) / 30.0
    }

    /// Returns the forward speed, in metres per second, at which feet on the ground do not slide.
    pub(crate) fn speed(&self) -> f32 {
        self.stride / (self.stance * self.duration())
    }

    /// Returns the stance at a phase.
    pub(crate) fn at(&self, rig: &Rig, phase: f32) -> Stance {
        let body = &rig.body;
        let wave = |cycles: f32, crest: f32| (TAU * cycles * (phase - crest)).cos();
        let mut stance = Stance { hips: rig.place(body.hips), rotations: vec![Quat::IDENTITY; rig.places.len()] };
        let bob = self.bob * wave(2.0, self.crest) - self.drop;
        stance.hips += Vec3::new(self.sway * wave(1.0, 0.31), bob, 0.0);

        let turn = -self.turn * wave(1.0, 0.0);
        let roll = -0.8 * self.sway * wave(1.0, 0.31);
        let tilt = 0.25 * self.lean;
        let hips = Quat::from_rotation_y(turn) * Quat::from_rotation_z(roll) * Quat::from_rotation_x(tilt);
        stance.set(body.hips, hips);
        // The chest turns the other way by the same angle; breath moves the spine.
        let bend = 0.25 * (self.lean - tilt) + 0.012 * wave(2.0, 0.1);
        let back =
            Quat::from_rotation_y(-0.5 * turn) * Quat::from_rotation_z(-0.3 * roll) * Quat::from_rotation_x(bend);
        body.spine.iter().for_each(|&joint| stance.set(joint, back));
        // The head stays level, and looks ahead or about.
        let look = turn + self.look * (TAU * phase).sin();
        let up = Quat::from_rotation_y(0.33 * look) * Quat::from_rotation_x(-0.30 * self.lean);
        body.neck.iter().chain([&body.head]).for_each(|&joint| stance.set(joint, up));
        stance.set(body.jaw, Quat::from_rotation_x(0.03 + 0.03 * wave(2.0, 0.3)));

        for (side, (arm, leg)) in [1.0, -1.0].into_iter().zip(body.arms.iter().zip(&body.legs)) {
            let phase = (phase + if side > 0.0 { 0.0 } else { 0.5 }).rem_euclid(1.0);
            self.arm(rig, arm, side, phase, &mut stance);
            self.leg(rig, leg, side, phase, hips, &mut stance);
        }
        stance
    }

    /// Swings an arm against the leg of its side.
    fn arm(&self, rig: &Rig, arm: &Arm, side: f32, phase: f32, stance: &mut Stance) {
        let swing = -(TAU * phase).cos();
        let forward = self.swing * swing + self.hold;
        let hang = Quat::from_rotation_z(-0.68 * side);
        stance.set(arm.clavicle, Quat::from_rotation_y(-0.10 * side * self.swing * swing));
        stance.set(arm.upper, Quat::from_rotation_x(-0.75 * self.lean - forward) * hang);
        stance.set(arm.upper_twist, Quat::from_axis_angle(hang.inverse() * Vec3::Y, 0.06 * side * swing));
        // While the arm hangs, the elbow's axis is across the body, turned inward a little.
        let axis = hang.inverse() * Vec3::new(1.0, 0.35 * side, 0.0).normalize();
        let bend = self.elbow * (1.0 + 0.30 * swing);
        stance.set(arm.fore, Quat::from_axis_angle(axis, -bend));
        let along = (rig.place(arm.hand) - rig.place(arm.fore)).normalize();
        let twist = 0.35 * side;
        stance.set(arm.fore_twist, Quat::from_axis_angle(along, 0.5 * twist));
        stance.set(
            arm.hand,
            Quat::from_axis_angle(along, twist) * Quat::from_axis_angle(axis, 0.15 * swing * self.swing),
        );
        for (finger, joints) in arm.fingers.iter().enumerate() {
            let closed = if finger == 0 { 0.4 * self.fist } else { self.fist };
            let curl = limbs::curl(rig, arm, finger, closed);
            joints.iter().for_each(|&joint| stance.set(joint, curl));
        }
    }

    /// Lets a leg reach for its foot.
    fn leg(&self, rig: &Rig, leg: &Leg, side: f32, phase: f32, hips: Quat, stance: &mut Stance) {
        let pitch = self.pitch(phase);
        let foot = Quat::from_rotation_x(pitch);
        // A foot rolls over its heel while the toes are up, then over the ball.
        let pivot = if pitch < 0.0 { Vec3::new(0.0, -0.08, -0.07) } else { Vec3::new(0.0, -0.085, 0.135) };
        let (along, height) = self.track(phase);
        let flat = Vec3::new(side * self.width, rig.place(leg.foot).y + height, along);
        let ankle = flat + pivot - foot * pivot;

        let hip = stance.hips + hips * (rig.place(leg.thigh) - rig.place(rig.body.hips));
        let knee = Vec3::new(0.12 * side, 0.0, 1.0);
        let [thigh, shin] = limbs::reach(rig, leg, hip, ankle, knee);
        stance.set(leg.thigh, hips.inverse() * thigh);
        stance.set(leg.shin, thigh.inverse() * shin);
        stance.set(leg.foot, shin.inverse() * foot);
        let swung = ((phase - self.stance) / (1.0 - self.stance).max(1e-3)).max(0.0);
        let toes = pitch.clamp(0.0, 0.6) * (1.0 - 2.0 * swung).max(0.0);
        stance.set(leg.toes, Quat::from_rotation_x(-toes));
    }

    /// Returns how far a foot is in front of the hips, and its height: the foot goes back with the ground, then forward
    /// in the air.
    fn track(&self, phase: f32) -> (f32, f32) {
        let half = 0.5 * self.stride;
        if phase <= self.stance {
            return (self.centre + half - self.stride * phase / self.stance, 0.0);
        }
        let swing = 1.0 - self.stance;
        let u = (phase - self.stance) / swing;
        // A cubic that has the ground's slope at both ends.
        let slope = -self.stride * swing / self.stance;
        let rise = u * u * (3.0 - 2.0 * u);
        let along = -half + self.stride * rise + slope * u * (1.0 - u) * (1.0 - 2.0 * u);
        (self.centre + along, self.lift * (PI * u).sin().powi(2))
    }

    /// Returns the pitch of a foot; positive with toes down.
    fn pitch(&self, phase: f32) -> f32 {
        let (stance, swing) = (self.stance, 1.0 - self.stance);
        let keys = [
            (0.0, -self.strike),
            (0.16 * stance, 0.0),
            (0.55 * stance, 0.0),
            (stance, self.push),
            (stance + 0.25 * swing, self.kick),
            (stance + 0.80 * swing, -self.strike),
            (1.0 + 1e-6, -self.strike),
        ];
        let next = keys.iter().position(|&(time, _)| phase < time).unwrap_or(keys.len() - 1).max(1);
        let ((from, a), (to, b)) = (keys[next - 1], keys[next]);
        let u = ((phase - from) / (to - from).max(1e-6)).clamp(0.0, 1.0);
        a + (b - a) * (u * u * (3.0 - 2.0 * u))
    }
}

impl Stance {
    fn set(&mut self, joint: u16, rotation: Quat) {
        self.rotations[usize::from(joint)] = rotation;
    }
}
