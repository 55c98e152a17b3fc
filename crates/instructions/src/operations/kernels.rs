//! The kernel families, each at a level with wide vectors and at a level without them. If a function in a kernel's hot
//! loop is not `#[inline(always)]`, it is not compiled for the level and executes 9 to 14 times as many instructions.
//!
//! If a level is missing, the operation panics. Callgrind supports AVX2 if the machine does, but not AVX-512.

use crate::dice::Dice;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::math::internal::level::{at_level, levels};
use hedgerow::math::internal::{BoxGroup, PackedTransform, Upcoming, boxes, propagate, propagate_listed, reach};
use hedgerow::query::{Boxes, Frustum, Ray, Sphere};
use hedgerow::{Aabb, Mat34, Transform};
use hedgerow_anim::blend::PoseSum;
use hedgerow_anim::raw::Track;
use hedgerow_anim::skin::{MorphBuffer, MorphTarget, Palette, Skin, SkinOutput, SkinnedMesh};
use hedgerow_anim::{ClipBuilder, Player, Pose, RawClip, Skeleton, SkeletonBuilder};
use std::hint::black_box;

/// The number of slots, boxes, joints or vertices in one repetition.
pub(super) const COUNT: u32 = 1_024;
/// The items per counted unit.
pub(super) const SHARE: u32 = 64;

/// Runs `work` at the level whose name begins with `name`.
pub(super) fn at(name: &str, work: impl FnOnce()) {
    let level = levels().into_iter().find(|level| format!("{level:?}").starts_with(name));
    at_level(level.unwrap_or_else(|| panic!("this machine has no level {name}")), work);
}

/// Defines a function for each kernel and level.
macro_rules! kernels {
    ($($work:ident: $wide:ident $narrow:ident;)*) => {$(
        pub(super) fn $wide(times: u32) {
            at("Avx2", || $work(times));
        }

        pub(super) fn $narrow(times: u32) {
            at("Sse2", || $work(times));
        }
    )*};
}

kernels! {
    propagated: propagate_avx2 propagate_sse;
    dirty: dirty_avx2 dirty_sse;
    moved_boxes: boxes_avx2 boxes_sse;
    culled: cull_avx2 cull_sse;
    queried: query_avx2 query_sse;
    sampled: sample_avx2 sample_sse;
    sought: seek_avx2 seek_sse;
    blended: blend_avx2 blend_sse;
    modelled: models_avx2 models_sse;
    paletted: palettes_avx2 palettes_sse;
    skinned: skin_avx2 skin_sse;
    morphed: morph_avx2 morph_sse;
}

impl Dice {
    /// Returns a number from -1 to 1.
    fn signed(&mut self) -> f32 {
        self.below(1 << 20) as f32 / 524_288.0 - 1.0
    }

    pub(super) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    fn rotation(&mut self) -> Quat {
        Quat::from_xyzw(self.signed(), self.signed(), self.signed(), self.signed() + 1.5).normalize()
    }

    fn transform(&mut self) -> Transform {
        Transform { translation: self.vector() * 9.0, rotation: self.rotation(), scale: Vec3::ONE }
    }

    fn bounds(&mut self) -> Aabb {
        let (center, half) = (self.vector() * 9.0, self.vector().abs());
        Aabb::new(center - half, center + half)
    }
}

/// Returns local transforms, their parents, and a buffer for world matrices.
fn slots(dice: &mut Dice) -> (Vec<PackedTransform>, Vec<u32>, Vec<Mat34>) {
    let parents = (0..COUNT).map(|slot| slot - slot.min(1 + slot % 5)).collect();
    ((0..COUNT).map(|_| dice.transform().into()).collect(), parents, vec![Mat34::IDENTITY; COUNT as usize])
}

fn propagated(times: u32) {
    let (locals, parents, mut worlds) = slots(&mut Dice::new());
    for _ in 0..times {
        propagate(&locals, &parents, &mut worlds, 1..COUNT as usize, Upcoming::default());
        black_box(&mut worlds);
    }
}

fn dirty(times: u32) {
    let (locals, _, mut worlds) = slots(&mut Dice::new());
    let parents: Vec<u32> = (0..COUNT).map(|slot| slot / 4).collect();
    for _ in 0..times {
        let mut dirty = [0x0101_0000_8000_0300; COUNT as usize / 64];
        reach(&parents, &mut dirty, 1..COUNT as usize);
        let (mut list, mut count) = ([0; COUNT as usize], 0);
        for (first, mut word) in (0..).step_by(64).zip(dirty) {
            while word != 0 {
                #[expect(clippy::cast_possible_truncation, reason = "less than 64")]
                let slot = first + word.trailing_zeros() as u16;
                (list[count], count) = (slot, count + 1);
                word &= word - 1;
            }
        }
        propagate_listed(&locals, &parents, &mut worlds, &list[..count]);
        black_box((&mut worlds, dirty));
    }
}

