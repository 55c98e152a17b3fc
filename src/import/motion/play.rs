//! An animation on all rigs that it moves.

use super::{MorphNode, Rig};
use crate::anim::player::Playback;
use crate::anim::{Clip, ClipBuilder, Error, Player, Pose, clip::ClipError};
use crate::character::CharacterError;
use crate::import::error::{ImportError, ImportErrorKind, Item, ItemKind};
use crate::import::{Imported, ImportedClip};
use crate::scene::HandleMap;
use crate::{NodeHandle, Scene, Transform};
use std::sync::Arc;

/// An animation that plays: on all rigs that it moves, and so on all nodes, in step.
///
/// Made by [`Imported::play`]. It has a player and a pose for each of these rigs, and knows their nodes.
/// [`advance`](Self::advance) and [`seek`](Self::seek) change the poses; [`apply`](Self::apply) gives them to the
/// nodes. Joints that the animation leaves alone rest. What skinning needs is in [`pose`](Self::pose), what morphing
/// needs in [`weights`](Self::weights).
///
/// A clone plays on from the same time, and shares the compiled clips.
///
/// ```
/// use hedgerow::glam::Vec3;
/// use hedgerow::import;
///
/// // The numbers 0, 2, 0, 0, 0, 0: the times 0 and 2, and the places (0, 2, 0) and (0, 0, 0).
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "lift"}],
///     "animations": [{"name": "down", "samplers": [{"input": 0, "output": 1}],
///         "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}],
///     "accessors": [{"componentType": 5126, "type": "SCALAR", "count": 2, "bufferView": 0},
///         {"componentType": 5126, "type": "VEC3", "count": 2, "bufferView": 0}],
///     "bufferViews": [{"buffer": 0, "byteLength": 24}],
///     "buffers": [{"byteLength": 24, "uri": "data:;base64,AAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAA"}]
/// }"#;
/// let mut import = import::from_slice(text, None)?;
/// let mut down = import.imported.play(0)?;                         // once,
/// assert_eq!(down.duration(), 2.0);
///
/// down.advance(0.5);                                               // then each frame.
/// down.apply(&mut import.scene)?;
/// import.scene.update();
/// let lift = import.imported.node(0).expect("it is in a scene");
/// let place = import.scene.world(lift).unwrap().translation();
/// assert!((place - Vec3::new(0.0, 1.5, 0.0)).length() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnimationPlayer {
    parts: Vec<Part>,
    /// The nodes with their transforms: kept for its memory.
    items: Vec<(NodeHandle, Transform)>,
}

/// An animation on one rig.
#[derive(Clone, Debug)]
struct Part {
    rig: usize,
    player: Player<Arc<Clip>>,
    pose: Pose,
    channels: Vec<f32>,
    /// The nodes of the rig, in all of its places.
    nodes: Vec<(u16, NodeHandle)>,
}

impl Part {
    fn new(rigs: &[Rig], imported: &ImportedClip, clip: Clip) -> Self {
        let rig = &rigs[imported.rig];
        let (pose, channels) = (Pose::rest(&rig.skeleton), vec![0.0; rig.channels]);
        let nodes = rig.places.iter().flat_map(|place| place.nodes()).collect();
        let mut part = Self { rig: imported.rig, player: Player::new(Arc::new(clip)), pose, channels, nodes };
        part.sample();
        part
    }

    fn sample(&mut self) {
        self.player.sample(&mut self.pose).expect("the pose has the clip's joints");
        self.player.sample_channels(&mut self.channels).expect("the rig has the clip's channels");
    }
}

impl AnimationPlayer {
    /// How long the animation is, in seconds; 0 if it moves nothing that is imported.
    #[must_use]
    pub fn duration(&self) -> f32 {
        self.parts.first().map_or(0.0, |part| part.player.clip().duration())
    }

    /// The time in the animation, in seconds: 0 to its duration.
    #[must_use]
    pub fn time(&self) -> f32 {
        self.parts.first().map_or(0.0, |part| part.player.time())
    }

    /// Sets what happens at the ends of the animation: [`Playback::Clamp`] at first.
    pub fn set_playback(&mut self, playback: Playback) {
        self.parts.iter_mut().for_each(|part| part.player.set_playback(playback));
    }

    /// Advances by this many seconds, backward if negative. Returns how often the end was passed; see
    /// [`Player::advance`].
    ///
    /// Runs in **O(tracks + keys on the way)**.
    pub fn advance(&mut self, seconds: f32) -> i32 {
        let mut rounds = 0;
        for part in &mut self.parts {
            rounds = part.player.advance(seconds);
            part.sample();
        }
        rounds
    }

    /// Goes to a time in seconds, or to the nearer end.
    ///
    /// Runs in **O(tracks + keys to the nearest jump frames)**.
    pub fn seek(&mut self, seconds: f32) {
        for part in &mut self.parts {
            part.player.seek(seconds);
            part.sample();
        }
    }

    /// Sets the local transforms of all nodes of the rigs that the animation moves, as one batch. World matrices follow
    /// with the next [`Scene::update`].
    ///
    /// Runs in **O(nodes of these rigs)**, and allocates at the first call alone.
    ///
    /// # Errors
    /// What [`Scene::set_transforms`] refuses, such as nodes that were removed: see [`retain_live`](Self::retain_live).
    /// The scene is then unchanged.
    pub fn apply(&mut self, scene: &mut Scene) -> Result<(), CharacterError> {
        let Self { parts, items } = self;
        items.clear();
        for Part { pose, nodes, .. } in parts {
            items.extend(nodes.iter().map(|&(joint, node)| (node, pose.get(joint))));
        }
        Ok(scene.set_transforms(items)?)
    }

