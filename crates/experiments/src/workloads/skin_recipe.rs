//! A character to be skinned, told without reference to any side.

use super::rng::Rng;
use hedgerow::glam::Vec3;
use hedgerow::{Mat34, Transform};

/// How many joints a character has.
pub const SKIN_JOINTS: usize = 96;
/// How many vertices a character has.
pub const SKIN_VERTICES: usize = 2700;

/// A mesh with up to four influences a vertex, in random order.
///
/// Positions lie in a unit cube, normals have the length 1, joints are chosen at random, and weights descend.
#[derive(Clone, Debug, Default)]
pub struct SkinRecipe {
    /// Where each vertex is in the bind pose.
    pub positions: Vec<[f32; 3]>,
    /// Where it faces.
    pub normals: Vec<[f32; 3]>,
    /// Its texture coordinates.
    pub uvs: Vec<[f32; 2]>,
    /// Which joints it follows.
    pub joints: Vec<[u16; 4]>,
    /// How much it does, in sum 1; 0 for those that it does not follow.
    pub weights: Vec<[f32; 4]>,
}

impl SkinRecipe {
    /// The seed's character: of its vertices 25 % have one influence, 20 % two, 25 % three and 30 % four.
    pub fn character(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut new = Self::default();
        for _ in 0..SKIN_VERTICES {
            let influences = match rng.below(100) {
                0..25 => 1,
                25..45 => 2,
                45..70 => 3,
                _ => 4,
            };
            new.push(&mut rng, influences);
        }
        new
    }

    fn push(&mut self, rng: &mut Rng, influences: usize) {
        let Transform { translation, rotation, .. } = rng.transform();
        self.positions.push((translation * 0.05).to_array());
        self.normals.push((rotation * Vec3::X).to_array());
        self.uvs.push([translation.x, translation.y]);
        let mut joints = [0; 4];
        let mut weights = [0.0; 4];
        for influence in 0..influences {
            // All different, so that no side can merge any.
            joints[influence] = loop {
                let joint = u16::try_from(rng.below(96)).expect("a joint below SKIN_JOINTS");
                if !joints[..influence].contains(&joint) {
                    break joint;
                }
            };
            weights[influence] = 1.0 + rng.below(1000) as f32;
        }
        weights.sort_by(|a: &f32, b| b.total_cmp(a));
        let sum: f32 = weights.iter().sum();
        self.joints.push(joints);
        self.weights.push(weights.map(|weight| weight / sum));
    }

    /// A palette: each joint turned anyhow, and moved by at most a unit.
    pub fn palette(seed: u64) -> Vec<Mat34> {
        let mut rng = Rng::new(seed);
        let joint = |_| {
            let Transform { translation, rotation, .. } = rng.transform();
            Transform { translation: translation * 0.1, rotation, scale: Vec3::ONE }.to_matrix()
        };
        (0..SKIN_JOINTS).map(joint).collect()
    }
}
