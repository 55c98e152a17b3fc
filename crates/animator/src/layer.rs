//! What one layer of a character plays.

use crate::fade::Fade;
use crate::inertia::Offsets;
use crate::machine::{Member, Parts, StateParts};
use crate::pace::{Pace, Playing, time_at};
use hedgerow_anim::Pose;
use hedgerow_anim::glam::Vec3;
use smallvec::SmallVec;
use std::sync::Arc;

/// What a layer plays, and what it fades from.
#[derive(Clone, Debug)]
pub(crate) struct LayerState {
    pub(crate) weight: f32,
    pub(crate) current: Playing,
    pub(crate) fade: Option<Fading>,
}

/// A fade that is not over.
#[derive(Clone, Debug)]
pub(crate) struct Fading {
    pub(crate) fade: Fade,
    /// In seconds.
    pub(crate) elapsed: f64,
    pub(crate) from: Before,
    /// The displacement and the turn per second of the root motion when the fade began, unless the state before plays on.
    pub(crate) momentum: [Vec3; 2],
}

/// What a fade begins with.
#[derive(Clone, Debug)]
pub(crate) enum Before {
    Playing(Playing),
    Held(Arc<Held>),
    Inertial(Arc<Offsets>),
}

/// A pose that is held.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) pose: Pose,
    pub(crate) channels: Vec<f32>,
    /// The part of the layer that the pose fills; nothing fills the rest.
    pub(crate) presence: f32,
}

impl Fading {
    /// Returns the share of its time that has passed.
    pub(crate) fn passed(&self) -> f64 {
        (self.elapsed / f64::from(self.fade.seconds)).clamp(0.0, 1.0)
    }

    /// Returns the seconds that are left.
    pub(crate) fn left(&self) -> f64 {
        (f64::from(self.fade.seconds) - self.elapsed).max(0.0)
    }

    /// Returns the share of the new state.
    pub(crate) fn share(&self) -> f64 {
        self.fade.curve.at(self.passed())
    }
}

/// A clip with its time in seconds and its weight.
pub(crate) type Part = (u16, f64, f32);

impl LayerState {
    /// Returns the share of the current state: 1 unless a crossfade is on.
    pub(crate) fn share(&self) -> f64 {
        match &self.fade {
            Some(Fading { from: Before::Inertial(_), .. }) | None => 1.0,
            Some(fading) => fading.share(),
        }
    }

    /// Returns the states that play, with their shares; the current one first.
    pub(crate) fn playing(&self) -> impl Iterator<Item = (&Playing, f64)> {
        let share = self.share();
        let before = self.fade.iter().filter_map(move |fading| match &fading.from {
            Before::Playing(playing) => Some((playing, 1.0 - share)),
            _ => None,
        });
        core::iter::once((&self.current, share)).chain(before)
    }

    /// Returns the clips that play; those without weight, too, if `all`.
    #[inline]
    pub(crate) fn parts(&self, machine: &Parts, parameters: &[f32], all: bool) -> SmallVec<[Part; 6]> {
        let mut parts = SmallVec::new();
        let mut put = |playing: &Playing, share: f64| {
            let state = &machine.states[usize::from(playing.state)];
            state.mix(parameters, |&Member { clip, ref knots, duration }, weight| {
                #[expect(clippy::cast_possible_truncation, reason = "weights have single precision")]
                let weight = (f64::from(weight) * share) as f32;
                if all || weight > 0.0 {
                    let time = time_at(knots, playing.phase);
                    parts.push((clip, if time > duration { time - duration } else { time }, weight));
                }
            });
        };
        let share = self.share();
        put(&self.current, share);
        if let Some(Fading { from: Before::Playing(before), .. }) = &self.fade {
            put(before, 1.0 - share);
        }
        parts
    }

    /// Returns the held pose with its weight, if it has any.
    pub(crate) fn held(&self) -> Option<(&Held, f32)> {
        let Some(Fading { from: Before::Held(held), .. }) = &self.fade else { return None };
        #[expect(clippy::cast_possible_truncation, reason = "weights have single precision")]
        let weight = (1.0 - self.share()) as f32 * held.presence;
        (weight > 0.0).then_some((held, weight))
    }
}

/// All layers, with what paces depend on.
#[derive(Clone, Copy)]
pub(crate) struct PlacedStates<'a> {
    pub(crate) machine: &'a Parts,
    pub(crate) parameters: &'a [f32],
    pub(crate) layers: &'a [LayerState],
}

impl<'a> PlacedStates<'a> {
    pub(crate) fn state(&self, playing: &Playing) -> &'a StateParts {
        &self.machine.states[usize::from(playing.state)]
    }

    /// Returns what plays in a sync group, with its shares: in the lowest layer that plays anything of it.
    pub(crate) fn in_step(&self, group: u16) -> impl Iterator<Item = (&'a Playing, f64)> {
        let own = self.machine;
        let is_in = move |playing: &Playing| own.states[usize::from(playing.state)].sync == Some(group);
        let leader = self.layers.iter().find(|layer| layer.playing().any(|(playing, _)| is_in(playing)));
        leader.into_iter().flat_map(LayerState::playing).filter(move |(playing, _)| is_in(playing))
    }

    /// Returns the pace of a state that plays: its own, or that of its sync group. `None` if it has no clips.
    pub(crate) fn pace(&self, playing: &Playing) -> Option<Pace> {
        let state = self.state(playing);
        state.sync.map_or_else(|| Pace::alone(state, self.parameters), |group| self.pace_of(group))
    }

    /// Returns the pace of a sync group.
    pub(crate) fn pace_of(&self, group: u16) -> Option<Pace> {
        // What plays nothing has no part in the pace. A state that has just begun has no share.
        let states = self.in_step(group).map(|(playing, share)| (self.state(playing), share.max(1e-6)));
        Pace::in_step(states.filter(|(state, _)| !state.members.is_empty()), self.parameters)
    }
}
