//! The cycle that states and their clips go through together.

use crate::machine::{Parts, StateParts};
use hedgerow_anim::player::{Playback, Way};
use smallvec::SmallVec;

/// The times at which a clip reaches equal parts of a cycle, ascending. Where a cycle begins with a marker, the times
/// after the clip's end are those of its next round.
pub(crate) type Knots = SmallVec<[f64; 2]>;

/// Returns the time at a phase from 0 to 1.
pub(crate) fn time_at(knots: &[f64], phase: f64) -> f64 {
    let last = knots.len() - 1;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "phases are from 0 to 1")]
    let part = (phase * last as f64) as usize;
    // Exact at knots, so that clips reach their ends.
    let Some(&end) = knots.get(part + 1) else { return knots[last] };
    (knots[part] + (end - knots[part]) * (phase * last as f64 - part as f64)).min(end)
}

/// Where a state is in its motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Playing {
    pub(crate) state: u16,
    /// The place in the cycle, 0 to 1.
    pub(crate) phase: f64,
    /// Whether a motion that turns around is on its way back.
    pub(crate) back: bool,
    /// Whether events at this place have passed.
    pub(crate) passed: bool,
    pub(crate) playback: Playback,
}

impl Playing {
    /// Returns the beginning of a state.
    pub(crate) fn begin(state: u16, machine: &Parts, parameters: &[f32]) -> Self {
        let parts = &machine.states[usize::from(state)];
        let phase = if parts.speed(parameters) < 0.0 { 1.0 } else { 0.0 };
        Self { state, phase, back: false, passed: false, playback: parts.playback }
    }
}

/// How long the parts of a cycle take: the mean of the clips that play.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    knots: SmallVec<[f64; 9]>,
    weight: f64,
    speed: f64,
}

/// A step through a cycle, and where it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) seconds: f64,
    phase: f64,
    back: bool,
    /// How often the cycle begins again, negative if backward.
    rounds: f64,
}

/// A step that was taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    from: Playing,
    to: f64,
    rises: bool,
    rounds: f64,
    legs: u64,
}

impl Pace {
    /// Adds the clips of a state.
    pub(crate) fn add(&mut self, state: &StateParts, parameters: &[f32], weight: f64) {
        for (member, share) in state.mix(parameters) {
            let knots = &state.members[member].1;
            self.knots.resize(knots.len(), 0.0);
            let weight = weight * f64::from(share);
            self.weight += weight;
            for (sum, time) in self.knots.iter_mut().zip(knots) {
                *sum += (time - knots[0]) * weight;
            }
            self.speed += state.speed(parameters) * weight;
        }
    }

    /// Divides the sums by their weight. Returns `None` if nothing plays.
    pub(crate) fn mean(mut self) -> Option<Self> {
        if self.weight != 1.0 {
            self.knots.iter_mut().for_each(|knot| *knot /= self.weight);
            self.speed /= self.weight;
        }
        (self.weight > 0.0).then_some(self)
    }

    pub(crate) fn duration(&self) -> f64 {
        self.knots[self.knots.len() - 1]
    }

    /// Returns the time at a phase.
    pub(crate) fn time(&self, phase: f64) -> f64 {
        time_at(&self.knots, phase)
    }

    /// Returns the phase at a time.
    pub(crate) fn phase(&self, time: f64) -> f64 {
        let last = self.knots.len() - 1;
        let part = self.knots[1..last].partition_point(|&knot| knot <= time);
        let (start, end) = (self.knots[part], self.knots[part + 1]);
        ((part as f64 + (time - start) / (end - start)) / last as f64).clamp(0.0, 1.0)
    }

    /// Returns the period of a motion, and the place in it, in seconds.
    fn place(&self, playing: &Playing) -> (f64, f64) {
        let (duration, time) = (self.duration(), self.time(playing.phase));
        match playing.playback {
            Playback::PingPong if playing.back => (2.0 * duration, 2.0 * duration - time),
            Playback::PingPong => (2.0 * duration, time),
            _ => (duration, time),
        }
    }

