//! Poses and clips of one skeleton on another: joints by name, corrected rest poses, translations by size.

use crate::Error;
use crate::error::{expect_joint, expect_joints};
use hedgerow_anim::glam::{Mat3, Quat, Vec3};
use hedgerow_anim::raw::Track;
use hedgerow_anim::{Mat34, Pose, RawClip, Skeleton, Transform};
use smallvec::SmallVec;

/// Carries poses of one skeleton over to another of other proportions: animations of a library to your character.
///
/// A joint of the target turns in the space of the model as its partner turned away from its own rest. Where the bones of
/// the rest poses point elsewhere (arms down in one, spread in the other), the target's are turned to the source's
/// first, so a straight arm is straight in both. The hips, and mapped joints above them, also move: scaled by the height
/// of the hips, so that strides fit the legs. Joints without a partner keep what they have. Scales are not carried over.
///
/// Feet may slide where proportions differ; [`ik::Feet`](hedgerow_anim::ik::Feet) puts them down. If ankles differ in
/// height, leave toes out of the pairs: the bone from foot to toe would be aligned, too, and soles tilt.
///
/// ```
/// use hedgerow_anim::glam::{Quat, Vec3};
/// use hedgerow_anim::{Pose, Skeleton, SkeletonBuilder, Transform};
/// use hedgerow_animator::{Retarget, RetargetOptions};
///
/// let figure = |names: [&str; 3], size: f32| {
///     let mut joints = SkeletonBuilder::new();
///     let hips = joints.joint(names[0], None, Transform::from_xyz(0.0, size, 0.0));
///     let arm = joints.joint(names[1], Some(hips), Transform::from_xyz(0.2 * size, 0.5 * size, 0.0));
///     joints.joint(names[2], Some(arm), Transform::from_xyz(0.3 * size, 0.0, 0.0));
///     Ok::<Skeleton, hedgerow_anim::Error>(joints.build()?.0)
/// };
/// let source = figure(["Hips", "LeftArm", "LeftHand"], 1.0)?;
/// let target = figure(["pelvis", "arm_l", "hand_l"], 1.5)?;
///
/// // Once:
/// let pairs = Retarget::pairs(&source, &target, |name| match name {
///     "Hips" => Some("pelvis"),
///     "LeftArm" => Some("arm_l"),
///     "LeftHand" => Some("hand_l"),
///     _ => None,
/// });
/// let retarget = Retarget::new(&source, &target, &pairs, &RetargetOptions::default())?;
///
/// // Each frame, or once for a whole clip by `Retarget::clip`:
/// let (mut from, mut to) = (Pose::rest(&source), Pose::rest(&target));
/// from.set(0, Transform::from_xyz(0.4, 0.9, 0.0));
/// from.set(1, from.get(1).with_rotation(Quat::from_rotation_z(0.5)));
/// retarget.apply(&from, &mut to)?;
/// assert!(to.get(0).translation.abs_diff_eq(Vec3::new(0.6, 1.35, 0.0), 1e-6));
/// assert!(to.get(1).rotation.abs_diff_eq(Quat::from_rotation_z(0.5), 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Retarget {
    source: Skeleton,
    target: Skeleton,
    /// The mapped joints of the source and all above them, parents first, each with the index of its parent here.
    sources: Vec<(u16, Option<usize>)>,
    /// The same of the target.
    targets: Vec<Turned>,
    /// The mapped joints down to the hips.
    moved: Vec<Moved>,
    turn: Quat,
    scale: f32,
}

/// The greatest number of keys that a track gets.
const MOST_KEYS: f32 = 1e6;

/// A joint of the target.
#[derive(Clone, Copy, Debug)]
struct Turned {
    joint: u16,
    above: Option<usize>,
    /// The index of its partner among the sources, and the rotation that leads from the partner's to its own.
    from: Option<(usize, Quat)>,
}

