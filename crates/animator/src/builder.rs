//! Building machines.

use crate::Error;
use crate::condition::{Condition, Moment, Source, Test, Transition};
use crate::error::expect_joints;
use crate::fade::Fade;
use crate::machine::{
    Layer, LayerParts, Machine, Member, Parameter, Parts, State, StateParts, SyncGroup, TransitionParts, Trigger,
};
use crate::motion::{Motion, MotionClip, Places, Space};
use crate::pace::{Knots, MOST_MARKERS};
use crate::plane::{MOST_POINTS, Plane};
use hedgerow_anim::blend::JointMask;
use hedgerow_anim::clip::{ClipError, Event};
use hedgerow_anim::player::Playback;
use hedgerow_anim::{Clip, Pose, Skeleton};
use hedgerow_math::internal::file_header::digest;
use smallvec::smallvec;
use std::sync::{Arc, Mutex, OnceLock};

/// Builds a [`Machine`]: see the [example](crate#example) of the crate. Methods return handles; [`build`](Self::build)
/// reports the first mistake.
#[derive(Debug)]
pub struct MachineBuilder {
    skeleton: Skeleton,
    rest_channels: Option<Vec<f32>>,
    layers: Vec<(String, LayerOptions)>,
    states: Vec<(String, Layer, Motion)>,
    transitions: Vec<Transition>,
    parameters: Vec<(String, f32)>,
    triggers: Vec<String>,
    groups: Vec<Vec<String>>,
    /// A one-shot that cannot end.
    endless: Option<String>,
}

/// What a layer does to the pose of the layers below. By default it replaces the pose of all joints, with weight 1.
#[derive(Clone, Debug)]
pub struct LayerOptions {
    mask: Option<JointMask>,
    adds: Option<Option<Pose>>,
    channels: Option<bool>,
    weight: f32,
}

impl Default for LayerOptions {
    fn default() -> Self {
        Self { mask: None, adds: None, channels: None, weight: 1.0 }
    }
}

impl LayerOptions {
    /// Weights each joint by a mask. Channels are left alone unless [`channels`](Self::channels) says otherwise.
    #[must_use]
    pub fn masked(mask: JointMask) -> Self {
        Self { mask: Some(mask), ..Self::default() }
    }

    /// Adds the difference to the rest pose, or to another pose, instead of replacing the pose.
    #[must_use]
    pub fn additive(self, reference: Option<Pose>) -> Self {
        Self { adds: Some(reference), ..self }
    }

    /// Sets whether the layer has part in channels: by default, if it has no mask.
    #[must_use]
    pub fn channels(self, channels: bool) -> Self {
        Self { channels: Some(channels), ..self }
    }

    /// Sets the initial weight, from 0 to 1.
    #[must_use]
    pub fn weight(self, weight: f32) -> Self {
        Self { weight, ..self }
    }
}

/// Adds an item to a list, and returns its number. [`MachineBuilder::build`] refuses lists that are too long.
fn push<T>(list: &mut Vec<T>, item: T) -> u16 {
    list.push(item);
    u16::try_from(list.len() - 1).unwrap_or(u16::MAX)
}

