//! Rigs, skins, morph weights and animations, and their playback.
//!
//! | file | what |
//! |---|---|
//! | `rig/` | nodes that move together, as skeletons |
//! | `skin` | skins: joints of a rig that a mesh follows |
//! | `morph` | weights of morph targets |
//! | `clip` | animations: a clip for each rig |
//! | `keys` | repairs keys that a track refuses |
//! | `play`, `part` | plays an animation on all rigs that it moves, and on one rig |
//! | `deformed` | palettes, weights, vertices and boxes of drawables |

mod clip;
mod deformed;
mod keys;
mod morph;
mod part;
mod play;
mod rig;
mod skin;

pub use clip::{ImportedAnimation, ImportedClip};
pub use deformed::Deformed;
pub use morph::{MorphChannels, MorphNode};
pub use play::AnimationPlayer;
pub(super) use rig::place;
pub use rig::{Rig, RigPlace};
pub use skin::ImportedSkin;

use super::Skipped;
use super::error::ImportError;
use super::file::Reader;
use bumpalo::Bump;
use gltf::json::animation::Property;
use hedgerow::character::CharacterError;
use hedgerow::{Error, NodeHandle, Scene, Transform};
use rig::Rigs;
use std::collections::HashSet;

/// Sets all local transforms, or none if any is refused.
fn set_all(
    scene: &mut Scene,
    items: impl Iterator<Item = (NodeHandle, Transform)> + Clone,
) -> Result<(), CharacterError> {
    for (node, local) in items.clone() {
        if !scene.contains(node) {
            return Err(Error::StaleHandle(node).into());
        }
        local.checked().map_err(Error::from)?;
    }
    Ok(scene.set_locals(items)?)
}

#[derive(Default)]
pub(super) struct Motion {
    pub(super) rigs: Vec<Rig>,
    pub(super) skins: Vec<ImportedSkin>,
    pub(super) animations: Vec<ImportedAnimation>,
    pub(super) clips: Vec<ImportedClip>,
    pub(super) morphs: Vec<MorphNode>,
}

impl Motion {
    /// Reads and checks the motion of a file whose nodes and accessors are checked.
    pub(super) fn read(reader: Reader<'_>, extras: bool, skipped: &mut Vec<Skipped>) -> Result<Self, ImportError> {
        let root = reader.root;
        let joints = skin::read(reader)?;
        let mut morphs = morph::read(reader)?;
        let targets = clip::targets(reader, &morphs, skipped)?;
        let mut rigs = Rigs::of(reader, &joints, targets.iter().flatten().map(|target| target.node))?;
        let skins = skin::build(reader, &joints, &rigs, extras)?;

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
        let (mut clips, mut animations, mut arena) = (Vec::new(), Vec::new(), Bump::new());
        for (animation, targets) in targets.iter().enumerate() {
            arena.reset();
            let start = clips.len();
            clips.extend(clip::read(reader, &arena, animation, targets, &rigs, &morphs)?);
            animations.push(ImportedAnimation::of(root, animation, start..clips.len(), extras));
        }
        Ok(Self { rigs: rigs.rigs, skins, animations, clips, morphs })
    }
}