/// A joint that moves.
#[derive(Clone, Copy, Debug)]
struct Moved {
    source: u16,
    target: u16,
    /// The places of both at rest, in the space of the model.
    rest: [Vec3; 2],
}

/// How two skeletons are compared.
#[derive(Clone, Copy, Debug)]
pub struct RetargetOptions<'p> {
    /// A pose of the source to compare instead of its rest pose; best is one in which both stand alike.
    pub source_rest: Option<&'p Pose>,
    /// The same of the target.
    pub target_rest: Option<&'p Pose>,
    /// The rotation from the source's model space to the target's. Without it, of the 24 rotations between axes the one
    /// under which the bones below the hips (spine and legs) are most alike at rest, if there are several: a figure may
    /// have z upwards, or look backwards.
    pub turn: Option<Quat>,
    /// The joint of the target that moves, with mapped joints above it. Without it, the first mapped joint with "hips" or
    /// "pelvis" in its own name or its partner's, or else the first mapped joint.
    pub hips: Option<u16>,
    /// The target's size by the source's. Without it, the ratio of the distances of the hips from the models' origins, on
    /// which figures stand.
    pub scale: Option<f32>,
    /// Whether bones of the target that point elsewhere at rest are turned to the source's directions. If not, differences
    /// of the rest poses stay in all poses.
    pub align: bool,
}

impl Default for RetargetOptions<'_> {
    fn default() -> Self {
        Self { source_rest: None, target_rest: None, turn: None, hips: None, scale: None, align: true }
    }
}

impl Retarget {
    /// Pairs joints by name: `partner` gives the target's name for a name of the source. Joints for which it gives none, an
    /// empty one, one that the target does not have, or one that has a partner already, are left out; `Some` pairs equal
    /// names.
    #[must_use]
    pub fn pairs<'n>(
        source: &'n Skeleton,
        target: &Skeleton,
        partner: impl Fn(&'n str) -> Option<&'n str>,
    ) -> Vec<(u16, u16)> {
        let mut is_taken = vec![false; target.len()];
        let named = (0..).zip(source.names()).filter_map(|(joint, name)| {
            let found = target.find(partner(name).filter(|name| !name.is_empty())?)?;
            let is_first = !core::mem::replace(&mut is_taken[usize::from(found)], true);
            is_first.then_some((joint, found))
        });
        named.collect()
    }