fn moved_boxes(times: u32) {
    let mut dice = Dice::new();
    let worlds: Vec<Mat34> = (0..COUNT).map(|_| dice.transform().to_matrix()).collect();
    let locals: Vec<[Aabb; 8]> = (0..COUNT / 8).map(|_| [(); 8].map(|()| dice.bounds())).collect();
    let mut to = BoxGroup::EMPTY;
    for _ in 0..times {
        for (first, locals) in (0..).step_by(8).zip(&locals) {
            boxes::transformed(&worlds, &[0, 1, 2, 3, 4, 5, 6, 7].map(|slot| first + slot), locals, 0xff, &mut to);
            black_box(&mut to);
        }
    }
}

/// Returns blocks of 64 boxes.
fn blocks(dice: &mut Dice) -> Vec<[BoxGroup; 8]> {
    (0..COUNT / 64)
        .map(|_| {
            [(); 8].map(|()| {
                let mut group = BoxGroup::EMPTY;
                (0..8).for_each(|lane| group.set(lane, &dice.bounds()));
                group
            })
        })
        .collect()
}

fn frustum() -> Frustum {
    let plane = |x, y, z| Vec3::new(x, y, z).extend(4.0);
    let sides = [plane(0.8, 0.0, 0.6), plane(-0.8, 0.0, 0.6), plane(0.0, 0.8, 0.6), plane(0.0, -0.8, 0.6)];
    let [a, b, c, d] = sides;
    Frustum::from_planes([a, b, c, d, plane(0.0, 0.0, 1.0), plane(0.0, 0.0, -1.0)]).expect("finite planes")
}

fn culled(times: u32) {
    let mut dice = Dice::new();
    let (blocks, frustum) = (blocks(&mut dice), frustum());
    let list: Boxes = (0..COUNT).map(|_| dice.bounds()).collect();
    let mut visible = Vec::new();
    for _ in 0..times {
        for block in &blocks {
            black_box(boxes::inside_frustum(block, &frustum));
        }
        list.cull(&frustum, &mut visible);
        black_box(&mut visible);
    }
}

fn queried(times: u32) {
    let mut dice = Dice::new();
    let (blocks, bounds) = (blocks(&mut dice), Aabb::cube(4.0));
    let sphere = Sphere::new(Vec3::ONE, 5.0).expect("a sphere");
    let ray = Ray::new(Vec3::splat(-9.0), Vec3::new(1.0, 1.25, 0.75)).expect("a ray");
    for _ in 0..times {
        for block in &blocks {
            black_box((boxes::in_sphere(block, &sphere), boxes::in_box(block, &bounds), boxes::on_ray(block, &ray)));
        }
    }
}

/// Returns a skeleton of [`SHARE`] joints, most of them three levels deep.
fn skeleton(dice: &mut Dice) -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for joint in joints() {
        let parent = (joint > 0).then(|| joint.saturating_sub(1 + joint % 4));
        builder.joint("", parent, dice.transform());
    }
    builder.build().expect("one root").0
}

/// Returns the joint numbers of the skeleton.
fn joints() -> impl Iterator<Item = u16> + Clone {
    0..u16::try_from(SHARE).expect("few joints")
}

fn pose(dice: &mut Dice) -> Pose {
    let mut pose = Pose::new(SHARE as usize);
    joints().for_each(|joint| pose.set(joint, dice.transform()));
    pose
}

/// Returns translation and rotation tracks of all joints, with ten keys per second.
pub(super) fn clip(dice: &mut Dice) -> RawClip {
    let mut clip = RawClip::new(2.0, SHARE as usize).expect("a length");
    for joint in joints() {
        let times = || (0..20_u8).map(|key| f32::from(key) * 0.1).collect::<Vec<f32>>();
        let places = times().iter().map(|_| dice.vector()).collect();
        let turns = times().iter().map(|_| dice.rotation()).collect();
        clip.set_translation(joint, Track::linear(times(), places).expect("ordered keys")).expect("a joint");
        clip.set_rotation(joint, Track::linear(times(), turns).expect("ordered keys")).expect("a joint");
    }
    clip
}

