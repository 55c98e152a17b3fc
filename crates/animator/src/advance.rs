//! Steps: transitions, times, and what passes.

use crate::Animator;
use crate::condition::Moment;
use crate::fade::Fade;
use crate::inertia::{BESIDE, Offsets, alone};
use crate::layer::{Before, Fading, Held, LayerState, PlacedStates};
use crate::machine::TransitionParts;
use crate::pace::{Pace, Playing, Step};
use crate::passed::Passed;
use hedgerow_anim::Error;
use hedgerow_anim::glam::Vec3;
use smallvec::SmallVec;
use std::sync::Arc;

/// The greatest number of parts of a step; the last one ignores where conditions begin to hold.
const MOST_PARTS: u16 = 64;

/// The greatest number of a pose, a difference or a momentum that is kept, so that nothing overflows.
pub(crate) const MOST: f32 = 1e15;

/// Times that differ by no more are the same, because sums of seconds are rounded.
pub(crate) const SAME: f64 = 1e-9;

impl Animator {
    /// Advances by this many seconds. Motions play backward if it is negative, but fades always go forward. Numbers
    /// that are not finite count as 0.
    ///
    /// First, each layer takes transitions until the conditions of none hold. In one moment, it begins no state twice: so
    /// if all transitions of a circle hold, it goes round once. Where conditions begin to hold on the way, at a phase or an
    /// end, and where a fade ends, the step is cut and transitions are taken again, so states do not depend on the lengths
    /// of steps. A step is cut at most 63 times.
    ///
    /// Runs in **O(layers × (transitions of a state + clips with weight))**; a transition that interrupts a fade, or is
    /// inertial, also samples the layer.
    pub fn advance(&mut self, seconds: f32) {
        self.passed.clear();
        self.passed_parameters.copy_from_slice(&self.parameters);
        let mut left = if seconds.is_finite() { f64::from(seconds) } else { 0.0 };
        for part in 0..MOST_PARTS {
            let (is_due, mut cuts) = self.placed().outlook(self.fired, left);
            if is_due {
                (0..self.layers.len()).for_each(|number| self.take_transitions(number, left));
                (_, cuts) = self.placed().outlook(self.fired, left);
            }
            if left != 0.0 {
                left -= self.advance_part(part, left, cuts && part + 1 < MOST_PARTS);
            }
            if left == 0.0 {
                return;
            }
        }
    }

    /// Lets a layer take transitions until none is due, or would begin a state twice.
    #[cold]
    fn take_transitions(&mut self, number: usize, left: f64) {
        let mut begun = SmallVec::<[u16; 4]>::new();
        while let Some(due) = self.placed().due(&self.layers[number], self.fired, left) {
            let (to, fade, triggers) = (due.to, due.fade, due.triggers);
            if begun.contains(&to) {
                break;
            }
            begun.push(to);
            self.fired &= !triggers;
            self.start(to, fade);
        }
    }

    /// Advances; if it `cuts`, until the next condition begins to hold or a fade ends. Returns the seconds.
    #[inline]
    fn advance_part(&mut self, part: u16, left: f64, cuts: bool) -> f64 {
        let (mut seconds, mut stops) = (left, Stops::new());
        if cuts {
            (seconds, stops) = self.placed().stops(self.fired, left);
        }
        let (first, mut fades) = (self.passed.len(), false);
        // Apart, so that the compiler sees that steps change neither machine nor parameters.
        let Self { machine, parameters, layers, passed, .. } = self;
        let layers = &mut layers[..];
        for number in 0..layers.len() {
            let placed = PlacedStates { machine: &machine.0, parameters, layers };
            let step = placed.step(number, seconds, &stops);
            let layer = &mut layers[number];
            let current = step.map(|(step, distance)| layer.current.take(step, distance));
            fades |= layer.fade.is_some();
            #[expect(clippy::cast_possible_truncation, reason = "layers have numbers of 16 bits")]
            let (layer, weight) = (number as u16, layer.weight);
            let taken = [(current, 1.0), (None, 0.0)];
            passed.push(Passed { part, layer, weight, taken, moves: 1.0, momentum: None });
        }
        if fades {
            self.fade_on(first, seconds, &stops);
        }
        seconds
    }