    /// Compares two skeletons. `pairs` has joints of the source with their partners in the target: hips, spine, head,
    /// upper and lower limbs, hands and feet suffice.
    ///
    /// Runs in **O(joints + pairs² + pairs × depth)**.
    ///
    /// # Errors
    /// [`Error::Pairs`] if there are none, a joint of the target is in two, or the hips are in none; [`Error::Number`] for a
    /// scale that is not positive, and for a turn or a rest pose with rotations that are not; [`Error::Anim`] for a joint
    /// that a skeleton does not have, and for a pose of other joints.
    pub fn new(
        source: &Skeleton,
        target: &Skeleton,
        pairs: &[(u16, u16)],
        options: &RetargetOptions<'_>,
    ) -> Result<Self, Error> {
        let number = |what| Error::Number { what, of: "retargeting".into() };
        for &(from, to) in pairs {
            expect_joint(source, from)?;
            expect_joint(target, to)?;
        }
        // Parents of the target first.
        let mut pairs = pairs.to_vec();
        pairs.sort_unstable_by_key(|&(_, to)| to);
        if pairs.is_empty() || pairs.windows(2).any(|two| two[0].1 == two[1].1) {
            return Err(Error::Pairs);
        }
        let from = Rest::of(source, options.source_rest)?;
        let to = Rest::of(target, options.target_rest)?;

        // The nearest mapped joint above each, and the only one below.
        let above = |at: usize| (0..at).rev().find(|&other| is_below(target, pairs[at].1, pairs[other].1));
        let parents: Vec<Option<usize>> = (0..pairs.len()).map(above).collect();
        let below = |at: usize| -> SmallVec<[usize; 4]> {
            (at + 1..parents.len()).filter(|&other| parents[other] == Some(at)).collect()
        };
        let hips = match options.hips {
            Some(hips) => pairs.binary_search_by_key(&hips, |&(_, to)| to).map_err(|_| Error::Pairs)?,
            None => {
                let says = |name: &str| ["hips", "pelvis"].iter().any(|word| name.to_lowercase().contains(word));
                let named = |&(from, to): &(u16, u16)| says(source.name(from)) || says(target.name(to));
                pairs.iter().position(named).unwrap_or(0)
            }
        };

        let turn = match options.turn {
            Some(turn) => turn.normalize(),
            None => {
                let bones = below(hips).into_iter().filter_map(|at| {
                    let ((source, target), above) = (pairs[at], pairs[hips]);
                    let is = (from.place(source) - from.place(above.0)).try_normalize()?;
                    Some((is, (to.place(target) - to.place(above.1)).try_normalize()?))
                });
                turn_of(&bones.collect::<Vec<_>>())
            }
        };
        if !turn.is_normalized() {
            return Err(number("turn"));
        }

        // Each correction includes that of the joint above, so a hand stays straight on its arm.
        let mut corrections: Vec<Quat> = Vec::with_capacity(pairs.len());
        for (at, &(source, target)) in pairs.iter().enumerate() {
            let before = parents[at].map_or(Quat::IDENTITY, |parent| corrections[parent]);
            let only = match below(at)[..] {
                [child] if options.align => Some(pairs[child]),
                _ => None,
            };
            let own = only.and_then(|(child_source, child_target)| {
                let is = before * (to.place(child_target) - to.place(target));
                let should = turn * (from.place(child_source) - from.place(source));
                Some(Quat::from_rotation_arc(is.try_normalize()?, should.try_normalize()?))
            });
            corrections.push((own.unwrap_or(Quat::IDENTITY) * before).normalize());
        }

        let scale = match options.scale {
            Some(scale) => scale,
            None => {
                let ratio = to.place(pairs[hips].1).length() / from.place(pairs[hips].0).length();
                if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 }
            }
        };
        if !(scale.is_finite() && scale > 0.0) {
            return Err(number("scale"));
        }

