//! Plays animations on all rigs that they move.

use crate::part::Part;
use crate::rig::set_all;
use crate::{CharacterError, MorphNode, Rig};
use hedgerow::data::NodeMap;
use hedgerow::{Local, NodeHandle, Scene, Transform};
use hedgerow_anim::player::Playback;
use hedgerow_anim::{Clip, Pose};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Plays one of several animations synchronously on all rigs that it moves, and fades from one to another.
///
/// [`new`](Self::new) makes it from compiled clips, one for each rig that an animation moves. [`advance`](Self::advance)
/// and [`seek`](Self::seek) change the poses of the rigs; [`apply`](Self::apply) writes them to the nodes. Joints without
/// tracks stay at rest. [`Deformed`](crate::Deformed) reads [`pose`](Self::pose) and [`weights`](Self::weights) for
/// skinning and morphing.
///
/// It has an [`Animator`](hedgerow_animator::Animator) for each rig, with a state for each animation. For blend spaces,
/// layers, events and root motion, make an animator of your own and pass its pose to [`Rig::apply`].
///
/// A clone has the same time and shares the compiled clips.
///
/// ```
/// use hedgerow::data::NodeMap;
/// use hedgerow::glam::Vec3;
/// use hedgerow::{Node, Scene, Transform};
/// use hedgerow_character::anim::{ClipBuilder, RawClip, SkeletonBuilder, clip::Precision, raw::Track};
/// use hedgerow_character::{AnimationPlayer, Rig, RigPlace};
///
/// // A lift: one joint, one node, and a clip that lets it down from height 2 to 0 in two seconds.
/// let mut joints = SkeletonBuilder::new();
/// joints.joint("lift", None, Transform::IDENTITY);
/// let mut rig = Rig::new(joints.build()?.0);
/// let mut scene = Scene::new();
/// let lift = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
/// rig.places.push(RigPlace::new(scene.root(), vec![(0, lift)]));
/// let mut down = RawClip::new(2.0, 1)?;
/// down.set_translation(0, Track::linear(vec![0.0, 2.0], vec![2.0 * Vec3::Y, Vec3::ZERO])?)?;
/// let (down, _) = ClipBuilder::new().precision(Precision::Tight).build(&down)?;
///
/// let mut player = AnimationPlayer::new(&[rig], &[], [[(0, down)]])?; // once,
/// assert_eq!(player.duration(), 2.0);
/// player.advance(0.5);                                               // then each frame.
/// player.apply(&mut scene)?;
/// let height = |scene: &Scene| scene.local(lift).unwrap().to_matrix().translation().y;
/// assert!((height(&scene) - 1.5).abs() < 1e-3);
///
/// player.fade_to(None, 0.5)?;                                        // to rest, at height 0
/// for expected in [1.031, 0.625, 0.281, 0.0] {                       // 3/4 of 1.375, 1/2 of 1.25, 1/4 of 1.125
///     player.advance(0.125);
///     player.apply(&mut scene)?;
///     assert!((height(&scene) - expected).abs() < 1e-2);
/// }
/// assert_eq!(player.faded(), 1.0);
///
/// // A copy of the node, and a player for it, which rests at the top.
/// let copy = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
/// let mut second = player.of_copy(&NodeMap::from_iter([(lift, copy)]));
/// second.fade_to(Some(0), 0.0)?;
/// second.apply(&mut scene)?;
/// assert_eq!(scene.local(copy).unwrap().to_matrix().translation(), 2.0 * Vec3::Y);
/// scene.remove(copy)?;
/// assert!(second.apply(&mut scene).is_err());
/// second.retain_live(&scene);
/// second.apply(&mut scene)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnimationPlayer {
    /// The parts, ordered by the number of the rig.
    parts: Vec<Part>,
    rest: Arc<[Pose]>,
    /// The number of animations.
    count: usize,
    playback: Playback,
    /// A scratch buffer of nodes and transforms.
    items: Vec<(NodeHandle, Transform)>,
}