    /// Returns the step that takes this many seconds, backward if negative.
    pub(crate) fn step(&self, playing: &Playing, seconds: f64) -> Step {
        let (period, place) = self.place(playing);
        let to = place + seconds * self.speed;
        let rounds = if playing.playback == Playback::Clamp { 0.0 } else { (to / period).floor() };
        let to = (to - rounds * period).clamp(0.0, period);
        let back = to > self.duration();
        Step { seconds, phase: self.phase(if back { period - to } else { to }), back, rounds }
    }

    /// Returns the shortest step in the direction of `seconds` that enters a range of phases.
    pub(crate) fn step_to(&self, playing: &Playing, [low, high]: [f64; 2], seconds: f64) -> Option<Step> {
        let speed = self.speed * seconds.signum();
        let (period, place) = self.place(playing);
        let forward = speed > 0.0;
        let (enter, enter_back) = if forward { (low, high) } else { (high, low) };
        let back = (playing.playback == Playback::PingPong).then_some((enter_back, true));
        let entries = [Some((enter, false)), back].into_iter().flatten().filter_map(|(phase, back)| {
            let at = if back { period - self.time(phase) } else { self.time(phase) };
            let ahead = if forward { at > place } else { at < place };
            let rounds = if ahead { 0.0 } else { speed.signum() };
            if rounds != 0.0 && playing.playback == Playback::Clamp {
                return None;
            }
            Some(Step { seconds: (at + rounds * period - place) / self.speed, phase, back, rounds })
        });
        let nearest = entries.min_by(|a, b| a.seconds.abs().total_cmp(&b.seconds.abs()));
        nearest.filter(|step| step.seconds.is_finite())
    }

    /// Returns whether time falls in steps of this sign.
    pub(crate) fn is_backward(&self, seconds: f64) -> bool {
        self.speed * seconds.signum() < 0.0
    }

    /// Returns the phases at which at most this much time is left.
    pub(crate) fn left(&self, left: f64, seconds: f64) -> [f64; 2] {
        let backward = self.is_backward(seconds);
        if backward { [0.0, self.phase(left)] } else { [self.phase(self.duration() - left), 1.0] }
    }

    /// Takes a step.
    pub(crate) fn take(&self, playing: &mut Playing, step: Step) -> Taken {
        let from = *playing;
        let forward = step.seconds * self.speed > 0.0;
        let moved = step.seconds * self.speed != 0.0;
        let turns = f64::from(1 + u8::from(playing.playback == Playback::PingPong));
        let half = f64::from(u8::from(step.back)) - f64::from(u8::from(from.back));
        let more = step.rounds.abs() * turns + if forward { half } else { -half };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
        let legs = if moved { (more.max(0.0) as u64).saturating_add(1) } else { 0 };
        (playing.phase, playing.back) = (step.phase, step.back);
        playing.passed |= moved;
        Taken { from, to: step.phase, rises: forward != from.back, rounds: step.rounds, legs }
    }
}

impl Taken {
    /// Returns the way of a clip.
    pub(crate) fn way(&self, knots: &[f64], duration: f64) -> Way {
        // A cycle that begins with a marker ends in the clip's next round.
        let (mut times, mut legs) = ([self.from.phase, self.to].map(|phase| time_at(knots, phase)), self.legs);
        if knots[0] > 0.0 {
            let rounds = times.map(|time| (time / duration).floor());
            times = [0, 1].map(|end| times[end] - rounds[end] * duration);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
            let wraps = (self.rounds + rounds[1] - rounds[0]).abs() as u64;
            legs = if legs > 0 { wraps.saturating_add(1) } else { 0 };
        }
        let turns = self.from.playback == Playback::PingPong;
        Way { from: (times[0], !self.from.passed), to: times[1], rises: self.rises, legs, turns, duration }
    }

    /// Returns how often the end was passed, negative if backward.
    pub(crate) fn ends(&self) -> i32 {
        let turns = self.legs.saturating_sub(1);
        let ends = match self.from.playback {
            Playback::Clamp => 0,
            Playback::Loop => turns,
            Playback::PingPong => (turns + u64::from(self.rises)) / 2,
        };
        let ends = i32::try_from(ends).unwrap_or(i32::MAX);
        if self.rises == self.from.back { -ends } else { ends }
    }
}