impl MachineBuilder {
    /// Begins a machine for the clips of a skeleton.
    #[must_use]
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            skeleton: skeleton.clone(),
            rest_channels: None,
            layers: Vec::new(),
            states: Vec::new(),
            transitions: Vec::new(),
            parameters: Vec::new(),
            triggers: Vec::new(),
            groups: Vec::new(),
            endless: None,
        }
    }

    /// Sets the value of each channel at rest. By default, 0 for each channel of the first clip.
    pub fn rest_channels(&mut self, channels: Vec<f32>) {
        self.rest_channels = Some(channels);
    }

    /// Adds a parameter with its initial value. A flag is 0 or 1, and a condition on it `above(0.5)`.
    pub fn parameter(&mut self, name: &str, initial: f32) -> Parameter {
        Parameter(push(&mut self.parameters, (name.to_owned(), initial)))
    }

    /// Adds a trigger. A machine has at most 64.
    pub fn trigger(&mut self, name: &str) -> Trigger {
        Trigger(push(&mut self.triggers, name.to_owned()))
    }

    /// Adds a layer, above those before. Its first state is where it begins.
    pub fn layer(&mut self, name: &str, options: LayerOptions) -> Layer {
        Layer(push(&mut self.layers, (name.to_owned(), options)))
    }

    /// Adds a sync group: states that go through their steps together, in all layers, whatever their durations. Where
    /// one fades to another, feet come down together.
    ///
    /// `markers` are names of events. They divide each clip into parts, and equal parts are passed in the same time, the
    /// mean of the clips in the lowest layer; the first marker of this list is phase 0. Without markers, clips are
    /// stretched as wholes. A state that begins takes the phase of what plays in the group.
    pub fn sync_group(&mut self, markers: &[&str]) -> SyncGroup {
        SyncGroup(push(&mut self.groups, markers.iter().map(|&marker| marker.to_owned()).collect()))
    }

    /// Adds a state.
    pub fn state(&mut self, layer: Layer, name: &str, motion: impl Into<Motion>) -> State {
        State(push(&mut self.states, (name.to_owned(), layer, motion.into())))
    }

    /// Adds a state that plays once, and fades back to the layer's first state, which must be there before, as it ends.
    /// [`Animator::play`] begins it. The fade begins when as much time is left, so it must be shorter than the motion.
    ///
    /// [`Animator::play`]: crate::Animator::play
    pub fn one_shot(&mut self, layer: Layer, name: &str, motion: impl Into<Motion>, fade: impl Into<Fade>) -> State {
        let (first, fade) = (self.states.iter().position(|state| state.1 == layer), fade.into());
        let motion = motion.into().once();
        if first.is_none() || matches!(motion.space, Space::None) {
            self.endless.get_or_insert_with(|| name.to_owned());
        }
        let state = self.state(layer, name, motion);
        let first = first.and_then(|first| u16::try_from(first).ok()).map_or(state, State);
        self.transition(Transition::new(state, first).when(Condition::before_end(fade.seconds)).fade(fade));
        state
    }

    /// Adds a transition. Of a state's transitions whose conditions hold, the first is taken.
    pub fn transition(&mut self, transition: Transition) {
        self.transitions.push(transition);
    }

    /// Builds the machine. Runs in **O(states × (states + clips))**, and O(points⁴) for each plane.
    ///
    /// # Errors
    /// An [`Error`] that names the first mistake.
    pub fn build(self) -> Result<Machine, Error> {
        let most = usize::from(u16::MAX);
        let counts = [
            (self.layers.len(), most, "layers"),
            (self.states.len(), most, "states"),
            (self.parameters.len(), most, "parameters"),
            (self.groups.len(), most, "sync groups"),
            (self.triggers.len(), 64, "triggers"),
        ];
        if let Some(&(_, most, what)) = counts.iter().find(|&&(count, most, _)| count > most) {
            return Err(Error::TooMany { what, most });
        }
        if self.layers.is_empty() {
            return Err(Error::NoLayer);
        }
        if let Some(state) = &self.endless {
            return Err(Error::OneShot { state: state.clone() });
        }
        if let Some((name, _)) = self.parameters.iter().find(|(_, initial)| !initial.is_finite()) {
            return Err(Error::Number { what: "initial value", of: name.clone() });
        }
        let (mut clips, mut orders) = (Vec::new(), vec![Vec::new(); self.groups.len()]);
        let states = self.states.iter().map(|state| self.state_parts(state, &mut clips, &mut orders));
        let mut states = states.collect::<Result<Vec<_>, _>>()?;
        let transitions = self.transitions.iter().enumerate().map(|(number, transition)| {
            let parts = self.transition_parts(transition)?;
            let to = &self.states[usize::from(parts.to)];
            let all = (0..).zip(&mut states).filter(|(from, state)| match transition.from {
                Source::State(own) => own.0 == *from,
                Source::Any => state.layer == to.1.0 && transition.to.0 != *from,
            });
            for (_, state) in all {
                if state.layer != to.1.0 {
                    return Err(Error::Across { state: to.0.clone() });
                }
                state.transitions.push(number);
                state.cuts |= parts.waits || !parts.moments.is_empty();
            }
            Ok(parts)
        });
        let transitions = transitions.collect::<Result<Vec<_>, _>>()?;
        let layers = (0..).zip(&self.layers).map(|(number, layer)| self.layer_parts(number, layer, &states));
        let layers = layers.collect::<Result<Vec<_>, _>>()?;

        let rest_channels = self.rest_channels.clone();
        let rest_channels =
            rest_channels.unwrap_or_else(|| vec![0.0; clips.first().map_or(0, |clip| clip.clip.channels())]);
        for MotionClip { clip, .. } in &clips {
            let (expected, found) = (rest_channels.len(), clip.channels());
            expect_joints(self.skeleton.len(), clip.joints())?;
            if expected != found {
                return Err(hedgerow_anim::Error::from(ClipError::ChannelCount { expected, found }).into());
            }
        }
        let Self { skeleton, parameters, triggers, .. } = self;
        let rest = Pose::rest(&skeleton);
        let pool = Mutex::default();
        Ok(Machine(Arc::new(Parts {
            skeleton,
            rest,
            rest_channels,
            clips,
            layers,
            states,
            transitions,
            parameters,
            triggers,
            digest: OnceLock::new(),
            pool,
        })))
    }

    fn layer_parts(
        &self,
        number: u16,
        (name, options): &(String, LayerOptions),
        states: &[StateParts],
    ) -> Result<LayerParts, Error> {
        let LayerOptions { mask, adds, channels, weight } = options.clone();
        mask.iter().try_for_each(|mask| expect_joints(self.skeleton.len(), mask.len()))?;
        let adds = adds.map(|reference| reference.unwrap_or_else(|| Pose::rest(&self.skeleton)));
        adds.iter().try_for_each(|pose| expect_joints(self.skeleton.len(), pose.len()))?;
        if !(0.0..=1.0).contains(&weight) {
            return Err(Error::Number { what: "weight", of: name.clone() });
        }
        let first = (0..).zip(states).find(|(_, state)| state.layer == number);
        let (first, _) = first.ok_or_else(|| Error::NoState { layer: name.clone() })?;
        Ok(LayerParts { name: name.clone(), channels: channels.unwrap_or(mask.is_none()), mask, adds, weight, first })
    }

    fn state_parts(
        &self,
        (name, layer, motion): &(String, Layer, Motion),
        clips: &mut Vec<MotionClip>,
        orders: &mut [Vec<usize>],
    ) -> Result<StateParts, Error> {
        known("a layer", layer.0, self.layers.len())?;
        let parameter = |by: Parameter| known("a parameter", by.0, self.parameters.len());
        let Motion { space, playback, speed, speed_by, sync } = motion;
        if !speed.is_finite() {
            return Err(Error::Number { what: "speed", of: name.clone() });
        }
        let wrong = || Error::Places { state: name.clone() };
        let (places, of_places) = match space {
            Space::None => (Places::None, Vec::new()),
            Space::Clip(clip) => (Places::One, vec![clip]),
            Space::Line(by, points) => {
                let mut points: Vec<_> = points.iter().collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                let (places, clips): (Vec<f32>, Vec<_>) =
                    points.into_iter().map(|(place, clip)| (*place, clip)).unzip();
                let sound = places.is_sorted_by(|a, b| a < b) && places.iter().all(|place| place.is_finite());
                if places.is_empty() || !sound {
                    return Err(wrong());
                }
                (Places::Line(parameter(*by)?, places), clips)
            }
            Space::Plane([x, y], points) => {
                if points.len() > MOST_POINTS {
                    return Err(Error::TooMany { what: "clips in a plane", most: MOST_POINTS });
                }
                let (places, clips): (Vec<[f32; 2]>, Vec<_>) =
                    points.iter().map(|(place, clip)| (*place, clip)).unzip();
                let finite = places.iter().flatten().all(|place| place.is_finite());
                let plane = Plane::new(&places).filter(|_| finite).ok_or_else(wrong)?;
                (Places::Plane([parameter(*x)?, parameter(*y)?], plane), clips)
            }
        };
        let sync = sync.map(|group| known("a sync group", group.0, self.groups.len()).map(|_| group.0)).transpose()?;
        if sync.is_some() && *playback != Playback::Loop {
            return Err(Error::SyncOnce { state: name.clone() });
        }
        let mut members = Vec::new();
        for clip in of_places {
            let knots = match sync.map(usize::from) {
                Some(group) => knots(&clip.clip, &self.groups[group], &mut orders[group]),
                None => knots(&clip.clip, &[], &mut Vec::new()),
            };
            let knots = knots.ok_or_else(|| Error::Markers { state: name.clone() })?;
            let root = |of: &MotionClip| of.root.as_ref().map(Arc::as_ptr);
            let same = |of: &MotionClip| Arc::ptr_eq(&of.clip, &clip.clip) && root(of) == root(clip);
            let number = clips.iter().position(same).unwrap_or_else(|| {
                clips.push(clip.clone());
                clips.len() - 1
            });
            let most = usize::from(u16::MAX);
            let number = u16::try_from(number).map_err(|_| Error::TooMany { what: "clips", most })?;
            let duration = f64::from(clip.clip.duration());
            #[expect(clippy::float_cmp, reason = "both are that of one animation")]
            if clip.root.as_ref().is_some_and(|root| root.duration() != clip.clip.duration()) {
                return Err(Error::RootMotion { state: name.clone() });
            }
            members.push(Member { clip: number, knots, duration });
        }
        let speed_by = speed_by.map(parameter).transpose()?;
        let (name, layer, transitions) = (name.clone(), layer.0, Vec::new());
        Ok(StateParts {
            name,
            layer,
            places,
            members,
            playback: *playback,
            speed: *speed,
            speed_by,
            sync,
            transitions,
            cuts: false,
        })
    }

    fn transition_parts(&self, transition: &Transition) -> Result<TransitionParts, Error> {
        let Transition { from, to, conditions, fade, waits } = transition;
        known("a state", to.0, self.states.len())?;
        if let Source::State(from) = from {
            known("a state", from.0, self.states.len())?;
        }
        let (mut triggers, mut compares, mut moments) = (0, Vec::new(), Vec::new());
        for Condition(test) in conditions {
            match *test {
                Test::Compare(by, above, number) => {
                    if number.is_nan() {
                        let of = self.states[usize::from(to.0)].0.clone();
                        return Err(Error::Number { what: "comparison of a transition", of });
                    }
                    compares.push((known("a parameter", by.0, self.parameters.len())?, above, number));
                }
                Test::Trigger(trigger) => triggers |= 1 << known("a trigger", trigger.0, self.triggers.len())?,
                Test::Moment(moment) => {
                    let sound = match moment {
                        Moment::Phase(low, high) => 0.0 <= low && low <= high && high <= 1.0,
                        Moment::Left(seconds) => seconds >= 0.0 && seconds.is_finite(),
                    };
                    if !sound {
                        let of = self.states[usize::from(to.0)].0.clone();
                        return Err(Error::Number { what: "phase or time of a transition", of });
                    }
                    moments.push(moment);
                }
            }
        }
        Ok(TransitionParts { to: to.0, triggers, compares, moments, fade: *fade, waits: *waits })
    }
}

