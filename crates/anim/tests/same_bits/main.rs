//! Clips, poses, blends and skinning have the same bits on every machine: the hashes hold for every instruction set,
//! pointer width and compiler. `.ci/other-machines` runs this on 64-bit ARM, 32-bit x86 and WebAssembly. Each test runs
//! at every level of the machine with the feature `_levels`, otherwise at the best level.
//!
//! Model matrices, palettes, skinning and inverse kinematics, which reads matrices, have two hashes: one with fused
//! multiply-add (AVX2, AVX-512, NEON), one without. Inputs are computed from integers, without functions of the
//! system's library.

#[path = "../../../../tests/numbers.rs"]
mod numbers;

use hedgerow_anim::blend::{JointMask, PoseSum};
use hedgerow_anim::clip::Precision;
use hedgerow_anim::glam::{Quat, Vec3};
use hedgerow_anim::ik::{
    Aim, AimChain, Chain, ChainGoal, Contact, End, Feet, Goal, Job, Limit, Look, Pole, Rig, TwoBone,
};
use hedgerow_anim::raw::{Interpolation, Track, TrackValue};
use hedgerow_anim::root_motion::{RootMotion, RootMotionOptions};
use hedgerow_anim::skin::{MorphBuffer, MorphTarget, Palette, Skin, SkinOutput, SkinnedMesh};
use hedgerow_anim::{Clip, ClipBuilder, Mat34, Player, Pose, RawClip, Skeleton, SkeletonBuilder, Transform};
use hedgerow_math::internal::level::at_levels;
use numbers::{Dice as Numbers, Hash};
use std::ops::{Deref, DerefMut};

const JOINTS: u16 = 37;

/// The hashes of matrices of poses, of skinned vertices, and of inverse kinematics.
const FUSED: [u64; 3] = [0x61ae_9f20_7f25_be2e, 0x88e5_7290_9906_1230, 0x3be1_3e88_dc6c_6109];
const UNFUSED: [u64; 3] = [0x30f6_7acc_6c6b_90b0, 0x158f_fa16_70db_bdc5, 0xb74d_c6d8_97e3_b3a5];

trait OfPoses {
    fn matrices(&mut self, matrices: &[Mat34]);
    fn pose(&mut self, pose: &Pose);
}

impl OfPoses for Hash {
    fn matrices(&mut self, matrices: &[Mat34]) {
        matrices.iter().for_each(|matrix| self.matrix(matrix));
    }

    fn pose(&mut self, pose: &Pose) {
        for Transform { translation, rotation, scale } in (0..).take(pose.len()).map(|joint| pose.get(joint)) {
            self.floats(&translation.to_array());
            self.floats(&rotation.to_array());
            self.floats(&scale.to_array());
        }
    }
}

/// Makes random inputs.
struct Dice(Numbers);

impl Deref for Dice {
    type Target = Numbers;

    fn deref(&self) -> &Numbers {
        &self.0
    }
}

impl DerefMut for Dice {
    fn deref_mut(&mut self) -> &mut Numbers {
        &mut self.0
    }
}

impl Dice {
    fn new(seed: u64) -> Self {
        Self(Numbers(seed))
    }

    /// Returns a unit quaternion. The sum is written out, because glam's order depends on the machine.
    fn rotation(&mut self) -> Quat {
        let numbers = [self.signed(), self.signed(), self.signed(), self.signed() * 0.5 + 1.0];
        let wide = numbers.map(f64::from);
        let length = (wide[0] * wide[0] + wide[1] * wide[1] + wide[2] * wide[2] + wide[3] * wide[3]).sqrt();
        #[expect(clippy::cast_possible_truncation, reason = "single precision is what is asked for")]
        Quat::from_array(wide.map(|number| (number / length) as f32))
    }

    fn transform(&mut self) -> Transform {
        Transform { translation: self.vector(), rotation: self.rotation(), scale: Vec3::ONE + self.vector() * 0.125 }
    }

    fn track<V: TrackValue>(&mut self, number: u16, value: impl Fn(&mut Self) -> V) -> Track<V> {
        let keys = 2 + number % 9;
        let times = (0..keys).map(|key| f32::from(key) * 0.25 + f32::from(number % 4) * 0.03125).collect();
        let mut values = |count: u16| (0..count).map(|_| value(self)).collect();
        match number % 3 {
            0 => Track::new(Interpolation::Step, times, values(keys)),
            1 => Track::new(Interpolation::Linear, times, values(keys)),
            _ => Track::new(Interpolation::Cubic, times, values(3 * keys)),
        }
        .unwrap()
    }

