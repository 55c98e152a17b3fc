//! A character's place in a machine.

use crate::fade::Fade;
use crate::layer::{Before, LayerState, PlacedStates};
use crate::machine::{Layer, Machine, Parameter, State, Trigger};
use crate::pace::Playing;
use crate::passed::Passed;
use crate::scratch::Players;
use hedgerow_anim::player::Playback;

/// The state of one character in a [`Machine`]: parameters, fired triggers, and what each layer plays.
///
/// Each frame, set parameters and fire triggers, [`advance`](Self::advance), then take
/// [`events`](Self::events) and [`root_motion`](Self::root_motion), and [`sample`](Self::sample) if the character is
/// seen. A step samples nothing, unless a fade begins that is inertial or interrupts another.
///
/// Sampling keeps players of the last eight clips, or of as many as one sample needs. A clone does not copy them: so it
/// is a snapshot for rollback, and [`Clone::clone_from`] goes back to it and keeps the players.
///
/// # Panics
/// Methods panic if a handle is that of a larger machine.
#[derive(Debug)]
pub struct Animator {
    pub(crate) machine: Machine,
    pub(crate) parameters: Vec<f32>,
    pub(crate) fired: u64,
    pub(crate) layers: Vec<LayerState>,
    pub(crate) passed: Vec<Passed>,
    /// The parameters of the last step.
    pub(crate) passed_parameters: Vec<f32>,
    pub(crate) players: Players,
}

impl Clone for Animator {
    fn clone(&self) -> Self {
        let Self { machine, parameters, fired, layers, passed, passed_parameters, players: _ } = self;
        Self {
            machine: machine.clone(),
            parameters: parameters.clone(),
            fired: *fired,
            layers: layers.clone(),
            passed: passed.clone(),
            passed_parameters: passed_parameters.clone(),
            players: Players::default(),
        }
    }

    /// Goes back to a snapshot in the memory that is there. Of an animator of the same machine, players stay.
    fn clone_from(&mut self, from: &Self) {
        let Self { machine, parameters, fired, layers, passed, passed_parameters, players } = self;
        if !machine.is(&from.machine) {
            (*machine, *players) = (from.machine.clone(), Players::default());
        }
        *fired = from.fired;
        parameters.clone_from(&from.parameters);
        layers.clone_from(&from.layers);
        passed.clone_from(&from.passed);
        passed_parameters.clone_from(&from.passed_parameters);
    }
}

impl Animator {
    /// Creates an animator at the beginning of the first state of each layer, with the initial parameters.
    #[must_use]
    pub fn new(machine: &Machine) -> Self {
        let parameters: Vec<f32> = machine.0.parameters.iter().map(|&(_, initial)| initial).collect();
        let layers = machine.0.layers.iter().map(|layer| LayerState {
            weight: layer.weight,
            current: Playing::begin(layer.first, &machine.0, &parameters),
            fade: None,
        });
        let layers = layers.collect();
        Self {
            machine: machine.clone(),
            passed_parameters: parameters.clone(),
            parameters,
            fired: 0,
            layers,
            passed: Vec::new(),
            players: Players::default(),
        }
    }

    /// Returns the machine.
    #[must_use]
    pub const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Sets a parameter, for the next step and sample. Ignores numbers that are not finite.
    pub fn set(&mut self, parameter: Parameter, number: f32) {
        let own = &mut self.parameters[usize::from(parameter.0)];
        *own = if number.is_finite() { number } else { *own };
    }

    /// Returns a parameter.
    #[must_use]
    pub fn get(&self, parameter: Parameter) -> f32 {
        self.parameters[usize::from(parameter.0)]
    }

    /// Fires a trigger. It stays fired until a transition uses it, in the lowest layer that has one, or
    /// [`withdraw`](Self::withdraw). A layer that is already in the new state of a [`Transition::from_any`] does not.
    ///
    /// [`Transition::from_any`]: crate::Transition::from_any
    pub fn fire(&mut self, trigger: Trigger) {
        self.fired |= self.bit(trigger);
    }

    /// Withdraws a trigger that no transition has used.
    pub fn withdraw(&mut self, trigger: Trigger) {
        self.fired &= !self.bit(trigger);
    }

