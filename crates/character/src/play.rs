//! Plays an animation on all rigs that it moves.

use crate::part::Part;
use crate::rig::set_all;
use crate::{CharacterError, MorphNode, Rig};
use hedgerow::data::NodeMap;
use hedgerow::{Local, NodeHandle, Scene, Transform};
use hedgerow_anim::player::Playback;
use hedgerow_anim::{Clip, Player, Pose};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Plays an animation synchronously on all rigs that it moves.
///
/// [`new`](Self::new) makes it from compiled clips, one for each rig that moves. [`advance`](Self::advance) and
/// [`seek`](Self::seek) change the poses of the rigs; [`apply`](Self::apply) writes them to the nodes. Joints without
/// tracks stay at rest. [`Deformed`](crate::Deformed) reads [`pose`](Self::pose) and [`weights`](Self::weights) for
/// skinning and morphing.
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
/// let mut player = AnimationPlayer::new(&[rig], &[], [(0, down)])?;  // once,
/// assert_eq!(player.duration(), 2.0);
/// player.advance(0.5);                                               // then each frame.
/// player.apply(&mut scene)?;
/// let height = |scene: &Scene| scene.local(lift).unwrap().to_matrix().translation().y;
/// assert!((height(&scene) - 1.5).abs() < 1e-3);
///
/// let mut below = player.clone();
/// below.seek(2.0);                                                   // height 0
/// player.fade_to(&below, 0.5)?;
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
/// second.seek(0.0);
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
    /// Creates a player of an animation that has a compiled clip for each rig that it moves, with the number of the rig
    /// in `rigs`. If there are several clips for a rig, the last counts; all clips should have the same duration. The
    /// player starts at time 0 and stops at the end.
    ///
    /// The player moves the nodes of all [places](Rig::places) of these rigs, but for those of joints that a rig does
    /// not have. `morphs` gives the rest weights of the clips' channels. Runs in **O(joints)**. To play on copies, use
    /// [`of_copy`](Self::of_copy).
    ///
    /// # Errors
    /// [`CharacterError::NoRig`], and [`CharacterError::Pose`] if a clip has more or fewer joints or channels than its
    /// rig.
    pub fn new(
        rigs: &[Rig],
        morphs: &[MorphNode],
        clips: impl IntoIterator<Item = (usize, impl Into<Arc<Clip>>)>,
    ) -> Result<Self, CharacterError> {
        let clips: BTreeMap<usize, _> = clips.into_iter().collect();
        let parts = clips.into_iter().map(|(number, clip)| {
            let rig = rigs.get(number).ok_or(CharacterError::NoRig { rig: number, count: rigs.len() })?;
            Ok(Part::new(rig, number, morphs, Some(clip.into()))?)
        });
        Ok(Self::of_parts(parts.collect::<Result<_, CharacterError>>()?, rigs))
    }

    /// Creates a player without an animation: all rigs rest. Use it for rigs without animations, or to
    /// [fade](Self::fade_to) to rest. Runs in **O(joints)**.
    #[must_use]
    pub fn at_rest(rigs: &[Rig], morphs: &[MorphNode]) -> Self {
        let parts = rigs.iter().enumerate().filter_map(|(number, rig)| Part::new(rig, number, morphs, None).ok());
        Self::of_parts(parts.collect(), rigs)
    }

    fn of_parts(parts: Vec<Part>, rigs: &[Rig]) -> Self {
        let rest = rigs.iter().map(|rig| Pose::rest(&rig.skeleton)).collect();
        Self { parts, rest, fade: None, items: Vec::new() }
    }

    /// Returns the duration of the animation in seconds; 0 if the animation moves no rig.
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

    /// Fades to another animation of the same rigs while [`advance`](Self::advance) advances by `seconds`. From now on,
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
    /// mismatches of rigs are not detected. The player is then unchanged.
    pub fn fade_to(&mut self, to: &Self, seconds: f32) -> Result<(), CharacterError> {
        for part in &to.parts {
            if let Some(present) = self.part(part.rig) {
                present.check_same(part).map_err(CharacterError::Pose)?;
            }
        }
        // A fade during a fade starts from the blended pose, which no player can advance.
        let held = self.fade.is_some();
        let mut parts: Vec<Part> = self.parts.iter().map(|part| part.faded_to(to.part(part.rig), held)).collect();
        let others = to.parts.iter().filter(|part| self.part(part.rig).is_none());
        parts.extend(others.map(Part::faded_in));
        // Parts are found by binary search.
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
    /// [`Scene::tree`]. Nodes that were not copied are left out.
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
    /// for each rig, its number in the list of rigs and its present pose.
    pub fn poses(&self) -> impl ExactSizeIterator<Item = (usize, &Pose)> {
        self.parts.iter().map(|part| (part.rig, part.pose()))
    }

    /// Returns the present pose of the rig with this number in the list of rigs: the rest pose if the animation does
    /// not move the rig. `None` if there is no such rig.
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