        let sources = with_ancestors(source, pairs.iter().map(|&(from, _)| from));
        let mut targets = Vec::new();
        for (joint, above) in with_ancestors(target, pairs.iter().map(|&(_, to)| to)) {
            let pair = pairs.binary_search_by_key(&joint, |&(_, to)| to).ok();
            let partner = pair.and_then(|at| {
                let of = pairs[at].0;
                let index = sources.iter().position(|&(source, _)| source == of)?;
                let rotation = (turn * from.rotation(of)).inverse() * corrections[at] * to.rotation(joint);
                Some((index, rotation.normalize()))
            });
            targets.push(Turned { joint, above, from: partner });
        }
        let moves = |&at: &usize| at == hips || is_below(target, pairs[hips].1, pairs[at].1);
        let moved = (0..=hips).filter(moves).map(|at| {
            let (source, target) = pairs[at];
            Moved { source, target, rest: [from.place(source), to.place(target)] }
        });
        let moved = moved.collect();
        Ok(Self { source: source.clone(), target: target.clone(), sources, targets, moved, turn, scale })
    }

    /// Returns the rotation from the source's model space to the target's.
    #[must_use]
    pub fn turn(&self) -> Quat {
        self.turn
    }

    /// Returns the factor by which translations of the hips grow.
    #[must_use]
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Turns the joints of `to` that have partners as `from` is turned, and moves its hips. Other joints of `to` keep
    /// their transforms.
    ///
    /// Runs in **O(mapped joints and joints above them)**, and allocates nothing up to 128 of them.
    ///
    /// # Errors
    /// [`Error::Anim`] if a pose has another number of joints than its skeleton; `to` is then unchanged.
    pub fn apply(&self, from: &Pose, to: &mut Pose) -> Result<(), Error> {
        expect_joints(self.source.len(), from.len())?;
        expect_joints(self.target.len(), to.len())?;
        let mut sources = SmallVec::<[Quat; 128]>::new();
        for &(joint, above) in &self.sources {
            let rotation = from.get(joint).rotation;
            sources.push(above.map_or(rotation, |above| sources[above] * rotation));
        }
        let mut targets = SmallVec::<[Quat; 128]>::new();
        for &Turned { joint, above, from } in &self.targets {
            let parent = above.map_or(Quat::IDENTITY, |above| targets[above]);
            let local = to.get(joint);
            let Some((source, rotation)) = from else {
                targets.push(parent * local.rotation);
                continue;
            };
            let rotation = (self.turn * sources[source] * rotation).normalize();
            targets.push(rotation);
            to.set(joint, local.with_rotation((parent.inverse() * rotation).normalize()));
        }
        for moved in &self.moved {
            let place = place_in_model(&self.source, from, moved.source);
            let place = moved.rest[1] + self.scale * (self.turn * (place - moved.rest[0]));
            let place = place_in_parent(&self.target, to, moved.target, place);
            to.set(moved.target, to.get(moved.target).with_translation(place));
        }
        Ok(())
    }

    /// Makes the clip of the target, with `rate` keys a second for each joint that has a partner. Events are copied;
    /// channels are left out.
    ///
    /// The builder of clips [reduces](hedgerow_anim::ClipBuilder) the keys.
    ///
    /// # Errors
    /// [`Error::Number`] if the rate is not from 1 to 1,000, or a track would have more than a million keys; [`Error::Anim`]
    /// if the clip has other joints than the source, or values that leave single precision.
    pub fn clip(&self, clip: &RawClip, rate: f32) -> Result<RawClip, Error> {
        if !(1.0..=1000.0).contains(&rate) {
            return Err(Error::Number { what: "rate", of: "retargeting".into() });
        }
        let duration = clip.duration();
        let keys = (duration * rate).ceil().max(1.0);
        if keys > MOST_KEYS {
            return Err(Error::Number { what: "number of keys", of: "retargeting".into() });
        }
        let numbers = core::iter::successors(Some(0.0), |key| Some(key + 1.0)).take_while(|&key| key <= keys);
        let times: Vec<f32> = numbers.map(|key| (duration * (key / keys)).min(duration)).collect();
        let turned: Vec<u16> = self.targets.iter().filter(|turned| turned.from.is_some()).map(|t| t.joint).collect();
        let mut rotations = vec![Vec::with_capacity(times.len()); turned.len()];
        let mut places = vec![Vec::with_capacity(times.len()); self.moved.len()];
        let (mut from, mut to) = (Pose::rest(&self.source), Pose::rest(&self.target));
        for &time in &times {
            clip.sample(time, &mut from)?;
            self.apply(&from, &mut to)?;
            rotations.iter_mut().zip(&turned).for_each(|(keys, &joint)| keys.push(to.get(joint).rotation));
            places.iter_mut().zip(&self.moved).for_each(|(keys, moved)| keys.push(to.get(moved.target).translation));
        }
        let mut made = RawClip::new(duration, self.target.len())?;
        for (joint, keys) in turned.into_iter().zip(rotations) {
            made.set_rotation(joint, Track::linear(times.clone(), keys)?)?;
        }
        for (moved, keys) in self.moved.iter().zip(places) {
            made.set_translation(moved.target, Track::linear(times.clone(), keys)?)?;
        }
        for event in clip.events() {
            made.add_event(event.time, event.number, event.name)?;
        }
        Ok(made)
    }
}

/// The places and rotations of joints in the space of the model.
struct Rest(Vec<(Vec3, Quat)>);