    /// Lets fades go on, with the states before, and records their mean shares.
    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "weights and seconds have single precision")]
    fn fade_on(&mut self, first: usize, seconds: f64, stops: &Stops) {
        // Paces depend on shares, so all states move before any fade goes on.
        for number in 0..self.layers.len() {
            let Some(Fading { from: Before::Playing(before), .. }) = &self.layers[number].fade else { continue };
            let step = self.placed().step_with(before, None, seconds, stops);
            let Some(Fading { from: Before::Playing(before), .. }) = &mut self.layers[number].fade else { continue };
            self.passed[first + number].taken[1].0 = step.map(|(step, distance)| before.take(step, distance));
        }
        for (layer, passed) in self.layers.iter_mut().zip(&mut self.passed[first..]) {
            let Some(fading) = &mut layer.fade else { continue };
            let from = fading.passed();
            fading.elapsed += seconds.abs();
            let share = fading.fade.curve.mean(from, fading.passed()) as f32;
            let momentum = fading.momentum.map(|speed| speed * seconds as f32);
            let mut goes_on = |weight| passed.momentum = Some((weight, momentum[0], momentum[1]));
            match &fading.from {
                Before::Playing(_) => (passed.taken[0].1, passed.taken[1].1) = (share, 1.0 - share),
                Before::Held(held) => {
                    passed.taken[0].1 = share;
                    goes_on((1.0 - share) * held.presence);
                }
                Before::Inertial(_) => {
                    passed.moves = share;
                    goes_on(1.0 - share);
                }
            }
            if fading.left() <= SAME {
                layer.fade = None;
            }
        }
    }

    /// Begins a state.
    pub(crate) fn start(&mut self, to: u16, fade: Fade) {
        let machine = self.machine.clone();
        let state = &machine.0.states[usize::from(to)];
        let mut next = Playing::begin(to, &machine.0, &self.parameters);
        if let Some((other, _)) = state.sync.and_then(|group| self.placed().in_step(group).next()) {
            (next.phase, next.passed) = (other.phase, other.passed);
        }
        let number = usize::from(state.layer);
        let old = self.layers[number].clone();
        let from = if fade.seconds == 0.0 {
            None
        } else if fade.inertial || old.fade.is_some() {
            // Sampling a layer of clips that were checked does not fail; if it did, the state would begin at once.
            self.shown_before(number, &old, next, fade.inertial).ok()
        } else {
            Some(Before::Playing(old.current))
        };
        let momentum = match &from {
            None | Some(Before::Playing(_)) => [Vec3::ZERO; 2],
            // That of the pose where it fills the layer; its weight has the presence.
            Some(Before::Held(held)) if held.presence > 0.0 => self.momentum(number, &old, held.presence),
            Some(_) => self.momentum(number, &old, 1.0),
        };
        let layer = &mut self.layers[number];
        layer.fade = from.map(|from| Fading { fade, elapsed: 0.0, from, momentum });
        layer.current = next;
    }

    /// Returns what a fade that does not play on begins with.
    fn shown_before(
        &mut self,
        number: usize,
        old: &LayerState,
        next: Playing,
        inertial: bool,
    ) -> Result<Before, Error> {
        let new = alone(old, next);
        let (old_beside, new_beside) = (self.beside(number, old), self.beside(number, &new));
        let (mut sampler, _) = self.sampler();
        let shown = sampler.shown(old);
        if inertial && shown.presence == 1.0 && sampler.shown(&new).presence > 0.0 {
            let offsets = Offsets::measure(&mut sampler, (old, &old_beside), (&new, &new_beside))?;
            return Ok(Before::Inertial(Arc::new(offsets)));
        }
        if old.fade.is_none() {
            return Ok(Before::Playing(old.current));
        }
        let machine = sampler.machine;
        let mut held =
            Held { pose: machine.rest.clone(), channels: machine.rest_channels.clone(), presence: shown.presence };
        if shown.presence > 0.0 {
            sampler.write(&shown, &mut held.pose)?;
            sampler.write_channels(&shown, &mut held.channels)?;
        }
        Ok(Before::Held(Arc::new(held)))
    }

    /// Returns the numbered layer as it will be a moment later, with the seconds of the moment; if a clip begins again on
    /// the way, as it was a moment earlier, because what comes after an end does not tell how fast the layer moves.
    fn beside(&self, number: usize, layer: &LayerState) -> (LayerState, f32) {
        // Paces are those of all layers, with this one in its place.
        let mut layers = self.layers.clone();
        layers[number] = layer.clone();
        let placed = PlacedStates { layers: &layers, ..self.placed() };
        let moved = |seconds: f32| {
            let mut beside = layer.clone();
            let step = |playing: &mut Playing| {
                if let Some(pace) = placed.pace(playing) {
                    playing.take(pace.step(playing, f64::from(seconds)), pace.distance(f64::from(seconds)));
                }
            };
            step(&mut beside.current);
            if let Some(fading) = &mut beside.fade {
                if let Before::Playing(playing) = &mut fading.from {
                    step(playing);
                }
                fading.elapsed += f64::from(seconds);
            }
            beside
        };
        let parts = |layer: &LayerState| layer.parts(&self.machine.0, &self.parameters, true);
        let later = moved(BESIDE);
        let begins_again = parts(layer).iter().zip(&parts(&later)).any(|(&(clip, from, _), (_, to, _))| {
            (to - from).abs() > 0.5 * f64::from(self.machine.0.clips[usize::from(clip)].clip.duration())
        });
        if begins_again { (moved(-BESIDE), -BESIDE) } else { (later, BESIDE) }
    }

    /// Returns the displacement and the turn per second of a layer's root motion, divided by the layer's presence.
    fn momentum(&self, number: usize, layer: &LayerState, presence: f32) -> [Vec3; 2] {
        let (machine, (beside, seconds)) = (&*self.machine.0, self.beside(number, layer));
        let mut momentum = [Vec3::ZERO; 2];
        let parts = layer.parts(machine, &self.parameters, true);
        for (&(clip, from, weight), (_, to, _)) in parts.iter().zip(beside.parts(machine, &self.parameters, true)) {
            if let Some(root) = &machine.clips[usize::from(clip)].root {
                #[expect(clippy::cast_possible_truncation, reason = "clips have single precision")]
                let moved = root.between(from as f32, to as f32, 0);
                // The axis times the angle; a small angle is four times the tangent of its quarter.
                let turn = moved.rotation.xyz() * (4.0_f32.copysign(moved.rotation.w) / (1.0 + moved.rotation.w.abs()));
                for (sum, moved) in momentum.iter_mut().zip([moved.translation, turn]) {
                    *sum += moved * (weight / seconds);
                }
            }
        }
        if let Some(fading) = &layer.fade {
            #[expect(clippy::cast_possible_truncation, reason = "weights have single precision")]
            let weight = (1.0 - fading.share()) as f32;
            match &fading.from {
                Before::Playing(_) => {}
                Before::Held(held) => {
                    (0..2).for_each(|part| momentum[part] += fading.momentum[part] * (weight * held.presence));
                }
                Before::Inertial(_) => {
                    (0..2).for_each(|part| momentum[part] = momentum[part].lerp(fading.momentum[part], weight));
                }
            }
        }
        momentum.map(|speed| (speed / presence).clamp(Vec3::splat(-MOST), Vec3::splat(MOST)))
    }
}