impl AnimationPlayer {
    /// Creates a player of animations. It starts with the first animation, at time 0, and stops at the end.
    ///
    /// Each has a compiled clip for each rig that it moves, with the number of the rig in `rigs`. If there are several
    /// clips for a rig, the last counts; all clips should have the same duration.
    ///
    /// The player moves the nodes of all [places](Rig::places) of these rigs, but for those of joints that a rig does
    /// not have. `morphs` gives the rest weights of the clips' channels. Runs in **O(animations × rigs + joints)**. To
    /// play on copies, use [`of_copy`](Self::of_copy).
    ///
    /// # Errors
    /// [`CharacterError::NoRig`], and [`CharacterError::Pose`] if a clip has more or fewer joints or channels than its
    /// rig.
    pub fn new<C: Into<Arc<Clip>>>(
        rigs: &[Rig],
        morphs: &[MorphNode],
        animations: impl IntoIterator<Item = impl IntoIterator<Item = (usize, C)>>,
    ) -> Result<Self, CharacterError> {
        let clips =
            animations.into_iter().map(|clips| clips.into_iter().map(|(rig, clip)| (rig, clip.into())).collect());
        let animations: Vec<BTreeMap<usize, Arc<Clip>>> = clips.collect();
        let moved: BTreeSet<usize> = animations.iter().flat_map(BTreeMap::keys).copied().collect();
        let parts = moved.into_iter().map(|number| {
            let rig = rigs.get(number).ok_or(CharacterError::NoRig { rig: number, count: rigs.len() })?;
            Part::new(rig, number, morphs, animations.iter().map(|clips| clips.get(&number)))
        });
        let mut player = Self::of_parts(parts.collect::<Result<_, _>>()?, rigs, animations.len());
        if player.count > 0 {
            player.fade_to(Some(0), 0.0)?;
        }
        Ok(player)
    }

    /// Creates a player without animations: all rigs rest. Runs in **O(joints)**.
    #[must_use]
    pub fn at_rest(rigs: &[Rig], morphs: &[MorphNode]) -> Self {
        let parts = rigs.iter().enumerate().filter_map(|(number, rig)| Part::new(rig, number, morphs, []).ok());
        Self::of_parts(parts.collect(), rigs, 0)
    }

    fn of_parts(parts: Vec<Part>, rigs: &[Rig], count: usize) -> Self {
        let rest = rigs.iter().map(|rig| Pose::rest(&rig.skeleton)).collect();
        Self { parts, rest, count, playback: Playback::Clamp, items: Vec::new() }
    }

    /// Returns the duration of the animation in seconds; 0 if the animation moves no rig.
    #[must_use]
    pub fn duration(&self) -> f32 {
        self.moved().map_or(0.0, Part::duration)
    }

    /// Returns the time in the animation, in seconds, from 0 to the duration.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "times have single precision")]
    pub fn time(&self) -> f32 {
        self.moved().map_or(0.0, |part| (part.animator.phase(part.layer) * part.animator.duration(part.layer)) as f32)
    }

    /// Sets the behaviour at the ends of animations. Default [`Playback::Clamp`].
    pub fn set_playback(&mut self, playback: Playback) {
        self.playback = playback;
        self.parts.iter_mut().for_each(|part| part.animator.set_playback(part.layer, playback));
    }

    /// Advances by `seconds`, backward if negative. Returns how often the end was passed; see
    /// [`Player::advance`](hedgerow_anim::Player::advance). A [fade](Self::fade_to) always goes forward, by the absolute
    /// value of `seconds`.
    ///
    /// Runs in **O(tracks + keys on the way)**.
    pub fn advance(&mut self, seconds: f32) -> i32 {
        self.parts.iter_mut().for_each(|part| part.animator.advance(seconds));
        self.sample();
        self.moved().map_or(0, |part| part.animator.rounds(part.layer))
    }

    /// Goes to a time in seconds, clamped to the animation.
    ///
    /// Runs in **O(tracks + keys to the nearest jump frames)**.
    pub fn seek(&mut self, seconds: f32) {
        for part in self.parts.iter_mut().filter(|part| part.duration() > 0.0) {
            part.animator.seek(part.layer, f64::from(seconds) / f64::from(part.duration()));
        }
        self.sample();
    }

    fn sample(&mut self) {
        self.parts.iter_mut().for_each(Part::sample);
    }

