//! A character for skinning, described independently of any side.

use super::rng::Rng;
use hedgerow::glam::Vec3;
use hedgerow::{Mat34, Transform};

/// The number of joints of a character.
pub const SKIN_JOINTS: usize = 96;
/// The number of vertices of a character.
pub const SKIN_VERTICES: usize = 2700;

/// A mesh with up to four influences per vertex, in random order.
///
/// Positions are in a unit cube, normals have length 1, joints are random, and weights descend.
#[derive(Clone, Debug, Default)]
pub struct SkinRecipe {
    /// The vertex positions in the bind pose.
    pub positions: Vec<[f32; 3]>,
    /// The vertex normals.
    pub normals: Vec<[f32; 3]>,
    /// The texture coordinates.
    pub uvs: Vec<[f32; 2]>,
    /// The joints that each vertex follows.
    pub joints: Vec<[u16; 4]>,
    /// The weights of the joints, with sum 1; 0 for unused joints.
    pub weights: Vec<[f32; 4]>,
}

impl SkinRecipe {
    /// Creates the source's character: 25 % of its vertices have one influence, 20 % two, 25 % three and 30 % four.
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
            // The joints differ, so that no side can merge influences.
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

    /// Returns a palette: each joint has any rotation, and is moved by at most one unit.
    pub fn palette(seed: u64) -> Vec<Mat34> {
        let mut rng = Rng::new(seed);
        let joint = |_| {
            let Transform { translation, rotation, .. } = rng.transform();
            Transform { translation: translation * 0.1, rotation, scale: Vec3::ONE }.to_matrix()
        };
        (0..SKIN_JOINTS).map(joint).collect()
    }
}