/// Where layers end a step.
type Stops = SmallVec<[(usize, Step); 2]>;

impl PlacedStates<'_> {
    /// Returns the step of a layer's current state, and its distance; `None` if the state has no clips.
    #[inline(always)]
    fn step(self, number: usize, seconds: f64, stops: &Stops) -> Option<(Step, f64)> {
        let playing = &self.layers[number].current;
        let state = self.state(playing);
        if state.sync.is_some() || !stops.is_empty() {
            return self.step_with(playing, Some(number), seconds, stops);
        }
        let pace = Pace::alone(state, self.parameters)?;
        Some((pace.step(playing, seconds), pace.distance(seconds)))
    }

    /// The same of any state, which may have markers or stop on the way. `number` is the layer of a current state.
    #[inline(never)]
    fn step_with(self, playing: &Playing, number: Option<usize>, seconds: f64, stops: &Stops) -> Option<(Step, f64)> {
        let pace = self.pace(playing)?;
        let step = self.stop(playing, number, stops).unwrap_or_else(|| pace.step(playing, seconds));
        Some((step, pace.distance(step.seconds)))
    }

    /// Returns whether a transition is due, and whether the step may have to be cut.
    #[inline(always)]
    fn outlook(&self, fired: u64, left: f64) -> (bool, bool) {
        let (mut is_due, mut cuts) = (false, false);
        for layer in self.layers {
            let state = self.state(&layer.current);
            is_due |= self.due(layer, fired, left).is_some();
            cuts |= state.cuts || layer.fade.as_ref().is_some_and(|fading| fading.left() < left.abs());
        }
        (is_due, cuts)
    }

    /// Returns where a state ends its step, alone or with those in step with it.
    fn stop(self, playing: &Playing, number: Option<usize>, stops: &Stops) -> Option<Step> {
        let sync = self.state(playing).sync;
        let is_here = |&&(of, _): &&(usize, Step)| {
            number == Some(of) || sync.is_some() && self.state(&self.layers[of].current).sync == sync
        };
        stops.iter().find(is_here).map(|&(_, stop)| stop)
    }

    /// Returns the transition of a layer that is taken now.
    #[inline(always)]
    fn due(&self, layer: &LayerState, fired: u64, left: f64) -> Option<&TransitionParts> {
        self.ready(layer, fired).find(|transition| self.is_now(transition, layer, left))
    }

    /// Returns whether all of a transition holds but, perhaps, what `ready` tests.
    #[inline(never)]
    fn is_now(&self, transition: &TransitionParts, layer: &LayerState, left: f64) -> bool {
        !(transition.waits && layer.fade.is_some())
            && transition.moments.iter().all(|moment| self.holds(layer, *moment, left))
    }

    /// Returns the transitions of a layer of which all holds but, perhaps, moments.
    #[inline(always)]
    fn ready(&self, layer: &LayerState, fired: u64) -> impl Iterator<Item = &TransitionParts> {
        let transitions =
            self.state(&layer.current).transitions.iter().map(|&number| &self.machine.transitions[number]);
        transitions.filter(move |transition| {
            transition.triggers & !fired == 0
                && transition.compares.iter().all(|&(by, above, number)| {
                    let value = self.parameters[by];
                    let (less, more) = if above { (number, value) } else { (value, number) };
                    less < more
                })
        })
    }

    fn holds(&self, layer: &LayerState, moment: Moment, left: f64) -> bool {
        let phase = layer.current.phase;
        match moment {
            Moment::Phase(low, high) => (low..=high).contains(&phase),
            Moment::Left(seconds) => self.pace(&layer.current).is_some_and(|pace| {
                let time = pace.time(phase);
                let clip_seconds = if pace.is_backward(left) { time } else { pace.duration() - time };
                clip_seconds <= pace.distance(seconds).abs() + SAME
            }),
        }
    }

    /// Returns the seconds to the next place where conditions begin to hold or a fade ends, and the steps that end there.
    #[cold]
    fn stops(&self, fired: u64, left: f64) -> (f64, Stops) {
        let (mut seconds, mut stops) = (left, Stops::new());
        let mut put = |after: f64| seconds = if after.abs() < seconds.abs() { after } else { seconds };
        for (number, layer) in self.layers.iter().enumerate() {
            if let Some(fading) = &layer.fade {
                put(left.signum() * fading.left());
            }
            for transition in self.ready(layer, fired).filter(|of| !(of.waits && layer.fade.is_some())) {
                for &moment in transition.moments.iter().filter(|moment| !self.holds(layer, **moment, left)) {
                    let Some(pace) = self.pace(&layer.current) else { continue };
                    let range = match moment {
                        Moment::Phase(low, high) => [low, high],
                        Moment::Left(seconds) => pace.left(pace.distance(seconds).abs(), left),
                    };
                    if let Some(stop) = pace.step_to(&layer.current, range, left) {
                        put(stop.seconds);
                        stops.push((number, stop));
                    }
                }
            }
        }
        stops.retain(|(_, stop)| (stop.seconds - seconds).abs() < SAME);
        (seconds, stops)
    }
}
