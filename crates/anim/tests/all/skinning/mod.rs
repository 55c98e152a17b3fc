//! Skins, skinned meshes and batches.

mod batches;
mod meshes;
mod palettes;

use fastrand::Rng;
use hedgerow_anim::glam::{DVec3, Quat, Vec3};
use hedgerow_anim::{
    ClipBuilder, Error, Mat34, Player, Pose, RawClip, Skeleton, SkeletonBuilder, Transform,
    raw::Track,
    skin::{MorphBuffer, MorphTarget, Palette, Skin, SkinBatch, SkinError, SkinOutput, SkinnedMesh},
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;

/// Returns a skin whose joints are bound at the origin.
fn skin(joints: usize) -> Skin {
    Skin::new((0..).take(joints).collect(), vec![Mat34::IDENTITY; joints]).unwrap()
}

fn of<'p>(mesh: &SkinnedMesh, matrices: &'p [Mat34]) -> Palette<'p> {
    let skin = skin(matrices.len());
    assert_eq!(mesh.skin_id(), skin.id());
    Palette::of(&skin, matrices).unwrap()
}

fn model(number: usize) -> Mat34 {
    Transform::from_xyz(number as f32, 1.0, -2.0).to_matrix()
}

/// Deterministic random numbers.
struct Dice(Rng);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    fn signed(&mut self) -> f32 {
        self.below(1 << 20) as f32 / 524_288.0 - 1.0
    }

    fn vector(&mut self) -> [f32; 3] {
        [self.signed(), self.signed(), self.signed()]
    }

    fn palette(&mut self, joints: usize) -> Vec<Mat34> {
        let joint = |_| {
            let rotation = Quat::from_xyzw(self.signed(), self.signed(), self.signed(), 1.0).normalize();
            let (translation, scale) = (Vec3::from(self.vector()), Vec3::splat(1.0 + 0.5 * self.signed()));
            Transform { translation, rotation, scale }.to_matrix()
        };
        (0..joints).map(joint).collect()
    }
}

/// A mesh as authored, with any number of influences per vertex.
#[derive(Clone, Debug)]
struct Model {
    influences: usize,
    joints: usize,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
    of_joints: Vec<u16>,
    weights: Vec<f32>,
    indices: Vec<u32>,
}

impl Model {
    fn new(vertices: usize, influences: usize, joints: usize, seed: u64) -> Self {
        let mut dice = Dice(Rng::with_seed(seed));
        let tangent = |dice: &mut Dice| {
            let [x, y, z] = dice.vector();
            [x, y, z, if dice.below(2) == 0 { 1.0 } else { -1.0 }]
        };
        Self {
            influences,
            joints,
            positions: (0..vertices).map(|_| dice.vector()).collect(),
            normals: (0..vertices).map(|_| dice.vector()).collect(),
            tangents: (0..vertices).map(|_| tangent(&mut dice)).collect(),
            of_joints: (0..vertices * influences).map(|_| u16::try_from(dice.below(joints)).unwrap()).collect(),
            // Half of the weights are zero, and no sum is one.
            weights: (0..vertices * influences).map(|_| dice.signed().max(0.0)).collect(),
            indices: (0..3 * vertices).map(|_| u32::try_from(dice.below(vertices)).unwrap()).collect(),
        }
    }

    fn build(&self, targets: &[MorphTarget<'_>]) -> SkinnedMesh {
        let mut builder = SkinnedMesh::builder(&self.positions)
            .normals(&self.normals)
            .tangents(&self.tangents)
            .influences(self.influences, &self.of_joints, &self.weights)
            .indices(&self.indices);
        for target in targets {
            builder = builder.morph_target(*target);
        }
        builder.build(&skin(self.joints)).unwrap()
    }

    /// Skins a vector in double precision. `w` is 1 for points.
    fn skinned(&self, palette: &[Mat34], vertex: usize, vector: DVec3, w: f64) -> DVec3 {
        let range = vertex * self.influences..(vertex + 1) * self.influences;
        let mut influences: Vec<(u16, f64)> = Vec::new();
        for (&joint, &weight) in self.of_joints[range.clone()].iter().zip(&self.weights[range.clone()]) {
            match influences.iter_mut().find(|found| found.0 == joint) {
                Some(found) => found.1 += f64::from(weight),
                None => influences.push((joint, f64::from(weight))),
            }
        }
        influences.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        influences.truncate(4);
        let mut sum: f64 = influences.iter().map(|influence| influence.1).sum();
        if sum == 0.0 {
            influences = vec![(self.of_joints.get(range.start).copied().unwrap_or(0), 1.0)];
            sum = 1.0;
        }
        let by = |matrix: &Mat34| {
            let row = |row: [f32; 4]| {
                let [x, y, z, t] = row.map(f64::from);
                x * vector.x + y * vector.y + z * vector.z + t * w
            };
            DVec3::from_array(matrix.rows.map(row))
        };
        influences.iter().map(|&(joint, weight)| by(&palette[usize::from(joint)]) * (weight / sum)).sum()
    }
}

fn wide(vector: [f32; 3]) -> DVec3 {
    Vec3::from(vector).as_dvec3()
}

fn assert_near(found: &[f32], expected: DVec3, what: &str) {
    let off = (DVec3::new(found[0].into(), found[1].into(), found[2].into()) - expected).abs().max_element();
    assert!(off < 1e-5, "{what}: {found:?} instead of {expected}");
}

/// Positions of four floats, normals of three, tangents of four.
type Skinned = (Vec<[f32; 4]>, Vec<[f32; 3]>, Vec<[f32; 4]>);

fn skinned(mesh: &SkinnedMesh, palette: &[Mat34], weights: &[f32]) -> Skinned {
    let count = mesh.len();
    let (mut positions, mut normals, mut tangents) =
        (vec![[9.0; 4]; count], vec![[9.0; 3]; count], vec![[9.0; 4]; count]);
    let output = SkinOutput::new(&mut positions).normals(&mut normals).tangents(&mut tangents);
    if weights.is_empty() {
        mesh.skin(of(mesh, palette), output).unwrap();
    } else {
        mesh.skin_morphed(of(mesh, palette), weights, &mut MorphBuffer::new(), output).unwrap();
    }
    (positions, normals, tangents)
}