fn sampled(times: u32) {
    let (clip, _) = ClipBuilder::new().build(&clip(&mut Dice::new())).expect("a clip");
    let (mut player, mut pose) = (Player::new(&clip), Pose::new(SHARE as usize));
    for _ in 0..times {
        for _ in 0..COUNT / SHARE {
            player.advance(0.125);
            player.sample(&mut pose).expect("joints as many");
            black_box(&mut pose);
        }
    }
}

fn sought(times: u32) {
    let (clip, _) = ClipBuilder::new().build(&clip(&mut Dice::new())).expect("a clip");
    let mut player = Player::new(&clip);
    for _ in 0..times {
        for turn in 0..u8::try_from(COUNT / SHARE).expect("few turns") {
            player.seek(f32::from(turn * 7 % 16) * 0.125);
            black_box(&mut player);
        }
    }
}

fn blended(times: u32) {
    let mut dice = Dice::new();
    let (a, b, mut pose) = (pose(&mut dice), pose(&mut dice), pose(&mut dice));
    let (mut sum, mut difference) = (PoseSum::new(SHARE as usize), Pose::new(SHARE as usize));
    for _ in 0..times {
        for _ in 0..COUNT / SHARE {
            sum.add(&a, 0.5, None).expect("joints as many");
            sum.add(&b, 0.25, None).expect("joints as many");
            sum.finish(&a, &mut pose).expect("joints as many");
            b.difference(&a, &mut difference).expect("joints as many");
            pose.crossfade(&b, 0.5, None).expect("joints as many");
            pose.add(&difference, 0.5, None).expect("joints as many");
            black_box(&mut pose);
        }
    }
}

fn modelled(times: u32) {
    let mut dice = Dice::new();
    let (skeleton, pose, mut models) = (skeleton(&mut dice), pose(&mut dice), Vec::new());
    for _ in 0..times {
        for _ in 0..COUNT / SHARE {
            pose.to_models(&skeleton, &mut models).expect("joints as many");
            black_box(&mut models);
        }
    }
}

fn paletted(times: u32) {
    let mut dice = Dice::new();
    let (skin, mut palette) = (skin(&mut dice), Vec::new());
    let models: Vec<Mat34> = joints().map(|_| dice.transform().to_matrix()).collect();
    for _ in 0..times {
        for _ in 0..COUNT / SHARE {
            skin.palette(&models, &mut palette).expect("joints as many");
            black_box(&mut palette);
        }
    }
}

/// Returns a skin of all joints, in order.
fn skin(dice: &mut Dice) -> Skin {
    let binds = joints().map(|_| dice.transform().to_matrix()).collect();
    Skin::new(joints().collect(), binds).expect("lists as long")
}

/// Returns vertices with one to four influences and a morph target, their skin, and a palette.
fn mesh() -> (SkinnedMesh, Skin, Vec<Mat34>) {
    let mut dice = Dice::new();
    let vectors = |dice: &mut Dice| (0..COUNT).map(|_| dice.vector().to_array()).collect::<Vec<[f32; 3]>>();
    let skin = skin(&mut dice);
    let (positions, normals, deltas) = (vectors(&mut dice), vectors(&mut dice), vectors(&mut dice));
    let of_joints: Vec<u16> = joints().cycle().take(4 * COUNT as usize).collect();
    let weights: Vec<f32> = (0..4 * COUNT).map(|place| if place % 4 <= place / 4 % 4 { 0.25 } else { 0.0 }).collect();
    let mesh = SkinnedMesh::builder(&positions)
        .normals(&normals)
        .influences(4, &of_joints, &weights)
        .morph_target(MorphTarget { positions: &deltas, ..MorphTarget::default() })
        .build(&skin);
    (mesh.expect("lists as long"), skin, (0..SHARE).map(|_| dice.transform().to_matrix()).collect())
}

fn skinned(times: u32) {
    let (mesh, skin, palette) = mesh();
    let palette = Palette::of(&skin, &palette).expect("a matrix a joint");
    let (mut places, mut upright) = (vec![[0.0_f32; 3]; COUNT as usize], vec![[0.0_f32; 3]; COUNT as usize]);
    for _ in 0..times {
        let output = SkinOutput::new(&mut places).normals(&mut upright);
        mesh.skin(palette, output).expect("places as many");
        black_box((&mut places, &mut upright));
    }
}

fn morphed(times: u32) {
    let (mesh, skin, palette) = mesh();
    let palette = Palette::of(&skin, &palette).expect("a matrix a joint");
    let (mut places, mut buffer) = (vec![[0.0_f32; 3]; COUNT as usize], MorphBuffer::default());
    for _ in 0..times {
        mesh.skin_morphed(palette, &[0.5], &mut buffer, SkinOutput::new(&mut places)).expect("places as many");
        black_box(&mut places);
    }
}
