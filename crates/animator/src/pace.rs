//! The cycle that states and their clips go through together.

use crate::advance::SAME;
use crate::machine::{Member, Parts, StateParts};
use hedgerow_anim::player::{Playback, Way};
use smallvec::SmallVec;

/// The times at which a clip reaches equal parts of a cycle, ascending. Where a cycle begins with a marker, the times
/// after the clip's end are those of its next round.
pub(crate) type Knots = SmallVec<[f64; 2]>;

/// Returns the time at a phase from 0 to 1.
#[inline]
pub(crate) fn time_at(knots: &[f64], phase: f64) -> f64 {
    if let &[start, end] = knots {
        return (start + (end - start) * phase).min(end);
    }
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

    /// Takes a step over a distance.
    #[inline(always)]
    pub(crate) fn take(&mut self, step: Step, distance: f64) -> Taken {
        let taken = Taken {
            from: self.phase,
            to: step.phase,
            rounds: step.rounds,
            state: self.state,
            with_from: !self.passed,
            distance,
            turns: self.playback == Playback::PingPong,
            back: [self.back, step.back],
        };
        (self.phase, self.back) = (step.phase, step.back);
        self.passed |= distance.abs() > 0.0;
        taken
    }
}

/// The greatest number of markers in a clip.
pub(crate) const MOST_MARKERS: usize = 8;

/// How long a cycle and its parts take: the mean of the clips that play.
#[derive(Debug)]
pub(crate) struct Pace {
    duration: f64,
    weight: f64,
    speed: f64,
    /// The number of parts, 0 if the cycle is a whole; then the time at the end of each.
    parts: usize,
    ends: [f64; MOST_MARKERS],
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
    from: f64,
    to: f64,
    /// How often the cycle began again, negative if backward.
    rounds: f64,
    pub(crate) state: u16,
    /// Whether events at the beginning are passed.
    with_from: bool,
    /// In seconds, negative if backward.
    distance: f64,
    turns: bool,
    /// Whether the motion was on its way back, at the beginning and at the end.
    back: [bool; 2],
}

impl Pace {
    const NOTHING: Self = Self { duration: 0.0, weight: 0.0, speed: 0.0, parts: 0, ends: [0.0; MOST_MARKERS] };

    /// Returns the pace of a state alone, which does not heed markers; `None` if it has no clips.
    #[inline(always)]
    pub(crate) fn alone(state: &StateParts, parameters: &[f32]) -> Option<Self> {
        let mut pace = Self::NOTHING;
        state.mix(parameters, |member, share| pace.add(member, f64::from(share)));
        pace.speed = state.speed(parameters);
        pace.mean()
    }

