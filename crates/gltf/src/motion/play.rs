//! Plays an animation on all rigs that it moves.

use super::MorphNode;
use super::part::Part;
use crate::Imported;
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind};
use hedgerow::data::NodeMap;
use hedgerow::{Local, NodeHandle, Scene, Transform};
use hedgerow_anim::player::Playback;
use hedgerow_anim::{ClipBuilder, Error, Player, Pose, clip::ClipError};
use hedgerow_character::CharacterError;
use std::sync::Arc;

/// Plays an animation synchronously on all rigs that it moves.
///
/// Made by [`Imported::play`]. [`advance`](Self::advance) and [`seek`](Self::seek) change the poses of the rigs;
/// [`apply`](Self::apply) writes them to the nodes. Joints without tracks stay at rest. [`Deformed`](crate::Deformed)
/// reads [`pose`](Self::pose) and [`weights`](Self::weights) for skinning and morphing.
///
/// A clone has the same time and shares the compiled clips.
///
/// ```
/// use hedgerow::glam::Vec3;
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
/// let mut import = hedgerow_gltf::from_slice(text, None)?;
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
    /// The parts, ordered by the number of the rig.
    parts: Vec<Part>,
    rest: Arc<[Pose]>,
    fade: Option<Fade>,
    /// A scratch buffer of nodes and transforms.
    items: Vec<(NodeHandle, Transform)>,
}

/// The duration of a fade and the elapsed time, in seconds.
#[derive(Clone, Copy, Debug)]
struct Fade {
    seconds: f32,
    passed: f32,
}

impl Fade {
    /// Returns the progress, 0 to 1.
    fn share(self) -> f32 {
        (self.passed / self.seconds).min(1.0)
    }
}

impl AnimationPlayer {
    /// Returns the duration of the animation in seconds; 0 if the animation changes no imported node.
    #[must_use]
    pub fn duration(&self) -> f32 {
        self.parts.iter().find_map(Part::player).map_or(0.0, |player| player.clip().duration())
    }

    /// Returns the time in the animation, in seconds, from 0 to the duration.
    #[must_use]
    pub fn time(&self) -> f32 {
        self.parts.iter().find_map(Part::player).map_or(0.0, Player::time)
    }

    /// Sets the behaviour at the ends of the animation. Default [`Playback::Clamp`].
    pub fn set_playback(&mut self, playback: Playback) {
        self.parts.iter_mut().filter_map(Part::player_mut).for_each(|player| player.set_playback(playback));
    }

    /// Advances by `seconds`, backward if negative. Returns how often the end was passed; see [`Player::advance`]. A
    /// [fade](Self::fade_to) always goes forward, by the absolute value of `seconds`.
    ///
    /// Runs in **O(tracks + keys on the way)**.
    pub fn advance(&mut self, seconds: f32) -> i32 {
        if let Some(fade) = self.fade.as_mut().filter(|_| seconds.is_finite()) {
            fade.passed += seconds.abs();
        }
        let mut rounds = 0;
        for part in &mut self.parts {
            part.advance_before(seconds);
            if let Some(player) = part.player_mut() {
                rounds = player.advance(seconds);
            }
        }
        self.sample();
        rounds
    }

    /// Goes to a time in seconds, clamped to the animation.
    ///
    /// Runs in **O(tracks + keys to the nearest jump frames)**.
    pub fn seek(&mut self, seconds: f32) {
        self.parts.iter_mut().filter_map(Part::player_mut).for_each(|player| player.seek(seconds));
        self.sample();
    }

    /// Samples all parts, and ends a completed fade.
    fn sample(&mut self) {
        let faded = self.fade.map_or(1.0, Fade::share);
        self.parts.iter_mut().for_each(|part| part.sample(faded));
        if faded >= 1.0 {
            self.fade = None;
            self.parts.iter_mut().for_each(Part::end_fade);
        }
    }

