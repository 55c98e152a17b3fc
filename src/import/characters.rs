//! Everything that moves or is deformed in a file: rigs, clips, skins, morph targets and the meshes that follow them.

use super::clip::{self, ImportedClip};
use super::error::ImportError;
use super::mesh_data::{self, MeshData};
use super::morph::{self, MorphChannels, MorphNode};
use super::read::Reader;
use super::rig::{Rig, Rigs};
use super::skin::{self, ImportedSkin};
use super::{MeshIds, Skipped};
use gltf::json::animation::Property;
use std::collections::HashSet;

/// All of it, checked.
pub(super) struct Characters {
    pub(super) rigs: Vec<Rig>,
    pub(super) skins: Vec<ImportedSkin>,
    pub(super) clips: Vec<ImportedClip>,
    pub(super) morphs: Vec<MorphNode>,
    pub(super) meshes: Vec<MeshData>,
}

impl Characters {
    /// Reads and checks these parts of a file. Its nodes and accessors must be checked already.
    pub(super) fn read(
        reader: Reader<'_>,
        mesh_ids: &MeshIds,
        skipped: &mut Vec<Skipped>,
    ) -> Result<Self, ImportError> {
        let root = reader.root;
        let joints = skin::read(reader)?;
        let mut morphs = morph::read(reader)?;
        let targets = clip::targets(root, &morphs, skipped)?;
        let mut rigs = Rigs::of(root, &joints, targets.iter().flatten().map(|target| target.node))?;
        let skins = skin::build(reader, &joints, &rigs)?;

        let weights = targets.iter().flatten().filter(|target| target.property == Property::MorphTargetWeights);
        let morphed: HashSet<usize> = weights.map(|target| target.node).collect();
        for morph in morphs.iter_mut().filter(|morph| morphed.contains(&morph.node)) {
            if let Some((rig, _)) = rigs.joint(morph.node) {
                let channels = &mut rigs.rigs[rig].channels;
                let start = *channels;
                *channels += morph.weights.len();
                morph.channels = Some(MorphChannels { rig, range: start..*channels });
            }
        }
        let mut clips = Vec::new();
        for (animation, targets) in targets.iter().enumerate().filter(|(_, targets)| !targets.is_empty()) {
            clips.extend(clip::read(reader, animation, targets, &rigs, &morphs)?);
        }
        let meshes = mesh_data::read(reader, mesh_ids, skipped)?;
        Ok(Self { rigs: rigs.rigs, skins, clips, morphs, meshes })
    }
}
