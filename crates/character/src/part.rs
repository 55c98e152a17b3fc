//! An animation on one rig: the clip, the shown pose, and the motion that the rig fades from.

use crate::{MorphNode, Rig};
use hedgerow::NodeHandle;
use hedgerow_anim::clip::ClipError;
use hedgerow_anim::skeleton::SkeletonError;
use hedgerow_anim::{Clip, Error, Player, Pose};
use std::sync::Arc;

/// The motion of a rig: a clip that plays, or a fixed pose.
#[derive(Clone, Debug)]
struct Motion {
    /// `None` for a fixed pose.
    player: Option<Player<Arc<Clip>>>,
    pose: Pose,
    channels: Vec<f32>,
}

impl Motion {
    /// Samples pose and channels at the player's time.
    fn sample(&mut self) {
        if let Some(player) = &self.player {
            player.sample(&mut self.pose).expect("the pose has the clip's joints");
            player.sample_channels(&mut self.channels).expect("the rig has the clip's channels");
        }
    }

    fn show(&mut self, pose: &Pose, channels: &[f32]) {
        self.pose.clone_from(pose);
        self.channels.copy_from_slice(channels);
    }
}

/// An animation on one rig.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) rig: usize,
    /// The nodes of the rig in all its places.
    pub(super) nodes: Vec<(u16, NodeHandle)>,
    present: Motion,
    /// The motion that the rig fades from.
    before: Option<Motion>,
    rest: Arc<(Pose, Vec<f32>)>,
}

impl Part {
    /// Returns a part that plays `clip` on a rig, or rests if there is no clip. Fails if the clip has more or fewer
    /// joints or channels than the rig.
    pub(super) fn new(rig: &Rig, number: usize, morphs: &[MorphNode], clip: Option<Arc<Clip>>) -> Result<Self, Error> {
        let joints = rig.skeleton.len();
        if let Some(clip) = &clip {
            check_same([joints, clip.joints()], [rig.channels, clip.channels()])?;
        }
        let mut channels = vec![0.0; rig.channels];
        for morph in morphs {
            if let Some(of) = morph.channels.as_ref().filter(|of| of.rig == number)
                && let Some(rest) = channels.get_mut(of.range.clone())
            {
                rest.iter_mut().zip(&morph.weights).for_each(|(channel, &weight)| *channel = weight);
            }
        }
        let rest = (Pose::rest(&rig.skeleton), channels);
        let (pose, channels) = rest.clone();
        let mut present = Motion { player: clip.map(Player::new), pose, channels };
        present.sample();
        let nodes = rig.places.iter().flat_map(|place| place.nodes());
        let nodes = nodes.filter(|&(joint, _)| usize::from(joint) < joints).collect();
        Ok(Self { rig: number, nodes, present, before: None, rest: Arc::new(rest) })
    }

    /// Returns the clip's player; `None` if the animation does not move the rig.
    pub(super) fn player(&self) -> Option<&Player<Arc<Clip>>> {
        self.present.player.as_ref()
    }

    pub(super) fn player_mut(&mut self) -> Option<&mut Player<Arc<Clip>>> {
        self.present.player.as_mut()
    }

    pub(super) fn pose(&self) -> &Pose {
        &self.present.pose
    }

    pub(super) fn channels(&self) -> &[f32] {
        &self.present.channels
    }

    /// Advances the motion that the rig fades from.
    pub(super) fn advance_before(&mut self, seconds: f32) {
        if let Some(player) = self.before.as_mut().and_then(|before| before.player.as_mut()) {
            player.advance(seconds);
        }
    }

    /// Samples the animation; `faded` is the progress of the fade, 0 to 1.
    pub(super) fn sample(&mut self, faded: f32) {
        let Self { present, before, rest, .. } = self;
        if present.player.is_some() {
            present.sample();
        } else {
            present.show(&rest.0, &rest.1);
        }
        let Some(before) = before.as_mut().filter(|_| faded < 1.0) else { return };
        before.sample();
        // Exact at the start: a crossfade with weight 1 would round.
        if faded <= 0.0 {
            return present.show(&before.pose, &before.channels);
        }
        let back = 1.0 - faded;
        present.pose.crossfade(&before.pose, back, None).expect("poses of one rig, and a weight from 0 to 1");
        for (now, before) in present.channels.iter_mut().zip(&before.channels) {
            *now += (before - *now) * back;
        }
    }

    /// Drops the motion that the rig fades from.
    pub(super) fn end_fade(&mut self) {
        self.before = None;
    }

    /// Checks that two parts are of the same rig.
    pub(super) fn check_same(&self, other: &Self) -> Result<(), Error> {
        check_same([self, other].map(|part| part.pose().len()), [self, other].map(|part| part.channels().len()))
    }

    /// Returns a part that fades from the motion of this part to `to`, or to rest if `to` is `None`. Meanwhile the
    /// motion of this part plays on, or keeps its pose if `held`.
    pub(super) fn faded_to(&self, to: Option<&Self>, held: bool) -> Self {
        let mut before = self.present.clone();
        before.player = before.player.filter(|_| !held);
        let mut part = to.unwrap_or(self).clone();
        if to.is_none() {
            part.present.player = None;
        }
        part.before = Some(before);
        part
    }

    /// Returns this part, fading from rest.
    pub(super) fn faded_in(&self) -> Self {
        let (pose, channels) = (*self.rest).clone();
        Self { before: Some(Motion { player: None, pose, channels }), ..self.clone() }
    }
}

/// Checks the expected and the found number of joints and of channels.
fn check_same(joints: [usize; 2], channels: [usize; 2]) -> Result<(), Error> {
    let [expected, found] = joints;
    if expected != found {
        return Err(SkeletonError::JointCount { expected, found }.into());
    }
    let [expected, found] = channels;
    if expected != found {
        return Err(ClipError::ChannelCount { expected, found }.into());
    }
    Ok(())
}