    fn bit(&self, trigger: Trigger) -> u64 {
        assert!(usize::from(trigger.0) < self.machine.0.triggers.len(), "the trigger is that of a larger machine");
        1 << trigger.0
    }

    /// Sets the weight of a layer, from 0 to 1. Ignores other numbers.
    pub fn set_weight(&mut self, layer: Layer, weight: f32) {
        if (0.0..=1.0).contains(&weight) {
            self.at_mut(layer).weight = weight;
        }
    }

    /// Returns the weight of a layer.
    #[must_use]
    pub fn weight(&self, layer: Layer) -> f32 {
        self.at(layer).weight
    }

    /// Goes to a state without a transition: a one-shot, or a change that the game decides. Of the machine's transitions,
    /// those of the new state are tried from the next step on.
    pub fn play(&mut self, state: State, fade: impl Into<Fade>) {
        self.start(state.0, fade.into());
    }

    /// Goes to a phase of a layer's current state, from 0 to 1. All that plays in its sync group goes there, too. Events at
    /// this phase are yielded by the next step.
    pub fn seek(&mut self, layer: Layer, phase: f64) {
        let phase = if phase.is_nan() { 0.0 } else { phase.clamp(0.0, 1.0) };
        let go = |playing: &mut Playing| *playing = Playing { phase, back: false, passed: false, ..*playing };
        go(&mut self.at_mut(layer).current);
        let Self { machine, layers, .. } = self;
        let group = |playing: &Playing| machine.0.states[usize::from(playing.state)].sync;
        let Some(own) = group(&layers[usize::from(layer.0)].current) else { return };
        for layer in layers {
            let before = layer.fade.iter_mut().filter_map(|fading| match &mut fading.from {
                Before::Playing(playing) => Some(playing),
                _ => None,
            });
            let playing = core::iter::once(&mut layer.current).chain(before);
            playing.filter(|playing| group(playing) == Some(own)).for_each(go);
        }
    }

    /// Sets what a layer's current state does at its ends, until another state plays. States in step stay as they are.
    pub fn set_playback(&mut self, layer: Layer, playback: Playback) {
        let state = usize::from(self.at(layer).current.state);
        if self.machine.0.states[state].sync.is_none() {
            let current = &mut self.at_mut(layer).current;
            *current = Playing { playback, back: false, ..*current };
        }
    }

    /// Returns the current state of a layer: while it fades, the new one.
    #[must_use]
    pub fn state(&self, layer: Layer) -> State {
        State(self.at(layer).current.state)
    }

    /// Returns the phase of a layer's current state: its time divided by its duration. In a [sync group] with markers,
    /// it counts from the first marker.
    ///
    /// [sync group]: crate::MachineBuilder::sync_group
    #[must_use]
    pub fn phase(&self, layer: Layer) -> f64 {
        self.at(layer).current.phase
    }

    /// Returns the duration of a layer's current state in seconds, at speed 1: the mean of the clips that play. 0 if it
    /// plays nothing.
    #[must_use]
    pub fn duration(&self, layer: Layer) -> f64 {
        let layer = self.at(layer);
        self.placed().pace(&layer.current).map_or(0.0, |pace| pace.duration())
    }

    /// Returns the progress of a layer's fade in time, from 0 to 1; 1 if there is none.
    #[must_use]
    pub fn faded(&self, layer: Layer) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "progress has single precision")]
        self.at(layer).fade.as_ref().map_or(1.0, |fading| fading.passed() as f32)
    }

    /// Returns how often the last step passed the end of the layer's current state, negative if backward; 0 for a state
    /// that stops there.
    #[must_use]
    pub fn rounds(&self, layer: Layer) -> i32 {
        self.at(layer);
        let taken = self.passed.iter().filter(|passed| passed.layer == layer.0).filter_map(|passed| passed.taken[0].0);
        taken.fold(0, |rounds: i32, taken| rounds.saturating_add(taken.ends()))
    }

    fn at(&self, layer: Layer) -> &LayerState {
        &self.layers[usize::from(layer.0)]
    }

    fn at_mut(&mut self, layer: Layer) -> &mut LayerState {
        &mut self.layers[usize::from(layer.0)]
    }

    pub(crate) fn placed(&self) -> PlacedStates<'_> {
        PlacedStates { machine: &self.machine.0, parameters: &self.parameters, layers: &self.layers }
    }
}
