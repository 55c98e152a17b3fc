//! Rigs, skins, morph weights and animations, and their playback.
//!
//! | file | what |
//! |---|---|
//! | `rig/` | nodes that move together, as skeletons |
//! | `skin` | skins: joints of a rig that a mesh follows |
//! | `morph` | weights of morph targets |
//! | `clip` | animations: a clip for each rig |
//! | `keys` | repairs keys that a track refuses |
//! | `play`, `deformed` | players of animations; what deforms drawables |
//! | `triangles`, `trees` | the triangles of a node, static or deformed; trees over them |

mod clip;
mod deformed;
mod keys;
mod morph;
mod play;
mod rig;
mod skin;
mod trees;
mod triangles;

pub use clip::{ImportedAnimation, ImportedClip};
pub(super) use rig::place;
pub use skin::ImportedSkin;
pub use trees::TriangleTrees;

use super::error::{ImportError, ImportErrorKind, Item, ItemKind, Warnings};
use super::file::Reader;
use super::mesh::{Deforms, Rest, Resting, meshes_that_follow};
use super::{Parts, Skipped};
use core::iter::zip;
use gltf::json::animation::Property;
use hedgerow::Mat34;
use hedgerow_anim::Pose;
use hedgerow_character::{MorphChannels, MorphNode, Rig};
use rig::Rigs;
use std::collections::HashSet;

#[derive(Default)]
pub(super) struct Motion {
    pub(super) rigs: Vec<Rig>,
    pub(super) skins: Vec<ImportedSkin>,
    pub(super) animations: Vec<ImportedAnimation>,
    pub(super) clips: Vec<ImportedClip>,
    pub(super) morphs: Vec<MorphNode>,
}

impl Motion {
    /// Reads and checks the motion of a file whose nodes and accessors are checked. If motion is not wanted, reads only
    /// the parts that the places and boxes of deformed meshes need.
    pub(super) fn read(
        reader: Reader<'_>,
        parts: &Parts,
        deforms: &[Deforms],
        skipped: &mut Vec<Skipped>,
    ) -> Result<Self, ImportError> {
        let root = reader.root;
        let follow = meshes_that_follow(root);
        if !parts.motion && !zip(deforms, &follow).any(|(of_mesh, &follows)| of_mesh.skinned && follows) {
            let is_morphed = deforms.iter().any(|of_mesh| of_mesh.morphed);
            let morphs = if is_morphed { morph::read(reader)? } else { Vec::new() };
            return Ok(Self { morphs, ..Self::default() });
        }
        let joints = skin::read(reader)?;
        let mut morphs = morph::read(reader)?;
        let targets = if parts.motion {
            clip::targets(reader, &morphs, skipped)?
        } else {
            // The targets only decide what moves together, so their faults do not count.
            let warnings = &Warnings::new(false);
            clip::targets(Reader { warnings, ..reader }, &morphs, &mut Vec::new()).unwrap_or_default()
        };
        let mut rigs = Rigs::of(reader, &joints, targets.iter().flatten().map(|target| target.node))?;
        let skins = skin::build(reader, &joints, &rigs, parts.extras)?;
        if !parts.motion {
            return Ok(Self { rigs: rigs.rigs, skins, morphs, ..Self::default() });
        }

        let weights = targets.iter().flatten().filter(|target| target.property == Property::MorphTargetWeights);
        let morphed: HashSet<usize> = weights.map(|target| target.node).collect();
        for morph in morphs.iter_mut().filter(|morph| morphed.contains(&morph.node)) {
            if let Some((rig, _)) = rigs.joint(morph.node) {
                let channels = &mut rigs.rigs[rig].channels;
                let start = *channels;
                *channels += morph.weights.len();
                morph.channels = Some(MorphChannels::new(rig, start..*channels));
            }
        }
        let (mut clips, mut animations) = (Vec::new(), Vec::new());
        for (animation, targets) in targets.iter().enumerate() {
            let start = clips.len();
            clips.extend(clip::read(reader, animation, targets, &rigs, &morphs)?);
            animations.push(ImportedAnimation::of(root, animation, start..clips.len(), parts.extras));
        }
        Ok(Self { rigs: rigs.rigs, skins, animations, clips, morphs })
    }

    /// Returns how nodes deform their meshes at rest.
    pub(super) fn rest(&self, reader: Reader<'_>) -> Result<Rest<'_>, ImportError> {
        let (root, budget) = (reader.root, reader.budget);
        let (follow, mut nodes) = (meshes_that_follow(root), Vec::new());
        for (node, json) in root.nodes.iter().enumerate() {
            let Some(mesh) = json.mesh.map(|mesh| mesh.value()) else { continue };
            let skin = json.skin.map(|skin| skin.value()).filter(|_| follow[mesh]);
            let found = self.morphs.binary_search_by_key(&node, |morph| morph.node);
            let weights = found.map_or(&[][..], |at| &self.morphs[at].weights);
            let weights = if weights.iter().any(|&weight| weight != 0.0) { weights } else { &[] };
            if skin.is_some() || !weights.is_empty() {
                budget.take::<[Resting<'_>; 2]>(1, || Item::node(root, node))?;
                nodes.push(Resting { mesh, skin, node, weights });
            }
        }
        nodes.sort_unstable_by_key(|it| (it.mesh, it.skin, it.node));
        let mut drawn: Vec<usize> = nodes.iter().filter_map(|it| it.skin).collect();
        // One rig after the other, so that the matrices of one are in memory.
        drawn.sort_unstable_by_key(|&skin| (self.skins[skin].rig, skin));
        drawn.dedup();
        let (mut palettes, mut models, mut present) = (vec![Vec::new(); self.skins.len()], Vec::new(), None);
        for skin in drawn {
            let (item, ImportedSkin { rig, skin: of, .. }) =
                (|| Item::of(root, ItemKind::Skin, skin), &self.skins[skin]);
            let skeleton = &self.rigs[*rig].skeleton;
            let mut computed = Ok(());
            if present.replace(*rig) != Some(*rig) {
                budget.take::<Mat34>(skeleton.len(), item)?;
                computed = Pose::rest(skeleton).to_models(skeleton, &mut models);
            }
            budget.take::<Mat34>(of.len(), item)?;
            let computed = computed.and_then(|()| of.palette(&models, &mut palettes[skin]).map(drop));
            computed.map_err(|_| ImportErrorKind::AllocationFailed(item()))?;
        }
        Ok(Rest { nodes, palettes })
    }
}