    /// Returns a skeleton, and a skin with the same joint order.
    fn character(&mut self) -> (Skeleton, Skin) {
        let (mut builder, mut binds) = (SkeletonBuilder::new(), Vec::new());
        for joint in 0..JOINTS {
            let parent = (joint > 0).then(|| joint.saturating_sub(1 + joint % 3));
            builder.joint(format!("joint {joint}"), parent, self.transform());
            binds.push(self.transform().to_matrix());
        }
        let (skeleton, places) = builder.build().unwrap();
        let mut sorted = binds.clone();
        for (&place, bind) in places.as_slice().iter().zip(binds) {
            sorted[usize::from(place)] = bind;
        }
        (skeleton, Skin::new((0..JOINTS).collect(), sorted).unwrap())
    }

    fn clip(&mut self) -> RawClip {
        let mut clip = RawClip::new(3.0, JOINTS.into()).unwrap();
        for joint in 0..JOINTS {
            let translation = self.track(joint, |dice| dice.vector());
            clip.set_translation(joint, translation).unwrap();
            let rotation = self.track(joint + 1, Self::rotation);
            clip.set_rotation(joint, rotation).unwrap();
            if joint % 4 == 0 {
                let scale = self.track(joint + 2, |dice| Vec3::ONE + dice.vector() * 0.125);
                clip.set_scale(joint, scale).unwrap();
            }
        }
        let channel = self.track(7, |dice| dice.signed());
        clip.add_channel("channel", channel).unwrap();
        clip
    }

    fn pose(&mut self) -> Pose {
        let mut pose = Pose::new(JOINTS.into());
        (0..JOINTS).for_each(|joint| pose.set(joint, self.transform()));
        pose
    }
}

/// Returns the same clip in words of 16 and of 32 bits.
fn clips() -> [Clip; 2] {
    [Precision::Compact, Precision::Tight]
        .map(|precision| ClipBuilder::new().precision(precision).build(&Dice::new(5).clip()).unwrap().0)
}

/// Hashes a clip played forward, backward and by seeks.
fn played(clip: &Clip) -> u64 {
    let (mut hash, mut player, mut pose, mut channels) =
        (Hash::new(), Player::new(clip), Pose::new(JOINTS.into()), [0.0]);
    for step in 0..120_u16 {
        match step {
            0..60 => {
                player.advance(0.0625);
            }
            60..90 => {
                player.advance(-0.03125);
            }
            _ => player.seek(f32::from(step * 37 % 96) * 0.03125),
        }
        player.sample(&mut pose).unwrap();
        player.sample_channels(&mut channels).unwrap();
        hash.pose(&pose);
        hash.floats(&channels);
        let alone = player.sample_joint(step % JOINTS, Transform::IDENTITY);
        hash.floats(&alone.rotation.to_array());
    }
    hash.0
}

fn blended() -> u64 {
    let (mut hash, mut dice) = (Hash::new(), Dice::new(17));
    let mut mask = JointMask::new(JOINTS.into(), 1.0).unwrap();
    (0..JOINTS).for_each(|joint| mask.set(joint, f32::from(joint % 5) * 0.25).unwrap());
    for round in 0..10_u8 {
        let (mut pose, other, base) = (dice.pose(), dice.pose(), dice.pose());
        let mask = (round % 2 == 0).then_some(&mask);
        let mut sum = PoseSum::new(JOINTS.into());
        sum.add(&pose, 0.375, mask).unwrap();
        sum.add(&other, 0.5, None).unwrap();
        let mut blended = Pose::new(JOINTS.into());
        sum.finish(&base, &mut blended).unwrap();
        hash.pose(&blended);
        let mut difference = Pose::new(JOINTS.into());
        blended.difference(&base, &mut difference).unwrap();
        hash.pose(&difference);
        pose.crossfade(&other, 0.3125, mask).unwrap();
        pose.add(&difference, 0.75, mask).unwrap();
        hash.pose(&pose);
    }
    hash.0
}