    /// Fades to another animation of the same file while [`advance`](Self::advance) advances by `seconds`. From now on,
    /// this player plays the animation of `to`, with the time and the playback mode of `to`. The old animation plays on
    /// until the fade ends.
    ///
    /// Nothing jumps: the poses stay until the next `advance`. Then poses and morph weights blend linearly to the new
    /// animation, and match it exactly at the end. A rig that is moved by only one of the animations fades to or from
    /// rest. If an earlier fade is not over, the new fade starts from a fixed pose: the current blend.
    ///
    /// Both players must move the same nodes: if this player moves a copy, pass a player [of the same
    /// copy](Self::of_copy). If `seconds` is not positive and finite, the fade ends at once. Runs in **O(nodes of the
    /// moved rigs)**. During the fade, each sample evaluates both animations and blends them.
    ///
    /// This player then moves the nodes of `to`; if nodes were removed, call [`retain_live`](Self::retain_live) again.
    ///
    /// # Errors
    /// [`CharacterError::Pose`] if a rig has different numbers of joints or channels in the two players; other
    /// mismatches of files are not detected. The player is then unchanged.
    ///
    /// ```
    /// # let text = br#"{
    /// #     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "lift"}],
    /// #     "animations": [{"name": "down", "samplers": [{"input": 0, "output": 1}],
    /// #         "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}],
    /// #     "accessors": [{"componentType": 5126, "type": "SCALAR", "count": 2, "bufferView": 0},
    /// #         {"componentType": 5126, "type": "VEC3", "count": 2, "bufferView": 0}],
    /// #     "bufferViews": [{"buffer": 0, "byteLength": 24}],
    /// #     "buffers": [{"byteLength": 24, "uri": "data:;base64,AAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAA"}]
    /// # }"#;
    /// # let mut import = hedgerow_gltf::from_slice(text, None)?;
    /// let mut player = import.imported.play(0)?;         // height 2,
    /// let mut below = player.clone();
    /// below.seek(2.0);                                   // height 0
    /// player.fade_to(&below, 0.5)?;
    /// for height in [1.406, 0.875, 0.406, 0.0] {         // 3/4 of 1.875, 1/2 of 1.75, 1/4 of 1.625
    ///     player.advance(0.125);
    ///     player.apply(&mut import.scene)?;
    ///     let lift = import.imported.node(0).expect("it is in a scene");
    ///     let found = import.scene.local(lift).unwrap().to_matrix().translation().y;
    ///     assert!((found - height).abs() < 1e-2);
    /// }
    /// assert_eq!(player.faded(), 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fade_to(&mut self, to: &Self, seconds: f32) -> Result<(), CharacterError> {
        for part in &to.parts {
            if let Some(present) = self.part(part.rig) {
                present.check_same(part).map_err(CharacterError::Pose)?;
            }
        }
        let held = self.fade.is_some();
        let mut parts: Vec<Part> = self.parts.iter().map(|part| part.faded_to(to.part(part.rig), held)).collect();
        let others = to.parts.iter().filter(|part| self.part(part.rig).is_none());
        parts.extend(others.map(Part::faded_in));
        parts.sort_by_key(|part| part.rig);
        self.parts = parts;
        self.fade = (seconds > 0.0 && seconds.is_finite()).then_some(Fade { seconds, passed: 0.0 });
        self.sample();
        Ok(())
    }

    /// Returns the progress of the fade: 0 just after [`fade_to`](Self::fade_to), 1 if there is no fade.
    #[must_use]
    pub fn faded(&self) -> f32 {
        self.fade.map_or(1.0, Fade::share)
    }

    /// Sets the local transforms of all nodes of the moved rigs, as one batch. The next [`Scene::update`] computes
    /// world matrices. Nodes that already have the pose's transform are not set, so a paused player changes nothing.
    ///
    /// Runs in **O(nodes of the moved rigs)**, and allocates only at the first call.
    ///
    /// # Errors
    /// The errors of [`Scene::set_locals`], such as for removed nodes: see [`retain_live`](Self::retain_live). The
    /// scene is then unchanged.
    pub fn apply(&mut self, scene: &mut Scene) -> Result<(), CharacterError> {
        let Self { parts, items, .. } = self;
        items.clear();
        items.reserve(parts.iter().map(|part| part.nodes.len()).sum());
        for part in parts {
            let nodes = part.nodes.iter().map(|&(joint, node)| (node, part.pose().get(joint)));
            items.extend(nodes.filter(|&(node, local)| scene.local(node) != Some(Local::Transform(local))));
        }
        super::set_all(scene, items.iter().copied())
    }

    /// Drops nodes that are no longer in the scene, so that [`apply`](Self::apply) accepts the rest.
    pub fn retain_live(&mut self, scene: &Scene) {
        self.parts.iter_mut().for_each(|part| part.nodes.retain(|&(_, node)| scene.contains(node)));
    }

    /// Returns a player for the nodes of a copy, with the time of this player. `copies` maps nodes to copies: see
    /// [`Scene::tree`]. Nodes that were not copied are left out.
    ///
    /// ```
    /// # let text = br#"{
    /// #     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "lift"}],
    /// #     "animations": [{"name": "down", "samplers": [{"input": 0, "output": 1}],
    /// #         "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}],
    /// #     "accessors": [{"componentType": 5126, "type": "SCALAR", "count": 2, "bufferView": 0},
    /// #         {"componentType": 5126, "type": "VEC3", "count": 2, "bufferView": 0}],
    /// #     "bufferViews": [{"buffer": 0, "byteLength": 24}],
    /// #     "buffers": [{"byteLength": 24, "uri": "data:;base64,AAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAA"}]
    /// # }"#;
    /// use hedgerow::{NodeHandle, data::NodeMap};
    /// use hedgerow_gltf::anim::{ClipBuilder, clip::Precision};
    ///
    /// let mut import = hedgerow_gltf::from_slice(text, None)?;
    /// let scene = &mut import.scene;
    /// let group = import.imported.scenes[0].group;
    /// let originals: Vec<_> = scene.get(group).unwrap().descendants().map(|node| node.handle()).collect();
    /// let copies = scene.insert_tree(scene.root(), &scene.tree(group)?)?;
    /// let copies: NodeMap<NodeHandle> = originals.into_iter().zip(copies).collect();
    /// let mut first = import.imported.play_with(0, ClipBuilder::new().precision(Precision::Tight))?;
    /// let mut second = first.of_copy(&copies);
    /// second.seek(2.0);
    /// first.apply(scene)?;
    /// second.apply(scene)?;
    /// let lift = import.imported.node(0).expect("it is in a scene");
    /// let heights = [lift, copies[lift]].map(|it| scene.local(it).unwrap().to_matrix().translation().y);
    /// assert_eq!(heights, [2.0, 0.0]);
    ///
    /// // Applies a pose of the rig to the copy only.
    /// let rig = &import.imported.rigs[0];
    /// let place = rig.places[0].of_copy(&copies, scene).expect("it was copied");
    /// rig.apply_at(&[place], first.pose(0).expect("a rig of the file"), scene)?;
    /// assert_eq!(scene.local(copies[lift]), scene.local(lift));
    ///
    /// scene.remove(copies[lift])?;
    /// assert!(second.apply(scene).is_err());
    /// second.retain_live(scene);
    /// second.apply(scene)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_copy(&self, copies: &NodeMap<NodeHandle>) -> Self {
        let Self { parts, rest, fade, items: _ } = self;
        let mut copy = Self { parts: parts.clone(), rest: rest.clone(), fade: *fade, items: Vec::new() };
        for part in &mut copy.parts {
            let copied = part.nodes.iter().filter_map(|&(joint, node)| Some((joint, *copies.get(node)?)));
            part.nodes = copied.collect();
        }
        copy
    }

    /// Returns the rigs that are moved by the animation, or were moved by the animation before a [fade](Self::fade_to):
    /// for each rig, its number in [`Imported::rigs`] and its present pose.
    pub fn poses(&self) -> impl ExactSizeIterator<Item = (usize, &Pose)> {
        self.parts.iter().map(|part| (part.rig, part.pose()))
    }

    /// Returns the present pose of a rig in [`Imported::rigs`]: the rest pose if the animation does not move the rig.
    /// `None` if the file has no such rig.
    ///
    /// Runs in **O(log rigs)**.
    #[must_use]
    pub fn pose(&self, rig: usize) -> Option<&Pose> {
        self.part(rig).map(Part::pose).or_else(|| self.rest.get(rig))
    }

    /// Returns the present morph weights of a node: the rest weights if the animation does not change them.
    ///
    /// Runs in **O(log rigs)**.
    #[must_use]
    pub fn weights<'a>(&'a self, morph: &'a MorphNode) -> &'a [f32] {
        let channels = morph.channels.as_ref().and_then(|of| Some((self.part(of.rig)?, of.range.clone())));
        channels.and_then(|(part, range)| part.channels().get(range)).unwrap_or(&morph.weights)
    }

    fn part(&self, rig: usize) -> Option<&Part> {
        let at = self.parts.binary_search_by_key(&rig, |part| part.rig).ok()?;
        Some(&self.parts[at])
    }
}