    /// Forgets nodes that are no longer in the scene.
    pub fn retain_live(&mut self, scene: &Scene) {
        self.parts.iter_mut().for_each(|part| part.nodes.retain(|&(_, node)| scene.contains(node)));
    }

    /// The same animation at the same time, on the nodes of a copy, such as [`Scene::duplicate`] makes. Nodes that were
    /// not copied are left out.
    ///
    /// ```
    /// # use hedgerow::import;
    /// # let text = br#"{
    /// #     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "lift"}],
    /// #     "animations": [{"name": "down", "samplers": [{"input": 0, "output": 1}],
    /// #         "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}],
    /// #     "accessors": [{"componentType": 5126, "type": "SCALAR", "count": 2, "bufferView": 0},
    /// #         {"componentType": 5126, "type": "VEC3", "count": 2, "bufferView": 0}],
    /// #     "bufferViews": [{"buffer": 0, "byteLength": 24}],
    /// #     "buffers": [{"byteLength": 24, "uri": "data:;base64,AAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAA"}]
    /// # }"#;
    /// let mut import = import::from_slice(text, None)?;
    /// let scene = &mut import.scene;
    /// let copy = scene.duplicate(import.imported.scenes[0].group, scene.root())?;
    /// let mut first = import.imported.play(0)?;
    /// let mut second = first.of_copy(&copy);
    /// second.seek(2.0);
    /// first.apply(scene)?;
    /// second.apply(scene)?;
    /// let lift = import.imported.node(0).expect("it is in a scene");
    /// let heights = [Some(lift), copy.get(lift)].map(|it| scene.local(it.unwrap()).unwrap().to_matrix().translation().y);
    /// assert_eq!(heights, [2.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_copy(&self, map: &HandleMap) -> Self {
        let mut copy = Self { parts: self.parts.clone(), items: Vec::new() };
        for part in &mut copy.parts {
            part.nodes = part.nodes.iter().filter_map(|&(joint, node)| Some((joint, map.get(node)?))).collect();
        }
        copy
    }

    /// The rigs that the animation moves, by their numbers in [`Imported::rigs`], with their present poses.
    pub fn poses(&self) -> impl ExactSizeIterator<Item = (usize, &Pose)> {
        self.parts.iter().map(|part| (part.rig, &part.pose))
    }

    /// The present pose of a rig, given by its number in [`Imported::rigs`]; `None` if the animation does not move it.
    ///
    /// Runs in **O(log rigs)**.
    #[must_use]
    pub fn pose(&self, rig: usize) -> Option<&Pose> {
        self.part(rig).map(|part| &part.pose)
    }

    /// The present morph weights of a node: those at rest if the animation does not change them.
    ///
    /// Runs in **O(log rigs)**.
    #[must_use]
    pub fn weights<'a>(&'a self, morph: &'a MorphNode) -> &'a [f32] {
        let channels = morph.channels.as_ref().and_then(|of| Some((self.part(of.rig)?, of.range.clone())));
        channels.and_then(|(part, range)| part.channels.get(range)).unwrap_or(&morph.weights)
    }

    fn part(&self, rig: usize) -> Option<&Part> {
        let at = self.parts.binary_search_by_key(&rig, |part| part.rig).ok()?;
        Some(&self.parts[at])
    }
}

impl Imported {
    /// Prepares an animation, given by glTF index, to play on all rigs that it moves: compiles its clips with the
    /// default settings. It is at its beginning, and will stop at its end.
    ///
    /// Runs in **O(keys)**. To play it on several copies, take [`AnimationPlayer::of_copy`].
    ///
    /// # Errors
    /// [`ImportErrorKind::NoAnimation`] if there is none of this index; [`ImportErrorKind::Clip`] with what
    /// [`ClipBuilder::build`] refuses.
    pub fn play(&self, animation: usize) -> Result<AnimationPlayer, ImportError> {
        self.play_with(animation, ClipBuilder::new())
    }

    /// Like [`play`](Self::play), with clips compiled by these settings.
    ///
    /// # Errors
    /// Those of [`play`](Self::play).
    pub fn play_with(&self, animation: usize, builder: ClipBuilder) -> Result<AnimationPlayer, ImportError> {
        let Some(of_file) = self.animations.get(animation) else {
            return Err(ImportErrorKind::NoAnimation { animation, count: self.animations.len() }.into());
        };
        let mut parts = Vec::with_capacity(of_file.clips.len());
        for imported in &self.clips[of_file.clips.clone()] {
            let (clip, _) = builder.build(&imported.clip).map_err(|error| {
                let error = match error {
                    Error::Clip(error) => error,
                    _ => ClipError::TooLarge,
                };
                let item = Item { kind: ItemKind::Animation, index: animation, name: of_file.name.clone() };
                ImportErrorKind::Clip { item, field: format!("rig {}", imported.rig), error }
            })?;
            parts.push(Part::new(&self.rigs, imported, clip));
        }
        Ok(AnimationPlayer { parts, items: Vec::new() })
    }

    /// Sets all nodes of all rigs to where they are in the file, as one batch: for rigs that the next animation does
    /// not move.
    ///
    /// Runs in **O(joints)**.
    ///
    /// # Errors
    /// What [`Scene::set_transforms`] refuses, such as nodes that were removed. The scene is then unchanged.
    pub fn rest(&self, scene: &mut Scene) -> Result<(), CharacterError> {
        let of_rig = |rig: &Rig| {
            let nodes = rig.places.iter().flat_map(|place| place.nodes());
            nodes.map(|(joint, node)| (node, rig.skeleton.rest(joint))).collect::<Vec<_>>()
        };
        let items: Vec<(NodeHandle, Transform)> = self.rigs.iter().flat_map(of_rig).collect();
        Ok(scene.set_transforms(&items)?)
    }
}