fn matrices() -> u64 {
    let mut dice = Dice::new(23);
    let (skeleton, skin) = dice.character();
    let mut hash = Hash::new();
    let (mut models, mut palette) = (Vec::new(), Vec::new());
    for _ in 0..21 {
        let pose = dice.pose();
        pose.to_models_at(&skeleton, &dice.transform().to_matrix(), &mut models).unwrap();
        hash.matrices(&models);
        hash.matrices(skin.palette(&models, &mut palette).unwrap().matrices());
    }
    hash.0
}

/// Hashes a mesh with one to four influences and two morph targets: as bytes, and skinned.
fn skinned() -> [u64; 2] {
    let (vertices, joints) = (333, 19);
    let mut dice = Dice::new(29);
    let skin = Skin::new((0..19).collect(), vec![Mat34::IDENTITY; 19]).unwrap();
    let [positions, normals, deltas] =
        [0; 3].map(|_| -> Vec<[f32; 3]> { (0..vertices).map(|_| dice.vector().to_array()).collect() });
    let tangents: Vec<[f32; 4]> = normals.iter().map(|&[x, y, z]| [y, z, x, 1.0]).collect();
    let of_joints: Vec<u16> = (0..vertices * 4).map(|_| u16::try_from(dice.below(joints)).unwrap()).collect();
    let weights: Vec<f32> = (0..vertices * 4).map(|_| dice.signed().max(0.0) + 0.0078125).collect();
    let mesh = SkinnedMesh::builder(&positions)
        .normals(&normals)
        .tangents(&tangents)
        .influences(4, &of_joints, &weights)
        .morph_target(MorphTarget { positions: &deltas, ..MorphTarget::default() })
        .build(&skin)
        .unwrap();
    let palette: Vec<Mat34> = (0..joints).map(|_| dice.transform().to_matrix()).collect();
    let palette = Palette::of(&skin, &palette).unwrap();
    let count = mesh.len();
    let (mut bytes, mut skinned) = (Hash::new(), Hash::new());
    bytes.bytes(&mesh.to_bytes());
    let (mut places, mut upright, mut along) =
        (vec![[0.0_f32; 3]; count], vec![[0.0_f32; 4]; count], vec![[0.0_f32; 4]; count]);
    let output = SkinOutput::new(&mut places).normals(&mut upright).tangents(&mut along);
    mesh.skin(palette, output).unwrap();
    skinned.floats(places.as_flattened());
    upright.iter().for_each(|normal| skinned.floats(&normal[..3]));
    skinned.floats(along.as_flattened());
    mesh.skin_morphed(palette, &[0.375], &mut MorphBuffer::default(), SkinOutput::new(&mut places)).unwrap();
    skinned.floats(places.as_flattened());
    let bounds = mesh.bounds(palette).unwrap();
    bytes.floats(&bounds.min.to_array());
    bytes.floats(&bounds.max.to_array());
    [bytes.0, skinned.0]
}