impl Imported {
    /// Prepares the animation with this glTF index to play on all rigs that it moves. Compiles its clips with default
    /// settings. The player starts at time 0 and stops at the end.
    ///
    /// Runs in **O(keys + joints)**. To play on several copies, use [`AnimationPlayer::of_copy`].
    ///
    /// # Errors
    /// [`ImportErrorKind::NoAnimation`] if there is no such animation; [`ImportErrorKind::Clip`] if
    /// [`ClipBuilder::build`] refuses a clip.
    pub fn play(&self, animation: usize) -> Result<AnimationPlayer, ImportError> {
        self.play_with(animation, ClipBuilder::new())
    }

    /// Prepares an animation as [`play`](Self::play) does, with clips compiled by `builder`.
    ///
    /// # Errors
    /// The errors of [`play`](Self::play).
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
            parts.push(Part::new(&self.rigs[imported.rig], imported.rig, &self.morphs, Some(clip)));
        }
        Ok(self.player(parts))
    }

    /// Returns a player without an animation: all rigs rest as in the file. Use it for files without animations, or to
    /// [fade](AnimationPlayer::fade_to) to rest.
    ///
    /// Runs in **O(joints)**.
    ///
    /// ```
    /// let text = br#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{}], "skins": [{"joints": [0]}]}"#;
    /// let import = hedgerow_gltf::from_slice(text, None)?;
    /// let rest = import.imported.at_rest();
    /// assert_eq!((rest.duration(), rest.poses().len()), (0.0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn at_rest(&self) -> AnimationPlayer {
        let rigs = self.rigs.iter().enumerate();
        self.player(rigs.map(|(number, rig)| Part::new(rig, number, &self.morphs, None)).collect())
    }

    fn player(&self, parts: Vec<Part>) -> AnimationPlayer {
        let rest = self.rigs.iter().map(|rig| Pose::rest(&rig.skeleton)).collect();
        AnimationPlayer { parts, rest, fade: None, items: Vec::new() }
    }
}
