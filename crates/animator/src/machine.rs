//! The description that animators share.

use crate::condition::Moment;
use crate::fade::Fade;
use crate::motion::{MotionClip, Places, on_line};
use crate::pace::Knots;
use crate::scratch::Scratch;
use core::fmt;
use hedgerow_anim::blend::JointMask;
use hedgerow_anim::player::Playback;
use hedgerow_anim::{Pose, Skeleton};
use std::sync::{Arc, Mutex, OnceLock};

/// A state machine over clips: states, transitions, layers, parameters. It is built once by a
/// [`MachineBuilder`](crate::MachineBuilder), never changes, and is shared by all characters that have an
/// [`Animator`](crate::Animator) of it. A clone is another reference to it.
#[derive(Clone)]
pub struct Machine(pub(crate) Arc<Parts>);

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) u16);
    )*};
}

handles! {
    /// A state of a [`Machine`].
    State,
    /// A layer of a [`Machine`].
    Layer,
    /// A number that a game sets for each character, such as its speed.
    Parameter,
    /// A signal that a game fires for a character, such as a jump. A transition uses it up.
    Trigger,
    /// States that go through their steps together.
    SyncGroup,
}

#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) skeleton: Skeleton,
    pub(crate) rest: Pose,
    pub(crate) rest_channels: Vec<f32>,
    pub(crate) clips: Vec<MotionClip>,
    pub(crate) layers: Vec<LayerParts>,
    pub(crate) states: Vec<StateParts>,
    pub(crate) transitions: Vec<TransitionParts>,
    /// Names and initial values.
    pub(crate) parameters: Vec<(String, f32)>,
    pub(crate) triggers: Vec<String>,
    /// A hash of what an animator's bytes refer to, computed when bytes are first asked for.
    pub(crate) digest: OnceLock<u64>,
    /// Scratch memory: as many as threads have sampled at once.
    #[expect(clippy::vec_box, reason = "a sample moves it twice")]
    pub(crate) pool: Mutex<Vec<Box<Scratch>>>,
}

#[derive(Debug)]
pub(crate) struct LayerParts {
    pub(crate) name: String,
    pub(crate) mask: Option<JointMask>,
    /// The pose that the layer's poses are differences from, if it adds.
    pub(crate) adds: Option<Pose>,
    pub(crate) channels: bool,
    pub(crate) weight: f32,
    /// The first state.
    pub(crate) first: u16,
}

#[derive(Debug)]
pub(crate) struct StateParts {
    pub(crate) name: String,
    pub(crate) layer: u16,
    pub(crate) places: Places,
    /// The clips of the places.
    pub(crate) members: Vec<Member>,
    pub(crate) playback: Playback,
    pub(crate) speed: f32,
    pub(crate) speed_by: Option<usize>,
    pub(crate) sync: Option<u16>,
    /// The transitions that leave it, in the order in which they are tried.
    pub(crate) transitions: Vec<usize>,
    /// Whether one of them has conditions that may begin to hold in the middle of a step.
    pub(crate) cuts: bool,
}

/// A clip of a state.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) clip: u16,
    pub(crate) knots: Knots,
    pub(crate) duration: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct TransitionParts {
    pub(crate) to: u16,
    /// The triggers that must all have been fired, as bits.
    pub(crate) triggers: u64,
    /// A parameter, whether it must be above or below, and the number.
    pub(crate) compares: Vec<(usize, bool, f32)>,
    pub(crate) moments: Vec<Moment>,
    pub(crate) fade: Fade,
    pub(crate) waits: bool,
}

impl StateParts {
    /// Calls `put` with each clip that has weight, at most three.
    #[inline(always)]
    pub(crate) fn mix(&self, parameters: &[f32], mut put: impl FnMut(&Member, f32)) {
        match &self.places {
            Places::None => {}
            Places::One => put(&self.members[0], 1.0),
            Places::Line(by, places) => {
                let (first, share) = on_line(places, parameters[*by]);
                if share < 1.0 {
                    put(&self.members[first], 1.0 - share);
                }
                if let Some(next) = self.members.get(first + 1).filter(|_| share > 0.0) {
                    put(next, share);
                }
            }
            Places::Plane(by, plane) => {
                let mix = plane.mix(by.map(|by| f64::from(parameters[by])));
                let weighty = mix.iter().filter(|of| of.1 > 0.0);
                weighty.for_each(|&(member, weight)| put(&self.members[usize::from(member)], weight));
            }
        }
    }

    /// Returns the present speed.
    #[inline(always)]
    pub(crate) fn speed(&self, parameters: &[f32]) -> f64 {
        f64::from(self.speed) * self.speed_by.map_or(1.0, |by| f64::from(parameters[by]))
    }
}

impl Machine {
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the skeleton.
    #[must_use]
    pub fn skeleton(&self) -> &Skeleton {
        &self.0.skeleton
    }

    /// Returns the number of channels of each clip.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.0.rest_channels.len()
    }

    /// Returns the first state with this name. Runs in **O(states)**.
    #[must_use]
    pub fn state(&self, name: &str) -> Option<State> {
        find(&self.0.states, |state| state.name == name).map(State)
    }

    /// Returns the first layer with this name. Runs in **O(layers)**.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<Layer> {
        find(&self.0.layers, |layer| layer.name == name).map(Layer)
    }

    /// Returns the first parameter with this name. Runs in **O(parameters)**.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<Parameter> {
        find(&self.0.parameters, |(found, _)| found == name).map(Parameter)
    }

    /// Returns the first trigger with this name. Runs in **O(triggers)**.
    #[must_use]
    pub fn trigger(&self, name: &str) -> Option<Trigger> {
        find(&self.0.triggers, |found| found == name).map(Trigger)
    }

    /// Returns the name of a state.
    ///
    /// # Panics
    /// Panics if there is no such state.
    #[must_use]
    pub fn name(&self, state: State) -> &str {
        &self.0.states[usize::from(state.0)].name
    }
}

fn find<T>(list: &[T], is: impl Fn(&T) -> bool) -> Option<u16> {
    (0..).zip(list).find(|(_, item)| is(item)).map(|(number, _)| number)
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { layers, states, clips, .. } = &*self.0;
        let counts = [layers.len(), states.len(), clips.len()];
        f.debug_struct("Machine").field("[layers, states, clips]", &counts).finish_non_exhaustive()
    }
}
