//! A rig that a player moves: its nodes, and an animator with a state for each animation.

use crate::{CharacterError, MorphNode, Rig};
use hedgerow::NodeHandle;
use hedgerow_anim::player::Playback;
use hedgerow_anim::{Clip, Pose};
use hedgerow_animator::{Animator, Error, Layer, LayerOptions, MachineBuilder, Motion, State};
use std::sync::Arc;

/// A rig that a player moves.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) rig: usize,
    /// The nodes of the rig in all its places.
    pub(super) nodes: Vec<(u16, NodeHandle)>,
    pub(super) animator: Animator,
    pub(super) layer: Layer,
    /// The state of rest, and that of each animation: rest, if it does not move the rig.
    states: Arc<[State]>,
    pub(super) pose: Pose,
    pub(super) channels: Vec<f32>,
}

impl Part {
    /// Returns a part with the clip that each animation has for the rig, at rest. Fails if a clip has more or fewer joints
    /// or channels than the rig.
    pub(super) fn new<'c>(
        rig: &Rig,
        number: usize,
        morphs: &[MorphNode],
        clips: impl IntoIterator<Item = Option<&'c Arc<Clip>>>,
    ) -> Result<Self, CharacterError> {
        let mut channels = vec![0.0; rig.channels];
        for morph in morphs {
            if let Some(of) = morph.channels.as_ref().filter(|of| of.rig == number)
                && let Some(rest) = channels.get_mut(of.range.clone())
            {
                rest.iter_mut().zip(&morph.weights).for_each(|(channel, &weight)| *channel = weight);
            }
        }
        let mut machine = MachineBuilder::new(&rig.skeleton);
        machine.rest_channels(channels.clone());
        let layer = machine.layer("whole", LayerOptions::default());
        let rest = machine.state(layer, "rest", Motion::none());
        let state = |clip: Option<&Arc<Clip>>| {
            clip.map_or(rest, |clip| machine.state(layer, "animation", Motion::from(Arc::clone(clip)).once()))
        };
        let states = [rest].into_iter().chain(clips.into_iter().map(state)).collect();
        let machine = machine.build().map_err(|error| match error {
            Error::Anim(error) => CharacterError::Pose(error),
            _ => CharacterError::TooManyAnimations,
        })?;
        let nodes = rig.places.iter().flat_map(|place| place.nodes());
        let nodes = nodes.filter(|&(joint, _)| usize::from(joint) < rig.skeleton.len()).collect();
        let (animator, pose) = (Animator::new(&machine), Pose::rest(&rig.skeleton));
        Ok(Self { rig: number, nodes, animator, layer, states, pose, channels })
    }

    /// Returns the duration of the animation, 0 if it does not move the rig.
    #[expect(clippy::cast_possible_truncation, reason = "the duration of a clip has single precision")]
    pub(super) fn duration(&self) -> f32 {
        self.animator.duration(self.layer) as f32
    }

    /// Goes to the state of an animation, or to rest.
    pub(super) fn fade_to(&mut self, animation: Option<usize>, seconds: f32, playback: Playback) {
        let state = self.states[animation.map_or(0, |animation| 1 + animation)];
        self.animator.play(state, seconds);
        self.animator.set_playback(self.layer, playback);
    }

    pub(super) fn sample(&mut self) {
        self.animator.sample(&mut self.pose).expect("the pose has the rig's joints");
        self.animator.sample_channels(&mut self.channels).expect("there is a number for each of the rig's channels");
    }
}