/// Hashes chains of joints after each solver.
fn solved() -> u64 {
    let (mut hash, mut dice) = (Hash::new(), Dice::new(31));
    let mut builder = SkeletonBuilder::new();
    for joint in 0..13_u16 {
        let rest = Transform { scale: Vec3::ONE, ..dice.transform() };
        builder.joint("", joint.checked_sub(1), rest);
    }
    let (skeleton, _) = builder.build().unwrap();
    let limbs = [[1, 2, 3], [1, 4, 6]].map(|joints| TwoBone::new(&skeleton, joints).unwrap());
    let head = Aim::new(9, Vec3::Z).with_offset(Vec3::splat(0.125)).with_cone(Vec3::X, 1.5);
    let spine = AimChain::new(&skeleton, &[(5, 0.25), (7, 0.25)], head).unwrap();
    let mut chains = [0, 4].map(|start| Chain::new(&skeleton, start, 12).unwrap());
    chains[1].set_limit(6, Limit::Hinge { axis: Vec3::X, least: -0.5, most: 1.0 }).unwrap();
    chains[1].set_limit(8, Limit::Cone { swing: 0.75, twist: 0.25 }).unwrap();
    let mut feet = Feet::new(&skeleton, 0, &[(limbs[0], 0.125)]).unwrap();
    for round in 0..24 {
        let mut models = Vec::new();
        let mut pose = Pose::rest(&skeleton);
        for joint in 0..13 {
            let scale = if round % 3 == 0 { dice.transform().scale } else { Vec3::ONE };
            pose.set(joint, Transform { rotation: dice.rotation(), scale, ..skeleton.rest(joint) });
        }
        pose.to_models(&skeleton, &mut models).unwrap();
        let pole = [Pole::Pose, Pole::Direction(dice.vector()), Pole::Point(dice.vector())][round % 3];
        let goal = Goal { pole, soften: 0.875, twist: 0.25, ..Goal::at(dice.vector()) };
        let goals = [goal, Goal { twist: 0.0, end: End::Model, weight: 0.5, ..goal }, Goal { twist: 0.0, ..goal }];
        let mut rig = Rig::new(&skeleton, &mut pose, &mut models).unwrap();
        for goal in goals {
            limbs[round % 2].solve(&mut rig, &goal);
            hash.pose(rig.pose());
        }
        head.solve(&mut rig, &Look { weight: 0.75, ..Look::at(dice.vector() * 4.0) });
        spine.solve(&mut rig, &Look { up: Some(dice.vector()), ..Look::at(dice.vector() * 4.0) });
        hash.pose(rig.pose());
        for chain in &mut chains {
            for (about, weight) in [(Vec3::ZERO, 1.0), (Vec3::new(1.0, 0.5, 0.0), 0.75)] {
                chain.solve(&mut rig, &ChainGoal { about, weight, ..ChainGoal::pose(dice.vector(), dice.rotation()) });
                hash.pose(rig.pose());
            }
        }
        let (point, normal) = (dice.vector() * 0.25, Vec3::Y + dice.vector());
        feet.place(&mut rig, 0.0625, Vec3::Z, |at| Some(Contact { point: point + at * 0.125, normal }));
        hash.pose(rig.pose());
        let mut jobs = [Job::new(rig, Goal { weight: 1.0, end: End::Rotation(dice.rotation()), ..goals[2] })];
        limbs[0].solve_many(&mut jobs);
        hash.pose(jobs[0].rig.pose());
    }
    hash.0
}

/// Hashes a character that root motion moves in a curve, through loops.
fn moved() -> u64 {
    let mut clip = RawClip::new(1.0, 1).unwrap();
    let times = || vec![0.0, 0.375, 1.0];
    let places = [0.0, 0.25, 1.0].map(|x| Vec3::new(x, 1.0, 2.0 * x)).to_vec();
    let turns = [[0.0, 1.0], [0.6, 0.8], [0.8, 0.6]].map(|[y, w]| Quat::from_xyzw(0.0, y, 0.0, w)).to_vec();
    clip.set_translation(0, Track::linear(times(), places).unwrap()).unwrap();
    clip.set_rotation(0, Track::linear(times(), turns).unwrap()).unwrap();
    let (motion, _) = RootMotion::extract(&clip, 0, Transform::IDENTITY, RootMotionOptions::WALK).unwrap();
    let (mut character, mut hash) = (Transform::IDENTITY, Hash::new());
    for step in 0..200_u8 {
        let from = 0.375 * f64::from(step);
        character = RootMotion::apply(motion.delta(from, from + 1.9), character);
        hash.floats(&character.translation.to_array());
        hash.floats(&character.rotation.to_array());
    }
    hash.0
}

#[test]
fn clips_and_blends_have_the_same_bits_on_every_machine() {
    at_levels(|level| {
        let [compact, tight] = clips();
        let found = [played(&compact), played(&tight), blended(), skinned()[0], moved()];
        let expected = [
            0xb4af_6ee0_0241_4dac,
            0x5d0d_1b17_1ee3_3eb0,
            0x9a2e_dc12_08f5_dbc4,
            0xccf2_8e2c_2365_2fa5,
            0xbd80_5eb3_3c7a_ee21,
        ];
        assert_eq!(
            found, expected,
            "a compact clip, a tight one, blends, a mesh's bytes and box, root motion at {level:?}"
        );
    });
}

#[test]
fn matrices_and_skinning_have_the_same_bits_on_every_machine_that_fuses_and_on_every_other() {
    at_levels(|level| {
        let name = format!("{level:?}");
        let expected =
            if ["Avx2", "Avx512", "Neon"].iter().any(|fused| name.contains(fused)) { FUSED } else { UNFUSED };
        let found = [matrices(), skinned()[1], solved()];
        assert_eq!(found, expected, "models and palettes, skinned vertices, inverse kinematics at {name}");
    });
}
