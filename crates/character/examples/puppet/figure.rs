//! Converts the puppet to the crate's types.

use super::flesh::Cover;
use super::mesh::PuppetMesh;
use super::rig::Rig;
use hedgerow::glam::Vec3;
use hedgerow_anim::skin::{Skin, SkinnedMesh};
use hedgerow_character::{CharacterError, JointBounds};

/// The number of influences per vertex; unused influences have joint 0 and weight 0.
const INFLUENCES: usize = 4;

/// Lists to build meshes from, with an item for each vertex, influence or corner.
pub(crate) struct Lists {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) joints: Vec<u16>,
    pub(crate) weights: Vec<f32>,
    pub(crate) indices: Vec<u32>,
    pub(crate) covers: Vec<Cover>,
}

impl Lists {
    pub(crate) fn new(mesh: &PuppetMesh) -> Self {
        let influences = || {
            let filled = |vertex: usize| {
                let own = mesh.vertices[vertex].influences.iter().copied();
                own.chain(std::iter::repeat((0, 0.0))).take(INFLUENCES)
            };
            (0..mesh.vertices.len()).flat_map(filled)
        };
        Self {
            positions: mesh.vertices.iter().map(|vertex| vertex.place).collect(),
            normals: mesh.vertices.iter().map(|vertex| vertex.normal).collect(),
            joints: influences().map(|(joint, _)| joint).collect(),
            weights: influences().map(|(_, weight)| weight).collect(),
            indices: mesh.triangles.as_flattened().to_vec(),
            covers: mesh.vertices.iter().map(|vertex| vertex.cover).collect(),
        }
    }

    /// Returns the skin that numbers the joints of the lists: all joints of the skeleton.
    pub(crate) fn skin(rig: &Rig) -> Result<Skin, CharacterError> {
        Ok(Skin::at_rest(&rig.skeleton)?)
    }

    /// Returns the mesh for skinning.
    pub(crate) fn skinned(&self, skin: &Skin) -> Result<SkinnedMesh, CharacterError> {
        let packed = |list: &[Vec3]| list.iter().map(Vec3::to_array).collect::<Vec<_>>();
        Ok(SkinnedMesh::builder(&packed(&self.positions))
            .normals(&packed(&self.normals))
            .influences(INFLUENCES, &self.joints, &self.weights)
            .indices(&self.indices)
            .build(skin)?)
    }

    /// Returns the joint bounds of the mesh.
    pub(crate) fn bounds(&self, skin: &Skin) -> Result<JointBounds, CharacterError> {
        JointBounds::new(skin, &self.positions, &self.joints, &self.weights)
    }
}