/// Returns a handle's number, or an error if there is no such item.
fn known(what: &'static str, number: u16, count: usize) -> Result<usize, Error> {
    Some(usize::from(number)).filter(|&number| number < count).ok_or(Error::Unknown(what))
}

/// Returns the times at which a clip reaches equal parts of its cycle: those of its markers, if there are any. All clips
/// of a group have the same `order` of markers. Returns `None` if the clip does not.
fn knots(clip: &Clip, markers: &[String], order: &mut Vec<usize>) -> Option<Knots> {
    let duration = f64::from(clip.duration());
    if markers.is_empty() {
        return Some(smallvec![0.0, duration]);
    }
    let marker = |event: Event<'_>| Some((markers.iter().position(|name| name == event.name)?, f64::from(event.time)));
    let mut found: Vec<(usize, f64)> = clip.events().filter_map(marker).collect();
    let first = found.iter().position(|&(marker, _)| marker == 0)?;
    found[..first].iter_mut().for_each(|(_, time)| *time += duration);
    found.rotate_left(first);
    found.push((0, found[0].1 + duration));
    let own = found.iter().map(|&(marker, _)| marker);
    if order.is_empty() {
        order.extend(own);
    } else if !own.eq(order.iter().copied()) {
        return None;
    }
    let knots: Knots = found.iter().map(|&(_, time)| time).collect();
    (knots.is_sorted_by(|a, b| a < b) && knots.len() <= 1 + MOST_MARKERS).then_some(knots)
}

impl Parts {
    /// Returns a hash of what the bytes of an animator refer to.
    pub(crate) fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| self.compute_digest())
    }

    fn compute_digest(&self) -> u64 {
        let clips: Vec<u64> = self.clips.iter().map(|of| digest(of.clip.to_bytes())).collect();
        // Lists of names are quoted and in brackets, so that no two machines have one text.
        let parameters: Vec<_> = self.parameters.iter().map(|(name, _)| name).collect();
        let layers: Vec<_> = self.layers.iter().map(|layer| &layer.name).collect();
        let counts = [self.skeleton.len(), self.rest_channels.len()];
        let mut text = format!("{counts:?} {:?} {parameters:?} {layers:?}", self.triggers);
        for StateParts { name, layer, members, .. } in &self.states {
            let members: Vec<u64> = members.iter().map(|of| clips[usize::from(of.clip)]).collect();
            text += &format!("{name:?} {layer} {members:?}");
        }
        digest(text.as_bytes())
    }
}