impl Rest {
    fn of(skeleton: &Skeleton, pose: Option<&Pose>) -> Result<Self, Error> {
        let rest;
        let pose = match pose {
            Some(pose) => pose,
            None => {
                rest = Pose::rest(skeleton);
                &rest
            }
        };
        let (mut models, mut rotations) = (Vec::new(), Vec::<Quat>::with_capacity(pose.len()));
        pose.to_models(skeleton, &mut models)?;
        for (joint, &parent) in (0..).zip(skeleton.parents()) {
            let rotation = pose.get(joint).rotation;
            rotations
                .push(rotations.get(usize::from(parent)).map_or(rotation, |&parent| parent * rotation).normalize());
        }
        let is_sound = |(model, rotation): (&Mat34, &Quat)| model.is_finite() && rotation.is_normalized();
        if !models.iter().zip(&rotations).all(is_sound) {
            return Err(Error::Number { what: "rest pose", of: "retargeting".into() });
        }
        Ok(Self(models.iter().map(Mat34::translation).zip(rotations).collect()))
    }

    fn place(&self, joint: u16) -> Vec3 {
        self.0[usize::from(joint)].0
    }

    fn rotation(&self, joint: u16) -> Quat {
        self.0[usize::from(joint)].1
    }
}

/// Returns the rotation between axes that brings directions nearest to others. A single direction tells too little.
fn turn_of(directions: &[(Vec3, Vec3)]) -> Quat {
    if directions.len() < 2 {
        return Quat::IDENTITY;
    }
    let (mut best, mut most) = (Quat::IDENTITY, f32::NEG_INFINITY);
    for x in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
        for y in [Vec3::Y, Vec3::NEG_Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
            if x.dot(y) != 0.0 {
                continue;
            }
            let turn = Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)));
            let alike = directions.iter().map(|&(is, should)| (turn * is).dot(should)).sum::<f32>();
            // The first is the identity, which wins if it is as good.
            if alike > most + 1e-3 {
                (best, most) = (turn, alike);
            }
        }
    }
    best
}

/// Iterates over the joints above a joint, upwards.
fn ancestors(skeleton: &Skeleton, joint: u16) -> impl Iterator<Item = u16> + '_ {
    let parents = skeleton.parents();
    core::iter::successors(Some(joint), |&joint| parents.get(usize::from(joint)).copied())
        .skip(1)
        .take_while(|&joint| joint != Skeleton::NO_PARENT)
}

/// Returns whether a joint is below another.
pub(crate) fn is_below(skeleton: &Skeleton, joint: u16, above: u16) -> bool {
    joint != above && skeleton.subtree(above).contains(&joint)
}

/// Lists joints and all above them, parents first, each with the index of its parent.
fn with_ancestors(skeleton: &Skeleton, joints: impl Iterator<Item = u16>) -> Vec<(u16, Option<usize>)> {
    let mut all: Vec<u16> = joints.flat_map(|joint| ancestors(skeleton, joint).chain([joint])).collect();
    all.sort_unstable();
    all.dedup();
    let parent = |joint: u16| all.binary_search(&skeleton.parents()[usize::from(joint)]).ok();
    all.iter().map(|&joint| (joint, parent(joint))).collect()
}

/// Returns the place of a joint in the space of the model.
fn place_in_model(skeleton: &Skeleton, pose: &Pose, joint: u16) -> Vec3 {
    let place = pose.get(joint).translation;
    ancestors(skeleton, joint).fold(place, |place, above| pose.get(above).transform_point(place))
}

/// Returns a place of the model in the space of a joint's parent. Scales of 0 keep the place as it is there.
fn place_in_parent(skeleton: &Skeleton, pose: &Pose, joint: u16, place: Vec3) -> Vec3 {
    let above: SmallVec<[u16; 16]> = ancestors(skeleton, joint).collect();
    above.iter().rev().fold(place, |place, &above| {
        let Transform { translation, rotation, scale } = pose.get(above);
        let scaled = rotation.inverse() * (place - translation);
        Vec3::select(scale.cmpeq(Vec3::ZERO), scaled, scaled / scale)
    })
}