    /// Fades to the beginning of another animation, or to rest if it is `None`, while [`advance`](Self::advance) advances
    /// by `seconds`. The old animation plays on until the fade ends.
    ///
    /// Nothing jumps: the poses stay until the next `advance`. Then poses and morph weights blend linearly to the new
    /// animation, and match it exactly at the end. A rig that is moved by only one of the animations fades to or from
    /// rest. If an earlier fade is not over, the new fade starts from a fixed pose: the current blend.
    ///
    /// If `seconds` is not positive and finite, the fade ends at once. Runs in **O(joints)**. During the fade, each sample
    /// evaluates both animations and blends them.
    ///
    /// # Errors
    /// [`CharacterError::NoAnimation`]; the player is then unchanged.
    pub fn fade_to(&mut self, animation: Option<usize>, seconds: f32) -> Result<(), CharacterError> {
        if let Some(animation) = animation.filter(|&animation| animation >= self.count) {
            return Err(CharacterError::NoAnimation { animation, count: self.count });
        }
        self.parts.iter_mut().for_each(|part| part.fade_to(animation, seconds, self.playback));
        self.sample();
        Ok(())
    }

    /// Returns the progress of the fade: 0 just after [`fade_to`](Self::fade_to), 1 if there is no fade.
    #[must_use]
    pub fn faded(&self) -> f32 {
        self.parts.first().map_or(1.0, |part| part.animator.faded(part.layer))
    }

    /// Sets the local transforms of the rigs' nodes, as one batch. The next [`Scene::update`] computes world matrices.
    ///
    /// The nodes are those that any of the animations moves: those that the present one does not move are put to rest,
    /// or fade to it. Nodes that already have the pose's transform are not set, so a paused player changes nothing.
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
            let nodes = part.nodes.iter().map(|&(joint, node)| (node, part.pose.get(joint)));
            // Nodes that stay as they are cost no update.
            items.extend(nodes.filter(|&(node, local)| scene.local(node) != Some(Local::Transform(local))));
        }
        set_all(scene, items.iter().copied())
    }

    /// Drops nodes that are no longer in the scene, so that [`apply`](Self::apply) accepts the rest.
    pub fn retain_live(&mut self, scene: &Scene) {
        self.parts.iter_mut().for_each(|part| part.nodes.retain(|&(_, node)| scene.contains(node)));
    }

    /// Returns a player for the nodes of a copy, with the time of this player. `copies` maps nodes to copies: see
    /// [`Scene::copy_tree`]. Nodes that were not copied are left out.
    #[must_use]
    pub fn of_copy(&self, copies: &NodeMap<NodeHandle>) -> Self {
        let mut copy = Self { items: Vec::new(), ..self.clone() };
        for part in &mut copy.parts {
            let copied = part.nodes.iter().filter_map(|&(joint, node)| Some((joint, *copies.get(node)?)));
            part.nodes = copied.collect();
        }
        copy
    }

    /// Returns the rigs that any of the animations moves: for each, its number in the list of rigs and its present pose.
    pub fn poses(&self) -> impl ExactSizeIterator<Item = (usize, &Pose)> {
        self.parts.iter().map(|part| (part.rig, &part.pose))
    }

    /// Returns the present pose of the rig with this number in the list of rigs: the rest pose if no animation
    /// moves the rig. `None` if there is no such rig.
    ///
    /// Runs in **O(log rigs)**.
    #[must_use]
    pub fn pose(&self, rig: usize) -> Option<&Pose> {
        self.part(rig).map(|part| &part.pose).or_else(|| self.rest.get(rig))
    }

    /// Returns the present morph weights of a node: the rest weights if the animation does not change them.
    ///
    /// Runs in **O(log rigs)**.
    #[must_use]
    pub fn weights<'a>(&'a self, morph: &'a MorphNode) -> &'a [f32] {
        let channels = morph.channels.as_ref().and_then(|of| Some((self.part(of.rig)?, of.range.clone())));
        channels.and_then(|(part, range)| part.channels.get(range)).unwrap_or(&morph.weights)
    }

    /// Returns a part that the present animation moves.
    fn moved(&self) -> Option<&Part> {
        self.parts.iter().find(|part| part.duration() > 0.0)
    }

    fn part(&self, rig: usize) -> Option<&Part> {
        let at = self.parts.binary_search_by_key(&rig, |part| part.rig).ok()?;
        Some(&self.parts[at])
    }
}
