//! Makes skinned meshes and joint bounds from plain arrays.

use super::read::{NORMAL, TANGENT};
use super::{MeshData, mend};
use glam::Vec3;
use hedgerow_anim::Error;
use hedgerow_anim::skin::{MorphTarget, Skin, SkinnedMesh};
use hedgerow_character::CharacterError;
use hedgerow_character::JointBounds;
use std::borrow::Cow;

impl MeshData {
    /// Returns the vertices without joints, for a node that has no skin but shares the mesh with a skinned node.
    ///
    /// Runs in **O(bytes of the mesh)**.
    ///
    /// ```
    /// use hedgerow_gltf::anim::skin::Skin;
    /// use hedgerow_gltf::MeshData;
    ///
    /// let mut data = MeshData::default();
    /// (data.positions, data.influences) = (vec![[0.0; 3]], 4);
    /// (data.joints, data.weights) = (vec![7, 0, 0, 0], vec![1.0, 0.0, 0.0, 0.0]);
    /// assert!(data.to_skinned_mesh(&Skin::rigid()).is_err());
    /// let rigid = data.without_joints();
    /// assert_eq!(rigid.to_skinned_mesh(&Skin::rigid())?.len(), 1);
    /// assert_eq!(rigid.joint_bounds(&Skin::rigid())?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn without_joints(&self) -> Self {
        Self { influences: 0, joints: Vec::new(), weights: Vec::new(), eight_influences: false, ..self.clone() }
    }

    /// Returns the vertices without joints and morph targets.
    pub(super) fn undeformed(self) -> Self {
        Self { influences: 0, joints: Vec::new(), weights: Vec::new(), targets: Vec::new(), ..self }
    }

    /// Lays out the mesh for skinning with palettes of `skin`; it refuses palettes of other skins.
    ///
    /// `skin` is the skin of a node that draws the mesh, or [`Skin::rigid`] for a mesh that is only morphed. For a node
    /// without a skin, call [`without_joints`](Self::without_joints) first.
    ///
    /// Vertices are reordered; see [`SkinnedMesh::remap`]. Indices are adapted, or made if the file has none. Normals
    /// that are not finite are replaced by +z, and such tangents by +x.
    ///
    /// Runs in **O(vertices · (influences + targets) + indices)**.
    ///
    /// # Errors
    /// The errors of [`SkinnedMeshBuilder::build`](hedgerow_anim::skin::SkinnedMeshBuilder::build). If the arrays and
    /// the skin come from the same import, the only error is that the mesh has more than 2³² − 65 vertices.
    pub fn to_skinned_mesh(&self, skin: &Skin) -> Result<SkinnedMesh, Error> {
        let in_order: Vec<u32>;
        let indices = if self.indices.is_empty() {
            in_order = (0..).take(self.positions.len()).collect();
            &in_order
        } else {
            &self.indices
        };
        let mut builder = SkinnedMesh::builder(&self.positions).indices(indices);
        if self.influences > 0 {
            builder = builder.influences(self.influences, &self.joints, &self.weights);
        }
        if self.eight_influences {
            builder = builder.eight_influences();
        }
        let (normals, tangents) = (finite(&self.normals, NORMAL), finite(&self.tangents, TANGENT));
        if !normals.is_empty() {
            builder = builder.normals(&normals);
        }
        if !tangents.is_empty() {
            builder = builder.tangents(&tangents);
        }
        for target in &self.targets {
            let (positions, normals, tangents) = (&target.positions, &target.normals, &target.tangents);
            builder = builder.morph_target(MorphTarget { vertices: None, positions, normals, tangents });
        }
        builder.build(skin)
    }

    /// Returns a box for each joint. Together the boxes give the mesh's box in any pose, for any morph weights. `skin`
    /// is the skin of a node that draws the mesh, or [`Skin::rigid`] for a mesh without joints.
    ///
    /// Runs in **O(vertices · influences · targets)**.
    ///
    /// # Errors
    /// The errors of [`JointBounds::with_morphs`]. There are none if the arrays and the skin come from the same import.
    pub fn joint_bounds(&self, skin: &Skin) -> Result<JointBounds, CharacterError> {
        let positions: Vec<Vec3> = self.positions.iter().map(|&position| position.into()).collect();
        let targets: Vec<&[[f32; 3]]> = self.targets.iter().map(|target| &target.positions[..]).collect();
        if self.influences > 0 {
            JointBounds::with_morphs(skin, &positions, &targets, &self.joints, &self.weights)
        } else {
            let count = positions.len();
            JointBounds::with_morphs(skin, &positions, &targets, &vec![0; count], &vec![1.0; count])
        }
    }
}

/// Returns `vectors` itself, or a copy in which `by` replaces vectors that are not finite.
fn finite<const N: usize>(vectors: &[[f32; N]], by: [f32; N]) -> Cow<'_, [[f32; N]]> {
    if vectors.as_flattened().iter().all(|number| number.is_finite()) {
        return Cow::Borrowed(vectors);
    }
    let mut copy = vectors.to_vec();
    mend::vectors(&mut copy, by);
    Cow::Owned(copy)
}