    /// Returns the pace of states in step, given with their shares; `None` if they have no clips.
    pub(crate) fn in_step<'a>(states: impl Iterator<Item = (&'a StateParts, f64)>, parameters: &[f32]) -> Option<Self> {
        let mut pace = Self::NOTHING;
        for (state, share) in states {
            state.mix(parameters, |member, weight| {
                let (knots, weight) = (&member.knots, share * f64::from(weight));
                pace.add(member, weight);
                if knots.len() > 2 {
                    pace.parts = knots.len() - 1;
                    pace.ends.iter_mut().zip(&knots[1..]).for_each(|(sum, time)| *sum += (time - knots[0]) * weight);
                }
            });
            pace.speed += state.speed(parameters) * share;
        }
        pace.mean()
    }

    #[inline(always)]
    fn add(&mut self, member: &Member, weight: f64) {
        self.weight += weight;
        self.duration += member.duration * weight;
    }

    /// Divides the sums by their weight.
    #[inline(always)]
    fn mean(mut self) -> Option<Self> {
        if self.weight != 1.0 {
            self.ends.iter_mut().for_each(|end| *end /= self.weight);
            self.duration /= self.weight;
            self.speed /= self.weight;
        }
        (self.weight > 0.0).then_some(self)
    }

    pub(crate) const fn duration(&self) -> f64 {
        self.duration
    }

    /// Returns the beginning and the end of a part.
    fn part(&self, part: usize) -> [f64; 2] {
        [part.checked_sub(1).map_or(0.0, |before| self.ends[before]), self.ends[part]]
    }

    /// Returns the time at a phase.
    #[inline(always)]
    pub(crate) fn time(&self, phase: f64) -> f64 {
        if self.parts == 0 {
            return self.duration * phase;
        }
        let place = phase * self.parts as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "phases are from 0 to 1")]
        let part = (place as usize).min(self.parts - 1);
        let [start, end] = self.part(part);
        start + (end - start) * (place - part as f64)
    }

    /// Returns the phase at a time.
    #[inline(always)]
    pub(crate) fn phase(&self, time: f64) -> f64 {
        if self.parts == 0 {
            return (time / self.duration).clamp(0.0, 1.0);
        }
        let part = self.ends[..self.parts - 1].partition_point(|&end| end <= time);
        let [start, end] = self.part(part);
        ((part as f64 + (time - start) / (end - start)) / self.parts as f64).clamp(0.0, 1.0)
    }

    /// Returns the period of a motion, and the place in it, in seconds.
    #[inline(always)]
    fn place(&self, playing: &Playing) -> (f64, f64) {
        let (duration, time) = (self.duration, self.time(playing.phase));
        match playing.playback {
            Playback::PingPong if playing.back => (2.0 * duration, 2.0 * duration - time),
            Playback::PingPong => (2.0 * duration, time),
            _ => (duration, time),
        }
    }

    /// Returns the step that takes this many seconds, backward if negative.
    #[inline(always)]
    pub(crate) fn step(&self, playing: &Playing, seconds: f64) -> Step {
        let (period, place) = self.place(playing);
        let distance = self.distance(seconds);
        let to = place + distance;
        let (to, rounds) = if playing.playback == Playback::Clamp {
            // A motion that stops reaches its end, and the events there, whatever was rounded.
            let (to, end) = (to.clamp(0.0, period), if distance > 0.0 { period } else { 0.0 });
            (if (end - to).abs() < SAME { end } else { to }, 0.0)
        } else if (0.0..period).contains(&to) || to == place {
            // A step that is nothing, or lost in rounding, passes no end, even from a place at it.
            (to, 0.0)
        } else {
            let rounds = (to / period).floor();
            ((to - rounds * period).clamp(0.0, period), rounds)
        };
        let back = to > self.duration;
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
        if backward { [0.0, self.phase(left)] } else { [self.phase(self.duration - left), 1.0] }
    }

    /// Returns the seconds of the cycle that pass.
    #[inline(always)]
    pub(crate) fn distance(&self, seconds: f64) -> f64 {
        seconds * self.speed
    }
}

impl Taken {
    /// Returns the number of legs, from turn to turn.
    fn legs(&self) -> u64 {
        if self.distance == 0.0 {
            return 0;
        }
        let half = f64::from(u8::from(self.back[1])) - f64::from(u8::from(self.back[0]));
        let more = self.rounds.abs() * if self.turns { 2.0 } else { 1.0 } + half * self.distance.signum();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
        let more = more.max(0.0) as u64;
        more.saturating_add(1)
    }

    /// Returns the way of a clip.
    pub(crate) fn way(&self, knots: &[f64], duration: f64) -> Way {
        // A cycle that begins with a marker ends in the clip's next round.
        let (mut times, mut legs) = ([self.from, self.to].map(|phase| time_at(knots, phase)), self.legs());
        if knots[0] > 0.0 && legs > 0 {
            let rounds = times.map(|time| (time / duration).floor());
            times = [0, 1].map(|end| times[end] - rounds[end] * duration);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion saturates")]
            let wraps = (self.rounds + rounds[1] - rounds[0]).abs() as u64;
            legs = wraps.saturating_add(1);
        }
        let rises = (self.distance > 0.0) != self.back[0];
        Way { from: (times[0], self.with_from), to: times[1], rises, legs, turns: self.turns, duration }
    }

    /// Returns how often the end was passed, negative if backward.
    pub(crate) fn ends(&self) -> i32 {
        if self.rounds == 0.0 && self.back[0] == self.back[1] {
            return 0;
        }
        let (turns, forward) = (self.legs().saturating_sub(1), self.distance > 0.0);
        let ends = if self.turns { (turns + u64::from(forward != self.back[0])) / 2 } else { turns };
        let ends = i32::try_from(ends).unwrap_or(i32::MAX);
        if forward { ends } else { -ends }
    }
}
